"""Offices whose order is that of play: journals in and out of the database, late approvals, un-rating."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from players.models import Federation
from ratings import approval
from ratings.intake import import_journal
from ratings.journal import journal_lines
from ratings.models import Change, Standing
from ratings.recompute import recompute
from ratings.replay import replay
from ratings.rulesets import journal, piskvorky, ssdc
from ratings.rulesets.journal_lines import plain
from ratings.tests.examples import journals_of
from ratings.tests.office import not_known, published, recompute_all
from ratings.verify import verify
from ratings.workings import explain_change, step_rows
from tournaments.models import Section, Stage

pytestmark = pytest.mark.django_db

each_journal = pytest.mark.parametrize(
    "path", [*journals_of(ssdc), *journals_of(piskvorky)], ids=lambda path: f"{path.parts[-3]}-{path.stem}"
)
LATER = date(2025, 6, 1)


def office_of(path: Path) -> Federation:
    record = journal.read_journal(path.read_bytes().splitlines(keepends=True))
    federation = import_journal(record, on=LATER)
    recompute_all(federation)
    return federation


def exported(federation: Federation) -> bytes:
    return "".join(f"{line}\n" for line in journal_lines(federation)).encode()


def assert_equals_replay(federation: Federation) -> None:
    """What the office has is what anyone gets from its journal."""
    rows = Standing.objects.filter(federation=federation, rating__isnull=False)
    kept = {
        (number, track): (plain(rating or Decimal(0)), games)
        for number, track, rating, games in rows.values_list("player__number", "track", "rating", "games")
    }
    answered = replay(exported(federation))["ratings"]
    rated = [row for row in answered if row["rating"] is not None]
    assert kept == {(row["player"], row["track"]): (row["rating"], row["games"]) for row in rated}
    assert verify(federation).differences == []


@each_journal
def test_an_office_made_from_a_journal_has_its_ratings_and_gives_back_its_bytes(path: Path) -> None:
    federation = office_of(path)
    assert exported(federation) == path.read_bytes()
    assert_equals_replay(federation)
    assert not recompute(federation)


@each_journal
def test_each_change_of_an_office_can_be_opened(path: Path) -> None:
    federation = office_of(path)
    changes = Change.objects.filter(fact__federation=federation).select_related(
        "fact__federation", "fact__takes", "player__federation"
    )
    assert changes.exists()
    newest = federation.ruleset.newest
    told = [step_rows(explain_change(change), federation, newest, linked=True) for change in changes]
    assert all(told)
    words = [row.words for rows in told for row in rows]
    links = [each for each in words if f'<a href="/{federation.code}/events/' in each]
    assert bool(links) == (federation.code == "mahjong")


@pytest.mark.long
@each_journal
def test_d2_an_unrated_section_leaves_what_there_would_be_without_it_and_d1_comes_back_in_its_place(
    path: Path,
) -> None:
    federation = office_of(path)
    before = replay(exported(federation))["ratings"]
    sections = Section.objects.filter(event__federation=federation)
    for section in sections.order_by("ends", "starts"):
        approval.unrate(
            section=section, by=None, on=LATER, version=section.version, reason="result", words="a slip"
        )
        recompute_all(federation)
        assert_equals_replay(federation)
        section.refresh_from_db()
        Section.objects.filter(pk=section.pk).update(stage=Stage.SUBMITTED)
        births = not_known(section)
        approval.approve(section=section, by=None, on=LATER, version=section.version, births=births)
        recompute_all(federation)
        assert_equals_replay(federation)
    assert replay(exported(federation))["ratings"] == before


def test_a_list_is_published_of_those_who_stand_on_it() -> None:
    federation = office_of(next(path for path in journals_of(ssdc) if "on-and-off" in path.stem))
    lists = published(federation, LATER + timedelta(1))
    assert [(each.track, each.players) for each in lists] == [("classic", 2)]
    assert verify(federation).differences == []
