"""A small Russian mahjong office for tests, and a notation of places that an official can read."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal, localcontext
from random import Random
from typing import Any

from ratings.rulesets.facts import (
    Answer,
    Change,
    Entry,
    Fact,
    JournalFact,
    Placed,
    Player,
    PlayerId,
    RatedSection,
    Section,
    State,
    Working,
)
from ratings.rulesets.mahjong import RULESET
from ratings.rulesets.mahjong.standing import MahjongStanding
from ratings.rulesets.ruleset import CONTEXT

DAY = date(2020, 3, 1)


def player(name: str, **particulars: Any) -> Player:
    return Player(name, name, **{"nation": "RUS"} | particulars)


def section_of(places: str, **fields: Any) -> Section:
    """A city's championship. `places`: names from first to last, `=` before who shares the place."""
    entries: list[Entry] = []
    for number, name in enumerate(places.split(), start=1):
        shared = entries[-1].place if name.startswith("=") else number
        entries.append(Entry(name.removeprefix("="), shared))
    section = Section(
        id="2020-001/A",
        event="Moscow Open",
        name="A",
        starts=DAY,
        ends=DAY,
        format="placement",
        rounds=4,
        entries=tuple(entries),
        status="city",
    )
    if "ends" in fields:
        fields.setdefault("starts", fields["ends"])
    return replace(section, **fields)


class Office:
    """Facts as the office takes them in."""

    ruleset = RULESET

    def __init__(self) -> None:
        self.facts: list[Fact] = []
        self.people: dict[PlayerId, Player] = {}

    def player(self, name: str, **particulars: Any) -> Fact:
        """A line of the register, now."""
        self.people[name] = player(name, **particulars)
        return self.place(self.people[name])

    def place(self, fact: Player) -> Fact:
        placed = Placed(len(self.facts) + 2, fact)
        self.facts.append(placed)
        return placed

    def admit(self, places: str, on: date | None = None, **fields: Any) -> RatedSection:
        """Admit a competition, on its last day unless said otherwise; newcomers live in Russia."""
        section = section_of(places, **{"id": f"2020-{len(self.facts) + 1:03}/A"} | fields)
        for entry in section.entries:
            self.people.setdefault(entry.player, player(entry.player))
        players = {entry.player: self.people[entry.player] for entry in section.entries}
        fact = RatedSection(len(self.facts) + 2, on or section.ends, section, players)
        self.facts.append(fact)
        return fact

    def fold(self) -> State[MahjongStanding]:
        state: State[MahjongStanding] = State()
        for _step in RULESET.fold(RULESET.sort_for_fold(self.facts), state):
            pass
        return state

    def answers(self, on: date) -> dict[PlayerId, Answer]:
        with localcontext(CONTEXT):
            found = RULESET.edition_on(on).rules.answers(self.fold(), on)
            return {answer.player: answer for answer in found}

    def ratings(self, on: date) -> dict[PlayerId, Decimal | None]:
        return {player: answer.rating for player, answer in self.answers(on).items()}

    def listed(self, on: date) -> set[PlayerId]:
        return {player for player, answer in self.answers(on).items() if answer.listed}

    def changes(self, fact: Fact) -> dict[PlayerId, Change[MahjongStanding]]:
        for folded, changes, _state in RULESET.fold(RULESET.sort_for_fold(self.facts)):
            if folded.number == fact.number:
                return {change.player: change for change in changes}
        raise LookupError(fact.number)

    def explain(self, fact: Fact, name: str, track: str = "rating") -> Working:
        state: State[MahjongStanding] = State()
        for each in RULESET.sort_for_fold(self.facts):
            if each.number == fact.number:
                return RULESET.rules_for(each).explain(state, each, name, track)
            state.absorb(RULESET.apply(state, each))
        raise LookupError(fact.number)


# ------------------------------------------------------------------------------- random records


def shaped(section: Section, dice: Random) -> Section:
    """A random section as this federation has them: places only, some shared."""
    entries: list[Entry] = []
    for number, entry in enumerate(section.entries, start=1):
        shared = entries[-1].place if entries and dice.random() < 0.2 else number
        entries.append(Entry(entry.player, shared))
    return replace(section, entries=tuple(entries), format="placement", games=(), byes=(), team=False)


def further(dice: Random, people: dict[PlayerId, Player], on: date) -> list[JournalFact]:
    """The register changes now and then."""
    if dice.random() < 0.6:
        return []
    name = dice.choice(list(people))
    people[name] = replace(
        people[name],
        nation=dice.choice(("RUS", "RUS", "KAZ", None)),
        resident=dice.random() < 0.5,
        included_by=dice.choice((None, "decision 7")),
    )
    return [people[name]]
