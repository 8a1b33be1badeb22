"""The row is the job: read once, found by the sweep, never half-written, given up after two deaths."""

from __future__ import annotations

from datetime import date, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from django.db import OperationalError
from django.utils import timezone

from players import jobs
from players.models import User
from tournaments import filing, uploads
from tournaments.box import BoxDied, read_boxed
from tournaments.findings import describe_failure
from tournaments.formats.sheet import Reading
from tournaments.models import Entry, FiledSheet, Section, Stage, Upload
from tournaments.registration import SectionParticulars, add_sections
from tournaments.tests.conftest import OTB
from tournaments.tests.event_files import open_file
from tournaments.uploads import discard_unreviewed_files, oldest_job_of_each_region, receive_file

pytestmark = pytest.mark.servers


@pytest.fixture
def upload(section: Section, amahle: User, monkeypatch: pytest.MonkeyPatch) -> Upload:
    """A file that waits; nobody was woken."""
    monkeypatch.setattr("players.jobs._send", lambda task, key: None)
    received = receive_file(
        section=section,
        by=amahle,
        at=timezone.now(),
        on=date(2026, 3, 9),
        name="a.trf",
        data=open_file(),
    )
    return received[0]


def state(upload: Upload) -> str:
    upload.refresh_from_db()
    return upload.state


def test_the_sweep_reads_what_no_message_announced(upload: Upload) -> None:
    jobs.sweep("files")
    assert (state(upload), upload.progress, upload.attempts) == ("read", 100, 1)
    assert upload.section.entries.count() == 6


def test_reading_keeps_what_the_file_says(upload: Upload) -> None:
    jobs.sweep("files")
    kept = FiledSheet.objects.get().content
    assert len(kept["players"]) == 6  # type: ignore[arg-type]
    assert kept["games"]


def test_woken_many_times_it_reads_once(upload: Upload) -> None:
    for _n in range(3):
        jobs.take_turn("uploads", upload.pk)
    upload.refresh_from_db()
    assert upload.attempts == 1
    assert Section.objects.get().version == 1


def test_a_job_in_hand_is_not_taken_by_another(upload: Upload) -> None:
    assert jobs.claim_step("uploads", upload.pk) is not None
    assert jobs.claim_step("uploads", upload.pk) is None
    jobs.take_turn("uploads", upload.pk)
    jobs.sweep("files")
    assert (state(upload), upload.attempts) == ("reading", 1)


@pytest.mark.parametrize(("silent", "taken"), [(59, False), (61, True)])
def test_a_reader_silent_for_a_minute_is_dead(upload: Upload, silent: int, taken: bool) -> None:
    jobs.claim_step("uploads", upload.pk)
    Upload.objects.update(heartbeat=timezone.now() - timedelta(seconds=silent))
    jobs.sweep("files")
    assert (state(upload) == "read") == taken


def test_after_two_deaths_a_file_is_unreadable_and_shown(
    upload: Upload, monkeypatch: pytest.MonkeyPatch
) -> None:
    deaths = []

    def dies(*args: Any, **kwargs: Any) -> None:
        deaths.append(Upload.objects.get().attempts)
        raise BoxDied("box-memory")

    monkeypatch.setattr(uploads, "read_boxed", dies)
    jobs.take_turn("uploads", upload.pk)
    assert deaths == [1, 2]  # counted before the reading, so that a killed worker counts too
    assert state(upload) == "unreadable"
    assert describe_failure(upload)[0].startswith("This file needs too much memory")
    jobs.sweep("files")
    assert deaths == [1, 2]


def test_a_worker_killed_twice_while_reading_gives_up_the_file(upload: Upload) -> None:
    for _n in range(2):
        jobs.claim_step("uploads", upload.pk)
        Upload.objects.update(heartbeat=timezone.now() - timedelta(minutes=5))
    jobs.sweep("files")
    assert state(upload) == "unreadable"


def test_a_failure_amid_the_writing_leaves_nothing(upload: Upload, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(section: Section) -> None:
        raise RuntimeError("pulled the plug")

    monkeypatch.setattr(filing, "recheck", fails)
    jobs.take_turn("uploads", upload.pk)
    assert not Entry.objects.exists()
    assert Section.objects.get().stage == Stage.REGISTERED


def test_what_cannot_be_stored_is_tried_twice_and_then_said_to_whoever_waits(
    upload: Upload, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(filing, "match", None)
    jobs.take_turn("uploads", upload.pk)
    upload.refresh_from_db()
    assert (upload.state, upload.attempts) == (Upload.State.UNREADABLE, 2)
    assert describe_failure(upload) != []


@pytest.mark.parametrize("busy", ["tournaments.uploads.store_reading", "players.jobs.beat"])
def test_a_database_that_is_busy_is_no_fault_of_the_file_however_often(
    upload: Upload, monkeypatch: pytest.MonkeyPatch, busy: str
) -> None:
    def locked(*_: object, **_more: object) -> None:
        raise OperationalError("database is locked")

    with monkeypatch.context() as patched:
        patched.setattr(busy, locked)
        for _n in range(3):
            jobs.sweep("files")
            assert (state(upload), upload.attempts, upload.reason) == ("waiting", 0, "")
    jobs.sweep("files")
    assert (state(upload), upload.attempts) == ("read", 1)


def test_a_busy_database_between_two_deaths_excuses_neither(
    upload: Upload, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends = iter((BoxDied("box-memory"), OperationalError("database is locked"), BoxDied("box-memory")))

    def dies(*_: object, **_more: object) -> None:
        raise next(ends)

    monkeypatch.setattr(uploads, "read_boxed", dies)
    jobs.sweep("files")
    assert (state(upload), upload.attempts) == ("waiting", 1)
    jobs.sweep("files")
    assert (state(upload), upload.attempts) == ("unreadable", 2)


def test_a_busy_database_at_one_file_keeps_no_other_waiting(
    upload: Upload, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_sections(
        event=upload.section.event,
        by=upload.by,
        on=date(2026, 3, 9),
        sections=[SectionParticulars(name="B", format="swiss", particulars=OTB)],
    )
    other = receive_file(
        section=Section.objects.get(code="B"),
        by=upload.by,
        at=timezone.now(),
        on=date(2026, 3, 9),
        name="b.trf",
        data=open_file(rounds=7),
    )[0]
    store = filing.store_reading

    def busy_at_one(stored: Upload, read: Reading) -> None:
        if stored == upload:
            raise OperationalError("database is locked")
        store(stored, read)

    monkeypatch.setattr(uploads, "store_reading", busy_at_one)
    assert oldest_job_of_each_region(jobs.get_kinds()["uploads"].rows) == [upload.pk], (
        "the sweep begins with the one that is busy"
    )
    jobs.sweep("files")
    assert (state(upload), state(other)) == ("waiting", "read")


def test_what_was_read_before_outlives_a_failure(upload: Upload, monkeypatch: pytest.MonkeyPatch) -> None:
    jobs.take_turn("uploads", upload.pk)
    receive_file(
        section=upload.section,
        by=upload.by,
        at=timezone.now(),
        on=date(2026, 3, 9),
        name="b.trf",
        data=open_file(rounds=7),
    )
    monkeypatch.setattr(filing, "match", None)
    jobs.sweep("files")
    section = Section.objects.get()
    assert (section.rounds, section.entries.count(), section.games.count()) == (5, 6, 15)


def test_a_file_taken_back_while_it_is_read_changes_nothing(upload: Upload) -> None:
    claimed = jobs.claim_step("uploads", upload.pk)
    section = upload.section
    discard_unreviewed_files(section=section, by=None, on=date(2026, 3, 9), version=section.version)
    assert claimed is not None
    read = read_boxed(open_file(), "a.trf")
    with pytest.raises(filing.ReadingSuperseded):
        filing.store_reading(claimed, read)
    assert not Entry.objects.exists()


def test_a_section_decided_on_meanwhile_is_not_overwritten(upload: Upload) -> None:
    Section.objects.update(stage=Stage.SUBMITTED)
    jobs.take_turn("uploads", upload.pk)
    assert state(upload) == "unreadable"
    assert "An official decided on the section" in describe_failure(upload)[0]
    assert Section.objects.get().stage == Stage.SUBMITTED


def test_a_broker_that_is_away_costs_no_upload(
    section: Section,
    amahle: User,
    monkeypatch: pytest.MonkeyPatch,
    django_capture_on_commit_callbacks: Any,
) -> None:
    def away(*args: Any, **kwargs: Any) -> None:
        raise ConnectionError("no broker")

    monkeypatch.setattr("players.jobs.current_app", SimpleNamespace(send_task=away))
    before = jobs.failed
    with django_capture_on_commit_callbacks(execute=True):
        receive_file(
            section=section,
            by=amahle,
            at=timezone.now(),
            on=date(2026, 3, 9),
            name="a",
            data=open_file(),
        )
    assert jobs.failed == before + 1
    jobs.sweep("files")
    assert Upload.objects.get().state == "read"
