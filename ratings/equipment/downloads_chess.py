"""Layouts of a national list for chess pairing programs; a federation offers them as data."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable
from decimal import Decimal
from functools import partial
from typing import BinaryIO

from ratings.equipment.downloads import (
    BYTE_ORDER_MARK,
    XLSX,
    Download,
    DownloadHead,
    DownloadRow,
    disarmed,
    plain,
    whole,
    write_csv,
)
from ratings.equipment.xlsx_writer import Cell, write_workbook
from ratings.law.translation_marks import gettext_noop as _

# ---------------------------------------------------------------- Swiss-Manager's national list

SWISS_MANAGER_COLUMNS = (
    "ID_No",
    "Name",
    "Sex",
    "Fed",
    "ClubName",
    "Birthday",
    "Rtg_Nat",
    "Fide_No",
    "Title",
)
"""The names by which Swiss-Manager finds columns. The club is the region; a year stands for the birthday."""


def swiss_manager_csv(head: DownloadHead, lines: Iterable[DownloadRow], file: BinaryIO) -> None:
    """Write a list as Swiss-Manager imports it: with commas, and a byte order mark, by which it
    knows UTF-8.
    """
    file.write(BYTE_ORDER_MARK)
    rows = ([_disarmed(cell) for cell in _swiss_manager(line)] for line in lines)
    write_csv(file, SWISS_MANAGER_COLUMNS, rows, bare=True)


def swiss_manager_xlsx(head: DownloadHead, lines: Iterable[DownloadRow], file: BinaryIO) -> None:
    rows = map(_swiss_manager, lines)
    write_workbook(file, head.track, head.on, SWISS_MANAGER_COLUMNS, rows, head.proof, head.footing)


def _disarmed(cell: Cell) -> str:
    return disarmed(cell) if isinstance(cell, str) else "" if cell is None else str(cell)


def _swiss_manager(line: DownloadRow) -> tuple[Cell, ...]:
    sex = "f" if line.sex == "f" else ""  # it reads empty as male or not known
    rating = Decimal(whole(line.rating))
    return (line.number, _name(line), sex, line.nation, line.region, line.born, rating, line.fide, line.title)


def _name(line: DownloadRow) -> str:
    return ", ".join(filter(None, (line.surname, line.first_name)))


SWISS_MANAGER = (
    Download(
        "swiss-manager",
        "xlsx",
        XLSX,
        _("Swiss-Manager’s national list"),
        _("A workbook, whole ratings"),
        swiss_manager_xlsx,
    ),
    Download(
        "swiss-manager",
        "csv",
        "text/csv; charset=utf-8",
        _("Swiss-Manager’s national list, CSV"),
        _("The same with commas, whole ratings"),
        swiss_manager_csv,
    ),
)

# ---------------------------------------------------------------- FIDE's combined list

FIDE_HEADER = (
    f"{'ID Number':15}{'Name':61}{'Fed':4}{'Sex':4}{'Tit':5}{'WTit':5}{'OTit':15}{'FOA':4}"
    "SRtng SGm SK RRtng RGm Rk BRtng BGm BK B-day Flag"
)
FIDE_WIDTH = 162
NO_YEAR = "0000"

ByTimeControl = Callable[[str], tuple[str, str, str]]
"""A function of a list's track that gives the tracks for the columns of standard, rapid and blitz."""


def fide_combined(tracks: ByTimeControl) -> Download:
    """Make the layout that looks like FIDE's combined TXT, three ratings a line, with the federation's own
    numbers. `tracks`: the tracks of the three by the list's.
    """
    return Download(
        "fide",
        "txt",
        "text/plain; charset=us-ascii",
        _("FIDE’s layout"),
        _("For pairing programs: this list’s players with standard, rapid and blitz, whole ratings"),
        partial(write_fide, tracks),
        tracks,
    )


def write_fide(
    tracks: ByTimeControl, head: DownloadHead, lines: Iterable[DownloadRow], file: BinaryIO
) -> None:
    """Write a list in the columns of FIDE's combined TXT: 162 characters a line, CRLF, in ASCII without
    accents, as readers count bytes.
    """
    file.write(f"{FIDE_HEADER:{FIDE_WIDTH}}\r\n".encode("ascii"))
    for line in lines:
        file.write(f"{_fide(line, head.track, tracks(head.track)):{FIDE_WIDTH}}\r\n".encode("ascii"))


def _fide(line: DownloadRow, track: str, tracks: tuple[str, str, str]) -> str:
    ratings = {**line.beside, track: line.rating}
    number = _ascii(line.number)
    womans = line.title if line.title.startswith("W") else ""
    return (
        f"{number if len(number) < 15 else '':15}"  # a cut number would belong to somebody else
        f"{disarmed(_ascii(_name(line)))[:60]:61}"
        f"{_ascii(line.nation)[:3]:4}{line.sex.upper():4}{_ascii(line.title)[:4]:5}{_ascii(womans)[:4]:5}"
        f"{'':15}{'':4}"
        f"{''.join(_columns(ratings.get(each)) for each in tracks)}"
        f"{line.born or NO_YEAR:<6}{'w' if line.sex == 'f' else ''}"
    )


def _columns(rating: Decimal | None) -> str:
    """The columns of one rating: the rating, the period's games and K, of which the list does not know the
    latter two.
    """
    return f"{'':13}" if rating is None else f"{whole(rating):6}{0:<4}{0:<3}"


def _ascii(text: str) -> str:
    text = plain(text)
    if text.isascii():
        return text
    parted = unicodedata.normalize("NFKD", text.translate(_LETTERS))
    bare = "".join(letter for letter in parted if not unicodedata.combining(letter))
    return bare.encode("ascii", "replace").decode("ascii")


_LETTERS = str.maketrans(
    {"ł": "l", "Ł": "L", "ø": "o", "Ø": "O", "đ": "d", "Đ": "D", "ß": "ss", "æ": "ae", "Æ": "Ae", "’": "'"}
)
"""Replacements for letters that do not come apart into a plain letter and an accent."""
