"""Works out a published list, and its revision by what is known later: one law for both."""

from __future__ import annotations

from collections.abc import Iterable
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
    """The facts to fold for the list of line `number`, in order, and the list's day.

    Both kinds of line follow one law: what stands above the day's `list` line, as all lines up to `number`
    have it. A section stands there where it was first rated above it (D-2); in the order of play none that
    ended after the list's day (D-1).
    """
    if not 0 < number <= len(journal.lines):
        raise LookupError(f"there is no line {number}")
    match journal.lines[number - 1].fact:
        case ListClosing(on=day):
            listed_in = number
        case Revised(list=day):
            listed_in = list_line(journal, number, day)
        case _:
            raise LookupError(f"line {number} publishes no list")
    ruleset = journal.ruleset
    found = Resolver.of(list(journal.lines[:number]), ruleset, register_of=listed_in).facts()
    above = (fact for fact in found if fact.place <= listed_in)
    return ruleset.journal_order(each for each in above if not _ended_later(each, ruleset, day)), day


def list_line(journal: Journal, number: int, day: date) -> int:
    """The number of the `list` line of that day above line `number`; LookupError where there is none."""
    for line in journal.lines[:number]:
        if isinstance(line.fact, ListClosing) and line.fact.on == day:
            return line.number
    raise LookupError(f"no list of {day} stands above line {number}")


def _ended_later(fact: Fact, ruleset: Ruleset, day: date) -> bool:
    """Whether a fact is a section that ended after a list's day; never, where play has no order (D-1)."""
    return ruleset.in_order_of_play and isinstance(fact, RatedSection) and fact.section.ends > day
