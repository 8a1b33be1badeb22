"""The questions of an imagined tournament of Dots."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from ratings.equipment.what_if import SCORES, Answers, Threshold, WhatIf
from ratings.law.fields import Field
from ratings.law.translation_marks import gettext_noop as _
from ratings.rulesets.ssdc.edition_2017.ranks import BY_RATING
from ratings.rulesets.ssdc.edition_2017.rate_games import CLASSIC, NEW_FOR
from ratings.rulesets.ssdc.journal_fields import FIELDS


def particulars(answers: Answers) -> Mapping[str, Any]:
    """§1.5 §3.2: time class and category."""
    return {"time_class": answers.get("time_class"), "category": answers.get("category")}


def thresholds(track: str) -> tuple[Threshold, ...]:
    """§2.4.1, D-SSDC-13: the classic ratings that are a ground for a rank, lowest first."""
    if track != CLASSIC:
        return ()
    return tuple(Threshold(Decimal(least), rank, "2.4.1") for least, rank in reversed(BY_RATING))


WHAT_IF = WhatIf(
    particulars=particulars,
    fields=(
        *FIELDS,
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
