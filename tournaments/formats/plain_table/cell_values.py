"""One cell of a players' table → a value; one that cannot be read is noted and left out."""

import re
from datetime import date
from decimal import Decimal

from tournaments.formats.common.dates import read_birth
from tournaments.formats.common.reader_notes import Notes
from tournaments.formats.common.reading_result import Sex
from tournaments.formats.plain_table.cells import FileCell
from tournaments.formats.trf.rows import SEXES
from tournaments.formats.trf_layout.columns import MOST_ROUNDS

_NUMBER = re.compile(r"[0-9]{1,4}")
_POINTS = re.compile(r"(-?[0-9]{0,6})(?:[.,]([0-9]{1,2})|(½))?")
_NATION = re.compile(r"[A-Z]{3}")


def read_whole(text: str) -> int | None:
    """Read a whole number of up to four digits; workbooks write `3.0`, and places end in a full stop."""
    digits = re.sub(r"\.0?$", "", text)
    return int(digits) if _NUMBER.fullmatch(digits) else None


def whole_name(surname: str, first_name: str) -> str:
    """A player's name as a sheet has it: `Nowak, Anna`; where one of the two is empty, the other alone."""
    return ", ".join(filter(None, (surname, first_name)))


def round_of(cell: FileCell, notes: Notes) -> int | None:
    """Read a round; None with a note that it is none."""
    number = read_whole(cell.text)
    if number and number <= MOST_ROUNDS:
        return number
    notes.blocks("table-round-not-read", **cell.place, text=cell.shown, most=MOST_ROUNDS)
    return None


def sex_of(cell: FileCell, notes: Notes) -> Sex | None:
    sex = SEXES.get(cell.text.lower())
    if cell.text and not sex:
        notes.adjusts("sex-not-read", cell.line, cell.shown, "")
    return sex


def birth_of(cell: FileCell, notes: Notes) -> tuple[int | None, date | None]:
    read = read_birth(cell.text)
    if read is None:
        notes.notice("birth-not-read", **cell.place, text=cell.shown)
        notes.adjusts("birth-not-read", cell.line, cell.shown, "")
    return read or (None, None)


def nation_of(cell: FileCell, notes: Notes) -> str:
    nation = cell.text.upper()
    if nation and not _NATION.fullmatch(nation):
        left_out(cell, "nation", notes)
        return ""
    return nation


def place_of(cell: FileCell, notes: Notes) -> int | None:
    place = read_whole(cell.text)
    if cell.text and not place:
        notes.blocks("table-place-not-read", **cell.place, text=cell.shown)
    return place or None


def score_of(cell: FileCell, notes: Notes) -> Decimal:
    found = _POINTS.fullmatch(cell.text.replace("−", "-"))
    if not cell.text:
        return Decimal(0)
    if not found or found[0] in ("", "-"):
        left_out(cell, "points", notes)
        return Decimal(0)
    return Decimal(f"{found[1] or 0}.{'5' if found[3] else found[2] or 0}")


def discs_of(cell: FileCell, notes: Notes) -> int | None:
    discs = read_whole(cell.text)
    if cell.text and discs is None:
        left_out(cell, "discs", notes)
    return discs


def left_out(cell: FileCell, column: str, notes: Notes) -> None:
    notes.notice("table-cell-not-read", **cell.place, named=column, text=cell.shown)
    notes.adjusts("table-cell-not-read", cell.line, cell.shown, "")
