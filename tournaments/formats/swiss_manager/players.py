"""Swiss-Manager's `Spielerdaten` → rows."""

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from tournaments.formats.common.reader_notes import Notes
from tournaments.formats.common.reading_result import OtherId, SheetPlayer
from tournaments.formats.plain_table.cell_values import (
    birth_of,
    left_out,
    nation_of,
    place_of,
    read_whole,
    score_of,
    sex_of,
    whole_name,
)
from tournaments.formats.plain_table.cells import EMPTY, FileCell, Record

ID_COLUMNS = ("national id", "fide id")
_TITLE = re.compile(r"[A-Z]{1,3}")
_ID = re.compile(r"[0-9A-Za-z/._-]{1,30}")

_NONE = "0.-"


@dataclass(slots=True)
class SwissManagerPlayers:
    rows: dict[int, SheetPlayer] = field(default_factory=dict)
    """By start number, in the file's order."""
    cells: dict[int, Record] = field(default_factory=dict)
    has_points: bool = False


def read_players(records: Iterable[Record], has_points: bool, notes: Notes) -> SwissManagerPlayers:
    players = SwissManagerPlayers(has_points=has_points)
    for record in records:
        number = start_number(record.get("number", EMPTY), players.cells, notes)
        if number:
            players.cells[number] = record
            players.rows[number] = row_of(record, number, notes)
    check_rows(players.rows.values(), players.cells, notes)
    return players


def start_number(cell: FileCell, known: Mapping[int, Record], notes: Notes) -> int | None:
    """Read a start number; None with a note that says what is wrong with it."""
    number = read_whole(cell.text)
    if not number:
        key = "start-number-zero" if number == 0 else "table-number-not-read"
        notes.blocks(key, **cell.place, **({} if number == 0 else {"text": cell.shown}))
    elif number in known:
        first = next(iter(known[number].values())).line
        notes.blocks("start-number-twice", **cell.place, number=number, first=first)
    else:
        return number
    return None


def check_rows(rows: Collection[SheetPlayer], cells: Mapping[int, Record], notes: Notes) -> None:
    """Block ids that two players have, and note once that names are not divided by commas."""
    check_twins(rows, cells, notes)
    whole = [row for row in rows if not row.first_name]
    if whole:
        notes.notice("names-not-parted", whole[0].line, count=len(whole), sample=whole[0].name)


def check_twins(rows: Iterable[SheetPlayer], cells: Mapping[int, Record], notes: Notes) -> None:
    """Block players who have the same id, national or FIDE's."""
    for column in ID_COLUMNS:
        first: dict[str, SheetPlayer] = {}
        for row in rows:
            cell = cells[row.start_number].get(column, EMPTY)
            id_ = id_in(cell)
            if id_ and first.setdefault(id_, row) is not row:
                notes.blocks("identifier-twice", **cell.place, id=id_, first=first[id_].line)


def id_in(cell: FileCell) -> str:
    """The id in a cell; empty for `0` and `-`, which stand for none, and for what cannot be an id."""
    text = cell.text.removesuffix(".0")
    return text if text.strip(_NONE) and _ID.fullmatch(text) else ""


def row_of(record: Record, number: int, notes: Notes, place: str = "place") -> SheetPlayer:
    """Read a row of the export into a player. `place`: the name of the column with the final place."""
    surname, first_name = _names(record, number, notes)
    born, birth = birth_of(record.get("birth", EMPTY), notes)
    identifier, other_ids = ids_of(record, notes)
    return SheetPlayer(
        start_number=number,
        name=whole_name(surname, first_name),
        surname=surname,
        first_name=first_name,
        sex=sex_of(record.get("sex", EMPTY), notes),
        title=title_of(record.get("title", EMPTY), notes),
        rating=rating_of(record.get("rating", EMPTY), notes),
        federation=nation_of(record.get("nation", EMPTY), notes),
        identifier=identifier,
        born=born,
        birth=birth,
        points=score_of(record.get("points", EMPTY), notes),
        place=place_of(record.get(place, EMPTY), notes),
        other_ids=other_ids,
        line=next(iter(record.values())).line,
    )


def _names(record: Record, number: int, notes: Notes) -> tuple[str, str]:
    surname, first_name = record.get("surname", EMPTY), record.get("first name", EMPTY)
    if surname.text:
        return surname.text, first_name.text
    return name_of(record.get("name", surname), number, notes)


def name_of(cell: FileCell, number: int, notes: Notes) -> tuple[str, str]:
    """The surname and the first name in a cell, divided by a comma; a note if there is no surname."""
    surname, _, first_name = (part.strip() for part in cell.text.partition(","))
    if not surname:
        notes.blocks("table-no-surname", **cell.place, number=number)
    return surname, first_name


def ids_of(record: Record, notes: Notes) -> tuple[str | None, tuple[OtherId, ...]]:
    """The id of a row, and its other ids: the national one with FIDE's beside it, or FIDE's alone."""
    for column in ID_COLUMNS:
        cell = record.get(column, EMPTY)
        if cell.text.strip(_NONE) and not id_in(cell):
            left_out(cell, column, notes)
    national, fide = (id_in(record.get(column, EMPTY)) for column in ID_COLUMNS)
    beside = (OtherId("fide", fide),) if national and fide and national != fide else ()
    return national or fide or None, beside


def title_of(cell: FileCell, notes: Notes) -> str:
    title = cell.text.upper()
    if title and not _TITLE.fullmatch(title):
        left_out(cell, "title", notes)
        return ""
    return title


def rating_of(cell: FileCell, notes: Notes) -> int | None:
    rating = read_whole(cell.text)
    if cell.text and rating is None:
        left_out(cell, "rating", notes)
    return rating or None
