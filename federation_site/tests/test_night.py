"""What is done each night is done once, also where the office was closed at its hour or the clock was set."""

from __future__ import annotations

from datetime import date, time
from types import SimpleNamespace
from typing import Any

import pytest
import time_machine
from django.utils import timezone

from federation_site import tasks
from federation_site.models import SignOfLife
from players.models import Federation
from ratings.rulesets import rulesets

pytestmark = [pytest.mark.django_db, pytest.mark.servers]


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the tasks that the night sends."""
    found: list[str] = []

    def noted(name: str) -> Any:
        return SimpleNamespace(name=f"federation_site.tasks.{name}", delay=lambda: found.append(name))

    night = ((noted("let_go_files"), time(3, 15)), (noted("verify_offices"), time(3, 20)))
    monkeypatch.setattr(tasks, "NIGHTLY", night)
    return found


def look(at: str) -> None:
    with time_machine.travel(f"{at}Z", tick=False):
        tasks.look_at_the_clock()


def test_each_thing_is_done_once_from_its_hour_on(sent: list[str]) -> None:
    look("2026-05-01T12:00")
    assert sent == []  # an office that has just begun waits for the night
    look("2026-05-02T03:14")
    assert sent == []
    look("2026-05-02T03:15")
    assert sent == ["let_go_files"]
    look("2026-05-02T03:20")
    assert sent == ["let_go_files", "verify_offices"]
    look("2026-05-03T03:10")
    assert len(sent) == 2
    look("2026-05-03T03:20")
    assert len(sent) == 4


def test_an_office_that_is_closed_at_night_does_it_at_its_first_look(sent: list[str]) -> None:
    look("2026-05-01T12:00")
    look("2026-05-04T08:05")
    look("2026-05-04T08:10")
    assert sent == ["let_go_files", "verify_offices"]


def test_a_clock_that_was_a_year_ahead_keeps_no_night_waiting(sent: list[str]) -> None:
    look("2027-05-01T12:00")
    look("2026-05-01T12:00")
    look("2026-05-02T03:20")
    assert sent == ["let_go_files", "verify_offices"]


def test_a_backup_that_is_missing_is_made_within_half_an_hour(
    monkeypatch: pytest.MonkeyPatch, sent: list[str]
) -> None:
    monkeypatch.setattr(tasks.back_up, "delay", lambda: sent.append("back_up"))
    for minute in (0, 1, 29, 31, 32, 59):
        look(f"2026-05-01T12:{minute:02}")
    assert sent == ["back_up"]
    look("2026-05-01T13:02")
    assert sent == ["back_up"] * 2


def test_an_office_at_which_it_fails_keeps_the_others_from_nothing_and_shows(
    csa: Federation, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The sign is not given, so the page of operations tells that the letting go is late."""
    Federation.objects.create(code="aaa", name="A", ruleset_slug=next(iter(rulesets())))
    seen: list[str] = []

    def let_go(office: Federation, _on: object) -> list[object]:
        seen.append(office.code)
        if office.code == "aaa":
            raise ValueError("invented")
        return []

    monkeypatch.setattr(tasks, "let_go", let_go)
    tasks.let_go_files()
    assert seen == ["aaa", "csa"]
    assert "the next night tries again" in caplog.text
    assert not SignOfLife.objects.filter(name="let-go").exists()
    Federation.objects.filter(code="aaa").delete()
    tasks.let_go_files()
    assert SignOfLife.objects.get(name="let-go").at <= timezone.now()


def test_after_a_month_without_it_files_go_a_night_later_and_operators_are_told_so(
    csa: Federation, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A clock that leapt by years would delete everything, and nothing would bring it back."""
    asked: list[str] = []

    def let_go(_office: Federation, on: date) -> list[object]:
        asked.append(on.isoformat())
        return []

    monkeypatch.setattr(tasks, "let_go", let_go)

    def night(of: str) -> None:
        with time_machine.travel(f"{of}T03:15Z", tick=False):
            tasks.let_go_files()

    night("2026-05-01")
    night("2026-05-30")
    assert asked == ["2026-05-01", "2026-05-30"]
    night("2029-05-31")
    assert asked == ["2026-05-01", "2026-05-30"]
    assert "is the clock right?" in caplog.text
    night("2026-05-31")  # it was set
    night("2026-07-31")  # the office was closed
    night("2026-08-01")
    assert asked == ["2026-05-01", "2026-05-30", "2026-05-31", "2026-08-01"]
