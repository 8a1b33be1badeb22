"""The pages of further results: sports ranks, and a calculator of a tournament's category."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ratings.equipment.publication_profile import Calculator, Page
from ratings.law.fields import Choice, Field, flag
from ratings.law.rule_outputs import CalculatorAnswer, Value, WorkingStep
from ratings.law.translation_marks import gettext_noop as _
from ratings.rulesets.ssdc.edition_2017 import CATEGORIES, RANKS, Conditions, category_of
from ratings.rulesets.ssdc.law.working_and_finding_messages import CATEGORY_NAMES, RANK_NAMES


def work_out(given: Mapping[str, Any]) -> CalculatorAnswer:
    """§3: the calculator's answer: the category of a tournament held under these conditions, and the steps to
    it.
    """
    said = {name: value for name, value in given.items() if value is not None}
    found = category_of(Conditions(**said))
    return CalculatorAnswer(category_key(found.category), tuple(worded(step) for step in found.steps))


def worded(step: WorkingStep) -> WorkingStep:
    """A step of §3 with categories replaced by the message keys of their names, so that a page can
    word it.
    """
    wanted = {"wanted": category_key(step.inputs["wanted"])} if "wanted" in step.inputs else {}
    return step._replace(inputs={**step.inputs, **wanted}, result=category_key(step.result))


def category_key(category: Value) -> str:
    return f"{category}-category"


CATEGORY = Calculator(
    fields=(
        Field(
            name="highest_rating",
            label=_("Highest rating admitted"),
            kind="whole",
            clause="3.4.1",
            help=_("Leave this empty if players of any rating may play. A limit below 2200 counts twice."),
            required=False,
        ),
        Field(
            name="highest_rank",
            label=_("Highest sports rank admitted"),
            kind="choice",
            clause="3.4.1",
            help=_("Leave this empty if players of any rank may play."),
            choices=tuple(Choice(rank, RANK_NAMES[rank]) for rank in RANKS),
            required=False,
        ),
        Field(
            name="division",
            label=_("Division of a league by strength"),
            kind="whole",
            clause="3.4.2",
            help=_("1 is the highest. Leave this empty if there are no divisions."),
            required=False,
        ),
        flag("one_gender", _("Only one gender may play"), "3.4.1"),
        flag("ages", _("Players of some ages may not play"), "3.4.1"),
        flag("territory", _("Players of some places may not play"), "3.4.1"),
        flag("fast", _("Rapid or blitz"), "3.4.1"),
        flag("not_all_meet", _("Not everyone meets everyone"), "3.4.1", _("Swiss system, knock-out, groups")),
        flag("by_correspondence", _("Played by correspondence"), "3.4.1"),
        flag("guaranteed_places", _("Somebody has a guaranteed place, whatever their strength"), "3.4.3"),
        flag("for_a_challenger", _("The tournament finds the challenger of a title holder"), "3.4.5"),
        flag("match_of_two", _("A match of two players"), "3.4.6"),
        flag("for_a_title", _("That match is for a title"), "3.4.6"),
        Field(
            name="assigned",
            label=_("Category that the organizer wants"),
            kind="choice",
            clause="3.4.7",
            help=_("It may be lower than the resulting category, never higher."),
            choices=tuple(Choice(name, CATEGORY_NAMES[category_key(name)]) for name in CATEGORIES),
            required=False,
        ),
    ),
    work_out=work_out,
    field="category",
)

PAGES = (
    Page(
        code="ranks",
        name=_("Sports ranks"),
        about=_("Holders of sports ranks, and players with a ground for a higher rank."),
        tables=("confirmed-ranks", "proposals"),
    ),
    Page(
        code="category",
        name=_("Tournament category"),
        about=_("Enter the conditions of a tournament, and see the resulting category, clause by clause."),
        calculator=CATEGORY,
    ),
)
