"""The questions of an imagined competition of mahjong: its weight, its size, and a place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

from ratings.equipment.what_if import Answers, Further, WhatIf
from ratings.law.facts import Entry
from ratings.law.fields import Field
from ratings.law.translation_marks import gettext_noop as _
from ratings.rulesets.mahjong.edition_undated import SPECIAL_WEIGHTS
from ratings.rulesets.mahjong.journal_fields import FIELDS


def special_weight(answers: Answers) -> int | None:
    """§4: a special tournament's own coefficient; None: it is not one that the Presidium may choose."""
    stated = answers.get("coefficient")
    return stated if answers.get("status") == "special" and stated in SPECIAL_WEIGHTS else None


def particulars(answers: Answers) -> Mapping[str, Any]:
    """§1.1 §4: the status, and a special tournament's own coefficient."""
    return {"status": answers.get("status"), "coefficient": special_weight(answers)}


def further(answers: Answers, rounds: int) -> Further:
    """§5: all others who take part, at the places that the player leaves."""
    everybody = range(1, (answers.get("players") or 1) + 1)
    places = (place for place in everybody if place != answers.get("place"))
    return Further(tuple(Entry(f"*{at}", place=place) for at, place in enumerate(places, start=1)))


WHAT_IF = WhatIf(
    particulars=particulars,
    fields=(
        *(replace(each, default="city" if each.name == "status" else "") for each in FIELDS),
        Field(name="players", label=_("Players who take part"), kind="whole", clause="5", default="32"),
        Field(name="place", label=_("Final place"), kind="whole", clause="5", default="1"),
    ),
    results=(),
    further=further,
    step=Decimal("0.1"),
    not_looked_at=(
        _("It is taken as admitted on its last day, and as the only further competition until then."),
        _("Table points decide places, and the rating reads places alone."),
        _("The change counts from the player's last one, absences and time included, as in every working."),
    ),
)
