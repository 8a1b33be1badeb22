"""Reads and writes mahjong's tables of places: the EMA's result sheet and the portal's table.

They have players and their final places, but no games. Places are taken as filed; a notice says if they do
not follow from games and scores.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from itertools import pairwise

from ratings.rulesets.downloads import csv_bytes, disarm_cell
from ratings.rulesets.facts import gettext_noop as _
from tournaments.formats import plain_table
from tournaments.formats.dates import read_date
from tournaments.formats.plain_table import normalize_column_heading
from tournaments.formats.sheet import FileKind, FileSource, Notes, OtherId, Reading, Sheet, SheetPlayer
from tournaments.formats.text import normalize_surnames


# ---- Columns
@dataclass(frozen=True, slots=True)
class TableLayout:
    kind: FileKind
    dialect: str
    columns: Mapping[str, str]
    """Fields by heading, as `plain_table.heading` gives it; empty if the column is ignored."""
    needed: frozenset[str]
    """Fields that every table of this form has."""
    marks: frozenset[str]
    """Fields of which only tables of this form have at least two."""


_EMA_SOURCE = FileSource(
    "European Mahjong Association", _("its result sheet of 19 columns, as CSV or XLSX"), by_description=True
)
EMA = TableLayout(
    FileKind("ema", "EMA", (_EMA_SOURCE,)),
    "EMA",
    {
        "tournament name": "tournament",
        "number of participants": "players",
        "place": "place",
        "player's first name": "first name",
        "player's last name": "surname",
        "ema number": "ema",
        "score": "points",
        "country": "nation",
        "date": "date",
        "city": "city",
        "nbdays": "days",
        **dict.fromkeys(("table points", "ema member", "countrycourt", "mers", "shortname"), ""),
        **dict.fromkeys(("rules", "period", "extra"), ""),
    },
    needed=frozenset({"place", "surname"}),
    marks=frozenset({"ema", "tournament", "players", "days"}),
)
_PORTAL_SOURCE = FileSource(
    _("Mahjong portal"),
    _("the table of results: place, name, scores, games, ema, load_player"),
    by_description=True,
)
PORTAL = TableLayout(
    FileKind("portal", _("mahjong portal"), (_PORTAL_SOURCE,)),
    "Mahjong portal",
    {
        "place": "place",
        "name": "name",
        "player name": "name",
        "first name": "first name",
        "last name": "surname",
        "scores": "points",
        "rating points": "points",
        "games": "games",
        "games played": "games",
        "ema": "ema",
        "load player": "listed",
        "player id": "pantheon",
    },
    needed=frozenset({"place"}),
    marks=frozenset({"points", "games", "ema", "listed", "pantheon"}),
)
TABLE_LAYOUTS = (EMA, PORTAL)
LONGEST_CELLS = {"name": 100, "surname": 100, "first name": 100, "tournament": 200, "city": 100}
"""The most characters of a cell; 40 in others."""


def find_table_layout(headings: frozenset[str]) -> TableLayout | None:
    """The form of the table with this header row, if any."""
    for form in TABLE_LAYOUTS:
        fields = {form.columns[heading] for heading in headings if heading in form.columns}
        named = bool(fields & {"name", "surname"})
        if named and form.needed <= fields and len(form.marks & fields) > 1:
            return form
    return None


# ---- Reader
KINDS = tuple(form.kind for form in TABLE_LAYOUTS)
EMA_ID = "ema"
PANTHEON_ID = "pantheon"
_SUBSTITUTES = re.compile(r"(?:замен[аы]?|substitutes?)[0-9]*", re.IGNORECASE)
_EMA_DIGITS = re.compile(r"[0-9]{7,8}")
_YES_NO = {"true": True, "1": True, "yes": True, "": True, "false": False, "0": False, "no": False}


@dataclass(slots=True)
class PlacementTable:
    """A table of places as filed: its header row and the rows below it."""

    form: TableLayout
    head: plain_table.Cells
    columns: dict[int, str]
    records: list[plain_table.Record] = field(default_factory=list)
    above: list[plain_table.Cells] = field(default_factory=list)
    elsewhere: list[plain_table.Cells] = field(default_factory=list)
    """Rows of other worksheets."""


def knows(headings: Sequence[str]) -> int:
    names = _normalize_headings(headings)
    form = find_table_layout(names)
    return len(names & set(form.columns)) if form else 0


def read_sheets(sheets: Sequence[Sequence[plain_table.Cells]], notes: Notes, encoding: str) -> Reading:
    table = _find_table(sheets, notes)
    if table is None or not table.records:
        place = table.head[0] if table else plain_table.EMPTY
        notes.blocks("placement-no-players", place.line or None, place.column or None, where=place.where)
        return notes.reading(None)
    if table.above:
        notes.notice("table-above-header", **table.above[0][0].place, count=len(table.above))
    plain_table.note_other_sheets(table.elsewhere, notes)
    rows = [_row(record, number, notes) for number, record in enumerate(table.records, 1)]
    # Rows for substitutes are blocked; players who are not in the portal are noted.
    not_listed = []
    for row, record in zip(rows, table.records, strict=True):
        cell = record.get("surname") or record.get("name") or record["place"]
        if any(_SUBSTITUTES.fullmatch(part) for part in (row.surname, row.first_name, *row.name.split())):
            notes.blocks("placement-substitutes", **cell.place, name=row.name[:40])
        elif not _is_listed(record.get("listed", plain_table.EMPTY), notes):
            not_listed.append((row, cell))
    if not_listed:
        row, cell = not_listed[0]
        notes.notice("placement-not-listed", **cell.place, count=len(not_listed), sample=row.name[:40])
    _check_twins(rows, table.records, notes)
    _check_places(rows, table.records, notes)
    _note_names(rows, table.records, notes)
    return notes.reading(_sheet(table, normalize_surnames(rows, notes), notes, encoding))


def _normalize_headings(headings: Sequence[str]) -> frozenset[str]:
    return frozenset(map(_heading, headings))


def _heading(text: str) -> str:
    return normalize_column_heading(text).replace("’", "'")


def _find_table(sheets: Sequence[Sequence[plain_table.Cells]], notes: Notes) -> PlacementTable | None:
    """The first table of places; notes further ones."""
    tables, elsewhere = list[PlacementTable](), list[plain_table.Cells]()
    for sheet in sheets:
        rows = [row for row in sheet if any(cell.text for cell in row)]
        table = _table_on(rows, notes)
        if table is None:
            elsewhere += rows
        elif tables:
            first = tables[0].head[0]
            notes.blocks("placement-twice", **table.head[0].place, first=first.where or first.line)
        else:
            tables.append(table)
    for table in tables:
        table.elsewhere = elsewhere
    return tables[0] if tables else None


def _table_on(rows: Sequence[plain_table.Cells], notes: Notes) -> PlacementTable | None:
    for at, row in enumerate(rows):
        if form := find_table_layout(_normalize_headings([cell.text for cell in row])):
            plain = tuple(plain_table.FileCell(_heading(cell.text), **cell.place) for cell in row)
            columns = plain_table.find_columns(plain, form.columns, notes)
            records = [
                plain_table.make_record(below, columns, len(row), LONGEST_CELLS, notes)
                for below in rows[at + 1 :]
            ]
            return PlacementTable(form, row, columns, records, above=list(rows[:at]))
    return None


def _sheet(table: PlacementTable, rows: Sequence[SheetPlayer], notes: Notes, encoding: str) -> Sheet:
    first = table.records[0]
    _check_one_tournament(table.records, notes)
    day = _read_day(first, notes)
    return Sheet(
        dialect=table.form.dialect,
        family=table.form.kind.code,
        name=first.get("tournament", plain_table.EMPTY).text,
        city=first.get("city", plain_table.EMPTY).text,
        starts=day,
        ends=day,
        players_declared=_read_declared(first, len(rows), notes),
        rows=tuple(rows),
        unused=tuple(plain_table.make_unused(row) for row in (*table.above, *table.elsewhere)),
        encoding=encoding,
    )


def _row(record: plain_table.Record, number: int, notes: Notes) -> SheetPlayer:
    surname, first_name = _split_name(record, number, notes)
    ids = [(EMA_ID, _ema_number(record.get("ema", plain_table.EMPTY), notes))]
    ids.append((PANTHEON_ID, record.get("pantheon", plain_table.EMPTY).text))
    return SheetPlayer(
        start_number=number,
        name=plain_table.join_name(surname, first_name),
        surname=surname,
        first_name=first_name,
        federation=plain_table.parse_nation(record.get("nation", plain_table.EMPTY), notes),
        points=plain_table.parse_score(record.get("points", plain_table.EMPTY), notes),
        place=plain_table.parse_place(record["place"], notes),
        other_ids=tuple(OtherId(kind, value) for kind, value in ids if value),
        line=record["place"].line,
    )


def _split_name(record: plain_table.Record, number: int, notes: Notes) -> tuple[str, str]:
    """Surname and first name. A name of two words in one column has the surname first, as in the portal; more
    words are not divided.
    """
    cell = record.get("surname", plain_table.EMPTY)
    if cell.text:
        return cell.text, record.get("first name", plain_table.EMPTY).text
    cell = record.get("name", cell if "surname" in record else record["place"])
    if "name" not in record or not cell.text:
        notes.blocks("table-no-surname", **cell.place, number=number)
        return "", record.get("first name", plain_table.EMPTY).text
    surname, comma, first_name = (part.strip() for part in cell.text.partition(","))
    words = cell.text.split()
    if comma and surname:
        return surname, first_name
    return (words[0], words[1]) if len(words) == 2 else (cell.text, "")


def _ema_number(cell: plain_table.FileCell, notes: Notes) -> str:
    if not cell.text or cell.text == "-":
        return ""
    digits = cell.text.removesuffix(".0")
    if not _EMA_DIGITS.fullmatch(digits):
        notes.notice("placement-ema-number", **cell.place, text=cell.shown)
        notes.adjusts("placement-ema-number", cell.line, cell.shown, "")
        return ""
    if len(digits) == 7:
        notes.adjusts("placement-ema-zero", cell.line, cell.shown, f"0{digits}")
    return digits.zfill(8)


# ---- Checks
def _is_listed(cell: plain_table.FileCell, notes: Notes) -> bool:
    listed = _YES_NO.get(cell.text.lower())
    if listed is None:
        notes.notice("placement-load-player", **cell.place, text=cell.shown)
        notes.adjusts("placement-load-player", cell.line, cell.shown, "true")
    return listed is not False


def _check_twins(rows: Sequence[SheetPlayer], records: Sequence[plain_table.Record], notes: Notes) -> None:
    """Block players of the same id, of either kind of ids."""
    known: dict[OtherId, SheetPlayer] = {}
    for row, record in zip(rows, records, strict=True):
        for id_ in row.other_ids:
            first = known.setdefault(id_, row)
            if first is not row:
                notes.blocks("identifier-twice", **record[id_.kind].place, id=id_.value, first=first.line)


def _note_names(rows: Sequence[SheetPlayer], records: Sequence[plain_table.Record], notes: Notes) -> None:
    """Note once that names of two words were divided, and once that other names were not."""
    for row, record in zip(rows, records, strict=True):
        cell = record.get("name", plain_table.EMPTY)
        if row.first_name and cell.text and "," not in cell.text:
            notes.adjusts("placement-names-parted", cell.line, cell.shown, row.name)
            break
    whole = [row for row in rows if row.surname and not row.first_name]
    if whole:
        sample = whole[0]
        notes.notice("names-not-parted", sample.line, count=len(whole), sample=sample.name)


def _check_places(rows: Sequence[SheetPlayer], records: Sequence[plain_table.Record], notes: Notes) -> None:
    """Check that fewer games rank lower and that ties share a place; note the first exception of each."""
    if "games" not in records[0]:
        return
    games = [_games(record["games"], notes) for record in records]
    placed = [
        (row.place, played, row.points, record["place"])
        for row, played, record in zip(rows, games, records, strict=True)
        if row.place and played is not None
    ]
    placed.sort(key=lambda each: each[0])
    pairs = list(pairwise(placed))
    for (place, played, _points, cell), (_place, after, _after, _cell) in pairs:
        if played < after:
            numbers = {"place": place, "games": played, "other": after}
            notes.notice("placement-fewer-games-above", **cell.place, **numbers)
            break
    if "points" in records[0]:
        _check_ties(pairs, notes)


PlacedRow = tuple[int, int, Decimal, plain_table.FileCell]


def _check_ties(pairs: Sequence[tuple[PlacedRow, PlacedRow]], notes: Notes) -> None:
    for (place, *level, _cell), (other, *next_level, cell) in pairs:
        if (level == next_level) != (place == other):
            key = "placement-tie-parted" if level == next_level else "placement-tie-unlike"
            notes.notice(key, **cell.place, place=place, other=other)
            return


def _games(cell: plain_table.FileCell, notes: Notes) -> int | None:
    games = plain_table.read_short_whole(cell.text)
    if cell.text and games is None:
        notes.notice("placement-games-not-read", **cell.place, text=cell.shown)
        notes.adjusts("placement-games-not-read", cell.line, cell.shown, "")
    return games


def _check_one_tournament(records: Sequence[plain_table.Record], notes: Notes) -> None:
    names = [record["tournament"] for record in records if "tournament" in record]
    for cell in names[1:]:
        if cell.text and cell.text != names[0].text:
            texts = {"name": cell.shown, "first": names[0].shown}
            notes.blocks("placement-several-tournaments", **cell.place, **texts)
            return


def _read_declared(first: plain_table.Record, found: int, notes: Notes) -> int | None:
    cell = first.get("players", plain_table.EMPTY)
    if not cell.text:
        return None
    declared = plain_table.read_short_whole(cell.text)
    if declared is None:
        notes.notice("placement-number-not-read", **cell.place, text=cell.shown)
        notes.adjusts("placement-number-not-read", cell.line, cell.shown, "")
    elif found < declared:
        notes.blocks("placement-players-missing", **cell.place, declared=declared, found=found)
    elif found > declared:
        notes.notice("placement-players-more", **cell.place, declared=declared, found=found)
    return declared


def _read_day(first: plain_table.Record, notes: Notes) -> date | None:
    """The day of a one-day tournament, by its first row; None with a note for a longer one, since the sheet
    does not say which of the days it gives.
    """
    cell = first.get("date", plain_table.EMPTY)
    if not cell.text:
        return None
    day = read_date(cell.text, day_first=True)
    if day and plain_table.read_short_whole(first.get("days", plain_table.EMPTY).text) == 1:
        return day
    notes.notice("placement-date-not-used", **cell.place, text=cell.shown)
    notes.adjusts("placement-date-not-used", cell.line, cell.shown, "")
    return None


# ---- Writers of CSV. `read(write(sheet))` gives the same players and places; games and table points are in
# no sheet and stay empty.
CellWriter = Callable[[Sheet, SheetPlayer], object]


def write_ema(sheet: Sheet) -> bytes:
    return _write(sheet, EMA_COLUMNS)


def write_portal(sheet: Sheet) -> bytes:
    return _write(sheet, PORTAL_COLUMNS)


def _write(sheet: Sheet, columns: Mapping[str, CellWriter]) -> bytes:
    rows = sorted(sheet.rows, key=lambda row: (row.place is None, row.place))
    return csv_bytes(list(columns), (_texts([cell(sheet, row) for cell in columns.values()]) for row in rows))


def _texts(cells: Sequence[object]) -> list[str]:
    """Cells for CSV: a number may begin with a minus, a text may not begin like a formula."""
    return [
        disarm_cell(cell)
        if isinstance(cell, str)
        else f"{cell.normalize():f}"
        if isinstance(cell, Decimal)
        else str(cell)
        for cell in cells
    ]


def _empty(_sheet: Sheet, _row: SheetPlayer) -> str:
    return ""


def _get_ema_number(_sheet: Sheet, row: SheetPlayer) -> str:
    return next((id_.value for id_ in row.other_ids if id_.kind == EMA_ID), "")


def _days(sheet: Sheet, _row: SheetPlayer) -> str:
    return str((sheet.ends - sheet.starts).days + 1) if sheet.starts and sheet.ends else ""


EMA_COLUMNS: Mapping[str, CellWriter] = {
    "Tournament name": lambda sheet, row: sheet.name,
    "Number of participants": lambda sheet, row: len(sheet.rows),
    "Place": lambda sheet, row: row.place or "",
    "Player's first name": lambda sheet, row: row.first_name,
    "Player's last name": lambda sheet, row: row.surname or row.name,
    "EMA number": _get_ema_number,
    "Table points": _empty,
    "Score": lambda sheet, row: row.points,
    "EMA member": lambda sheet, row: "YES" if _get_ema_number(sheet, row) else "",
    "Country": lambda sheet, row: row.federation,
    "Date": lambda sheet, row: f"{sheet.starts:%d.%m.%Y}" if sheet.starts else "",
    "Countrycourt": lambda sheet, row: row.federation,
    "city": lambda sheet, row: sheet.city,
    "mers": _empty,
    "shortname": _empty,
    "rules": _empty,
    "period": _empty,
    "NbDays": _days,
    "Extra": _empty,
}
PORTAL_COLUMNS: Mapping[str, CellWriter] = {
    "place": lambda sheet, row: row.place or "",
    "last_name": lambda sheet, row: row.surname or row.name,
    "first_name": lambda sheet, row: row.first_name,
    "scores": lambda sheet, row: row.points,
    "games": _empty,
    "ema": _get_ema_number,
    "load_player": lambda sheet, row: "true",
}
