"""Reads the headings of a table: which column holds which of a player's particulars."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from players.importing.problem_messages import RowProblem

WHOLE_NAME = "name"
"""`Surname, First name` in one column."""
SPELLINGS: dict[str, tuple[str, ...]] = {
    "number": ("number", "no", "id", "id no", "unique no", "national id", "player"),
    "surname": ("surname", "last name", "family name"),
    "first_name": ("first name", "firstname", "given name", "forename"),
    WHOLE_NAME: ("name", "full name"),
    "sex": ("sex", "gender"),
    "birth": (
        "birth",
        "birth date",
        "birthdate",
        "date of birth",
        "bdate",
        "birthday",
        "born",
        "year of birth",
    ),
    "nation": ("nation", "country", "federation"),
    "resident": ("resident",),
    "included_by": ("included by",),
    "region": ("region", "province"),
    "title": ("title",),
}
NOT_TAKEN = ("rating", "ratings", "games", "rtg nat", "rtg int", "rapid", "blitz", "standard", "withheld")
"""Columns that are known and never taken in: a rating follows from the journal alone."""
IDENTIFIER = "_id"
FIDE = "fide"
_FIDE = ("fide id", "fide", "fide no", "fideid", "fide number")
_BY_HEADING = {spelling: name for name, spellings in SPELLINGS.items() for spelling in spellings}


@dataclass(frozen=True, slots=True)
class ReadColumns:
    """The columns that are read of a table, by position (`places`), and remarks on the others."""

    places: dict[int, str]
    notices: tuple[RowProblem, ...] = ()


def identifier(kind: str) -> str:
    """The column for a kind of ids that others gave the players: `fide` → `fide_id`."""
    return f"{kind}{IDENTIFIER}"


def kind_of(column: str) -> str:
    """The kind of ids, given by others, that a column holds: `fide_id` → `fide`; empty for other columns."""
    return column.removesuffix(IDENTIFIER) if column.endswith(IDENTIFIER) else ""


def read_columns(head: Sequence[str], kinds: Iterable[str]) -> ReadColumns | RowProblem:
    """Find the column of each heading of a table; a problem where the headings cannot be used.

    `kinds`: of ids given by others, each of which has a column.
    """
    known = _BY_HEADING | {heading(identifier(kind)): identifier(kind) for kind in kinds}
    known |= dict.fromkeys(_FIDE, identifier(FIDE))
    places: dict[int, str] = {}
    notices: list[RowProblem] = []
    for at, text in enumerate(head):
        name = known.get(heading(text))
        if name in places.values():
            return RowProblem("column-twice", params={"column": text[:40]})
        if name:
            places[at] = name
        elif text:
            key = "column-not-taken" if heading(text) in NOT_TAKEN else "column-unknown"
            notices.append(RowProblem(key, params={"column": text[:40]}))
    if missing := _missing(places.values()):
        return missing
    return ReadColumns(places, tuple(notices))


def _missing(names: Collection[str]) -> RowProblem | None:
    if not names:
        return RowProblem("no-header")
    if {WHOLE_NAME, "surname"} <= set(names):
        return RowProblem("name-twice")
    named = {"number", "surname", WHOLE_NAME}.intersection(names) or any(map(kind_of, names))
    return None if named else RowProblem("nobody-named")


def heading(text: str) -> str:
    """Bring a heading into the form in which headings are compared: `First_Name` is `first name`."""
    return " ".join(re.sub(r"[_.\-]+", " ", text).split()).casefold()
