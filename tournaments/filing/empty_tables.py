"""The empty plain table that a region downloads and fills in, with the columns that its federation asks."""

from __future__ import annotations

from django.utils.translation import gettext as _

from ratings.equipment.downloads import SEMICOLONS
from ratings.equipment.find_equipment import equipment_of
from ratings.law.ruleset import Ruleset
from tournaments.filing.accepted_files import takes_games
from tournaments.formats.plain_table.column_definitions import GAMES, PLAYERS, TableColumn
from tournaments.formats.plain_table.write import WrittenTable, csv_of, xlsx_of

ABOUT_GAMES = frozenset({"number", "points", "team"})
"""Columns of players that mean nothing in a section of places."""

SUFFIXES = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


def tables_for(ruleset: Ruleset) -> list[WrittenTable]:
    """Empty tables of the players and, if the ruleset has games, of the games."""
    tables = [_table(ruleset, _("Players"), tuple(c for c in PLAYERS if _is_asked(c, ruleset)))]
    if takes_games(ruleset):
        tables.append(_table(ruleset, _("Games"), GAMES))
    return tables


def template_for(ruleset: Ruleset, suffix: str) -> bytes:
    """The file that people download and fill in; `suffix` is one of `SUFFIXES`."""
    tables = tables_for(ruleset)
    if suffix == "xlsx":
        return xlsx_of(tables)
    return csv_of(tables, ";" if SEMICOLONS in equipment_of(ruleset).publication.downloads else ",")


def _is_asked(column: TableColumn, ruleset: Ruleset) -> bool:
    games = takes_games(ruleset)
    asked = {
        **dict.fromkeys(ABOUT_GAMES, games),
        "sex": "sex" in equipment_of(ruleset).office.asks,
        "place": ruleset.sections.places_needed,
        "discs": "discs" in equipment_of(ruleset).publication.tie_breaks,
    }
    return asked.get(column.name, True)


def _table(ruleset: Ruleset, title: str, columns: tuple[TableColumn, ...]) -> WrittenTable:
    first, second = map(_, equipment_of(ruleset).publication.sides)
    # Only a sentence with values to fill in may hold a per cent sign of its own.
    help_ = tuple(_(column.help) % {"first": first, "second": second} for column in columns)
    return WrittenTable(title, columns, help=help_)
