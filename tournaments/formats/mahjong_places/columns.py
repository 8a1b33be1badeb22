"""The columns of mahjong's tables of places: what each heading means, and which headings mark a table.

Headings are as `plain_table.columns.heading` gives them. One with an empty name is known, and passed over.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from ratings.law.translation_marks import gettext_noop as _
from tournaments.formats.common.format_description import FileKind, FileSource


@dataclass(frozen=True, slots=True)
class Form:
    kind: FileKind
    dialect: str
    columns: Mapping[str, str]
    """Heading → field."""
    needed: frozenset[str]
    """Fields that every table of this form has."""
    marks: frozenset[str]
    """Fields of which it has at least two, as no other table has."""


EMA = Form(
    FileKind(
        "ema",
        "EMA",
        (
            FileSource(
                "European Mahjong Association",
                _("its result sheet of 19 columns, as CSV or XLSX"),
                by_description=True,
            ),
        ),
    ),
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
    FileKind(
        "portal",
        _("mahjong portal"),
        (
            FileSource(
                _("Mahjong portal"),
                _("the table of results: place, name, scores, games, ema, load_player"),
                by_description=True,
            ),
        ),
    ),
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
"""The most characters of a cell; 40 in others."""


def form_of(headings: frozenset[str]) -> Form | None:
    """The form of table that has this header row; None if no form has."""
    for form in FORMS:
        fields = {form.columns[heading] for heading in headings if heading in form.columns}
        named = bool(fields & {"name", "surname"})
        if named and form.needed <= fields and len(form.marks & fields) > 1:
            return form
    return None
