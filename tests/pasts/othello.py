"""A made-up past of othello: PAPP's files, FlipTheDisc's and tables, and its journal by hand."""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date, timedelta
from hashlib import sha256
from typing import Any

from tests.pasts.hand_journal import number_of
from tests.pasts.people import Person, Written, misspelt, names

FIRST = date(2016, 12, 10)
YEARS, ROUNDS, PEOPLE = 4, 7, 36
SLIPS = 0.05
SURNAMES = names("""
Adamczyk, Baran, Cieślak, Dąbrowska, Figura, Górska, Jabłońska, Kaczmarek, Lewandowska, Łuczak, Mazur,
Nowicka, Olszewska, Piątek, Rutkowska, Sikora, Szewczenko, Tomczak, Urban, Walczak, Zięba, Żak
""")
FIRST_NAMES = names(
    "Adam, Beata, Cezary, Dorota, Ewelina, Filip, Grażyna, Henryk, Iwona, Jakub, Łukasz, Zofia"
)
TRANSLITERATED = {"Szewczenko": "Shevchenko"}


@dataclass(frozen=True, slots=True)
class Meeting:
    round: int
    first: int
    second: int
    discs: int
    """Of the first one; the second has the others of 64."""

    @property
    def result(self) -> str:
        return "1-0" if self.discs > 32 else "0-1" if self.discs < 32 else "1/2"


@dataclass(slots=True)
class Tournament:
    number: int
    event: str
    day: date
    dialect: str
    seats: list[Person]
    written: list[Written]
    games: list[Meeting] = field(default_factory=list)

    @property
    def file(self) -> str:
        return f"{self.day.year}/{self.number:03}.{ENDINGS[self.dialect]}"

    @property
    def season(self) -> str:
        begins = self.day.year - (self.day.month < 12)
        return f"{begins}/{begins + 1}"

    def score(self, seat: int) -> tuple[int, int]:
        """Twice the points, and the discs."""
        own = [each.discs for each in self.games if each.first == seat]
        own += [64 - each.discs for each in self.games if each.second == seat]
        return sum((each > 32) + (each >= 32) for each in own), sum(own)

    def place(self, seat: int) -> int:
        """Those of as many points and discs share a place."""
        seats = range(1, len(self.seats) + 1)
        return 1 + sum(self.score(each) > self.score(seat) for each in seats)


@dataclass(slots=True)
class OthelloPast:
    people: list[Person]
    sections: list[Tournament]

    def lists(self) -> list[date]:
        """A day behind all of them: this federation closes no lists."""
        return [self.sections[-1].day + timedelta(days=1)]


# ---------------------------------------------------------------- play


def play(files: int, seed: int) -> OthelloPast:
    rng = random.Random(seed)
    people = _people(rng)
    past = OthelloPast(people, [])
    for number in range(1, files + 1):
        day = FIRST + timedelta(days=number * YEARS * 365 // files)
        dialect = tuple(WRITERS)[number % len(WRITERS)]
        past.sections.append(_tournament(number, day, dialect, people, rng))
    return past


def _people(rng: random.Random) -> list[Person]:
    every = [(surname, first) for surname in SURNAMES for first in FIRST_NAMES]
    chosen = rng.sample(every, PEOPLE)
    chosen[1] = chosen[0]  # namesakes
    born, others = date(1970, 1, 1), [each for each in SURNAMES if each not in TRANSLITERATED]
    people = []
    for key, (surname, first) in enumerate(chosen):
        married = (rng.choice(others), FIRST + timedelta(days=700)) if key % 12 == 5 else None
        people.append(Person(key, surname, first, "", born, str(40_000 + 31 * key), married))
    return people


def _tournament(number: int, day: date, dialect: str, people: list[Person], rng: random.Random) -> Tournament:
    seats = rng.sample([people[number % 2], *people[2:]], 10)
    tournament = Tournament(
        number, f"Turniej nr {number}", day, dialect, seats, [_written(who, day, rng) for who in seats]
    )
    ring = list(range(1, len(seats) + 1))
    for round_ in range(1, ROUNDS + 1):
        pairs = zip(ring[: len(ring) // 2], reversed(ring[len(ring) // 2 :]), strict=True)
        tournament.games += [Meeting(round_, one, other, rng.randrange(10, 55)) for one, other in pairs]
        ring = [ring[0], ring[-1], *ring[1:-1]]
    return tournament


def _written(who: Person, day: date, rng: random.Random) -> Written:
    surname = who.surname_on(day)
    if surname in TRANSLITERATED and rng.random() < 0.5:
        return Written(TRANSLITERATED[surname], who.first_name, "transliterated")
    if rng.random() < SLIPS and len(surname) > 4:
        return Written(misspelt(surname, rng), who.first_name, "misspelt")
    return Written(surname, who.first_name)


# ---------------------------------------------------------------- files


def papp(tournament: Tournament) -> bytes:
    """A file for the world federation: players are known by its numbers."""
    lines = [
        f"%%Tournament: {tournament.event}",
        "%%Country: Poland",
        f"%%Date: {tournament.day:%d/%m/%Y}",
        "%%Creator: PAPP 1.37",
    ]
    for seat, (who, name) in enumerate(zip(tournament.seats, tournament.written, strict=True), 1):
        twice, discs = tournament.score(seat)
        lines.append(f"%_% {who.fide:>7}, {name.surname}, {name.first_name}, POL, {twice / 2}, {discs}")
    for round_ in range(1, ROUNDS + 1):
        lines += ["", f"%Round: {round_}", ""]
        for game in tournament.games:
            if game.round == round_:
                first, second = (tournament.seats[seat - 1].fide for seat in (game.first, game.second))
                sign = {"1-0": ">", "0-1": "<", "1/2": "="}[game.result]
                lines.append(f"{first:>6} ({game.discs}){sign}({64 - game.discs}) {second:>6} B")
    return ("\n".join(lines) + "\n").encode()


def flip_the_disc(tournament: Tournament) -> bytes:
    players = [
        {
            "id": 500 + who.key,
            "wof_id": int(who.fide),
            "surname": name.surname.upper(),
            "name": name.first_name,
            "country_code": "PL",
        }
        for who, name in zip(tournament.seats, tournament.written, strict=True)
    ]
    keys = [player["id"] for player in players]
    worth = {"1-0": (2, 0), "1/2": (1, 1), "0-1": (0, 2)}
    rounds = []
    for round_ in range(1, ROUNDS + 1):
        pairing = []
        for game in tournament.games:
            if game.round == round_:
                discs = (game.discs, 64 - game.discs)
                both = zip((game.first, game.second), worth[game.result], discs, strict=True)
                pairing.append([{"id": keys[seat - 1], "result": r, "score": d} for seat, r, d in both])
        rounds.append({"currentRound": round_, "pairing": pairing})
    info = {"name": tournament.event, "city": "Łódź", "country_code": "PL"}
    info["expected_start"] = f"{tournament.day}T09:00:00"
    told = {"info": info, "players_list": players, "rounds": rounds}
    return json.dumps(told, ensure_ascii=False).encode()


def plain_table(tournament: Tournament) -> bytes:
    """A table that somebody typed, in the letters of old Windows; every second one with no number at all."""
    out = io.StringIO()
    table = csv.writer(out, delimiter=";", lineterminator="\n")
    table.writerow(("number", "id", "surname", "first name", "nation", "place", "discs"))
    for seat, (who, name) in enumerate(zip(tournament.seats, tournament.written, strict=True), 1):
        id_ = who.fide if tournament.number % 2 else ""
        place, (_points, discs) = tournament.place(seat), tournament.score(seat)
        table.writerow((seat, id_, name.surname, name.first_name, "POL", place, discs))
    table.writerow(())
    table.writerow(("round", "first", "second", "result"))
    table.writerows((game.round, game.first, game.second, game.result) for game in tournament.games)
    return out.getvalue().encode("cp1250")


WRITERS: dict[str, Callable[[Tournament], bytes]] = {
    "PAPP": papp,
    "FlipTheDisc": flip_the_disc,
    "table": plain_table,
}
ENDINGS = {"PAPP": "elo", "FlipTheDisc": "json", "table": "csv"}
COLUMNS = ("file", "event", "starts", "status", "season", "places", "ids", "rounds", "format")


def all_files(past: OthelloPast) -> dict[str, bytes]:
    """The files, and the table beside them."""
    out = io.StringIO()
    table = csv.DictWriter(out, COLUMNS)
    table.writeheader()
    table.writerow({"file": "*", "status": "gpp", "places": "points", "ids": "wof", "format": "swiss"})
    for each in past.sections:
        row = {"file": each.file, "event": each.event, "starts": each.day.isoformat()}
        table.writerow({**row, "season": each.season, "rounds": str(ROUNDS)})
    files = {each.file: WRITERS[each.dialect](each) for each in past.sections}
    return {**files, "table.csv": out.getvalue().encode()}


# ---------------------------------------------------------------- the journal by hand


def journal(past: OthelloPast) -> bytes:
    """All lines, from the play alone."""
    return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in _lines(past)).encode()


def _lines(past: OthelloPast) -> Iterator[dict[str, Any]]:
    yield {
        "fact": "federation",
        "form": 3,
        "code": "pfo",
        "ruleset": "pfo",
        "name": "Polska Federacja Othello",
    }
    told: set[int] = set()
    for tournament in past.sections:
        for who in tournament.seats:
            if who.key not in told:
                told.add(who.key)
                salt = sha256(str(who.key).encode()).hexdigest()[:32]
                name = f"{who.surname}, {who.first_name}"
                yield {"fact": "player", "id": number_of(who), "name": name, "salt": salt, "nation": "POL"}
        section = _section(tournament)
        yield section
        yield {"fact": "rated", "section": section["id"], "on": tournament.day.isoformat()}


def _section(tournament: Tournament) -> dict[str, Any]:
    numbers = [number_of(who) for who in tournament.seats]
    games = [
        {
            "round": game.round,
            "first": numbers[game.first - 1],
            "second": numbers[game.second - 1],
            "result": game.result,
        }
        for game in tournament.games
    ]
    places = enumerate(numbers, 1)
    return {
        "fact": "section",
        "id": f"{tournament.day.year}-{tournament.number:03}/A",
        "event": tournament.event,
        "name": tournament.event,
        "starts": tournament.day.isoformat(),
        "ends": tournament.day.isoformat(),
        "format": "swiss",
        "rounds": ROUNDS,
        "status": "gpp",
        "season": tournament.season,
        "entries": [{"player": number, "place": tournament.place(seat)} for seat, number in places],
        "games": games,
    }
