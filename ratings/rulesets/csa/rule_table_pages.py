"""The pages of further results: performances for the Grand Prix, and the days of a planned event."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ratings.equipment.publication_profile import Calculator, Page
from ratings.law.facts import Section
from ratings.law.fields import Choice, Field, flag
from ratings.law.filing_particulars import Filing
from ratings.law.rule_outputs import CalculatorAnswer, WorkingStep
from ratings.law.translation_marks import gettext_noop as _
from ratings.rulesets.csa import edition_2020

ELSEWHERE = "XXX"
"""The country of an event held abroad, whichever it is."""


def work_out(given: Mapping[str, Any]) -> CalculatorAnswer:
    """§10 §18 §61 §62: the last days of a planned event, as of a section registered for these days."""
    starts, ends = given["starts"], given["ends"] or given["starts"]
    if starts is None:
        return CalculatorAnswer("planned-days", ())
    if ends < starts:
        return CalculatorAnswer("planned-ends-first", ())
    country = ELSEWHERE if given["abroad"] else None
    section = Section("", "", "", starts, ends, "swiss", 0, (), country=country)
    found = edition_2020.deadlines(section, Filing(said={"fide_rated": given["fide_rated"]}))
    steps = (WorkingStep(each.clause, each.key, {}, each.last) for each in found)
    return CalculatorAnswer("planned-days", tuple(steps))


DAYS = Calculator(
    fields=(
        Field(name="starts", label=_("First day"), kind="day", clause="61"),
        Field(
            name="ends",
            label=_("Last day"),
            kind="day",
            clause="62",
            help=_("Leave this empty if the event has one day."),
            required=False,
        ),
        Field(
            name="fide_rated",
            label=_("FIDE rated"),
            kind="choice",
            clause="61.2",
            help=_("Leave this empty if only Chess South Africa rates the event."),
            choices=(Choice("non-norm", _("Yes, without norms")), Choice("norm", _("Yes, with norms"))),
            required=False,
        ),
        flag("abroad", _("Held abroad"), "10"),
    ),
    work_out=work_out,
)

PAGES = (
    Page(
        code="performances",
        name=_("Performances"),
        about=_("Everybody's performance in each event, and whether it counts for the Grand Prix."),
        of_section=edition_2020.section_performances,
    ),
    Page(
        code="days",
        name=_("Days of an event"),
        about=_("Enter the days of a planned event, and see until when to register it and hand in results."),
        calculator=DAYS,
    ),
)
