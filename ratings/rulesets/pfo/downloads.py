"""The list of players as pairing programs for othello read it: one line a player, the rating as a comment."""

from __future__ import annotations

from collections.abc import Iterable

from ratings.rulesets.downloads import Download, Head, Line, whole
from ratings.rulesets.words import gettext_noop as _

COUNTRY = "POL"


def joueurs(head: Head, lines: Iterable[Line]) -> bytes:
    """PAPP's `joueurs.txt`: a country's line, then number, name and rating by number. UTF-8, LF."""
    rows = [
        f"{line.number} {_name(line)}   %_<{whole(line.rating)}>"
        for line in sorted(lines, key=lambda line: line.number)
    ]
    return "".join(f"{row}\n" for row in (f"pays = {COUNTRY}", *rows)).encode()


def _name(line: Line) -> str:
    """`SURNAME, First name`; a percent sign would begin a comment."""
    return ", ".join(filter(None, (line.surname.upper(), line.first_name))).replace("%", "")


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
