"""Sevastopol Sports Dots Club: Elo game by game, in Classic and Rapid Dots; sports ranks; categories."""

from __future__ import annotations

from datetime import date

from ratings.rulesets.downloads import SEMICOLONS
from ratings.rulesets.facts import Section
from ratings.rulesets.reports import Finding, Level
from ratings.rulesets.ruleset import Choice, Edition, Field, Ruleset, Track, by_order_of_play
from ratings.rulesets.ssdc import edition_2017
from ratings.rulesets.ssdc.clauses import CLAUSES
from ratings.rulesets.ssdc.messages import MESSAGES
from ratings.rulesets.ssdc.standing import dump, load
from ratings.rulesets.words import gettext_noop as _

# D-9: only the text as amended is known, so that one edition stands from the approval on
EDITIONS = (Edition(date(2017, 1, 27), _("Regulations of 2017, as amended in 2018"), edition_2017),)


def rateable(section: Section) -> Finding | None:
    """Why no official can rate it: §5.2 played before the regulations, §3.5 friendly, or details missing."""
    first = EDITIONS[0].in_force
    if section.starts < first:
        return Finding("5.2", Level.BLOCKS, "before-the-regulations", {"first": first}, "starts")
    return edition_2017.unrateable(section)


RULESET = Ruleset(
    slug="ssdc",
    name="Sevastopol Sports Dots Club",
    country="RUS",
    tracks=(Track("classic", _("Classic Dots")), Track("rapid", _("Rapid Dots"))),  # §1.5
    editions=EDITIONS,
    clauses=CLAUSES,
    messages=MESSAGES,
    load=load,
    dump=dump,
    order_key=by_order_of_play,
    folds=frozenset({"rated", "list", "opening", "rank"}),
    places_needed=True,  # §2.4.2
    many_games_a_round=True,  # §1.7.1
    ranks=edition_2017.RANKS,
    fields=(
        Field(
            name="time_class",
            label=_("Time class"),
            kind="choice",
            clause="1.5",
            help=_("As the organizer stated it. Rapid and blitz both move the Rapid rating."),
            choices=(
                Choice("classic", _("Classic")),
                Choice("rapid", _("Rapid")),
                Choice("blitz", _("Blitz")),
            ),
        ),
        Field(
            name="category",
            label=_("Category"),
            kind="choice",
            clause="3.2",
            help=_("The highest, lowered for each limiting factor. A friendly tournament is not rated."),
            choices=(
                Choice("highest", _("Highest")),
                Choice("first", _("First")),
                Choice("second", _("Second")),
                Choice("third", _("Third")),
                Choice("fourth", _("Fourth")),
                Choice("friendly", _("Friendly, not rated")),
            ),
        ),
    ),
    formats=edition_2017.FORMATS,
    decimals=0,  # D-4
    downloads=(SEMICOLONS,),
    time_zone="Europe/Simferopol",
    regions=(Choice("SSDC", _("Sevastopol Sports Dots Club")),),
    rateable=rateable,
    tracks_of=edition_2017.tracks_of,
)
