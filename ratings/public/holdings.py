"""What the rules say of one player beside the ratings: ranks held, and what counts for a rating on a day."""

from __future__ import annotations

from datetime import date
from decimal import localcontext
from typing import Any

from players.access import OfficeRequest
from players.models import Player
from ratings.public.calculators import worded_rows
from ratings.public.shown import known, shown
from ratings.rulesets.ruleset import CONTEXT
from ratings.states import AFTER_EVERYTHING, state_before


def holdings(request: OfficeRequest, player: Player, track: str, cut: int | None, on: date) -> dict[str, Any]:
    """By the record up to a place in the order, or all of it; for the player's page."""
    office, number = request.office, player.number
    order = AFTER_EVERYTHING if cut is None else cut + 1
    state = state_before(office, order, frozenset((number,)))
    with localcontext(CONTEXT):
        held = office.ruleset.held(state, number, on)
        counts = office.ruleset.counts(state, number, track, on) if track else None
    found: dict[str, Any] = {"held": worded_rows(held, request)}
    if counts and (counts.table.rows or counts.steps):
        found["counts"] = shown(counts.table, known(office, [counts.table]), whole=True)
        found["counts_steps"] = worded_rows(counts.steps, request)
    return found
