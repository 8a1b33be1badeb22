"""An invented past like the world's archive of othello: `.ELO` files of many hands, with their faults.

Its players, games and slips are drawn by lot; the same number of files gives the same bytes. The games are
known beside the files, so that what was read can be held against them.
"""

from __future__ import annotations

import random
from collections.abc import Container, Iterator
from dataclasses import dataclass
from datetime import date, timedelta

PEOPLE = 2_700
FIRST, LAST = date(2010, 1, 2), date(2026, 6, 27)
"""The rules of pfo begin on 12 December 2009."""
SYLLABLES = ("ba", "do", "ka", "le", "mo", "ni", "pu", "ra", "so", "tse", "vi", "zu", "kó", "rø")
NATIONS = {"POL": "PL", "JPN": "J", "NLD": "NL", "FRA": "F", "ITA": "I", "CZE": "CZ", "GBR": "GB", "SWE": "S"}
"""Nations, with the letters of cars that older files have."""
SIGNS = {"1-0": ">", "0-1": "<", "1/2": "="}
FAULTS = ("two-signs", "no-headings", "commas", "cars", "signs", "points", "unknown", "self", "misspelt")
SHARES = (0.07, 0.02, 0.002, 0.2, 0.1, 0.06, 0.01, 0.002, 0.3)
"""The share of files with each fault, as far as the archive shows it."""

Game = tuple[int, int, str]


@dataclass(frozen=True, slots=True)
class WorldFile:
    name: str
    day: date
    content: bytes
    games: list[Game]
    """Each game with the numbers of both players in the world, and its result."""
    readable: bool
    """Whether everybody in it is known, and nobody plays against themselves."""

    @property
    def bare_name(self) -> str:
        return self.name.rpartition("/")[2]

    @property
    def season(self) -> str:
        begins = self.day.year - (self.day.month < 12)
        return f"{begins}/{begins + 1}"


def make_files(count: int) -> Iterator[WorldFile]:
    rng = random.Random(count)
    people = {1_000 + 7 * n: (_word(rng), _word(rng), rng.choice(list(NATIONS))) for n in range(PEOPLE)}
    span = (LAST - FIRST).days
    for at in range(count):
        yield _make_file(at, FIRST + timedelta(days=at * span // count), people, rng)


def make_table(files: list[WorldFile], out: Container[str] = ()) -> bytes:
    """The table beside these files: what none of them says. `out`: the bare names of those to leave out."""
    rows = ["file,status,season,ids,places,leave_out", "*,gpp,,wof,points,"]
    rows += [f"{each.name},,{each.season},,,{'yes' if each.bare_name in out else ''}" for each in files]
    return "\n".join(rows).encode()


def _word(rng: random.Random) -> str:
    return "".join(rng.choice(SYLLABLES) for _ in range(rng.randint(3, 4))).capitalize()


def _make_file(at: int, day: date, people: dict[int, tuple[str, str, str]], rng: random.Random) -> WorldFile:
    faults = {fault for fault, share in zip(FAULTS, SHARES, strict=True) if rng.random() < share}
    seats = rng.sample(list(people), 2 * rng.randint(4, 11))
    rounds = rng.randint(5, min(9, len(seats) - 1))
    points = dict.fromkeys(seats, 0.0)
    games: list[Game] = []
    play: list[str] = []
    ring = list(seats)
    for round_ in range(1, rounds + 1):
        if "no-headings" not in faults:
            play += ["", f"{'%' * (1 + ('two-signs' in faults))}Round: {round_}", ""]
        for first, second in zip(ring[: len(ring) // 2], reversed(ring[len(ring) // 2 :]), strict=True):
            discs = rng.choice((rng.randrange(33, 60), rng.randrange(5, 32), 32))
            result = "1-0" if discs > 32 else "0-1" if discs < 32 else "1/2"
            points[first] += (discs > 32) + (discs == 32) / 2
            points[second] += (discs < 32) + (discs == 32) / 2
            told = 64 - discs if "signs" in faults and first == seats[0] and discs != 32 else discs
            play.append(f"{first:>6} ({told}){SIGNS[result]}({64 - told}) {second:>6} B")
            games.append((first, second, result))
        ring = [ring[0], ring[-1], *ring[1:-1]]
    if "unknown" in faults:
        play.append(f"?????? (40)>(24) {seats[0]:>6} B")
    if "self" in faults:
        play.append(f"{seats[0]:>6} (40)>(24) {seats[0]:>6} B")
    lines = [f"%%Tournament: Cup no. {at}", "%%Country: Poland", f"%%Date: {day:%d/%m/%Y}"]
    lines += ["%%Creator: PAPP 1.37", ""]
    for seat, number in enumerate(seats):
        surname, first_name, nation = people[number]
        if "misspelt" in faults and not seat:
            surname = f"{surname[:-1]}{rng.choice('aeiou')}"
        scored = str(points[number] + ("points" in faults and not seat))
        scored = scored.replace(".", ",") if "commas" in faults else scored
        nation = NATIONS[nation] if "cars" in faults else nation
        lines.append(f"%_% {number:>7}, {surname}, {first_name}, {nation}, {scored}, 0")
    name = f"{day.year}/{day:%Y%m%d}_{at:05}.ELO"
    content = "\n".join([*lines, *play, ""]).encode()
    return WorldFile(name, day, content, games, not faults & {"unknown", "self"})
