"""An office to which everything happens: late approvals, sections taken back and rated anew, doubles merged
and parted again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from random import Random

from ratings.rulesets.facts import (
    JOURNAL_FORM,
    Federation,
    JournalFact,
    ListClosing,
    Merged,
    Opening,
    Parted,
    Placed,
    Player,
    PlayerId,
    Playoff,
    Rank,
    Rated,
    RatedSection,
    Section,
    Unrated,
)
from ratings.rulesets.journal import merge_player_ids
from ratings.rulesets.journal_lines import write_line
from ratings.rulesets.ruleset import Ruleset
from ratings.tests.strategies import record

LATE = 5
"""How many others may be approved before a section whose turn it is."""


def eventful(ruleset: Ruleset, seed: int, *, sections: int = 14, code: str = "") -> list[str]:
    """The lines of such an office's journal; the same seed, the same lines."""
    told = Eventful(ruleset, Random(seed), code or ruleset.slug).tell(
        record(ruleset, seed, sections=sections)
    )
    return [write_line(fact, ruleset) for fact in told]


class Eventful:
    """Tells what happened, line by line."""

    def __init__(self, ruleset: Ruleset, dice: Random, code: str) -> None:
        self.ruleset, self.dice, self.code = ruleset, dice, code
        self.day = date.min
        self.known: dict[PlayerId, Player] = {}
        self.doubles = {"P01": "X01", "P02": "X02", "P03": "X03"}
        """Who was entered in the register a second time, and is not found out yet."""
        self.rated: list[Section] = []
        self.back: list[Section] = []
        """Sections that were taken back and wait."""
        self.closed: set[date] = set()
        self.merged: dict[PlayerId, PlayerId] = {}

    def tell(self, facts: list[Placed | RatedSection]) -> Iterator[JournalFact]:
        yield Federation(JOURNAL_FORM, self.code, self.ruleset.slug, self.ruleset.name)
        for fact in facts:
            if isinstance(fact, Placed) and isinstance(fact.fact, Opening):
                yield from self.opening(fact.fact)
        others = [
            fact for fact in facts if not isinstance(fact, Placed) or not isinstance(fact.fact, Opening)
        ]
        turns = sorted(enumerate(others), key=lambda each: each[0] + self.dice.choice((0, 0, 0, LATE)))
        for _at, fact in turns:
            self.day = self.day + timedelta(self.dice.choice((0, 0, 1, 3))) if self.rated else self.day
            yield from self.rate(fact) if isinstance(fact, RatedSection) else self.further(fact.fact)
            yield from self.aside()

    def opening(self, opening: Opening) -> Iterator[JournalFact]:
        self.day = opening.on
        yield from self.people([Player(opening.player, opening.player, "0" * 32)])
        yield opening
        double = self.doubles.get(opening.player)
        if double and self.dice.random() < 0.5:
            yield from self.people([Player(double, double, "1" * 32)])
            yield replace(opening, player=double, rating=opening.rating + 7)

    def people(self, players: list[Player]) -> Iterator[JournalFact]:
        for player in sorted(players, key=lambda each: each.id):
            if self.known.get(player.id) != player:
                self.known[player.id] = player
                yield player

    def rate(self, fact: RatedSection) -> Iterator[JournalFact]:
        named = {one: other for one, other in self.doubles.items() if self.dice.random() < 0.5}
        section = merge_player_ids(fact.section, named)
        self.day = max(self.day, section.ends)
        yield from self.people(
            [replace(each, id=named.get(each.id, each.id)) for each in fact.players.values()]
        )
        yield from self.write(section)

    def write(self, section: Section) -> Iterator[JournalFact]:
        section = merge_player_ids(section, self.merged)  # whoever is merged is named no more
        yield section
        yield Rated(section.id, self.day)
        self.rated.append(section)

    def further(self, fact: JournalFact) -> Iterator[JournalFact]:
        """A fact of another kind, on the day that it is by now."""
        match fact:
            case ListClosing():
                yield from self.close()
            case Player():
                yield from self.people([fact])
            case Rank() | Playoff():
                person = fact.player if isinstance(fact, Rank) else fact.winner
                if person in self.known:
                    yield replace(fact, on=self.day)

    def close(self) -> Iterator[JournalFact]:
        if self.day not in self.closed and "list" in self.ruleset.journal.folds and self.rated:
            self.closed.add(self.day)
            yield ListClosing(self.day)

    def aside(self) -> Iterator[JournalFact]:
        """What else the office may decide just then."""
        if self.rated and self.dice.random() < 0.25:
            taken = self.rated.pop(self.dice.randrange(len(self.rated)))
            yield Unrated(taken.id, self.day, "result")
            self.back.append(taken)
        if self.back and self.dice.random() < 0.4:
            self.day += timedelta(self.dice.choice((0, 2)))
            section = self.back.pop()
            if self.dice.random() < 0.5:
                yield from self.write(section)
            else:
                yield Rated(section.id, self.day)
                self.rated.append(section)
        if self.doubles and self.dice.random() < 0.15:
            one, other = self.doubles.popitem()
            if one in self.known and other in self.known:
                self.merged[other] = one
                yield Merged(other, one, self.day)
        elif self.merged and self.dice.random() < 0.15:
            self.day += timedelta(self.dice.choice((0, 1)))
            other, one = self.merged.popitem()
            self.doubles[one] = other
            yield Parted(other, self.day)
        if self.dice.random() < 0.3:
            yield from self.close()
