"""§28: the layout in which pairing programs read Chess South Africa's lists."""

from __future__ import annotations

import zipfile
from collections.abc import Iterable
from typing import BinaryIO, cast

from ratings.equipment.downloads import Download, DownloadHead, DownloadRow, disarmed, whole, write_csv
from ratings.equipment.downloads_chess import SWISS_MANAGER, fide_combined
from ratings.law.translation_marks import gettext_noop as _

COLUMNS = ("UNIQUE_NO", "SURNAME", "FIRSTNAME", "BDATE", "SEX", "TITLE", "RATING", "FED")
UNKNOWN_YEAR = 1900
"""The year that the layout writes for a birth date that is not known."""


def chess_sa_zip(head: DownloadHead, lines: Iterable[DownloadRow], file: BinaryIO) -> None:
    """Write a list as a ZIP with one CSV of years of birth and whole ratings (D-CSA-17). The same list gives
    the same bytes; the archive's comment says how to prove it.
    """
    inside = zipfile.ZipInfo(f"{head.stem}.csv", (head.on.year, head.on.month, head.on.day, 0, 0, 0))
    inside.compress_type = zipfile.ZIP_DEFLATED
    with zipfile.ZipFile(file, "w") as archive, archive.open(inside, "w") as table:
        archive.comment = "\n".join(head.proof).encode()
        write_csv(cast(BinaryIO, table), COLUMNS, map(_row, lines), bare=True)


def _row(line: DownloadRow) -> tuple[str, ...]:
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


def by_time_control(track: str) -> tuple[str, str, str]:
    """§26 §27: the tracks for standard, rapid and blitz beside a list of that track: those of its own
    platform; on a Main list, Main stands for standard.
    """
    platform, _dash, kind = track.partition("-")
    return f"{platform}-{'main' if kind == 'main' else 'standard'}", f"{platform}-rapid", f"{platform}-blitz"


DOWNLOADS = (
    Download(
        "chessa",
        "zip",
        "application/zip",
        _("Chess SA’s layout"),
        _("For pairing programs: a ZIP with one CSV, whole ratings"),
        chess_sa_zip,
    ),
    *SWISS_MANAGER,
    fide_combined(by_time_control),
)
