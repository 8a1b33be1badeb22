"""Derives tables of the rules from the record as it stands: ranks, season standings, coefficients."""

from __future__ import annotations

from datetime import date
from decimal import localcontext
from typing import Any

from players.office.models import Federation
from ratings.journal.read_facts import AFTER_EVERYTHING
from ratings.law.facts import State
from ratings.law.rule_outputs import RuleTable
from ratings.law.ruleset import CONTEXT
from ratings.results.read_states import state_before


def tables_on(federation: Federation, on: date, state: State[Any] | None = None) -> list[RuleTable]:
    """The rule tables that pages show for a day, from `state` or all facts known, by the edition in force."""
    ruleset = federation.ruleset
    rules = ruleset.edition_on(max(on, ruleset.editions[0].in_force)).rules
    state = state_before(federation, AFTER_EVERYTHING) if state is None else state
    with localcontext(CONTEXT):
        return [table for table in rules.tables(state, on) if table.shown]


def proposals_on(federation: Federation, on: date) -> list[dict[str, str]]:
    """The ranks that wait for confirmation on a day, a dict each: text by column (player, rank, clause …)."""
    return [
        {column: str(value) for column, value in zip(table.columns, row, strict=True)}
        for table in tables_on(federation, on)
        if table.confirms
        for row in table.rows
    ]


def ties_on(federation: Federation, on: date) -> dict[str, RuleTable]:
    """The seasons whose first place is shared, by the season's name, each with its table."""
    return {table.part: table for table in tables_on(federation, on) if table.tied}
