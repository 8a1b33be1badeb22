"""The columns of mahjong's tables of places: what each heading is, and by which headings a table is known.

Headings are as `table_columns.heading` gives them. A column with an empty name is known, and passed over.
"""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Form:
    family: str
    dialect: str
    columns: Mapping[str, str]
    """Heading → field."""
    needed: frozenset[str]
    """Fields without which it is not this form."""
    marks: frozenset[str]
    """Fields of which it has two at least: no other table does."""


EMA = Form(
    "ema",
    "EMA",
    {
        "tournament name": "tournament",
        "number of participants": "players",
        "place": "place",
        "player's first name": "first name",
        "player's last name": "surname",
        "ema number": "ema",
        "table points": "",
        "score": "points",
        "ema member": "",
        "country": "nation",
        "date": "date",
        "countrycourt": "",
        "city": "city",
        "mers": "",
        "shortname": "",
        "rules": "",
        "period": "",
        "nbdays": "days",
        "extra": "",
    },
    needed=frozenset({"place", "surname"}),
    marks=frozenset({"ema", "tournament", "players", "days"}),
)
PORTAL = Form(
    "portal",
    "Mahjong portal",
    {
        "place": "place",
        "name": "name",
        "player name": "name",
        "first name": "first name",
        "last name": "surname",
        "scores": "points",
        "rating points": "points",
        "games": "games",
        "games played": "games",
        "ema": "ema",
        "load player": "listed",
        "player id": "pantheon",
    },
    needed=frozenset({"place"}),
    marks=frozenset({"points", "games", "ema", "listed", "pantheon"}),
)
FORMS = (EMA, PORTAL)
MOST = {"name": 100, "surname": 100, "first name": 100, "tournament": 200, "city": 100}
"""Characters that a cell may have; 40 in others."""


def form_of(headings: frozenset[str]) -> Form | None:
    """Whose header row this is."""
    for form in FORMS:
        fields = {form.columns[heading] for heading in headings if heading in form.columns}
        named = bool(fields & {"name", "surname"})
        if named and form.needed <= fields and len(form.marks & fields) > 1:
            return form
    return None
