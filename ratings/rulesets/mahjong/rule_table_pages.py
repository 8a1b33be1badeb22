"""The pages of further results: the rating of any day, coefficients, and a planned competition."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

from ratings.equipment.publication_profile import Calculator, Page
from ratings.law.fields import Field
from ratings.law.rule_outputs import CalculatorAnswer, WorkingStep
from ratings.law.translation_marks import gettext_noop as _
from ratings.rulesets.mahjong.edition_undated.formulas import (
    YEARS_OF_WEIGHT,
    absence_coefficient,
    anniversary,
    result,
    time_coefficient,
    weight,
)
from ratings.rulesets.mahjong.journal_fields import FIELDS
from ratings.rulesets.mahjong.what_if import special_weight


def work_out(given: Mapping[str, Any]) -> CalculatorAnswer:
    """§4 §5: the weight of a planned competition, when it falls, and the result of a place in it."""
    ka = weight(given["status"], special_weight(given))
    return CalculatorAnswer(f"planned-{ka}", tuple(steps_of(given, ka)) if ka else ())


def steps_of(given: Mapping[str, Any], ka: int) -> Iterator[WorkingStep]:
    """§4 §5: the steps to the coefficients kA, kB and kC, and to the result R of a place."""
    yield WorkingStep("4", f"ka-{given['status']}", {}, ka)
    ends = given["ends"]
    for year in range(YEARS_OF_WEIGHT):
        until = anniversary(ends, year + 1)
        kb = time_coefficient(ends, until)
        yield WorkingStep("5", "planned-kb", {"until": until, "ka": ka, "kb": kb}, ka * kb)
    over = anniversary(ends, YEARS_OF_WEIGHT) + timedelta(1)
    yield WorkingStep("5", "planned-over", {"until": over})
    admitted = given["admitted"] or 1
    yield WorkingStep("5", "planned-kc", {"admitted": admitted}, absence_coefficient(admitted))
    players, place = given["players"] or 0, given["place"] or 0
    if 1 <= place <= players and players > 1:
        yield WorkingStep("5", "result", {"players": players, "place": place}, result(players, place))


PLANNED = Calculator(
    fields=(
        *FIELDS,
        Field(name="ends", label=_("Last day"), kind="day", clause="5"),
        Field(
            name="admitted",
            label=_("Competitions admitted in that year, this one among them"),
            kind="whole",
            clause="5",
            required=False,
        ),
        Field(
            name="players",
            label=_("Players who take part"),
            kind="whole",
            clause="5",
            help=_("With a place, the result that it would be."),
            required=False,
        ),
        Field(name="place", label=_("Place"), kind="whole", clause="5", required=False),
    ),
    work_out=work_out,
)

PAGES = (
    Page(
        code="rating",
        name=_("Rating of the day"),
        about=_("Everybody's rating today, or on a day that you choose."),
        ratings=True,
    ),
    Page(
        code="coefficients",
        name=_("Coefficients"),
        about=_("The competitions that count today, their weights, and the days on which these change."),
        tables=("coefficients", "days"),
    ),
    Page(
        code="planned",
        name=_("Planned competition"),
        about=_("Enter a planned competition, and see how much its results would weigh, and until when."),
        calculator=PLANNED,
    ),
)
