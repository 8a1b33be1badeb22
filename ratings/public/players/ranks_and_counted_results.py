"""A player's holdings beside ratings: ranks held, and the results that count for a rating on a day."""

from __future__ import annotations

from datetime import date
from decimal import localcontext
from typing import Any

from players.office.access import OfficeRequest
from players.register.models import Player
from ratings.law.facts import State
from ratings.law.ruleset import CONTEXT
from ratings.public.common.worded_tables import worded_tables
from ratings.public.rule_tables.calculators import worded_rows


def holdings(
    request: OfficeRequest, player: Player, track: str, state: State[Any], on: date
) -> dict[str, Any]:
    """The context of the parts of a player's page with ranks held, what keeps the player listed, and results
    that count in a track on a day; the state must hold the player.
    """
    office, number = request.office, player.number
    edition = office.ruleset.edition_of_day(on)
    with localcontext(CONTEXT):
        held = office.ruleset.figures.held(state, number, on)
        listed = office.ruleset.figures.listed(state, number, track, on)
        counts = office.ruleset.figures.counts(state, number, track, on)
    found: dict[str, Any] = {
        "held": worded_rows(held, request, edition),
        "listed": worded_rows(listed, request, edition),
    }
    if counts and (counts.table.rows or counts.steps):
        found["counts"], *found["counts_missed"] = worded_tables(
            office, [counts.table, *([counts.missed] if counts.missed else [])], edition
        )
        found["counts_steps"] = worded_rows(counts.steps, request, edition)
    return found
