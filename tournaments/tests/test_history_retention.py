"""A past that nobody writes: its files, which hold births, go by the rule of other uploads."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import pytest
from django.test import Client
from django.utils import timezone

from players import jobs
from players.models import Decision, Federation, Player, User
from ratings.verify import verify
from tournaments.history import answer, confirm_history
from tournaments.models import History, HistoryAnswer, HistoryFile, HistoryState, Upload
from tournaments.retention import let_go
from tournaments.tests.test_histories import past, received

CAME = date(2026, 1, 1)
LAST = CAME + timedelta(days=90)
DAY = timedelta(days=1)


@pytest.fixture
def history(csa: Federation, tmp_path: Path) -> History:
    history = received(csa, past(), tmp_path / "past")
    jobs.run("histories", history.pk)
    history.refresh_from_db()
    return history


def differences(office: Federation) -> list[str]:
    return [each for each in verify(office).differences if "file" in each or "gone" in each]


def test_a_past_that_is_never_written_goes_with_its_files_and_answers_90_days_after_it_came(
    csa: Federation, history: History, nomsa: User, client_of: Callable[[User], Client]
) -> None:
    history.answers.create(kind="name", subject="x", value="Dlamini, Thabo", at=timezone.now())
    assert let_go(csa, LAST) == []
    assert [file.row.sha256 for file in let_go(csa, LAST + DAY)] == [history.sha256]
    history.refresh_from_db()
    assert (history.state, history.rows, history.outcome, history.content) == (
        HistoryState.DISCARDED,
        [],
        {},
        None,
    )
    assert not HistoryFile.objects.exists()
    assert not history.answers.exists()
    decision = Decision.objects.get(federation=csa, kind="let-go")
    assert decision.details["sha256"] == {"archive": [history.sha256]}
    assert differences(csa) == []
    assert "was deleted on 2 April 2026" in client_of(nomsa).get(f"/csa/past/{history.pk}/").content.decode()
    assert let_go(csa, LAST + 2 * DAY) == []


def test_a_refused_past_goes_too(csa: Federation, history: History) -> None:
    History.objects.update(state=HistoryState.REFUSED)
    assert len(let_go(csa, LAST + DAY)) == 1
    assert not HistoryFile.objects.exists()


def test_whoever_works_on_a_past_has_90_days_from_then(csa: Federation, history: History) -> None:
    at, said = timezone.now(), [HistoryAnswer(kind="person", subject="*", value="best")]
    answer(history=history, by=None, at=at, on=LAST, answers=said)
    jobs.run("histories", history.pk)
    assert let_go(csa, LAST + timedelta(days=90)) == []
    assert len(let_go(csa, LAST + timedelta(days=91))) == 1


def test_a_past_under_work_stays_and_a_written_one_keeps_its_files_with_its_sections(
    csa: Federation, history: History
) -> None:
    confirm_history(history=history, by=None, on=CAME, digest=history.digest)
    assert let_go(csa, LAST + DAY) == []
    jobs.run("histories", history.pk)
    assert let_go(csa, LAST + DAY) == []
    assert Upload.objects.exclude(content=None).count() == 3
    assert Player.objects.count() == 6


def test_a_past_that_is_marked_as_let_go_without_a_word_on_record_is_a_difference(
    csa: Federation, history: History
) -> None:
    HistoryFile.objects.all().delete()
    History.objects.update(state=HistoryState.DISCARDED, let_go_on=LAST, let_go_because="archive")
    [words] = differences(csa)
    assert "it is marked as let go on 2026-04-01, but not on record" in words
