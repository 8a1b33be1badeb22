"""The columns of the plain table: the name, the purpose and the length of each.

One table for the reader, the writers, the template that people download and the words beside it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from ratings.law.translation_marks import gettext_noop as _

Kind = Literal["players", "games"]


@dataclass(frozen=True, slots=True)
class TableColumn:
    name: str
    """The word of the header row. Case does not matter, nor whether blanks are underscores."""
    help: str
    """The content in one sentence; `%(first)s` and `%(second)s` are the two sides' names."""
    width: int = 10
    """The width of a worksheet's column, in characters."""
    most: int = 40
    """The most characters of a cell."""


PLAYERS = (
    TableColumn(
        "number",
        _("Start number, from 1; without this column, players are numbered in the order of the rows."),
        8,
    ),
    TableColumn("id", _("The player's number in the register, or another id that it knows."), 12, 30),
    TableColumn("surname", _("Surname; required."), 22, 100),
    TableColumn("first name", _("First name."), 18, 100),
    TableColumn("sex", _("m or f."), 6),
    TableColumn("birth", _("Date of birth as 2010-05-03, or the year only."), 12),
    TableColumn("nation", _("Three letters, such as POL."), 8),
    TableColumn("place", _("Final place; players who share it have the same number: 3, 3, 5."), 8),
    TableColumn("points", _("Points of the event."), 8),
    TableColumn("discs", _("Discs, where they break ties."), 8),
    TableColumn("team", _("Name of the team, in a team event."), 18, 60),
)
NAME = TableColumn(
    "name", _("Surname and first name, separated by a comma; instead of the two columns."), 30, 100
)
GAMES = (
    TableColumn("round", _("Round, from 1."), 8),
    TableColumn("first", _("Start number of the player who moved first (%(first)s)."), 8),
    TableColumn("second", _("Start number of the other player (%(second)s); empty for a bye."), 8),
    TableColumn(
        "result",
        _(
            "1-0, 0-1, 1/2 or =, 0-0; by forfeit +:-, -:+, -:-; annulled. For a bye: pairing, full, half or"
            " zero."
        ),
        12,
    ),
)
COLUMNS: dict[Kind, dict[str, TableColumn]] = {
    "players": {column.name: column for column in (*PLAYERS, NAME)},
    "games": {column.name: column for column in GAMES},
}
NEEDED: dict[Kind, tuple[str, ...]] = {"players": (), "games": tuple(column.name for column in GAMES)}


def heading(text: str) -> str:
    """A cell of a header row in the spelling of `COLUMNS`: `First_Name` → `first name`."""
    return " ".join(text.replace("_", " ").split()).lower()


def kind_of(headings: Iterable[str]) -> Kind | None:
    """The kind of table (`players` or `games`) that a row of these headings begins; None: no header row."""
    there = set(headings)
    if {"first", "second"} <= there and there & {"round", "result"}:
        return "games"
    named = there & {"surname", "name"}
    return "players" if named and len(there & set(COLUMNS["players"])) > 1 else None
