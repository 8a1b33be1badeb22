"""Made-up pasts for the tests of histories: event files of several programs, and the tables beside them."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

from tournaments.formats import trf_writer
from tournaments.formats.sheet import Sheet, SheetGame, SheetPlayer

THABO = SheetPlayer(
    0, "Dlamini, Thabo", "Dlamini", "Thabo", sex="m", identifier="14300001", birth=date(1991, 4, 2)
)
PRIYA = SheetPlayer(
    0, "Naidoo, Priya", "Naidoo", "Priya", sex="f", identifier="14300002", birth=date(2008, 11, 30)
)
PIETER = SheetPlayer(0, "Botha, Pieter", "Botha", "Pieter", sex="m", born=1975, birth=date(1975, 1, 19))
LERATO = SheetPlayer(0, "Mokoena, Lerato", "Mokoena", "Lerato", sex="f", birth=date(2012, 6, 7))
SIPHO = SheetPlayer(0, "Khumalo, Sipho", "Khumalo", "Sipho", sex="m", birth=date(2010, 2, 3))
AYANDA = SheetPlayer(0, "Zulu, Ayanda", "Zulu", "Ayanda", sex="f", birth=date(1988, 8, 8))
SIX = (THABO, PRIYA, PIETER, LERATO, SIPHO, AYANDA)


def numbered(people: Sequence[SheetPlayer], nation: str = "RSA") -> tuple[SheetPlayer, ...]:
    return tuple(
        replace(each, start_number=number, federation=nation, born=each.birth.year if each.birth else None)
        for number, each in enumerate(people, 1)
    )


def round_robin(count: int) -> list[SheetGame]:
    """Everybody against everybody, by the circle; results that follow from the numbers alone."""
    seats = list(range(1, count + 1))
    games = []
    for round_ in range(1, count):
        for one, other in zip(seats[: count // 2], reversed(seats[count // 2 :]), strict=True):
            result = ("1-0", "0-1", "1/2")[(one * 7 + other * 3 + round_) % 3]
            games.append(SheetGame(round_, one, other, result))  # type: ignore[arg-type]
        seats = [seats[0], seats[-1], *seats[1:-1]]
    return games


def trf(name: str, day: date, people: Sequence[SheetPlayer], **about: Any) -> bytes:
    """A TRF16 file of a round robin, in one day."""
    rows = numbered(people)
    games = about.pop("games", None) or round_robin(len(rows))
    rounds = max(game.round for game in games)
    scored = tuple(_scored(row, games) for row in rows)
    sheet = Sheet(
        dialect="TRF16",
        family="trf",
        name=name,
        city="Soweto",
        federation="RSA",
        starts=day,
        ends=day,
        kind="Individual: Round-Robin",
        time_text=about.pop("time", "90 minutes + 30 seconds per move"),
        rounds=rounds,
        rounds_played=rounds,
        round_dates=(day,) * rounds,
        rows=scored,
        games=tuple(games),
        byes=about.pop("byes", ()),
    )
    return trf_writer.write(sheet)


def _scored(row: SheetPlayer, games: Sequence[SheetGame]) -> SheetPlayer:
    worth: dict[str, tuple[Decimal | int, Decimal | int]] = {"1-0": (1, 0), "0-1": (0, 1)}
    worth["1/2"] = (Decimal("0.5"), Decimal("0.5"))
    points = Decimal(0)
    for game in games:
        if row.start_number in (game.first, game.second):
            points += worth[game.result][game.second == row.start_number]
    return replace(row, points=points, place=None)


def elo(name: str, day: date, people: Sequence[tuple[int, str, str]], rounds: int = 3) -> bytes:
    """An `.ELO` file as PAPP writes it: who meets whom by the circle, discs by the numbers."""
    lines = [f"%%Tournament: {name}", "%%Country: Poland", f"%%Date: {day:%d/%m/%Y}", "%%Creator: PAPP 1.37"]
    lines += [f"%_% {number:>7}, {surname}, {first}, POL,  0, 0, 0" for number, surname, first in people]
    seats = [number for number, _surname, _first in people]
    for round_ in range(1, rounds + 1):
        lines += ["", f"%Round: {round_}", ""]
        half = len(seats) // 2
        for one, other in zip(seats[:half], reversed(seats[half:]), strict=True):
            discs = 20 + (one * 3 + other + round_) % 24
            sign = ">" if discs > 32 else "<" if discs < 32 else "="
            lines.append(f"{one:>6} ({discs}){sign}({64 - discs}) {other:>6} B")
        seats = [seats[0], seats[-1], *seats[1:-1]]
    return ("\n".join(lines) + "\n").encode()


def table(columns: Sequence[str], *rows: Mapping[str, str]) -> bytes:
    written = io.StringIO()
    writer = csv.DictWriter(written, columns)
    writer.writeheader()
    writer.writerows(rows)
    return written.getvalue().encode()


def folder(there: Path, files: Mapping[str, bytes]) -> Path:
    there.mkdir(parents=True, exist_ok=True)
    for name, data in files.items():
        (there / name).parent.mkdir(parents=True, exist_ok=True)
        (there / name).write_bytes(data)
    return there
