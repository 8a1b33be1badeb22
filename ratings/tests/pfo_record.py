"""A small Polish Othello office for tests, and a notation of sections that an official can read."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from decimal import Decimal
from random import Random
from typing import Any

from ratings.rulesets.facts import (
    Change,
    Entry,
    Fact,
    Game,
    JournalFact,
    Opening,
    Placed,
    Player,
    PlayerId,
    Playoff,
    RatedSection,
    RuleTable,
    Section,
    State,
    Working,
)
from ratings.rulesets.pfo import RULESET
from ratings.rulesets.pfo.standing import PfoStanding

DAY = date(2009, 12, 12)
SEASON = "2009/2010"
PEOPLE = "Adam Basia Celina Darek Edyta Felek Gosia Hubert"


def player(name: str, **particulars: Any) -> Player:
    return Player(name, name, **{"nation": "POL"} | particulars)


def games_of(text: str) -> tuple[Game, ...]:
    """`1 Adam 1-0 Basia` a line: round, black, result, white."""
    lines = [line.split() for line in text.splitlines() if line.strip()]
    return tuple(Game(int(number), first, second, result) for number, first, result, second in lines)


def section_of(games: str = "", *, places: str = "", **fields: Any) -> Section:
    """A Grand Prix tournament in Warsaw. `places`: names from first to last, `=` before who shares the place.

    Without places: whoever plays, in the order of their first games. In a championship, whose name ends in a
    plays for the women's title.
    """
    played = games_of(games)
    names = places.split() or list(dict.fromkeys(name for game in played for name in game[1:3]))
    entries: list[Entry] = []
    for number, name in enumerate(names, start=1):
        shared = entries[-1].place if name.startswith("=") else number
        women = fields.get("status") == "mp" and name.endswith("a")
        entries.append(Entry(name.removeprefix("="), shared, women=women))
    section = Section(
        id="2009-001/A",
        event="Warszawa Open",
        name="A",
        starts=DAY,
        ends=DAY,
        format="swiss",
        rounds=max((game.round for game in played), default=1),
        entries=tuple(entries),
        games=played,
        status="gpp",
        season=SEASON,
    )
    if "ends" in fields:
        fields.setdefault("starts", fields["ends"])
    return replace(section, **fields)


class Office:
    """Facts as the office takes them in; the state is that of all of them, folded in the order of play."""

    ruleset = RULESET

    def __init__(self) -> None:
        self.facts: list[Fact] = []
        self.people: dict[PlayerId, Player] = {}

    def player(self, name: str, **particulars: Any) -> None:
        self.people[name] = player(name, **particulars)

    def open(self, **ratings: int | str) -> None:
        """Ratings from before the record began."""
        for name, rating in ratings.items():
            given = Opening(name, "ranking", Decimal(rating), 20, date(2009, 12, 11), "ranking of 2009")
            self.place(given)

    def place(self, fact: Opening | Playoff) -> Fact:
        placed = Placed(len(self.facts) + 2, fact)
        self.facts.append(placed)
        return placed

    def rate(self, games: str = "", **fields: Any) -> RatedSection:
        """Rate a section; who is not known yet is a Pole."""
        section = section_of(games, **fields)
        for entry in section.entries:
            self.people.setdefault(entry.player, player(entry.player))
        players = {entry.player: self.people[entry.player] for entry in section.entries}
        fact = RatedSection(len(self.facts) + 2, section.ends, section, players)
        self.facts.append(fact)
        return fact

    def unrate(self, fact: Fact) -> None:
        self.facts.remove(fact)

    def fold(self) -> State[PfoStanding]:
        state: State[PfoStanding] = State()
        for _step in RULESET.fold(RULESET.sort_for_fold(self.facts), state):
            pass
        return state

    def ratings(self) -> dict[PlayerId, int]:
        return {name: int(standing.rating) for (name, _track), standing in self.fold().standings.items()}

    def standing(self, name: str) -> PfoStanding:
        return self.fold().standings[name, "ranking"]

    def changes(self, fact: Fact) -> dict[PlayerId, Change[PfoStanding]]:
        """What one fact brought, folded in its place."""
        for folded, changes, _state in RULESET.fold(RULESET.sort_for_fold(self.facts)):
            if folded.number == fact.number:
                return {change.player: change for change in changes}
        raise LookupError(fact.number)

    def explain(self, fact: Fact, name: str) -> Working:
        state: State[PfoStanding] = State()
        for each in RULESET.sort_for_fold(self.facts):
            if each.number == fact.number:
                return RULESET.rules_for(each).explain(state, each, name, "ranking")
            state.absorb(RULESET.apply(state, each))
        raise LookupError(fact.number)

    def table(self, name: str) -> list[tuple[Any, ...]]:
        return [row for table in self.tables() if table.name == name for row in table.rows]

    def tables(self) -> list[RuleTable]:
        found: list[RuleTable] = RULESET.edition_on(DAY).rules.tables(self.fold(), DAY)
        return found

    def season(self, label: str = SEASON) -> list[tuple[PlayerId, int, tuple[int, ...]]]:
        """Player, points and best tournaments of one season, in its standing."""
        return [
            (name, points, best) for season, name, points, best in self.table("seasons") if season == label
        ]

    def qualified(self) -> list[tuple[str, PlayerId]]:
        return [(way, name) for _priority, way, name, _note in self.table("qualification")]


# ------------------------------------------------------------------------------- random records


def shaped(section: Section, dice: Random) -> Section:
    """A random section as this federation has them: shared places, some games of one kind only."""
    entries: list[Entry] = []
    for number, entry in enumerate(section.entries, start=1):
        shared = entries[-1].place if entries and dice.random() < 0.2 else number
        women = section.status == "mp" and entry.women
        entries.append(replace(entry, place=shared, women=women))
    season = dice.choice(("2019/2020", "2020/2021"))
    return replace(section, entries=tuple(entries), season=season)


def further(dice: Random, people: dict[PlayerId, Player], on: date) -> list[JournalFact]:
    """What else such an office writes down between its sections."""
    if dice.random() < 0.8:
        return []
    return [Playoff(dice.choice(("2019/2020", "2020/2021")), dice.choice(list(people)), on)]
