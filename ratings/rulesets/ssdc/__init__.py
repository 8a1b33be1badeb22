"""Sevastopol Sports Dots Club: Elo game by game, in Classic and Rapid Dots; sports ranks; categories."""

from __future__ import annotations

from datetime import date

from ratings.rulesets.downloads import SEMICOLONS
from ratings.rulesets.facts import Section
from ratings.rulesets.order import by_order_of_play
from ratings.rulesets.reports import Finding, Level
from ratings.rulesets.ruleset import Choice, Confirmation, Edition, Ruleset, Track
from ratings.rulesets.ssdc import edition_2017
from ratings.rulesets.ssdc.clauses import CLAUSES
from ratings.rulesets.ssdc.demo import DEMO
from ratings.rulesets.ssdc.edition_2017.parameters import PARAMETERS
from ratings.rulesets.ssdc.fields import FIELDS, FILING_FIELDS
from ratings.rulesets.ssdc.messages import MESSAGES
from ratings.rulesets.ssdc.pages import PAGES
from ratings.rulesets.ssdc.questions import QUESTIONS
from ratings.rulesets.ssdc.standing import dump, load
from ratings.rulesets.words import gettext_noop as _

# D-9: only the text as amended is known, so that one edition stands from the approval on
EDITIONS = (
    Edition(date(2017, 1, 27), _("Regulations of 2017, as amended in 2018"), edition_2017, PARAMETERS),
)


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
    questions=QUESTIONS,
    messages=MESSAGES,
    load=load,
    dump=dump,
    order_key=by_order_of_play,
    folds=frozenset({"rated", "list", "opening", "rank"}),
    places_needed=True,  # §2.4.2
    many_games_a_round=True,  # §1.7.1
    ranks=edition_2017.RANKS,
    fields=FIELDS,
    filing_fields=FILING_FIELDS,
    confirmations=(
        Confirmation(
            "4.2.2",
            _("It was played by regulations that the Club approved, and nothing was amended."),
        ),
        Confirmation("4.3", _("All games are here, in the order in which they were played.")),
    ),
    formats=edition_2017.FORMATS,
    decimals=0,  # D-4
    downloads=(SEMICOLONS,),
    time_zone="Europe/Simferopol",
    regions=(Choice("SSDC", _("Sevastopol Sports Dots Club")),),
    rateable=rateable,
    tracks_of=edition_2017.tracks_of,
    pages=PAGES,
    held=edition_2017.held,  # §2
    demo=DEMO,
)
