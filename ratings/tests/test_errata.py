"""Errata: what a correction did to everybody's rating, exactly, and for ever."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from itertools import islice
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction

from players.models import Federation, Player
from ratings import approval
from ratings.as_if import preview_unrating
from ratings.intake import import_journal
from ratings.journal import REASONS, journal_lines
from ratings.models import CorrectedRating, Erratum, Fact
from ratings.rulesets import facts, rulesets
from ratings.rulesets.facts import State
from ratings.rulesets.journal import read_journal, resolve
from ratings.rulesets.ruleset import Ruleset
from ratings.statement import compute_differences
from ratings.tests.eventful import eventful
from ratings.tests.office import approved, published, recompute_all, register, submitted
from ratings.tests.test_asof import office_of
from tests.built_once import built_once
from tournaments.models import Section

pytestmark = pytest.mark.django_db
Row = tuple[str, str, Decimal | None, Decimal | None]


@pytest.fixture
@built_once
def players(csa: Federation) -> list[Player]:
    return register(csa, 8)


def unrated(section: Section, on: date) -> Fact:
    section.refresh_from_db()
    return approval.unrate(
        section=section,
        by=None,
        on=on,
        version=section.version,
        reason="result",
        words="Game 1 was lost, not won.",
        after_list=True,
    )


def told(line: Fact) -> list[Row]:
    rows = CorrectedRating.objects.filter(erratum__fact=line).select_related("player")
    return [(each.player.number, each.track, each.before, each.after) for each in rows]


def state_of_line(office: Federation, number: int) -> State[Any]:
    """The state that a replay of the journal up to that line gives."""
    record = read_journal(islice(journal_lines(office), number))
    state: State[Any] = State()
    for _step in office.ruleset.fold(resolve(record), state):
        pass
    return state


def replayed(line: Fact) -> list[Row]:
    """What two replays of the journal say: up to the line before, and up to the line."""
    office = line.federation
    before, after = (state_of_line(office, number) for number in (line.number - 1, line.number))
    assert line.on is not None
    return [tuple(each)[:4] for each in compute_differences(office.ruleset, before, after, line.on)]  # type: ignore[misc]


def three_rated(office: Federation, players: list[Player]) -> list[Section]:
    """Three sections, the first two in a published list."""
    sections = [
        submitted(office, players, number=f"2024-00{n}", ends=date(2024, 3, n), rounds=10, seed=n)
        for n in (1, 2, 3)
    ]
    for section in sections[:2]:
        approved(section)
    published(office, date(2024, 4, 1))
    approved(sections[2], on=date(2024, 4, 2))
    return sections


def test_un_rating_tells_everybodys_rating_before_and_after_as_two_replays_do(
    csa: Federation, players: list[Player]
) -> None:
    first, *_others = three_rated(csa, players)
    line = unrated(first, date(2024, 4, 3))
    recompute_all(csa)
    assert told(line) == replayed(line) != []
    erratum = Erratum.objects.get(fact=line)
    assert erratum.players == len({number for number, *_rest in told(line)})


def test_who_is_read_and_not_moved_stands_in_no_erratum(csa: Federation) -> None:
    everybody = register(csa, 16)
    for n, some in ((1, everybody[8:]), (2, everybody[:8])):
        approved(submitted(csa, some, number=f"2024-00{n}", ends=date(2024, 3, n), rounds=10, seed=n))
    published(csa, date(2024, 4, 1))  # reads everybody again
    line = unrated(Section.objects.get(event__number="2024-002"), date(2024, 4, 3))
    recompute_all(csa)
    assert told(line) == replayed(line)
    assert {number for number, *_rest in told(line)} == {player.number for player in everybody[:8]}


def test_what_the_preview_promised_is_what_the_erratum_tells(csa: Federation, players: list[Player]) -> None:
    first, *_others = three_rated(csa, players)
    ahead = preview_unrating(first, date(2024, 4, 3))
    line = unrated(first, date(2024, 4, 3))
    recompute_all(csa)
    assert [(e.player, e.track, e.before, e.after) for e in ahead.ratings] == told(line) != []
    assert [Section.objects.get(pk=each.section).key for each in ahead.rerated if each.section] == [
        "2024-002/A",
        "2024-003/A",
    ]


def test_several_corrections_that_the_worker_finds_together_are_told_one_by_one(
    csa: Federation, players: list[Player]
) -> None:
    first, second, _third = three_rated(csa, players)
    lines = [unrated(first, date(2024, 4, 3)), unrated(second, date(2024, 4, 3))]
    Section.objects.filter(pk=first.pk).update(stage="submitted")
    first.refresh_from_db()
    lines.append(approval.approve(section=first, by=None, on=date(2024, 4, 3), version=first.version))
    recompute_all(csa)
    assert [told(line) for line in lines] == [replayed(line) for line in lines]
    assert all(told(line) for line in lines)


def test_a_correction_that_an_approval_follows_before_the_worker_comes_is_told_alone(
    csa: Federation, players: list[Player]
) -> None:
    first, *_others = three_rated(csa, players)
    another = submitted(csa, players, number="2024-009", ends=date(2024, 4, 2), rounds=10, seed=9)
    line = unrated(first, date(2024, 4, 3))
    approval.approve(section=another, by=None, on=date(2024, 4, 3), version=another.version)
    recompute_all(csa)
    assert told(line) == replayed(line)


def test_a_first_rating_is_no_correction_and_a_second_one_is(csa: Federation, players: list[Player]) -> None:
    first, *_others = three_rated(csa, players)
    assert not Erratum.objects.exists()
    unrated(first, date(2024, 4, 3))
    recompute_all(csa)
    Section.objects.filter(pk=first.pk).update(stage="submitted")
    line = approved(first, on=date(2024, 4, 4))
    assert told(line) == replayed(line) != []


def test_an_office_made_from_a_journal_tells_the_same_errata(csa: Federation, players: list[Player]) -> None:
    first, second, _third = three_rated(csa, players)
    lines = [unrated(first, date(2024, 4, 3))]
    recompute_all(csa)
    Section.objects.filter(pk=first.pk).update(stage="submitted")
    lines.append(approved(first, on=date(2024, 4, 4)))
    lines.append(unrated(second, date(2024, 4, 5)))
    recompute_all(csa)
    record = read_journal([line.replace('"csa"', '"copy"', 1) for line in journal_lines(csa)])
    copy = import_journal(record, on=date(2024, 5, 1))
    recompute_all(copy)
    for line in lines:
        assert told(Fact.objects.get(federation=copy, number=line.number)) == told(line) != []


def test_an_erratum_is_written_once_and_never_changed(csa: Federation, players: list[Player]) -> None:
    first, *_others = three_rated(csa, players)
    line = unrated(first, date(2024, 4, 3))
    recompute_all(csa)
    for statement in (
        "UPDATE ratings_correctedrating SET after = NULL",
        "DELETE FROM ratings_correctedrating",
        "UPDATE ratings_erratum SET players = 0",
    ):
        with pytest.raises(DatabaseError), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
    assert told(line)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("ruleset", rulesets().values(), ids=rulesets().keys())
def test_in_every_office_each_erratum_is_what_two_replays_say(ruleset: Ruleset, seed: int) -> None:
    office_of(eventful(ruleset, seed))
    lines = [erratum.fact for erratum in Erratum.objects.select_related("fact__federation")]
    assert {line.kind for line in lines} >= {"unrated", "rated"}
    for line in lines:
        assert told(line) == replayed(line), line


def test_every_code_of_the_journal_has_words() -> None:
    assert set(REASONS) == set(facts.UNRATING_REASONS)
