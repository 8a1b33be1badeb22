"""TRF's `001` lines → rows, and each player's seats by round as the player's own line gives them."""

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal

from tournaments.formats.common.dates import read_birth
from tournaments.formats.common.reader_notes import Notes
from tournaments.formats.common.reading_result import Sex, SheetPlayer
from tournaments.formats.trf_layout.columns import (
    MOST_ROUNDS,
    PLAYER,
    POINTS_END,
    RawCell,
    TrfPlayerLine,
    split_player_line,
)
from tournaments.formats.trf_layout.trf_record import TrfRecord

SEXES: dict[str, Sex] = {"m": "m", "w": "f", "f": "f"}
TITLES = {
    "G": "GM",
    "M": "IM",
    "F": "FM",
    "C": "CM",
    "WG": "WGM",
    "WM": "WIM",
    "WF": "WFM",
    "WC": "WCM",
}  # TRF06
RESULTS = set("1=0WDL+-HFUZ")
NOT_YET = "*"  # of a round that is still to come

_COLUMN = {column.name: column.start for column in PLAYER}


@dataclass(frozen=True, slots=True)
class TrfSeat:
    """One round in one player's line: `opponent` 0 for nobody, `result` empty if there is none."""

    round: int
    player: int
    opponent: int
    colour: str
    result: str
    line: int
    column: int


@dataclass(slots=True)
class TrfPlayers:
    """The contents of all players' lines (`001`) of a TRF."""

    rows: list[SheetPlayer] = field(default_factory=list)
    seats: list[TrfSeat] = field(default_factory=list)
    unread: set[int] = field(default_factory=set)
    """Start numbers of lines that are refused or cut: what they leave open is said once, at the line itself.
    """
    without_points: set[int] = field(default_factory=set)
    lines: dict[int, int] = field(default_factory=dict)
    """Start number → the line that has it."""


def read_players(records: Iterable[TrfRecord], notes: Notes, *, bytes_first: bool) -> TrfPlayers:
    field_ = TrfPlayers()
    for record in records:
        _read_player(record, split_player_line(record.text, bytes_first=bytes_first), field_, notes)
    _check_twins(field_.rows, notes)
    return field_


def _read_player(record: TrfRecord, cut: TrfPlayerLine | int, field_: TrfPlayers, notes: Notes) -> None:
    if isinstance(cut, int):
        _refuse(record, cut, field_, notes)
        return
    row = _row(cut, record.line, notes)
    first = field_.lines.setdefault(row.start_number, row.line)
    if first != row.line:
        notes.blocks("start-number-twice", record.line, 5, number=row.start_number, first=first)
        return
    if cut.cut_at is not None:
        notes.blocks("line-cut", record.line, cut.cut_at)
        field_.unread.add(row.start_number)
    elif not cut.fields["points"]:
        field_.without_points.add(row.start_number)
    field_.rows.append(row)
    field_.seats += _seats(cut.cells, row, notes)


def _refuse(record: TrfRecord, column: int, field_: TrfPlayers, notes: Notes) -> None:
    number = record.text[4:8].strip()
    if number.isascii() and number.isdigit():
        field_.unread.add(int(number))
    if "\t" in record.text:
        notes.blocks("tab", record.line, record.text.index("\t") + 1)
    elif (end := len(record.text.rstrip())) < POINTS_END and "  " not in record.text.strip():
        notes.blocks("columns-not-kept", record.line, column)
    elif end < POINTS_END:
        notes.blocks("line-cut", record.line, end)
    else:
        notes.blocks("columns-shifted", record.line, column)


def _row(cut: TrfPlayerLine, line: int, notes: Notes) -> SheetPlayer:
    values = cut.fields
    number = int(values["start_number"])
    if not number:
        notes.blocks("start-number-zero", line, 5)
    name = unicodedata.normalize("NFC", values["name"]).strip()
    surname, _, first_name = (part.strip() for part in name.partition(","))
    if not name.strip(", "):
        notes.blocks("player-without-name", line, _COLUMN["name"], number=number)
    born, birth = _birth(values["birth"], line, notes)
    return SheetPlayer(
        start_number=number,
        name=name,
        surname=surname,
        first_name=first_name,
        sex=_sex(values["sex"], line, notes),
        title=TITLES.get(values["title"].upper(), values["title"].upper()),
        rating=int(values["rating"] or 0) or None,
        federation=values["federation"],
        identifier=values["identifier"] if values["identifier"].strip("0") else None,
        born=born,
        birth=birth,
        points=Decimal(values["points"].replace(",", ".") or 0),
        place=int(values["place"] or 0) or None,
        line=line,
    )


def _sex(text: str, line: int, notes: Notes) -> Sex | None:
    sex = SEXES.get(text.lower())
    if text and not sex:
        notes.adjusts("sex-not-read", line, text, "")
    return sex


def _birth(text: str, line: int, notes: Notes) -> tuple[int | None, date | None]:
    read = read_birth(text)
    if read is None:
        notes.notice("birth-not-read", line, _COLUMN["birth"], text=text)
        notes.adjusts("birth-not-read", line, text, "")
    return read or (None, None)


def _seats(cells: Iterable[RawCell], row: SheetPlayer, notes: Notes) -> Iterable[TrfSeat]:
    for cell in cells:
        if cell.round > MOST_ROUNDS:
            notes.blocks("too-many-rounds", row.line, cell.column, most=MOST_ROUNDS)
            return
        result = cell.result.upper()
        if result == NOT_YET:
            notes.adjusts("open-result", row.line, f"{cell.round}: {cell.opponent} {cell.colour} *", "")
            result = ""
            if not int(cell.opponent or 0):
                continue
        if result and result not in RESULTS:
            notes.blocks("unknown-result", row.line, cell.column + 7, result=cell.result, round=cell.round)
            result = "?"
        colour = cell.colour.lower().replace("-", "")
        yield TrfSeat(
            cell.round, row.start_number, int(cell.opponent or 0), colour, result, row.line, cell.column
        )


def _check_twins(rows: Iterable[SheetPlayer], notes: Notes) -> None:
    first: dict[str, SheetPlayer] = {}
    for row in rows:
        if row.identifier and first.setdefault(row.identifier, row) is not row:
            twin = first[row.identifier]
            notes.blocks(
                "identifier-twice", row.line, _COLUMN["identifier"], id=row.identifier, first=twin.line
            )
