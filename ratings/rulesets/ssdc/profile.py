"""The office of Sevastopol Sports Dots Club, its pages and calculator, and its what-if form."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

from ratings.rulesets import profile
from ratings.rulesets.downloads import SEMICOLONS
from ratings.rulesets.facts import (
    CalculatorAnswer,
    Choice,
    Field,
    PlayerId,
    State,
    WorkingStep,
    flag,
    gettext_noop as _,
)
from ratings.rulesets.ssdc import edition_2017
from ratings.rulesets.ssdc.clauses import CLAUSES, ENACTED
from ratings.rulesets.ssdc.fields import CONDITION_FIELDS, FIELDS, FILING_FIELDS
from ratings.rulesets.ssdc.messages import CATEGORY_NAMES, RANK_NAMES
from ratings.rulesets.ssdc.standing import SsdcStanding


# ---- The category of a section to be registered
def category_that_follows(particulars: Mapping[str, Any], format_: str) -> profile.Follows:
    """§3.4.7: the category of a section by its organizer's answers, and the highest that it may have: all may
    meet in any format (D-SSDC-12).
    """
    known = planned_conditions(particulars, format_)
    highest = edition_2017.category_of(replace(known, not_all_meet=False)).category
    return profile.Follows(edition_2017.category_of(known).category, highest)


def planned_conditions(particulars: Mapping[str, Any], format_: str) -> edition_2017.Conditions:
    """§3.4.1–§3.4.6: the conditions of a section that was not played yet."""
    names = {each.name for each in CONDITION_FIELDS}
    return edition_2017.Conditions(
        **{name: value for name, value in particulars.items() if name in names and value not in (None, "")},
        fast=particulars.get("time_class") in edition_2017.FAST_CLASSES,
        not_all_meet=format_ not in edition_2017.ALL_MEET_FORMATS,
        match_of_two=format_ == "match",
    )


def tell_category(particulars: Mapping[str, Any], format_: str) -> Iterator[profile.Told]:
    """§3: the category, and each clause that lowers it."""
    steps = edition_2017.category_of(planned_conditions(particulars, format_)).steps[1:]
    category = str(particulars.get("category") or category_that_follows(particulars, format_).value)
    yield profile.Told("3.2", CATEGORY_NAMES[category_key(category)], {})
    for clause in dict.fromkeys(step.clause for step in steps):
        yield profile.Told(clause, CLAUSES[clause], {})


OFFICE = profile.Office(
    time_zone="Europe/Simferopol",
    language="ru",
    regions=(Choice("SSDC", _("Sevastopol Sports Dots Club")),),
    filing_fields=FILING_FIELDS,
    registration=profile.Registration(
        asks=frozenset({"place", "country", "organizer", "days"}),
        steps=(
            profile.FormStep(_("Who holds it"), ("held_by", "sent_on", "entry_from")),
            profile.FormStep(
                _("Who may play"),
                ("highest_rating", "highest_rank", "division", "one_gender", "ages", "territory"),
            ),
            profile.FormStep(
                _("How it is played"),
                ("by_correspondence", "guaranteed_places", "for_a_challenger", "for_a_title"),
            ),
            profile.FormStep(_("Category"), ("category",)),
        ),
        decided_before_play=True,  # an approved tournament has its category
        follows=lambda particulars, format_: {"category": category_that_follows(particulars, format_)},
        told=tell_category,
    ),
    confirmations=(
        profile.Statement(
            "4.2.2", _("It was played by regulations that the Club approved, and nothing was amended.")
        ),
        profile.Statement("4.3", _("All games are here, in the order in which they were played.")),
    ),
)


def planned_category(rules: Any, given: Mapping[str, Any]) -> CalculatorAnswer:
    """§3: the category of a tournament under these conditions, and the steps to it."""
    result = rules.category_of(
        rules.Conditions(**{name: value for name, value in given.items() if value is not None})
    )
    return CalculatorAnswer(category_key(result.category), tuple(map(with_category_keys, result.steps)))


def with_category_keys(step: WorkingStep) -> WorkingStep:
    """A step of §3 with the message keys of categories in place of the categories."""
    wanted = {"wanted": category_key(step.inputs["wanted"])} if "wanted" in step.inputs else {}
    return step._replace(inputs={**step.inputs, **wanted}, result=category_key(step.result))


def category_key(category: object) -> str:
    return f"{category}-category"


CATEGORY_CALCULATOR = profile.Calculator(
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
            choices=tuple(Choice(rank, RANK_NAMES[rank]) for rank in edition_2017.RANKS),
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
            choices=tuple(
                Choice(name, CATEGORY_NAMES[category_key(name)]) for name in edition_2017.CATEGORIES
            ),
            required=False,
        ),
    ),
    work_out=planned_category,
    field="category",
)

PAGES = (
    profile.Page(
        code="ranks",
        name=_("Sports ranks"),
        about=_("Holders of sports ranks, and players with a ground for a higher rank."),
        tables=("confirmed-ranks", "proposals"),
    ),
    profile.Page(
        code="category",
        name=_("Tournament category"),
        about=_("Enter the conditions of a tournament, and see the resulting category, clause by clause."),
        calculator=CATEGORY_CALCULATOR,
    ),
)


PUBLICATION = profile.Publication(
    decimals=0,  # D-4
    enacted=ENACTED,
    pages=PAGES,
    downloads=(SEMICOLONS,),
)


# ---- The what-if form
DEFAULTS = {"time_class": "classic", "category": "fourth"}
"""The fourth category, because a place in it is no ground for a rank (§2.4.2)."""


def what_if_particulars(answers: profile.Answers) -> Mapping[str, Any]:
    """§1.5 §3.2: time class and category."""
    return {"time_class": answers.get("time_class"), "category": answers.get("category")}


def thresholds(state: State[SsdcStanding], player: PlayerId, track: str) -> tuple[profile.Threshold, ...]:
    """§2.4.1, D-SSDC-13: the classic ratings that are grounds for ranks above the player's, lowest first."""
    if track != edition_2017.CLASSIC:
        return ()
    held = edition_2017.rank_level(edition_2017.rank_of(state, player))
    return tuple(
        profile.Threshold(Decimal(least), rank, "2.4.1")
        for least, rank in reversed(edition_2017.RATING_RANKS)
        if edition_2017.rank_level(rank) > held
    )


WHAT_IF = profile.WhatIf(
    particulars=what_if_particulars,
    fields=(
        *(replace(each, default=DEFAULTS[each.name]) for each in FIELDS),
        Field(
            name="place",
            label=_("Final place"),
            kind="whole",
            clause="2.4.2",
            help=_("A place can be a ground for a rank. Leave this empty for none."),
            required=False,
        ),
    ),
    results=tuple(profile.SCORES),
    games_behind=edition_2017.NEW_PLAYER_GAMES,
    thresholds=thresholds,
    not_looked_at=(
        _("Games are rated one by one, in the order of the rows."),
        _("Who has no rating here begins at the initial one; who is known by rating alone is no longer new."),
        _("A rank is a ground for a decision of officials, never the decision itself."),
    ),
)
