"""Regions take turns at the worker: two hundred files of one keep no file of another waiting."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import AbstractContextManager
from types import SimpleNamespace
from typing import Any

import pytest
from django.utils import timezone

from players import jobs
from players.models import Federation, Region
from tournaments import uploads
from tournaments.formats.archive import unpack
from tournaments.formats.sheet import FileFinding, Reading
from tournaments.models import Archive, Event, Section, Upload
from tournaments.tests.conftest import TODAY
from tournaments.tests.test_formats_archive import zipped
from tournaments.uploads import receive_archive, receive_file

pytestmark = [pytest.mark.django_db, pytest.mark.servers]
Capture = Callable[..., AbstractContextManager[Any]]
MANY = 200


class Broker:
    """A queue from which one worker takes message by message; `read` has the regions in order of reading."""

    def __init__(self) -> None:
        self.waiting: deque[tuple[str, int]] = deque()
        self.read: list[str] = []

    def send_task(self, name: str, args: tuple[str, int], queue: str) -> None:
        assert (name, queue) == (jobs.WORK_TASK, "files")
        self.waiting.append(args)

    def work_one(self) -> None:
        jobs.take_turn(*self.waiting.popleft())


@pytest.fixture
def broker(monkeypatch: pytest.MonkeyPatch) -> Broker:
    """Each file's bytes are its region's name, and no event file. A turn is one file long."""
    broker = Broker()

    def read(data: bytes, name: str, **_more: Any) -> Reading:
        broker.read.append(data.decode().partition(" ")[0])
        return Reading(None, (FileFinding("blocks", "is-binary"),))

    monkeypatch.setattr("players.jobs.current_app", SimpleNamespace(send_task=broker.send_task))
    monkeypatch.setattr(uploads, "read_boxed", read)
    monkeypatch.setattr(uploads, "unpack_boxed", lambda data, **_more: unpack(data))
    monkeypatch.setattr(jobs, "TURN", -1.0)
    return broker


@pytest.fixture
def work_all(broker: Broker, django_capture_on_commit_callbacks: Capture) -> Callable[[], None]:
    def work() -> None:
        while broker.waiting:
            with django_capture_on_commit_callbacks(execute=True):
                broker.work_one()

    return work


def sections(region: Region, count: int) -> list[Section]:
    event = Event.objects.create(
        federation=region.federation,
        number=f"2026-{region.code}",
        name=region.name,
        region=region,
        starts=TODAY,
        ends=TODAY,
        registered_on=TODAY,
    )
    return Section.objects.bulk_create(
        Section(event=event, code=str(n), name="A", starts=TODAY, ends=TODAY, format="swiss")
        for n in range(count)
    )


@pytest.fixture
def file(django_capture_on_commit_callbacks: Capture) -> Callable[[Region, int], None]:
    """`file(region, 200)`: so many files of a region come in, one after the other."""

    def send(region: Region, count: int) -> None:
        for section in sections(region, count):
            with django_capture_on_commit_callbacks(execute=True):
                data = f"{region.code} {section.code}".encode()
                receive_file(section=section, by=None, at=timezone.now(), on=TODAY, name="a.trf", data=data)

    return send


@pytest.fixture
def file_archives(django_capture_on_commit_callbacks: Capture) -> Callable[[Region, int], None]:
    def send(region: Region, count: int) -> None:
        [section] = sections(region, 1)
        for number in range(count):
            with django_capture_on_commit_callbacks(execute=True):
                receive_archive(
                    event=section.event,
                    by=None,
                    at=timezone.now(),
                    on=TODAY,
                    name="a.zip",
                    data=zipped(("a.trf", f"{region.code} {number}".encode())),
                )

    return send


Filing = Callable[[Region, int], None]


@pytest.mark.long
def test_two_hundred_files_of_one_region_leave_one_message_in_the_queue_and_all_are_read(
    csa: Federation, gauteng: Region, broker: Broker, file: Filing, work_all: Callable[[], None]
) -> None:
    file(gauteng, MANY)
    assert len(broker.waiting) == 1
    work_all()
    assert broker.read == ["GAU"] * MANY
    assert not Upload.objects.waiting().exists()


@pytest.mark.long
@pytest.mark.parametrize("archives", [False, True])
def test_a_file_of_another_region_is_read_after_one_of_the_two_hundred(
    csa: Federation,
    gauteng: Region,
    western_cape: Region,
    broker: Broker,
    file: Filing,
    file_archives: Filing,
    work_all: Callable[[], None],
    archives: bool,
) -> None:
    (file_archives if archives else file)(gauteng, MANY)
    file(western_cape, 1)
    work_all()
    assert broker.read.index("WCA") == 1
    assert len(broker.read) == MANY + 1
    assert not Archive.objects.filter(state=Archive.State.WAITING).exists()


def test_two_regions_with_many_files_alternate(
    csa: Federation,
    gauteng: Region,
    western_cape: Region,
    broker: Broker,
    file: Filing,
    work_all: Callable[[], None],
) -> None:
    file(gauteng, 6)
    file(western_cape, 3)
    work_all()
    assert broker.read == ["GAU", "WCA"] * 3 + ["GAU"] * 3


def test_small_files_of_a_region_are_read_in_one_turn_while_it_lasts(
    csa: Federation,
    gauteng: Region,
    broker: Broker,
    file: Filing,
    work_all: Callable[[], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(jobs, "TURN", 60.0)
    file(gauteng, 5)
    broker.work_one()
    assert (broker.read, len(broker.waiting)) == (["GAU"] * 5, 0)


def test_the_sweep_takes_one_of_each_region_in_turn_and_the_region_with_the_fewest_first(
    csa: Federation, gauteng: Region, western_cape: Region, broker: Broker, file: Filing
) -> None:
    file(gauteng, 4)
    file(western_cape, 2)
    broker.waiting.clear()
    jobs.sweep("files")
    assert broker.read == ["WCA", "GAU", "WCA", "GAU", "GAU", "GAU"]


def test_a_sweep_ends_when_the_next_is_due_and_that_one_goes_on(
    csa: Federation, gauteng: Region, broker: Broker, file: Filing, settings: Any
) -> None:
    file(gauteng, 3)
    settings.SWEEP_SECONDS = 0.000001
    for count in (1, 2, 3):
        jobs.sweep("files")
        assert len(broker.read) == count


def test_a_file_that_was_removed_while_it_waited_keeps_no_other_from_the_sweep(
    csa: Federation, gauteng: Region, broker: Broker, file: Filing, work_all: Callable[[], None]
) -> None:
    file(gauteng, 2)
    first = Upload.objects.order_by("pk").first()
    assert first is not None
    first.delete()
    work_all()
    assert broker.read == []
    jobs.sweep("files")
    assert broker.read == ["GAU"]
