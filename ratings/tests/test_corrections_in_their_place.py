"""D-2: a section rated again stands in its place, so that a correction changes what was wrong and no more."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings

from ratings.replay import find_last_day, replay
from ratings.rulesets import rulesets
from ratings.rulesets.facts import (
    JOURNAL_FORM,
    RESULTS,
    Change,
    Fact,
    Federation,
    JournalFact,
    ListClosing,
    Player,
    PlayerId,
    Rated,
    RatedSection,
    Revised,
    Section,
    Unrated,
)
from ratings.rulesets.journal import Journal, list_content, list_of_line, merges, read_journal, resolve
from ratings.rulesets.journal_lines import write_line
from ratings.rulesets.ruleset import Ruleset
from ratings.tests.random_journals import CORRECTIONS, journal
from ratings.tests.strategies import EARLIEST, person, rateable_section, seeds

pytestmark = pytest.mark.long

every_ruleset = pytest.mark.parametrize("ruleset", rulesets().values(), ids=rulesets().keys())
some = settings(max_examples=12)
Published = dict[str, bytes]
"""The bytes of a day's lists, by track."""


def corrected_often(ruleset: Ruleset, seed: int) -> list[str]:
    return journal(ruleset, seed, steps=60, actions=CORRECTIONS)


def extended(ruleset: Ruleset, lines: Sequence[str], *further: JournalFact) -> list[str]:
    return [*lines, *(write_line(fact, ruleset) for fact in further)]


def sections_in(lines: Sequence[str]) -> dict[str, RatedSection]:
    """The sections that are rated at the end of a journal, by id."""
    facts = resolve(read_journal(lines))
    return {fact.section.id: fact for fact in facts if isinstance(fact, RatedSection)}


def newest_day(lines: Sequence[str]) -> date:
    found = find_last_day(read_journal(lines).lines)
    assert found is not None
    return found


def rated_anew(ruleset: Ruleset, lines: Sequence[str], names: Sequence[str], on: date) -> list[str]:
    """The journal with these sections un-rated and then rated anew as they were, the last one first."""
    back = (Unrated(name, on, "other") for name in names)
    return extended(ruleset, lines, *back, *(Rated(name, on) for name in reversed(names)))


def moves(record: Journal) -> list[tuple[int, list[Change[Any]]]]:
    """All that each fact changes, by its place, in order."""
    return [(fact.place, changes) for fact, changes, _state in record.ruleset.fold(resolve(record))]


def published(lines: Sequence[str], number: int) -> Published:
    return {track: list_content(rows) for track, rows in list_of_line(read_journal(lines), number).items()}


def again(ruleset: Ruleset, lines: Sequence[str], day: date) -> Published:
    """The list of a day as publishing it again below these lines gives it."""
    return published(extended(ruleset, lines, Revised(day, newest_day(lines))), len(lines) + 1)


def lists_in(lines: Sequence[str]) -> list[tuple[int, date]]:
    found = read_journal(lines).lines
    return [(number, fact.on) for number, fact in found if isinstance(fact, ListClosing)]


def of_the_same_particulars(ruleset: Ruleset, lines: list[str]) -> list[str]:
    """The rated sections whose players have, at the end of the journal, the particulars of their rating."""
    stood, on = sections_in(lines), newest_day(lines)
    now = sections_in(rated_anew(ruleset, lines, list(stood), on))
    return [name for name, fact in stood.items() if fact.players == now[name].players]


@every_ruleset
@given(seed=seeds)
@some
def test_d2_unrated_and_rated_anew_as_it_was_nothing_has_changed(ruleset: Ruleset, seed: int) -> None:
    lines = corrected_often(ruleset, seed)
    on, names = newest_day(lines), of_the_same_particulars(ruleset, lines)
    Random(seed).shuffle(names)
    after = rated_anew(ruleset, lines, names, on)
    assert moves(read_journal(after)) == moves(read_journal(lines))
    told, as_before = (replay("\n".join(each).encode()) for each in (after, lines))
    assert told | {"journal_sha256": ""} == as_before | {"journal_sha256": ""}
    for _number, day in lists_in(lines):
        assert again(ruleset, after, day) == again(ruleset, lines, day)


@every_ruleset
@given(seed=seeds)
@some
def test_a_list_published_again_directly_below_itself_is_the_same_bytes(ruleset: Ruleset, seed: int) -> None:
    lines = corrected_often(ruleset, seed)
    for number, day in lists_in(lines):
        assert again(ruleset, lines[:number], day) == published(lines, number)


@every_ruleset
@given(seed=seeds)
@some
def test_a_list_says_what_the_running_ratings_are_at_its_line(ruleset: Ruleset, seed: int) -> None:
    """One law: where play has no order, what a replay of the lines up to a list lists is that list."""
    lines = corrected_often(ruleset, seed)
    for number, _day in lists_in(lines) if not ruleset.in_order_of_play else ():
        answered = replay("\n".join(lines).encode(), through=number)["ratings"]
        listed = {
            (row["track"], row["player"], row["rating"], row["games"]) for row in answered if row["listed"]
        }
        rows = {
            (track, *line.split(","))
            for track, content in published(lines, number).items()
            for line in content.decode().splitlines()
        }
        assert {(*row[:3], str(row[3])) for row in listed} == rows


@every_ruleset
@given(seed=seeds)
@some
def test_two_revisions_differ_only_by_what_the_lines_between_them_changed(
    ruleset: Ruleset, seed: int
) -> None:
    """Further sections, lists, versions that nobody rates, and what is taken back and rated as it was, change
    nothing in a list published again.
    """
    lines, dice = corrected_often(ruleset, seed), Random(seed)
    names, waiting = of_the_same_particulars(ruleset, lines), section_ids(lines) - sections_in(lines).keys()
    newcomers = [person(ruleset, dice, f"Q{number}") for number in range(4)]
    later, people = extended(ruleset, lines, *newcomers), [*namable(lines), *(each.id for each in newcomers)]
    on = newest_day(lines)
    for at in range(3):
        on += timedelta(dice.choice((1, 90)))
        starts = max(EARLIEST, on - timedelta(dice.choice((10, 400))))
        section = rateable_section(ruleset, dice, people, starts, f"LATER{at}/A")
        later = extended(ruleset, later, section, Rated(section.id, on), ListClosing(on))
        later = rated_anew(ruleset, later, names[at::3], on)
    unrated = (rateable_section(ruleset, dice, people, EARLIEST, name) for name in sorted(waiting))
    later = extended(ruleset, later, *unrated)
    for _number, day in lists_in(lines):
        assert again(ruleset, later, day) == again(ruleset, lines, day)


def section_ids(lines: Sequence[str]) -> set[str]:
    return {fact.id for _number, fact in read_journal(lines).lines if isinstance(fact, Section)}


def namable(lines: Sequence[str]) -> list[PlayerId]:
    """Everybody whom a further line may name: whoever is not merged."""
    found = read_journal(lines).lines
    return sorted({fact.id for _number, fact in found if isinstance(fact, Player)} - merges(found).keys())


# ------------------------------------------------------------------- whom a corrected game reaches

PEOPLE = 40


def played(ruleset: Ruleset, seed: int) -> list[str]:
    """A journal of many people in small circles, so that most sections reach few others."""
    dice = Random(seed)
    people = [f"P{number:02}" for number in range(PEOPLE)]
    lines = extended(ruleset, [], Federation(JOURNAL_FORM, ruleset.slug, ruleset.slug, ruleset.name))
    lines = extended(ruleset, lines, *(person(ruleset, dice, name) for name in people))
    day = EARLIEST
    for at in range(14):
        circle = dice.sample(people, 9) if dice.random() < 0.2 else people[(at % 4) * 10 : (at % 4) * 10 + 10]
        section = rateable_section(ruleset, dice, circle, day, f"E{at}/A")
        day = section.ends + timedelta(dice.randint(0, 40))
        lines = extended(ruleset, lines, section, Rated(section.id, day))
        if dice.random() < 0.4:
            lines = extended(ruleset, lines, ListClosing(day))
            day += timedelta(1)
    return lines


def otherwise(ruleset: Ruleset, section: Section, dice: Random) -> Section:
    """The section with one thing corrected: a game's result, else two places exchanged."""
    if section.games:
        at = dice.randrange(len(section.games))
        game = section.games[at]
        result = dice.choice(sorted(RESULTS - {game.result}))
        corrected = game._replace(result=result, excused=None)
        return replace(section, games=(*section.games[:at], corrected, *section.games[at + 1 :]))
    first, second, *rest = section.entries
    swapped = replace(first, place=second.place), replace(second, place=first.place)
    return replace(section, entries=(*swapped, *rest))


def reached(ruleset: Ruleset, facts: Sequence[Fact], corrected: str) -> set[PlayerId]:
    """Everybody whom a correction of a section may reach: its entrants, then whoever plays with one of those
    in a later section. piskvorky rates its first two tournaments together (§6).
    """
    sections = [fact.section for fact in facts if isinstance(fact, RatedSection)]
    found: set[PlayerId] = set()
    for section in sections:
        entrants = {entry.player for entry in section.entries}
        if section.id == corrected or entrants & found:
            found |= entrants
    if ruleset.slug == "piskvorky" and corrected in {section.id for section in sections[:2]}:
        found |= {entry.player for section in sections[:2] for entry in section.entries}
    return found


@every_ruleset
@given(seed=seeds)
@some
def test_a_corrected_game_moves_only_those_whom_the_fold_reaches_from_it(ruleset: Ruleset, seed: int) -> None:
    lines, dice = played(ruleset, seed), Random(seed)
    sections = sections_in(lines)
    name = dice.choice(sorted(sections))
    on = newest_day(lines)
    section = otherwise(ruleset, sections[name].section, dice)
    if ruleset.sections.find_unrateable_reason(section) is not None:
        section = sections[name].section
    after = extended(ruleset, lines, Unrated(name, on, "result"), section, Rated(name, on))
    place, facts = sections[name].place, resolve(read_journal(lines))
    may_move = reached(ruleset, facts, name)
    before, then = moves(read_journal(lines)), moves(read_journal(after))
    assert [at for at, _changes in then] == [at for at, _changes in before], "everything stands in its place"
    key = [fact.place for fact in facts].index(place)
    assert then[:key] == before[:key], "nothing before it moves"
    assert untouched(then, may_move) == untouched(before, may_move)
    for _number, day in lists_in(lines):
        was, now = again(ruleset, lines, day), again(ruleset, after, day)
        assert rows_of_others(now, may_move) == rows_of_others(was, may_move)


def untouched(found: list[tuple[int, list[Change[Any]]]], reached: set[PlayerId]) -> list[Any]:
    return [(at, [each for each in changes if each.player not in reached]) for at, changes in found]


def rows_of_others(found: Published, reached: set[PlayerId]) -> dict[str, list[str]]:
    """The rows of a list without those of some people; a track without other people is left out."""
    rows = {
        track: [row for row in content.decode().splitlines() if row.partition(",")[0] not in reached]
        for track, content in found.items()
    }
    return {track: kept for track, kept in rows.items() if kept}


LAWS: tuple[Any, ...] = (
    test_d2_unrated_and_rated_anew_as_it_was_nothing_has_changed,
    test_a_list_published_again_directly_below_itself_is_the_same_bytes,
    test_a_list_says_what_the_running_ratings_are_at_its_line,
    test_two_revisions_differ_only_by_what_the_lines_between_them_changed,
    test_a_corrected_game_moves_only_those_whom_the_fold_reaches_from_it,
)
"""What `test_sixth_federation` asks of a ruleset that these parameters do not have."""
