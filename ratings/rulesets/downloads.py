"""A published list as files for programs: the layouts that every federation offers, and what one of them is.

A list in memory, bytes out. Cells that a spreadsheet would take for a formula are disarmed.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import ROUND_HALF_UP, Decimal
from typing import NamedTuple

from ratings.rulesets.words import gettext_noop as _

FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


class Line(NamedTuple):
    """One player of a list, with what the public may know."""

    rank: int
    number: str
    surname: str
    first_name: str
    born: int | None
    """None: not known, or not for the public."""
    sex: str
    """`m`, `f`, or empty: not known."""
    title: str
    region: str
    """The region's code."""
    rating: Decimal
    games: int
    previous: Decimal | None
    """On the list before; None: not on it."""


@dataclass(frozen=True, slots=True)
class Head:
    """What a file says of its list as a whole."""

    federation: str
    """The office's code."""
    track: str
    on: date
    revision: int
    edition: str
    """The name of the edition of the regulations."""
    sha256: str
    """Of the list's canonical content."""

    @property
    def stem(self) -> str:
        """The name of each file of this list: office, track, day, edition, and any later revision."""
        words = "".join(letter if letter.isalnum() else " " for letter in self.edition.lower()).split()
        parts = [self.federation, self.track, self.on.isoformat(), *words]
        return "-".join([*parts, f"r{self.revision}"] if self.revision > 1 else parts)


@dataclass(frozen=True, slots=True)
class Download:
    """A layout: how it is named, and what writes it."""

    code: str
    """In the address, before the suffix."""
    suffix: str
    media_type: str
    label: str
    help: str
    """What it is good for."""
    write: Callable[[Head, Iterable[Line]], bytes]


def whole(rating: Decimal) -> str:
    """A rating as a whole number, half up."""
    return str(rating.quantize(Decimal(1), ROUND_HALF_UP))


def exact(rating: Decimal | None) -> str | None:
    """A rating with every digit that is kept, without trailing zeros."""
    if rating is None:
        return None
    text = format(rating, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def disarmed(cell: str) -> str:
    """Text that no spreadsheet takes for a formula."""
    return f"'{cell}" if cell.startswith(FORMULA) else cell


def csv_bytes(header: Sequence[str], rows: Iterable[Sequence[object]], delimiter: str = ",") -> bytes:
    """UTF-8, CRLF, text disarmed; numbers are handed in as text that was made from numbers."""
    page = io.StringIO()
    writer = csv.writer(page, lineterminator="\r\n", delimiter=delimiter)
    writer.writerow(header)
    writer.writerows(rows)
    return page.getvalue().encode()


CSV_COLUMNS = (
    "rank",
    "number",
    "surname",
    "first_name",
    "title",
    "region",
    "rating",
    "games",
    "previous",
    "born",
)


def plain_csv(head: Head, lines: Iterable[Line]) -> bytes:
    """The list as people see it: whole ratings, one header line."""
    return csv_bytes(CSV_COLUMNS, (_plain_row(line) for line in lines))


def semicolon_csv(head: Head, lines: Iterable[Line]) -> bytes:
    """The same for programs that take a comma for a decimal point: semicolons, and a byte order mark."""
    return "\ufeff".encode() + csv_bytes(CSV_COLUMNS, (_plain_row(line) for line in lines), ";")


def _plain_row(line: Line) -> tuple[object, ...]:
    texts = (line.number, line.surname, line.first_name, line.title, line.region)
    previous = "" if line.previous is None else whole(line.previous)
    return (line.rank, *map(disarmed, texts), whole(line.rating), line.games, previous, line.born or "")


def exact_json(head: Head, lines: Iterable[Line]) -> bytes:
    """Everything, with ratings exact and as text, so that no reader's floats alter them."""
    rows = [
        {
            "rank": line.rank,
            "number": line.number,
            "name": ", ".join(filter(None, (line.surname, line.first_name))),
            "title": line.title or None,
            "region": line.region or None,
            "rating": exact(line.rating),
            "previous": exact(line.previous),
            "games": line.games,
        }
        for line in lines
    ]
    whole_list = {
        "federation": head.federation,
        "track": head.track,
        "on": head.on.isoformat(),
        "revision": head.revision,
        "edition": head.edition,
        "content_sha256": head.sha256,
        "players": rows,
    }
    return json.dumps(whole_list, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


COMMON = (
    Download(
        "list", "csv", "text/csv; charset=utf-8", "CSV", _("For spreadsheets: whole ratings"), plain_csv
    ),
    Download(
        "list", "json", "application/json", "JSON", _("For programs: ratings with every digit"), exact_json
    ),
)
"""What every federation offers."""

SEMICOLONS = Download(
    "semicolons",
    "csv",
    "text/csv; charset=utf-8",
    _("CSV with semicolons"),
    _("For spreadsheets where commas stand in decimals"),
    semicolon_csv,
)
"""For federations of countries where they do."""
