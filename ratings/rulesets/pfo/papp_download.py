"""The list of players as pairing programs for othello read it: one line a player, the rating as a comment."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import BinaryIO

from ratings.equipment.downloads import Download, DownloadHead, DownloadRow, disarmed, plain, whole
from ratings.law.translation_marks import gettext_noop as _

COUNTRY = "POL"
"""The nation written for players without a known one: the list is this country's."""


def joueurs(head: DownloadHead, lines: Iterable[DownloadRow], file: BinaryIO) -> None:
    """Write a list as PAPP's `joueurs.txt`: a line for each country, then number, name and rating, by number.
    UTF-8, LF.

    How to prove the list stands above, as comments.
    """
    file.writelines(f"% {_bare(line)}\n".encode() for line in head.proof)
    ordered = sorted(lines, key=lambda line: (_country(line), line.number))
    for country, people in groupby(ordered, key=_country):
        rows = (f"{_bare(line.number)} {_name(line)}   %_<{whole(line.rating)}>" for line in people)
        file.writelines(f"{row}\n".encode() for row in (f"pays = {country}", *rows))


def _country(line: DownloadRow) -> str:
    return _bare(line.nation) or COUNTRY


def _name(line: DownloadRow) -> str:
    """A player's name as `SURNAME, First name`."""
    return disarmed(_bare(", ".join(filter(None, (line.surname.upper(), line.first_name)))))


def _bare(text: str) -> str:
    """A text without percent signs, which would begin a comment in PAPP's file."""
    return plain(text).replace("%", "")


DOWNLOADS = (
    Download(
        "joueurs",
        "txt",
        "text/plain; charset=utf-8",
        _("PAPP’s players"),
        _("For pairing programs: numbers, names, whole ratings"),
        joueurs,
    ),
)
