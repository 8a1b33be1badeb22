"""A small Sports Dots office for tests, and a notation of games that an official can read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date
from decimal import Decimal
from random import Random
from typing import Any

from ratings.rulesets.facts import (
    ANNULLED,
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
    Rank,
    RatedSection,
    Section,
    StandingKey,
    State,
    Working,
)
from ratings.rulesets.journal_lines import plain
from ratings.rulesets.ruleset import Ruleset
from ratings.rulesets.ssdc import RULESET
from ratings.rulesets.ssdc.standing import SsdcStanding

DAY = date(2024, 3, 1)


def games_of(text: str) -> Iterator[Game]:
    """`3 Ada 1-0 Boris` a line: round, who moved first, result, the other."""
    for line in filter(None, map(str.strip, text.splitlines())):
        number, first, result, second = line.split()
        yield Game(int(number), first, second, result)


def section_of(games: str, *, places: str = "", byes: Iterable[Bye] = (), **fields: Any) -> Section:
    """A round-robin with whoever plays in it; `places` names everyone from the first on, `Ada Boris=Clara`
    sharing; the others follow one by one.
    """
    played = tuple(games_of(games))
    names = [name for game in played for name in game[1:3]] + [bye.player for bye in byes]
    given = {name: place for place, level in ranked(places) for name in level.split("=")}
    rest = (name for name in dict.fromkeys(names) if name not in given)
    given |= {name: place for place, name in enumerate(rest, start=len(given) + 1)}
    section = Section(
        id="2024-001/A",
        event="Harbour Cup",
        name="A",
        starts=DAY,
        ends=DAY,
        format="round-robin",
        rounds=max((game.round for game in played), default=1),
        entries=tuple(Entry(name, place) for name, place in given.items()),
        games=played,
        byes=tuple(byes),
        time_class="classic",
        category="fourth",
    )
    return replace(section, **fields)


def ranked(places: str) -> Iterator[tuple[int, str]]:
    place = 1
    for level in places.split():
        yield place, level
        place += len(level.split("="))


class Record:
    """What the office has folded so far, fact by fact."""

    ruleset: Ruleset = RULESET

    def __init__(self) -> None:
        self.state: State[Any] = State()
        self.before: State[Any] = State()
        self.last: Fact
        self.number = 1

    def open(self, name: str, rating: str | int, games: int = 30, track: str = "classic") -> None:
        """A rating from before the record began."""
        self.take(Opening(name, track, Decimal(rating), games, date(2023, 12, 31), "old list"))

    def rate(
        self, games: str = "", *, on: date = DAY, **fields: Any
    ) -> dict[StandingKey, Change[SsdcStanding]]:
        """Rate a section; its changes by player and track."""
        section = section_of(games, **fields)
        players = {entry.player: Player(entry.player, entry.player) for entry in section.entries}
        self.number += 1
        return self._fold(RatedSection(self.number, on, section, players))

    def confirm(
        self, name: str, rank: str, ground: str = "SSDC 2.4.1"
    ) -> dict[StandingKey, Change[SsdcStanding]]:
        return self.take(Rank(name, rank, DAY, ground))

    def close(self, on: date = DAY) -> dict[StandingKey, Change[SsdcStanding]]:
        """Publish a list."""
        return self.take(ListClosing(on))

    def take(self, fact: JournalFact) -> dict[StandingKey, Change[SsdcStanding]]:
        self.number += 1
        return self._fold(Placed(self.number, fact))  # type: ignore[arg-type]

    def _fold(self, fact: Fact) -> dict[StandingKey, Change[SsdcStanding]]:
        self.last = fact
        self.before = State(dict(self.state.standings), self.state.wide, set(self.state.due))
        outcome = self.ruleset.apply(self.state, fact)
        self.state.absorb(outcome)
        return {(change.player, change.track): change for change in outcome.changes}

    def standing(self, name: str, track: str = "classic") -> Any:
        return self.state.standings[name, track]

    def explain(self, name: str, track: str = "classic") -> Working:
        """The working of what the last fact did."""
        return self.ruleset.rules_for(self.last).explain(self.before, self.last, name, track)

    def told(self, name: str, track: str = "classic") -> list[str]:
        """That working in words, each step with its clause, decimals without trailing zeros."""
        lines, numbers = [], self.ruleset.numbers_of(self.ruleset.newest)
        for step in self.explain(name, track).steps:
            given = {
                key: tidy(value) for key, value in {**numbers, **step.inputs, "result": step.result}.items()
            }
            lines.append(f"{step.clause} {self.ruleset.words.messages[step.key].format(**given)}")
        return lines


def tidy(value: object) -> object:
    return plain(value) if isinstance(value, Decimal) else value


# ------------------------------------------------------------------------------- for random records


def shaped(section: Section, dice: Random) -> Section:
    """Draws replayed, annulled games played again, and places shared."""
    games: list[Game] = []
    for game in section.games:
        games.append(game)
        while games[-1].result in ("1/2", ANNULLED) and dice.random() < 0.4:
            again = games[-1]
            games.append(Game(again.round, again.second, again.first, dice.choice(("1-0", "0-1", "1/2"))))
    entries = [
        replace(entry, place=max(1, (entry.place or 1) - 1)) if dice.random() < 0.1 else entry
        for entry in section.entries
    ]
    return replace(section, games=tuple(games), entries=tuple(entries))


def further(dice: Random, people: dict[str, Player], on: date) -> list[Rank]:
    """Ranks confirmed, founded or not."""
    if dice.random() < 0.6:
        return []
    return [Rank(dice.choice(list(people)), dice.choice(RULESET.journal.ranks), on, "SSDC 2.4.1")]
