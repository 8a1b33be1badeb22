"""Event files of our own making: for the demo office, and for people who need a file to try."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from typing import NamedTuple

from players.office.models import User
from players.register.models import Player
from ratings.law import facts
from tournaments.events.file_models import Upload
from tournaments.events.models import Section
from tournaments.filing.changes.details import Details, departures, forfeited, save_details
from tournaments.filing.store_reading import store_reading
from tournaments.formats import read_any
from tournaments.formats.common.reading_result import Official, Sex, Sheet, SheetBye, SheetGame, SheetPlayer
from tournaments.formats.plain_table import write
from tournaments.formats.trf_write import write_trf
from tournaments.tasks import claim

TABLE = "table"
SUFFIXES = {"Swiss-Manager": "txt", "Vega": "trf", TABLE: "csv"}
"""The suffix of the file's name, by style."""
KINDS = {
    "swiss": "Individual: Swiss-System",
    "round-robin": "Individual: Round-Robin",
    "double-round-robin": "Individual: Double-Round-Robin",
    "scheveningen": "Team: Scheveningen-System",
}
"""The words of such a program for the format of play."""
WORTH = {
    **{"1-0": (2, 0), "0-1": (0, 2), "1/2": (1, 1), "0-0": (0, 0)},
    **{"+:-": (2, 0), "-:+": (0, 2), "-:-": (0, 0), "annulled": (0, 0)},
}
"""Half points of each side, in every result of the journal."""
BYES = {"pairing": 2, "full": 2, "half": 1, "zero": 0}


class FilePlayer(NamedTuple):
    """The particulars of a player that a file of ours gives; what it leaves out is empty."""

    surname: str
    first_name: str
    sex: Sex | None = None
    birth: date | None = None
    rating: int | None = None
    federation: str = ""
    identifier: str = ""
    title: str = ""


def line_of(player: Player, rating: int | None = None) -> FilePlayer:
    """A player of the register as a file gives them: all particulars, with this `rating`."""
    known = getattr(player, "birth_date", None)
    return FilePlayer(
        player.surname,
        player.first_name,
        "f" if player.sex == "f" else "m",
        known.day if known else None,
        rating,
        player.nation,
        player.number,
        player.title,
    )


def event_file(
    style: str,
    section: facts.Section,
    lines: Sequence[FilePlayer],
    *,
    city: str = "",
    federation: str = "",
    round_days: Sequence[date] = (),
    time_text: str = "",
    arbiters: Sequence[tuple[str, str, str]] = (),
) -> bytes:
    """Write a section as Swiss-Manager or Vega (`style`), or as a plain table; `lines` by starting number.

    `arbiters`: title, name and id of each, the chief first.
    """
    number = {entry.player: place for place, entry in enumerate(section.entries, start=1)}
    sheet = Sheet(
        dialect=style,
        name=f"{section.event} {section.name}",
        city=city,
        federation=federation,
        starts=section.starts,
        ends=section.ends,
        kind=KINDS.get(section.format, ""),
        arbiters=tuple(
            Official(name, title, id_, "deputy" if place else "chief")
            for place, (title, name, id_) in enumerate(arbiters)
        ),
        time_text=time_text,
        rounds=section.rounds,
        rounds_played=max((game.round for game in section.games), default=0),
        round_dates=tuple(round_days),
        rows=_rows(style, section, lines, number),
        games=tuple(_game(game, number) for game in section.games),
        byes=tuple(SheetBye(bye.round, number[bye.player], bye.kind) for bye in section.byes),  # type: ignore[arg-type]
    )
    return write.write_csv(sheet) if style == TABLE else write_trf.write(sheet, style)


def _rows(
    style: str, section: facts.Section, lines: Sequence[FilePlayer], number: dict[str, int]
) -> tuple[SheetPlayer, ...]:
    """Write the players' rows, with points, and places as entered (in a table) or by points."""
    halves = points_of(section, number)
    standing = sorted(number.values(), key=lambda player: -halves[player])
    placed = {number[entry.player]: entry.place for entry in section.entries if style == TABLE}
    return tuple(
        replace(
            _row(style, player, line),
            points=Decimal(halves[player]) / 2,
            place=placed.get(player) or standing.index(player) + 1,
        )
        for player, line in enumerate(lines, start=1)
    )


def points_of(section: facts.Section, number: dict[str, int]) -> list[int]:
    """Each entry's score in half points, at the index of its starting number. `number`: that by player."""
    halves = [0] * (len(number) + 1)
    for game in section.games:
        for player, points in zip((game.first, game.second), WORTH[game.result], strict=True):
            halves[number[player]] += points
    for bye in section.byes:
        halves[number[bye.player]] += BYES[bye.kind]
    return halves


def _row(style: str, number: int, line: FilePlayer) -> SheetPlayer:
    return SheetPlayer(
        number,
        ", ".join(line[:2]) if style == TABLE else write_trf.filed_name(*line[:2], style),
        line.surname,
        line.first_name,
        sex=line.sex,
        title=line.title,
        rating=line.rating,
        federation=line.federation,
        identifier=line.identifier or None,
        born=line.birth.year if line.birth else None,
        birth=line.birth,
    )


def _game(game: facts.Game, number: dict[str, int]) -> SheetGame:
    return SheetGame(game.round, number[game.first], number[game.second], game.result)  # type: ignore[arg-type]


# ---------------------------------------------------------------- file without a worker


def read_here(upload: Upload) -> None:
    """Read a waiting upload in this process: bytes that we made ourselves need no box."""
    taken = claim(upload.pk)
    if taken is not None and taken.content is not None:
        store_reading(taken, read_any(bytes(taken.content), taken.name))


def confirm_details(section: Section, *, by: User | None, on: date, organizer: str = "") -> Section:
    """Save the details form as it is prefilled; absentees are taken not to have given notice."""
    section.refresh_from_db()
    details = Details(
        name=section.name,
        starts=section.starts,
        ends=section.ends,
        format=section.format,
        rounds=section.rounds or 0,
        team=section.team,
        particulars=section.particulars,
        round_dates=[date.fromisoformat(day) if day else section.ends for day in section.round_dates],
        organizer=section.event.organizer or organizer,
        arbiters=section.event.arbiters,
        left={number: facts.Left(round_, bool(said)) for number, round_, said in departures(section)},
        excused={game.order: game.excused for game in forfeited(section)},
    )
    return save_details(section=section, by=by, on=on, version=section.version, details=details)
