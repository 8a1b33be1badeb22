"""What the filing tests share: a worker in the test's own process, an event registered for Gauteng."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import date
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client

from players import jobs, tasks
from players.access import get_rights
from players.models import Federation, Player, Region, User
from players.names import fold
from tests.built_once import built_once
from tournaments.models import Section
from tournaments.registration import SectionParticulars, register_event
from tournaments.tests.event_files import NAMES

TODAY = date(2026, 3, 10)
Send = Callable[..., HttpResponse]
OTB = {"platform": "otb", "time_controls": [{"minutes": [90], "increment": 30}]}


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Messages of this app are worked off at once; the list says which tasks were woken."""
    woken: list[str] = []

    def send_task(name: str, args: tuple[Any, ...], **_: Any) -> None:
        woken.append(name)
        if name == jobs.WORK_TASK:
            tasks.work.apply(args=args, throw=True)

    monkeypatch.setattr("players.jobs.current_app", SimpleNamespace(send_task=send_task))
    return woken


@pytest.fixture
@built_once
def section(csa: Federation, amahle: User, gauteng: Region) -> Section:
    """Soweto Open, section A: registered, nothing filed."""
    event = register_event(
        rights=get_rights(amahle, csa, TODAY),
        by=amahle,
        on=date(2026, 1, 5),
        name="Soweto Open",
        region=gauteng,
        starts=date(2026, 3, 6),
        ends=date(2026, 3, 8),
        sections=[SectionParticulars(name="A", format="swiss", particulars=OTB)],
    )
    return event.sections.get()


@pytest.fixture
def send(
    worker: list[str], django_capture_on_commit_callbacks: Callable[..., AbstractContextManager[Any]]
) -> Send:
    """`send(client, url, data)`: post, and let happen what happens once it is committed."""

    def post(client: Client, url: str, data: dict[str, Any] | None = None) -> HttpResponse:
        with django_capture_on_commit_callbacks(execute=True):
            return client.post(url, data or {})  # type: ignore[return-value]

    return post


@pytest.fixture
def upload(send: Send) -> Send:
    """`upload(client, section, data)`: a file through the real page, and read."""

    def post(client: Client, section: Section, data: bytes, name: str = "section-a.txt") -> HttpResponse:
        return send(client, address(section, "file"), {"file": SimpleUploadedFile(name, data)})

    return post


@pytest.fixture
@built_once
def register_of_six(csa: Federation, gauteng: Region) -> list[Player]:
    """The six players of `open_file`, all in the register."""
    return [enter(csa, *name, number=f"10100000{place}") for place, name in enumerate(NAMES, 1)]


def enter(
    office: Federation, surname: str, first_name: str, born: int, sex: str, *, number: str, **more: Any
) -> Player:
    return Player.objects.create(
        federation=office,
        number=number,
        surname=surname,
        first_name=first_name,
        born=born,
        sex=sex,
        name_key=fold(surname),
        **more,
    )


def address(section: Section, step: str) -> str:
    event = section.event
    return f"/{event.federation.code}/events/{event.number}/{section.code}/{step}/"


def fresh(section: Section) -> Section:
    return Section.objects.select_related("event__federation").get(pk=section.pk)
