"""A small Chess South Africa office for tests, and a notation of games that an official can read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import Any

from ratings.rulesets.csa import RULESET
from ratings.rulesets.csa.standing import CsaStanding
from ratings.rulesets.facts import (
    Change,
    Entry,
    Fact,
    Game,
    ListClosing,
    Opening,
    Placed,
    Player,
    PlayerId,
    RatedSection,
    Section,
    StandingKey,
    State,
    TimeControl,
    Working,
)

DAY = date(2024, 3, 1)
STANDARD = TimeControl((Decimal(90),), Decimal(30))
HOUR = TimeControl((Decimal(60),))
RAPID = TimeControl((Decimal(15),), Decimal(10))
BLITZ = TimeControl((Decimal(3),), Decimal(2))
OTB = ("otb-main", "otb-standard", "hyb-main", "hyb-standard")


def games_of(text: str) -> Iterator[Game]:
    """`3 Amahle 1-0 Pieter` a line: round, white, result, black, and `excused=SIDE` where it was."""
    for line in filter(None, map(str.strip, text.splitlines())):
        number, first, result, second, *excused = line.split()
        yield Game(int(number), first, second, result, excused[0].partition("=")[2] if excused else None)


def section_of(games: str, **fields: Any) -> Section:
    """A section at Johannesburg with whoever plays in it; `entries` adds to them or says more of them."""
    played = tuple(games_of(games))
    entries = {player: Entry(player) for game in played for player in (game.first, game.second)}
    entries |= {bye.player: Entry(bye.player) for bye in fields.get("byes", ())}
    entries |= {entry.player: entry for entry in fields.pop("entries", ())}
    section = Section(
        id="2024-001/A",
        event="Joburg Open",
        name="A",
        starts=DAY,
        ends=DAY,
        format="swiss",
        rounds=max((game.round for game in played), default=1),
        entries=tuple(entries.values()),
        games=played,
        time_controls=(STANDARD,),
        platform="otb",
    )
    return replace(section, **fields)


class Record:
    """What the office has rated so far."""

    def __init__(self) -> None:
        self.state: State[CsaStanding] = State()
        self.before: State[CsaStanding] = State()
        self.people: dict[PlayerId, Player] = {}
        self.pres: dict[PlayerId, int] = {}
        self.last: Fact
        self.number = 1

    def player(self, name: str, **particulars: Any) -> None:
        """Somebody of the register; `pre`: the pre-rating that every section of theirs states from now on."""
        pre = particulars.pop("pre", None)
        if pre is not None:
            self.pres[name] = pre
        self.people[name] = Player(name, name, **{"nation": "RSA"} | particulars)

    def open(self, name: str, rating: str | int, games: int = 30, tracks: tuple[str, ...] = OTB) -> None:
        """An official rating from before the record began."""
        for track in tracks:
            opening = Opening(name, track, Decimal(rating), games, date(2020, 6, 30), "list of June 2020")
            self.take(lambda number, opening=opening: Placed(number, opening))

    def rate(self, games: str, *, on: date = DAY, **fields: Any) -> dict[StandingKey, Change[CsaStanding]]:
        """Rate a section; its changes by player and track."""
        section = section_of(games, **fields)
        for entry in section.entries:
            if entry.player not in self.people:
                self.player(entry.player)
        stated = [
            entry if entry.pre is not None else replace(entry, pre=self.pres.get(entry.player))
            for entry in section.entries
        ]
        section = replace(section, entries=tuple(stated))
        players = {entry.player: self.people[entry.player] for entry in section.entries}
        return self.take(lambda number: RatedSection(number, on, section, players))

    def close(self, on: date = DAY) -> dict[StandingKey, Change[CsaStanding]]:
        """Publish a list."""
        return self.take(lambda number: Placed(number, ListClosing(on)))

    def take(self, make: Any) -> dict[StandingKey, Change[CsaStanding]]:
        self.number += 1
        self.last = make(self.number)
        self.before = State(dict(self.state.standings), due=set(self.state.due))
        outcome = RULESET.apply(self.state, self.last)
        self.state.absorb(outcome)
        return {(change.player, change.track): change for change in outcome.changes}

    def standing(self, name: str, track: str = "otb-main") -> CsaStanding:
        return self.state.standings[name, track]

    def explain(self, name: str, track: str = "otb-main") -> Working:
        """The working of what the last fact did."""
        return RULESET.rules_for(self.last).explain(self.before, self.last, name, track)


def card(hero: str, results: str, *, opponents: str = "") -> str:
    """A hero's games, one a round: `+`, `=`, `-`; white in the odd rounds.

    The opponents are called by the round's number, after `opponents`.
    """
    white, black = {"+": "1-0", "=": "1/2", "-": "0-1"}, {"+": "0-1", "=": "1/2", "-": "1-0"}
    lines = []
    for number, result in enumerate(results, start=1):
        opponent = f"{opponents}{number}"
        if number % 2:
            lines.append(f"{number} {hero} {white[result]} {opponent}")
        else:
            lines.append(f"{number} {opponent} {black[result]} {hero}")
    return "\n".join(lines)
