"""A small piškvorky office for tests, and a notation of games that an official can read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from decimal import Decimal
from random import Random
from typing import Any

from ratings.rulesets.facts import (
    Bye,
    Change,
    Entry,
    Fact,
    Game,
    JournalFact,
    ListClosing,
    Opening,
    Placed,
    Player,
    PlayerId,
    RatedSection,
    Section,
    State,
    Working,
)
from ratings.rulesets.journal_lines import plain
from ratings.rulesets.piskvorky import RULESET
from ratings.rulesets.piskvorky.standing import PiskvorkyStanding

DAY = date(2012, 5, 5)


def games_of(text: str) -> tuple[Game, ...]:
    """`3 Adam 1-0 Bára` a line: round, who moved first, result, the other."""
    lines = [line.split() for line in text.splitlines() if line.strip()]
    return tuple(Game(int(number), first, second, result) for number, first, result, second in lines)


def section_of(games: str = "", *, others: str = "", byes: Iterable[Bye] = (), **fields: Any) -> Section:
    """A tournament in Brno of whoever plays in it, and `others`."""
    played = games_of(games)
    names = [name for game in played for name in game[1:3]] + others.split() + [bye.player for bye in byes]
    section = Section(
        id="2012-001/A",
        event="Brno Open",
        name="A",
        starts=DAY,
        ends=DAY,
        format="swiss",
        rounds=max((game.round for game in played), default=1),
        entries=tuple(Entry(name) for name in dict.fromkeys(names)),
        games=played,
        byes=tuple(byes),
    )
    return replace(section, **fields)


class Record:
    """What the office has folded so far, fact by fact."""

    def __init__(self) -> None:
        self.state: State[PiskvorkyStanding] = State()
        self.before: State[PiskvorkyStanding] = State()
        self.last: Fact
        self.number = 1

    def open(self, name: str, rating: str | int, games: int = 30) -> None:
        """An established rating from before the record began."""
        self.take(Opening(name, "rating", Decimal(rating), games, date(2011, 12, 31), "old list"))

    def rate(
        self, games: str = "", *, on: date = DAY, **fields: Any
    ) -> dict[PlayerId, Change[PiskvorkyStanding]]:
        """Rate a tournament; its changes by player."""
        section = section_of(games, **fields)
        players = {entry.player: Player(entry.player, entry.player) for entry in section.entries}
        self.number += 1
        return self._fold(RatedSection(self.number, on, section, players))

    def close(self, on: date = DAY) -> dict[PlayerId, Change[PiskvorkyStanding]]:
        """Publish a list."""
        return self.take(ListClosing(on))

    def take(self, fact: JournalFact) -> dict[PlayerId, Change[PiskvorkyStanding]]:
        self.number += 1
        return self._fold(Placed(self.number, fact))  # type: ignore[arg-type]

    def _fold(self, fact: Fact) -> dict[PlayerId, Change[PiskvorkyStanding]]:
        self.last = fact
        self.before = State(dict(self.state.standings), self.state.wide)
        outcome = RULESET.apply(self.state, fact)
        self.state.absorb(outcome)
        return {change.player: change for change in outcome.changes}

    def standing(self, name: str) -> PiskvorkyStanding:
        return self.state.standings[name, "rating"]

    def rating(self, name: str) -> Decimal | None:
        return self.standing(name).rating

    def explain(self, name: str) -> Working:
        """The working of what the last fact did."""
        return RULESET.rules_for(self.last).explain(self.before, self.last, name, "rating")

    def told(self, name: str) -> list[str]:
        """That working in words, each step with its clause."""
        lines, numbers = [], RULESET.numbers_of(RULESET.newest)
        for step in self.explain(name).steps:
            given = {
                key: " + ".join(map(tidy, value)) if isinstance(value, tuple) else tidy(value)
                for key, value in {**numbers, **step.inputs, "result": step.result}.items()
            }
            lines.append(f"{step.clause} {RULESET.words.messages[step.key].format(**given)}")
        return lines


def tidy(value: object) -> str:
    return plain(value) if isinstance(value, Decimal) else str(value)


# ------------------------------------------------------------------------------- for random records


def shaped(section: Section, dice: Random) -> Section:
    """Short matches: two may play again in the same round."""
    games: list[Game] = []
    for game in section.games:
        games.append(game)
        if dice.random() < 0.3:
            result = dice.choice(("1-0", "0-1", "1/2"))
            games.append(Game(game.round, game.second, game.first, result))
    return replace(section, games=tuple(games))
