"""What else a federation's rules yield, as tables: ranks, season standings, coefficients."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from functools import cache

from django.http import HttpResponseBase
from django.shortcuts import render
from django.utils import formats
from django.utils.translation import gettext as _

from players.access import OfficeRequest, Permission, public
from players.models import Federation, Player
from players.offices import today
from ratings.public.kept import kept
from ratings.rulesets.facts import State
from ratings.rulesets.journal import plain
from ratings.rulesets.reports import Table, Value
from ratings.rulesets.ruleset import Ruleset
from ratings.states import AFTER_EVERYTHING, state_before

FOUR_PLACES = Decimal("0.0001")


@dataclass(frozen=True, slots=True)
class Cell:
    words: str
    player: Player | None = None
    number: bool = False


@dataclass(frozen=True, slots=True)
class Shown:
    """A table in words."""

    name: str
    title: str
    columns: list[str]
    rows: list[tuple[list[Cell], dict[str, str]]]
    """The cells, and what an official's decision on the row needs."""
    confirms: bool


@cache
def yields_tables(ruleset: Ruleset) -> bool:
    """Whether the rules yield any table at all, which they say of an empty state too."""
    return bool(ruleset.editions[-1].rules.tables(State(), date(2026, 1, 1)))


@public
@kept
def tables(request: OfficeRequest) -> HttpResponseBase:
    """Every table as it is today."""
    office, day = request.office, today(request.office)
    rules = office.ruleset.edition_on(day).rules
    found = rules.tables(state_before(office, AFTER_EVERYTHING), day)
    players = _players(office, found)
    context = {
        "tables": [shown(table, office.ruleset, players) for table in found],
        "day": day,
        "may_confirm": Permission.RANKS_CONFIRM in request.rights,
    }
    return render(request, "ratings/tables.html", context)


def shown(table: Table, ruleset: Ruleset, players: Mapping[str, Player]) -> Shown:
    """The table with its players named and its words found."""
    words = ruleset.messages
    rows = [
        (
            [_cell(column, value, words, players) for column, value in zip(table.columns, row, strict=True)],
            {column: str(value) for column, value in zip(table.columns, row, strict=True)},
        )
        for row in table.rows
    ]
    columns = [_(words.get(column, column)) for column in table.columns]
    return Shown(table.name, _(words.get(table.name, table.name)), columns, rows, bool(table.confirms))


def _players(office: Federation, found: list[Table]) -> dict[str, Player]:
    numbers = {
        str(row[table.columns.index("player")])
        for table in found
        if "player" in table.columns
        for row in table.rows
    }
    people = Player.objects.of(office).filter(number__in=numbers).select_related("federation")
    return {player.number: player for player in people}


def _cell(
    column: str,
    value: Value | tuple[Value, ...],
    words: Mapping[str, str],
    players: Mapping[str, Player],
) -> Cell:
    if column == "player" and value in players:
        player = players[str(value)]
        return Cell(player.shown_name, player)
    if isinstance(value, tuple):
        return Cell(", ".join(_words(part, words) for part in value), number=True)
    return Cell(_words(value, words), number=isinstance(value, (int, Decimal)))


def _words(value: Value, words: Mapping[str, str]) -> str:
    if value is None or value == "":
        return "–"
    if isinstance(value, date):
        return str(formats.date_format(value, "j F Y"))
    if isinstance(value, Decimal):
        return plain(value if value == value.to_integral_value() else value.quantize(FOUR_PLACES))
    return _(words[value]) if isinstance(value, str) and value in words else str(value)
