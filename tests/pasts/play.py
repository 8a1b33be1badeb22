"""The play of a past: its sections, who met whom in them, and how each game ended."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal

from tests.pasts.people import Person, Written, invent

FIRST = date(2020, 7, 4)
YEARS = 4
CONTROLS = ((90, 30), (90, 30), (25, 10), (5, 3))
"""Minutes, and seconds a move; half of the sections are of the slow one."""
SLIPS = 0.04
"""The share of entries that are misspelt."""
WITHOUT_BIRTHS = ("SwissPerfect", "table")
"""The dialects that give no whole day of birth."""
TOWNS = ("Soweto", "Durban", "Tembisa", "Knysna", "Ermelo", "Upington", "Benoni", "Mthatha")
REGIONS = ("GAU", "KZN", "WCA")


@dataclass(frozen=True, slots=True)
class PlayedGame:
    round: int
    first: int
    second: int
    result: str


@dataclass(slots=True)
class Played:
    """A section that was played, and how its file says so."""

    number: int
    event: str
    name: str
    town: str
    region: str
    day: date
    dialect: str
    minutes: int
    increment: int
    seats: list[Person]
    """By starting number, from 1."""
    written: list[Written]
    """The names of those, as the file has them."""
    rounds: int
    games: list[PlayedGame] = field(default_factory=list)
    byes: list[tuple[int, int]] = field(default_factory=list)
    """Round and starting number of whoever the pairing left over."""

    @property
    def file(self) -> str:
        ending = {"SwissPerfect": "txt", "table": "csv"}.get(self.dialect, "trf")
        return f"{self.day.year}/{self.number:03}-{self.town.lower()}.{ending}"

    def points(self, seat: int) -> Decimal:
        worth = {"1-0": (2, 0), "0-1": (0, 2), "1/2": (1, 1), "+:-": (2, 0), "-:+": (0, 2)}
        won = sum(worth[game.result][0] for game in self.games if game.first == seat)
        won += sum(worth[game.result][1] for game in self.games if game.second == seat)
        return Decimal(won + 2 * sum(who == seat for _round, who in self.byes)) / 2

    def place(self, seat: int) -> int:
        seats = range(1, len(self.seats) + 1)
        return 1 + sorted(seats, key=lambda each: (-self.points(each), each)).index(seat)


@dataclass(slots=True)
class Past:
    seed: int
    people: list[Person]
    sections: list[Played]

    def lists(self) -> list[date]:
        """The first of each month behind a section, on which csa closed its lists."""
        first, last = self.sections[0].day, self.sections[-1].day
        months = range(first.year * 12 + first.month, last.year * 12 + last.month + 1)
        return [date(month // 12, month % 12 + 1, 1) for month in months]


def play(files: int, dialects: tuple[str, ...], seed: int, *, doubts: bool) -> Past:
    """A past of so many sections. `doubts`: whether people are misspelt, marry, have namesakes, and some no
    id; else each file tells who is meant.
    """
    rng = random.Random(seed)
    people = invent(max(40, files * 3 // 2), rng, doubts=doubts)
    sections = []
    for number in range(files):
        day = FIRST + timedelta(days=number * YEARS * 365 // files)
        dialect = dialects[number % len(dialects)]
        sections.append(_section(number, files, day, dialect, people, rng, doubts=doubts))
    return Past(seed, people, sections)


def _section(
    number: int,
    files: int,
    day: date,
    dialect: str,
    people: list[Person],
    rng: random.Random,
    *,
    doubts: bool,
) -> Played:
    # Whoever plays mostly plays again: a window that moves slowly over all people.
    around = len(people) * number // files
    near = [people[(around + at) % len(people)] for at in range(min(40, len(people)))]
    seats = _without_namesakes(rng.sample(near, rng.randrange(8, 15)))
    town, (minutes, increment) = TOWNS[number % len(TOWNS)], CONTROLS[number % len(CONTROLS)]
    section = Played(
        number=number + 1,
        event=f"{town} {day:%B} {day.year} No {number + 1}",
        name=f"Section of {day}",
        town=town,
        region=REGIONS[number % len(REGIONS)],
        day=day,
        dialect=dialect,
        minutes=minutes,
        increment=increment,
        seats=seats,
        written=[
            who.written(day, rng, SLIPS, with_birth=dialect not in WITHOUT_BIRTHS)
            if doubts
            else Written(who.surname, who.first_name)
            for who in seats
        ],
        rounds=5,
    )
    _play_rounds(section, rng)
    return section


def _without_namesakes(seats: list[Person]) -> list[Person]:
    """Only the first of two who bear one name: no file of these programs could tell them apart."""
    seen: dict[tuple[str, str], Person] = {}
    for who in seats:
        seen.setdefault((who.surname, who.first_name), who)
    return list(seen.values())


def _play_rounds(section: Played, rng: random.Random) -> None:
    """A Berger table cut short: nobody meets twice; of an odd number one is left over in each round."""
    seats = list(range(1, len(section.seats) + 1))
    ring = seats if len(seats) % 2 == 0 else [*seats, 0]
    for round_ in range(1, section.rounds + 1):
        half = len(ring) // 2
        for one, other in zip(ring[:half], reversed(ring[half:]), strict=True):
            if 0 in (one, other):
                section.byes.append((round_, one or other))
            else:
                first, second = (one, other) if (one + other + round_) % 2 else (other, one)
                section.games.append(PlayedGame(round_, first, second, _result(rng)))
        ring = [ring[0], ring[-1], *ring[1:-1]]


def _result(rng: random.Random) -> str:
    return rng.choices(("1-0", "0-1", "1/2", "+:-", "-:+"), (45, 38, 13, 2, 2))[0]
