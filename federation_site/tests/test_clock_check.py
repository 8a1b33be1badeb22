"""A clock that is behind the record is told."""

from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest

from federation_site import celery
from federation_site.management.commands.up import Command as Up
from federation_site.processes.clock_check import SLACK, clock_behind
from players.office.models import Decision, Federation

NEWEST = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)


@pytest.fixture
def decided(csa: Federation) -> None:
    Decision.objects.create(
        federation=csa, number=1, kind="submit", at=NEWEST, on=NEWEST.date(), about="section 1"
    )


@pytest.mark.usefixtures("decided")
def test_a_clock_behind_the_newest_decision_is_told_with_both_times() -> None:
    words = clock_behind(NEWEST - SLACK - timedelta(seconds=1))
    assert "clock says 2026-11-22 11:58 (UTC)" in words
    assert "2026-11-22 12:00" in words


@pytest.mark.usefixtures("decided")
def test_a_clock_that_differs_by_less_than_a_minute_is_right() -> None:
    assert clock_behind(NEWEST - SLACK) == ""
    assert clock_behind(NEWEST + timedelta(days=400)) == ""


@pytest.mark.django_db
def test_an_empty_record_says_nothing_of_the_clock() -> None:
    assert clock_behind(NEWEST) == ""


@pytest.mark.usefixtures("decided")
def test_up_and_the_worker_tell_it_when_they_start(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("django.utils.timezone.now", lambda: NEWEST - timedelta(days=400))
    monkeypatch.setattr("federation_site.management.commands.up.call_command", lambda *_, **__: None)
    Up(stderr=(said := StringIO())).make_ready("127.0.0.1", no_demo=True)
    assert "Set the clock" in said.getvalue()
    celery.warn_of_a_clock_that_is_behind()
    assert "Set the clock" in caplog.text
