"""The questions of an imagined tournament of Dots."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

from ratings.equipment.what_if import SCORES, Answers, Threshold, WhatIf
from ratings.law.facts import PlayerId, State
from ratings.law.fields import Field
from ratings.law.translation_marks import gettext_noop as _
from ratings.rulesets.ssdc.edition_2017.ranks import BY_RATING, height, rank_of
from ratings.rulesets.ssdc.edition_2017.rate_games import CLASSIC, NEW_FOR
from ratings.rulesets.ssdc.journal_fields import FIELDS
from ratings.rulesets.ssdc.law.standing import SsdcStanding

USUAL = {"time_class": "classic", "category": "fourth"}
"""The answers with which the form opens: a place in the fourth category is no ground for a rank (§2.4.2)."""


def particulars(answers: Answers) -> Mapping[str, Any]:
    """§1.5 §3.2: time class and category."""
    return {"time_class": answers.get("time_class"), "category": answers.get("category")}


def thresholds(state: State[SsdcStanding], player: PlayerId, track: str) -> tuple[Threshold, ...]:
    """§2.4.1, D-SSDC-13: the classic ratings that are a ground for a rank above the confirmed one, lowest
    first.
    """
    if track != CLASSIC:
        return ()
    held = height(rank_of(state, player))
    return tuple(
        Threshold(Decimal(least), rank, "2.4.1") for least, rank in reversed(BY_RATING) if height(rank) > held
    )


WHAT_IF = WhatIf(
    particulars=particulars,
    fields=(
        *(replace(each, default=USUAL[each.name]) for each in FIELDS),
        Field(
            name="place",
            label=_("Final place"),
            kind="whole",
            clause="2.4.2",
            help=_("A place can be a ground for a rank. Leave this empty for none."),
            required=False,
        ),
    ),
    results=tuple(SCORES),
    games_behind=NEW_FOR,
    thresholds=thresholds,
    not_looked_at=(
        _("Games are rated one by one, in the order of the rows."),
        _("Who has no rating here begins at the initial one; who is known by rating alone is no longer new."),
        _("A rank is a ground for a decision of officials, never the decision itself."),
    ),
)
