"""Works out a published list: a `list` from the lines above it, a revision from all that is known."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from decimal import localcontext
from typing import Any

from ratings.law.facts import Fact, ListClosing, RatedSection, Revised, State
from ratings.law.journal.read import Journal
from ratings.law.journal.resolve import Resolver
from ratings.law.journal.values import plain
from ratings.law.rule_outputs import ListedPlayer
from ratings.law.ruleset import CONTEXT, Ruleset


def list_of_line(journal: Journal, number: int) -> dict[str, list[ListedPlayer]]:
    """The rating list that the journal's line `number` (`list` or `revised`) published, by track; a track in
    which nobody stands is left out.

    Raises LookupError where that line publishes no list.
    """
    return JournalLists(journal).list_of_line(number)


class JournalLists:
    """Works out several published lists of one journal. Asked for in order, each is folded on from the one
    before, unless a line since then changed something earlier.
    """

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self.folded: list[Fact] = []
        self.state: State[Any] = State()

    def list_of_line(self, number: int) -> dict[str, list[ListedPlayer]]:
        """The list that line `number` published, as the function `list_of_line` gives it."""
        ruleset = self.journal.ruleset
        facts, day = facts_of_list(self.journal, number)
        behind = len(self.folded)
        if facts[:behind] != self.folded:
            behind, self.state = 0, State()
        for _step in ruleset.fold(facts[behind:], self.state):
            pass
        self.folded = facts
        return rows_of(ruleset, self.state, day)


def rows_of(ruleset: Ruleset, state: State[Any], day: date) -> dict[str, list[ListedPlayer]]:
    """The rating lists that a state gives on a day, by track; tracks without players are left out."""
    rules = ruleset.rules_on(day)
    with localcontext(CONTEXT):
        found = {track.code: rules.rating_list(state, track.code, day) for track in ruleset.tracks}
    return {track: rows for track, rows in found.items() if rows}


def list_content(rows: Iterable[ListedPlayer]) -> bytes:
    """The bytes of a published list, of which its checksum is: a line `id,rating,games` for each row, with
    all digits.
    """
    return "".join(f"{row.player},{plain(row.rating)},{row.games}\n" for row in rows).encode()


def facts_of_list(journal: Journal, number: int) -> tuple[list[Fact], date]:
    """The facts to fold for the list of line `number`, in order, and the list's day."""
    if not 0 < number <= len(journal.lines):
        raise LookupError(f"there is no line {number}")
    match journal.lines[number - 1].fact:
        case ListClosing(on=day):
            return _listed(journal, number), day
        case Revised(list=day):
            return _revised(journal, number, list_line(journal, number, day)), day
    raise LookupError(f"line {number} publishes no list")


def list_line(journal: Journal, number: int, day: date) -> int:
    """The number of the `list` line of that day above line `number`; LookupError where there is none."""
    for line in journal.lines[:number]:
        if isinstance(line.fact, ListClosing) and line.fact.on == day:
            return line.number
    raise LookupError(f"no list of {day} stands above line {number}")


def _listed(journal: Journal, number: int) -> list[Fact]:
    """The facts to fold for the list that line `number` (`list`) published: those of the lines up to it."""
    ruleset, day = journal.ruleset, journal.lines[number - 1].fact.on  # type: ignore[union-attr]
    found = Resolver.of(list(journal.lines[:number]), ruleset).facts()
    return ruleset.journal_order(_ended_by(found, ruleset, day))


def _revised(journal: Journal, number: int, listed_in: int) -> list[Fact]:
    """The facts to fold for the revision that line `number` published: what is known there of the sections
    first rated above line `listed_in`, the list's own.

    A section keeps the place of its first `rated` line; in the order of play, its days decide its place.
    """
    ruleset, day = journal.ruleset, journal.lines[listed_in - 1].fact.on  # type: ignore[union-attr]
    reading = Resolver.of(list(journal.lines[:number]), ruleset, last_line=listed_in)
    found = list(reading.others)
    for section, fact in reading.rated.items():
        first = reading.first_number[section]
        if first < listed_in:
            on = reading.first_rated[section].on
            found.append(replace(fact, number=fact.number if ruleset.in_order_of_play else first, on=on))
    return ruleset.journal_order(_ended_by(found, ruleset, day))


def _ended_by(found: Iterable[Fact], ruleset: Ruleset, day: date) -> list[Fact]:
    """The facts without sections that ended after the list's day; all of them where sections are folded in
    the order of rating (D-1).
    """
    if not ruleset.in_order_of_play:
        return list(found)
    return [fact for fact in found if not isinstance(fact, RatedSection) or fact.section.ends <= day]
