"""The columns of Swiss-Manager's text exports. Their headings are German in every language of the program."""

from collections.abc import Iterable, Mapping
from typing import Literal

from tournaments.formats.plain_table.column_definitions import heading

Kind = Literal["players", "pairings"]

MOST_TIE_BREAKS = 12

# Heading → column; empty for a heading that is known and passed over.
COLUMNS: Mapping[Kind, Mapping[str, str]] = {
    "players": {
        "nr": "number",
        "name": "name",
        "nachname": "surname",
        "vorname": "first name",
        "titel": "title",
        "identnr": "national id",
        "fideident": "fide id",
        "eloint": "rating",
        "geburt": "birth",
        "fed": "nation",
        "sex": "sex",
        "pkt": "points",
        "rang": "place",
        **dict.fromkeys(("elonat", "typ", "gr", "klubnr", "klub", "quelle", "atitel"), ""),
        **{f"wtg{number}": "" for number in range(1, MOST_TIE_BREAKS + 1)},
    },
    "pairings": {
        "runde": "round",
        "nrw": "first",
        "nrs": "second",
        "identw": "first id",
        "idents": "second id",
        "ergw": "first points",
        "ergs": "second points",
        "kontumaz": "forfeit",
        "erg": "result",
        **dict.fromkeys(("brett", "mnr", "ergelow", "ergelos"), ""),
    },
}
NEEDED: Mapping[Kind, tuple[str, ...]] = {
    "players": ("Nr", "Nachname"),
    "pairings": ("Runde", "NrW", "NrS", "Erg"),
}
MOST = {"name": 100, "surname": 100, "first name": 100, "national id": 30, "fide id": 30}
"""The most characters of a cell in these columns; in others it is the common number."""
_MARKS: Mapping[Kind, tuple[frozenset[str], ...]] = {
    "pairings": (frozenset({"runde", "nrw", "nrs"}),),
    "players": (frozenset({"nr", "nachname"}), frozenset({"nr", "name", "eloint"})),
}


def kind_of(cells: Iterable[str]) -> Kind | None:
    """The export (`players` or `pairings`) whose header row these cells are; None if they are none."""
    there = {heading(cell) for cell in cells}
    return next((kind for kind, marks in _MARKS.items() if any(mark <= there for mark in marks)), None)
