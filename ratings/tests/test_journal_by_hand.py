"""What a journal folds, for its ratings and for each of its lists, against a second reader of it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings

from ratings.rulesets import rulesets
from ratings.rulesets.facts import Fact, ListClosing, Opening, Placed, Player, RatedSection, Revised
from ratings.rulesets.journal import JournalLists, facts_of_list, list_of_line, read_journal, resolve
from ratings.rulesets.journal_lines import plain, write_line
from ratings.rulesets.ruleset import Ruleset
from ratings.tests import journal_by_hand
from ratings.tests.random_journals import journal
from ratings.tests.strategies import seeds

UNSTATED = 1200
each_ruleset = pytest.mark.parametrize("ruleset", rulesets().values(), ids=lambda each: each.slug)


def particulars(player: Player) -> tuple[Any, ...]:
    return player.nation, player.resident, player.included_by


def section_of(fact: RatedSection, ruleset: Ruleset) -> dict[str, Any]:
    section = fact.section
    lacking = [entry.player for entry in section.entries if entry.pre is None]
    return {
        "number": fact.place,
        "on": fact.on.isoformat(),
        "id": section.id,
        "ends": section.ends.isoformat(),
        "starts": section.starts.isoformat(),
        "entered": [entry.player for entry in section.entries],
        "played": [(game.first, game.second) for game in section.games],
        "people": {name: particulars(player) for name, player in fact.players.items()},
        "pres": {name: fact.pres.get(name, UNSTATED) for name in lacking} if ruleset.pre_ratings else {},
    }


def plainly(facts: list[Fact], ruleset: Ruleset) -> dict[str, Any]:
    """Facts as the second reader tells them."""
    placed = [fact for fact in facts if isinstance(fact, Placed)]
    openings = [fact.fact for fact in placed if isinstance(fact.fact, Opening)]
    register = [(fact.number, fact.fact) for fact in placed if isinstance(fact.fact, Player)]
    return {
        "sections": [section_of(fact, ruleset) for fact in facts if isinstance(fact, RatedSection)],
        "openings": {(each.player, each.track): (plain(each.rating), each.games) for each in openings},
        "lists": [fact.number for fact in placed if isinstance(fact.fact, ListClosing)],
        "register": [(number, player.id, particulars(player)) for number, player in register],
    }


def without_lists(told: dict[str, Any], ruleset: Ruleset) -> dict[str, Any]:
    return told if "list" in ruleset.journal.folds else told | {"lists": []}


@each_ruleset
@settings(max_examples=8)
@given(seed=seeds)
def test_two_readers_fold_the_same_of_any_journal_and_for_each_of_its_lists(
    ruleset: Ruleset, seed: int
) -> None:
    lines = journal(ruleset, seed)
    record = read_journal(lines)
    assert [write_line(fact, ruleset) for _number, fact in record.lines] == lines
    assert plainly(resolve(record), ruleset) == without_lists(journal_by_hand.folded(lines), ruleset)
    for number, written in enumerate(lines, start=1):
        if number % 9 == 0:
            ought = without_lists(journal_by_hand.folded(lines[:number]), ruleset)
            assert plainly(resolve(record, through=number), ruleset) == ought
        if written.startswith(('{"fact":"list"', '{"fact":"revised"')):
            ought = without_lists(journal_by_hand.of_list(lines, number), ruleset)
            assert plainly(facts_of_list(record, number)[0], ruleset) == ought


@each_ruleset
@settings(max_examples=3)
@given(seed=seeds)
def test_lists_folded_on_one_from_another_are_those_folded_alone(ruleset: Ruleset, seed: int) -> None:
    record = read_journal(journal(ruleset, seed))
    published = JournalLists(record)
    for number, fact in record.lines:
        if isinstance(fact, ListClosing | Revised):
            assert published.list_of_line(number) == list_of_line(record, number)


@pytest.mark.parametrize("kind", ["merged", "parted", "revised", "unrated", "opening"])
def test_random_journals_have_every_kind_of_line(kind: str) -> None:
    for ruleset in rulesets().values():
        if kind in {"opening"} - ruleset.journal.folds:
            continue
        found = [line for seed in range(4, 8) for line in journal(ruleset, seed)]
        assert any(line.startswith(f'{{"fact":"{kind}"') for line in found), ruleset.slug
