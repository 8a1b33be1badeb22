"""Chess South Africa: twelve ratings a player; changes wait for the month's list."""

from __future__ import annotations

from datetime import date

from ratings.law.facts import Section
from ratings.law.fields import Choice, Field, flag
from ratings.law.rule_outputs import Finding, Level
from ratings.law.ruleset import Edition, Ruleset, Track
from ratings.law.ruleset_hooks import (
    Calendar,
    JournalRules,
    PlayerFigures,
    PreRatings,
    SectionRules,
    Storage,
    Words,
)
from ratings.law.translation_marks import gettext_noop as _
from ratings.rulesets.csa import edition_2020
from ratings.rulesets.csa.edition_2020.parameter_table import PARAMETERS
from ratings.rulesets.csa.law.clauses_and_readings import CLAUSES
from ratings.rulesets.csa.law.open_questions import QUESTIONS
from ratings.rulesets.csa.law.standing import dump, load
from ratings.rulesets.csa.law.working_messages import MESSAGES

EDITIONS = (
    Edition(
        date(2020, 7, 1),
        _("Rating Regulations of 1 July 2020"),
        edition_2020,
        PARAMETERS,
        scoring=edition_2020.SCORING,  # D-CSA-13
    ),
)  # §1, D-9


FIELDS = (
    Field(
        name="time_controls",
        label=_("Time control"),
        kind="time_controls",
        clause="19",
        help=_("Minutes of each period and the seconds added for a move. Where there are several, all."),
    ),
    Field(
        name="platform",
        label=_("Played"),
        kind="choice",
        clause="24",
        help=_("Mixed: some players at boards, some online. Such a section moves Hybrid ratings only."),
        choices=(
            Choice("otb", _("Over the board")),
            Choice("online", _("Online")),
            Choice("mixed", _("Mixed")),
        ),
    ),
    flag(
        "disabled",
        _("For players with a disability"),
        "17.4",
        _("Such a section is rated from four rounds on."),
    ),
)


def rateable(section: Section) -> Finding | None:
    """The reason why a section can never be rated: before §1, faster than §23, time or platform not known."""
    first = EDITIONS[0].in_force
    if section.starts < first:
        return Finding("1", Level.BLOCKS, "before-the-regulations", {"first": first}, "starts")
    return edition_2020.unrateable(section)


RULESET = Ruleset(
    slug="csa",
    name="Chess South Africa",
    country=edition_2020.HOME,
    tracks=(
        Track("otb-main", _("OTB Main"), _("Over the board")),
        Track("otb-standard", _("OTB Standard"), _("Over the board")),
        Track("otb-rapid", _("OTB Rapid"), _("Over the board")),
        Track("otb-blitz", _("OTB Blitz"), _("Over the board")),
        Track("ol-main", _("Online Main"), _("Online")),
        Track("ol-standard", _("Online Standard"), _("Online")),
        Track("ol-rapid", _("Online Rapid"), _("Online")),
        Track("ol-blitz", _("Online Blitz"), _("Online")),
        Track("hyb-main", _("Hybrid Main"), _("Hybrid")),
        Track("hyb-standard", _("Hybrid Standard"), _("Hybrid")),
        Track("hyb-rapid", _("Hybrid Rapid"), _("Hybrid")),
        Track("hyb-blitz", _("Hybrid Blitz"), _("Hybrid")),
    ),
    editions=EDITIONS,
    words=Words(CLAUSES, MESSAGES, QUESTIONS),
    storage=Storage(load, dump, kept_decimals=16),  # D-CSA-17
    sections=SectionRules(
        formats=edition_2020.FORMATS,
        tracks_of=edition_2020.tracks_of,
        rateable=rateable,
        deadlines=edition_2020.deadlines,  # §10 §18 §61 §62
        requirements=edition_2020.REQUIREMENTS,
        fields=FIELDS,
    ),
    journal=JournalRules(
        reads=frozenset({"rating", "pre", "excused"}),  # D-CSA-6, §58, D-CSA-10
        counts_from="67",
    ),
    pre_ratings=PreRatings(edition_2020.PRE_VALUES, edition_2020.pre_rating_of),  # §58 §59, D-CSA-19
    calendar=Calendar(waits_for_list=True),  # §67
    figures=PlayerFigures(  # §37 §39 §54
        listed=edition_2020.listed_steps,
        expected=edition_2020.expected_of,
        counts=edition_2020.counts,
        collected=edition_2020.collected,
    ),
)
