"""The questions of an imagined tournament of othello."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import Any

from ratings.equipment.what_if import SCORES, Answers, Further, WhatIf
from ratings.law.facts import Entry
from ratings.law.fields import Field, flag
from ratings.law.translation_marks import gettext_noop as _
from ratings.rulesets.pfo.edition_2009.season_points import EUROPEAN
from ratings.rulesets.pfo.journal_fields import FIELDS

ABROAD = "XXX"
"""The country of a tournament held outside Poland, whichever it is."""
USUAL = {"status": "gpp"}
"""The answers with which the form opens."""
FIRST_MONTH = 12
"""The month in which seasons begin, as that of 2009/2010 did."""


def season_of(day: date) -> Mapping[str, str]:
    """§17: the season to which a day belongs most likely; the reader may write another."""
    first = day.year - (day.month < FIRST_MONTH)
    return {"season": f"{first}/{first + 1}"}


def particulars(answers: Answers) -> Mapping[str, Any]:
    """§12 §17: the kind of the tournament, its season, and whether it is held in Poland."""
    country = ABROAD if answers.get("abroad") else None
    return {"status": answers.get("status"), "season": answers.get("season"), "country": country}


def further(answers: Answers, rounds: int) -> Further:
    """§17: those who come before the player in a European Grand Prix, where the season counts the places of
    Polish players alone.
    """
    place = answers.get("place") or 1
    if answers.get("status") != EUROPEAN:
        return Further()
    at_home = min(answers.get("place_at_home") or place, place)
    names = [f"*{'home' if ahead < at_home else 'abroad'}{ahead}" for ahead in range(1, place)]
    entries = tuple(Entry(name, place=ahead) for ahead, name in enumerate(names, start=1))
    return Further(entries, foreign=frozenset(name for name in names if name.startswith("*abroad")))


WHAT_IF = WhatIf(
    particulars=particulars,
    fields=(
        *(replace(each, default=USUAL.get(each.name, "")) for each in FIELDS),
        Field(
            name="place",
            label=_("Final place"),
            kind="whole",
            clause="12",
            help=_(
                "Needed for points by place: in a European Grand Prix, the World Championship, and the "
                "season."
            ),
            required=False,
        ),
        Field(
            name="place_at_home",
            label=_("Place among the Polish players"),
            kind="whole",
            clause="17",
            help=_("In a European Grand Prix in Poland. Leave this empty if it is the same."),
            required=False,
        ),
        flag("abroad", _("Held outside Poland"), "17"),
        flag("women", _("As if the player plays for the women's title"), "preamble"),
    ),
    results=tuple(SCORES),
    usual=season_of,
    not_looked_at=(
        _("Games are rated one by one, in the order of the rows. Who has no rating begins at 1400."),
        _("Nobody is asked for sex: whether the player plays for the women's title is what you say."),
        _("Who misses a Polish Championship loses a tenth when its last section is rated, on no fixed day."),
    ),
)
