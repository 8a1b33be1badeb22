"""§28: the layout in which pairing programs read Chess South Africa's lists."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable

from ratings.rulesets.downloads import Download, Head, Line, csv_bytes, disarmed, whole
from ratings.rulesets.words import gettext_noop as _

COLUMNS = ("UNIQUE_NO", "SURNAME", "FIRSTNAME", "BDATE", "SEX", "TITLE", "RATING", "FED")
UNKNOWN_YEAR = 1900
"""The layout's own way to say that a birth date is not known."""


def chess_sa_zip(head: Head, lines: Iterable[Line]) -> bytes:
    """A ZIP with one CSV: years of birth, whole ratings (D-CSA-17). The same list gives the same bytes."""
    inside = zipfile.ZipInfo(f"{head.stem}.csv", (head.on.year, head.on.month, head.on.day, 0, 0, 0))
    inside.compress_type = zipfile.ZIP_DEFLATED
    box = io.BytesIO()
    with zipfile.ZipFile(box, "w") as archive:
        archive.writestr(inside, csv_bytes(COLUMNS, (_row(line) for line in lines)))
    return box.getvalue()


def _row(line: Line) -> tuple[str, ...]:
    return (
        disarmed(line.number),
        disarmed(line.surname),
        disarmed(line.first_name),
        f"{line.born or UNKNOWN_YEAR}/01/01",
        line.sex.upper(),
        disarmed(line.title),
        whole(line.rating),
        disarmed(line.region),
    )


DOWNLOADS = (
    Download(
        "chessa",
        "zip",
        "application/zip",
        _("Chess SA’s layout"),
        _("For pairing programs: a ZIP with one CSV, whole ratings"),
        chess_sa_zip,
    ),
)
