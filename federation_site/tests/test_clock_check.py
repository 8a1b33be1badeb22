"""A clock that is behind the record is told."""

import time
from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest

from federation_site import celery, checks
from federation_site.celery import log_clock_leap
from federation_site.management.commands.up import Command as Up
from federation_site.watch import (
    CLOCK_SLACK,
    FILES,
    WORKER,
    LeapWatch,
    clock_seconds_behind,
    clock_warning,
    give,
    look,
)
from players.models import Decision, Federation
from tests.built_once import built_once

NEWEST = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)


@pytest.fixture
@built_once
def decided(csa: Federation) -> None:
    Decision.objects.create(
        federation=csa, number=1, kind="submit", at=NEWEST, on=NEWEST.date(), about="section 1"
    )


@pytest.mark.usefixtures("decided")
def test_a_clock_behind_the_newest_decision_is_told_with_both_times() -> None:
    words = clock_warning(NEWEST - CLOCK_SLACK - timedelta(seconds=1))
    assert "clock says 2026-11-22 11:58 (UTC)" in words
    assert "2026-11-22 12:00" in words


@pytest.mark.usefixtures("decided")
def test_a_clock_that_differs_by_less_than_a_minute_is_right() -> None:
    assert clock_warning(NEWEST - CLOCK_SLACK) == ""
    assert clock_warning(NEWEST + timedelta(days=400)) == ""


@pytest.mark.django_db
def test_an_empty_record_says_nothing_of_the_clock() -> None:
    assert clock_warning(NEWEST) == ""


@pytest.mark.usefixtures("decided")
def test_up_and_the_worker_tell_it_when_they_start(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("django.utils.timezone.now", lambda: NEWEST - timedelta(days=400))
    monkeypatch.setattr("federation_site.management.commands.up.call_command", lambda *_, **__: None)
    Up(stderr=(said := StringIO())).make_ready("127.0.0.1", no_demo=True)
    assert "Set the clock" in said.getvalue()
    celery.warn_of_clock_behind()
    assert "Set the clock" in caplog.text


@pytest.mark.usefixtures("decided")
def test_the_deployment_check_and_the_probe_for_alarms_tell_a_clock_that_is_behind(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for behind, told in ((CLOCK_SLACK, False), (timedelta(days=3), True)):
        monkeypatch.setattr("django.utils.timezone.now", lambda behind=behind: NEWEST - behind)
        assert [each.id for each in checks.check_the_clock()] == ["federation_site.W010"] * told
        give(WORKER)
        give(FILES)
        found = look()
        assert found.clock_behind == (behind.total_seconds() if told else 0)
        assert found.working is not told
    assert clock_seconds_behind(NEWEST) == 0


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, ""),
        (60, ""),
        (-60, ""),
        (61, "leapt forward by 0:01:01"),
        (-400 * 86400, "leapt back by 400 days"),
    ],
)
def test_a_clock_that_leaps_by_more_than_a_minute_is_told_once(
    monkeypatch: pytest.MonkeyPatch, seconds: int, words: str
) -> None:
    watch, now = LeapWatch(), time.time
    monkeypatch.setattr(time, "time", lambda: now() + seconds)
    said = watch.leap_message()
    assert words in said
    assert bool(said) == bool(words)
    assert watch.leap_message() == ""


def test_a_leap_is_an_error_that_operators_hear_of(caplog: pytest.LogCaptureFixture) -> None:
    log_clock_leap("")
    assert not caplog.records
    log_clock_leap("This machine's clock leapt forward by 1:00:00.")
    assert [record.levelname for record in caplog.records] == ["ERROR"]
