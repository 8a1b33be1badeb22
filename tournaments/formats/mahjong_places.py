"""Reads and writes mahjong's tables of places: the EMA's result sheet and the portal's table.

They have players and their final places, but no games. Places are taken as filed; a notice says if they do
not follow from games and scores.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from itertools import pairwise

from ratings.rulesets.downloads import csv_bytes, normalize_column_heading
from ratings.rulesets.facts import gettext_noop as _
from tournaments.formats.dates import read_date
from tournaments.formats.sheet import FileKind, FileSource, Notes, OtherId, Reading, Sheet, SheetPlayer
from tournaments.formats.table_rows import (
    EMPTY,
    Block,
    Cells,
    FileCell,
    Ids,
    Layout,
    Record,
    block_equal_ids,
    find_layout,
    make_unused,
    note_names_not_parted,
    note_other_sheets,
    read_player,
    read_short_whole,
    split_rows,
    write_cells,
)
from tournaments.formats.text import normalize_surnames

# ---- Columns
EMA_ID = "ema"
PANTHEON_ID = "pantheon"
_EMA_DIGITS = re.compile(r"[0-9]{7,8}")
_YES_NO = {"true": True, "1": True, "yes": True, "": True, "false": False, "0": False, "no": False}
_SUBSTITUTES = re.compile(r"(?:замен[аы]?|substitutes?)[0-9]*", re.IGNORECASE)


def _parse_ema_number(cell: FileCell) -> str:
    digits = cell.text.removesuffix(".0")
    return digits.zfill(8) if _EMA_DIGITS.fullmatch(digits) else ""


def _parse_ids(record: Record, notes: Notes) -> Ids:
    cell, pantheon = record.get(EMA_ID, EMPTY), record.get(PANTHEON_ID, EMPTY).text
    ema = _parse_ema_number(cell)
    if not ema and cell.text not in ("", "-"):
        notes.notice("placement-ema-number", **cell.place, text=cell.shown)
        notes.adjusts("placement-ema-number", cell.line, cell.shown, "")
    elif ema and len(cell.text.removesuffix(".0")) == 7:
        notes.adjusts("placement-ema-zero", cell.line, cell.shown, ema)
    ids = ((EMA_ID, ema), (PANTHEON_ID, pantheon))
    return None, tuple(OtherId(kind, value) for kind, value in ids if value)


def _make_layout(
    code: str, columns: Mapping[str, str], needed: frozenset[str], marks: frozenset[str]
) -> Layout:
    """The layout of a table that always has the columns `needed`, and at least two of `marks`, which others
    have not.
    """

    def fits(headings: frozenset[str]) -> bool:
        fields = {columns[heading] for heading in headings if heading in columns}
        return bool(fields & {"name", "surname"}) and needed <= fields and len(marks & fields) > 1

    return Layout(
        code,
        columns,
        fits,
        {"name": 100, "surname": 100, "first name": 100, "tournament": 200, "city": 100},
        parse_ids=_parse_ids,
        id_columns={EMA_ID: _parse_ema_number, PANTHEON_ID: lambda cell: cell.text},
        surname_is_first_word=True,
    )


_EMA_SOURCE = FileSource(
    "European Mahjong Association", _("its result sheet of 19 columns, as CSV or XLSX"), by_description=True
)
_PORTAL_SOURCE = FileSource(
    _("Mahjong portal"),
    _("the table of results: place, name, scores, games, ema, load_player"),
    by_description=True,
)
KINDS: tuple[FileKind, ...] = (
    FileKind("ema", "EMA", (_EMA_SOURCE,)),
    FileKind("portal", _("mahjong portal"), (_PORTAL_SOURCE,)),
)
DIALECTS = {"ema": "EMA", "portal": "Mahjong portal"}
LAYOUTS = (
    _make_layout(
        "ema",
        {
            "tournament name": "tournament",
            "number of participants": "players",
            "place": "place",
            "player's first name": "first name",
            "player's last name": "surname",
            "ema number": EMA_ID,
            "score": "points",
            "country": "nation",
            "date": "date",
            "city": "city",
            "nbdays": "days",
            **dict.fromkeys(("table points", "ema member", "countrycourt", "mers", "shortname"), ""),
            **dict.fromkeys(("rules", "period", "extra"), ""),
        },
        needed=frozenset({"place", "surname"}),
        marks=frozenset({EMA_ID, "tournament", "players", "days"}),
    ),
    _make_layout(
        "portal",
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
            "ema": EMA_ID,
            "load player": "listed",
            "player id": PANTHEON_ID,
        },
        needed=frozenset({"place"}),
        marks=frozenset({"points", "games", EMA_ID, "listed", PANTHEON_ID}),
    ),
)


# ---- Reader
def knows(headings: Sequence[str]) -> int:
    layout = find_layout(LAYOUTS, headings)
    return len(set(map(normalize_column_heading, headings)) & layout.columns.keys()) if layout else 0


def read_sheets(sheets: Sequence[Sequence[Cells]], notes: Notes, encoding: str) -> Reading:
    tables, above, elsewhere = list[Block](), list[Cells](), list[Cells]()
    for worksheet in sheets:
        outside, found = split_rows(worksheet, LAYOUTS, notes)
        if found and not tables:
            above = outside
        elif not found:
            elsewhere += outside
        tables += found
    if not tables or not tables[0].records:
        place = tables[0].head[0] if tables else EMPTY
        raise notes.refusal(
            "placement-no-players", place.line or None, place.column or None, where=place.where
        )
    head = tables[0].head[0]
    for table in tables[1:]:
        notes.blocks("placement-twice", **table.head[0].place, first=head.where or head.line)
    if above:
        notes.notice("table-above-header", **above[0][0].place, count=len(above))
    note_other_sheets(elsewhere, notes)
    layout, records = tables[0].layout, dict(enumerate(tables[0].records, 1))
    rows = [read_player(number, record, layout, notes) for number, record in records.items()]
    # Rows for substitutes are blocked; players who are not in the portal are noted.
    not_listed = []
    for row in rows:
        record = records[row.start_number]
        cell = record.get("surname") or record.get("name") or record["place"]
        if any(_SUBSTITUTES.fullmatch(part) for part in (row.surname, row.first_name, *row.name.split())):
            notes.blocks("placement-substitutes", **cell.place, name=row.name[:40])
        elif not _is_listed(record.get("listed", EMPTY), notes):
            not_listed.append((row, cell))
    if not_listed:
        row, cell = not_listed[0]
        notes.notice("placement-not-listed", **cell.place, count=len(not_listed), sample=row.name[:40])
    block_equal_ids(rows, records, layout, notes)
    _check_places(rows, tables[0].records, notes)
    for row in rows:  # once, that names of two words were divided
        cell = records[row.start_number].get("name", EMPTY)
        if row.first_name and cell.text and "," not in cell.text:
            notes.adjusts("placement-names-parted", cell.line, cell.shown, row.name)
            break
    note_names_not_parted((row for row in rows if row.surname), notes)
    rows = normalize_surnames(rows, notes)
    first = records[1]
    names = [record["tournament"] for record in records.values() if "tournament" in record]
    if other := next((cell for cell in names[1:] if cell.text and cell.text != names[0].text), None):
        texts = {"name": other.shown, "first": names[0].shown}
        notes.blocks("placement-several-tournaments", **other.place, **texts)
    day = _read_day(first, notes)
    sheet = Sheet(
        dialect=DIALECTS[layout.code],
        family=layout.code,
        name=first.get("tournament", EMPTY).text,
        city=first.get("city", EMPTY).text,
        starts=day,
        ends=day,
        players_declared=_read_declared(first, len(rows), notes),
        rows=tuple(rows),
        unused=tuple(map(make_unused, (*above, *elsewhere))),
        encoding=encoding,
    )
    return notes.reading(sheet)


# ---- Checks
def _is_listed(cell: FileCell, notes: Notes) -> bool:
    listed = _YES_NO.get(cell.text.lower())
    if listed is None:
        notes.notice("placement-load-player", **cell.place, text=cell.shown)
        notes.adjusts("placement-load-player", cell.line, cell.shown, "true")
    return listed is not False


def _check_places(rows: Sequence[SheetPlayer], records: Sequence[Record], notes: Notes) -> None:
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


PlacedRow = tuple[int, int, Decimal, FileCell]


def _check_ties(pairs: Sequence[tuple[PlacedRow, PlacedRow]], notes: Notes) -> None:
    for (place, *level, _cell), (other, *next_level, cell) in pairs:
        if (level == next_level) != (place == other):
            key = "placement-tie-parted" if level == next_level else "placement-tie-unlike"
            notes.notice(key, **cell.place, place=place, other=other)
            return


def _games(cell: FileCell, notes: Notes) -> int | None:
    games = read_short_whole(cell.text)
    if cell.text and games is None:
        notes.notice("placement-games-not-read", **cell.place, text=cell.shown)
        notes.adjusts("placement-games-not-read", cell.line, cell.shown, "")
    return games


def _read_declared(first: Record, found: int, notes: Notes) -> int | None:
    cell = first.get("players", EMPTY)
    if not cell.text:
        return None
    declared = read_short_whole(cell.text)
    if declared is None:
        notes.notice("placement-number-not-read", **cell.place, text=cell.shown)
        notes.adjusts("placement-number-not-read", cell.line, cell.shown, "")
    elif found < declared:
        notes.blocks("placement-players-missing", **cell.place, declared=declared, found=found)
    elif found > declared:
        notes.notice("placement-players-more", **cell.place, declared=declared, found=found)
    return declared


def _read_day(first: Record, notes: Notes) -> date | None:
    """The day of a one-day tournament, by its first row; None with a note for a longer one, since the sheet
    does not say which of the days it gives.
    """
    cell = first.get("date", EMPTY)
    if not cell.text:
        return None
    day = read_date(cell.text, day_first=True)
    if day and read_short_whole(first.get("days", EMPTY).text) == 1:
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
    return csv_bytes(
        list(columns), (write_cells([cell(sheet, row) for cell in columns.values()]) for row in rows)
    )


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
