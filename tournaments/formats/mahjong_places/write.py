"""A sheet → mahjong's tables of places: the EMA's result sheet of 19 columns, and the portal's table, as CSV.

`read(write(sheet))` gives the same players and places. Games and table points are in no sheet and stay empty.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal

from ratings.equipment.downloads import csv_bytes, disarmed
from tournaments.formats.common.reading_result import Sheet, SheetPlayer
from tournaments.formats.mahjong_places.placement_file import EMA_ID

Cell = Callable[[Sheet, SheetPlayer], object]


def write_ema(sheet: Sheet) -> bytes:
    return _write(sheet, EMA_COLUMNS)


def write_portal(sheet: Sheet) -> bytes:
    return _write(sheet, PORTAL_COLUMNS)


def _write(sheet: Sheet, columns: Mapping[str, Cell]) -> bytes:
    rows = sorted(sheet.rows, key=lambda row: (row.place is None, row.place))
    return csv_bytes(list(columns), (_texts([cell(sheet, row) for cell in columns.values()]) for row in rows))


def _texts(cells: Sequence[object]) -> list[str]:
    """Cells as CSV has them: a number may begin with a minus, a text may not begin like a formula."""
    return [
        disarmed(cell)
        if isinstance(cell, str)
        else f"{cell.normalize():f}"
        if isinstance(cell, Decimal)
        else str(cell)
        for cell in cells
    ]


def _empty(_sheet: Sheet, _row: SheetPlayer) -> str:
    return ""


def _ema_number(_sheet: Sheet, row: SheetPlayer) -> str:
    return next((id_.value for id_ in row.other_ids if id_.kind == EMA_ID), "")


def _days(sheet: Sheet, _row: SheetPlayer) -> str:
    return str((sheet.ends - sheet.starts).days + 1) if sheet.starts and sheet.ends else ""


EMA_COLUMNS: Mapping[str, Cell] = {
    "Tournament name": lambda sheet, row: sheet.name,
    "Number of participants": lambda sheet, row: len(sheet.rows),
    "Place": lambda sheet, row: row.place or "",
    "Player's first name": lambda sheet, row: row.first_name,
    "Player's last name": lambda sheet, row: row.surname or row.name,
    "EMA number": _ema_number,
    "Table points": _empty,
    "Score": lambda sheet, row: row.points,
    "EMA member": lambda sheet, row: "YES" if _ema_number(sheet, row) else "",
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
PORTAL_COLUMNS: Mapping[str, Cell] = {
    "place": lambda sheet, row: row.place or "",
    "last_name": lambda sheet, row: row.surname or row.name,
    "first_name": lambda sheet, row: row.first_name,
    "scores": lambda sheet, row: row.points,
    "games": _empty,
    "ema": _ema_number,
    "load_player": lambda sheet, row: "true",
}
