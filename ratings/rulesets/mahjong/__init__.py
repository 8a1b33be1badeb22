"""The Russian Mahjong Federation: the weighted mean of places, a function of the admitted and the day."""

from __future__ import annotations

from datetime import date

from ratings.law.facts import Section
from ratings.law.ruleset import Edition, Ruleset, Track
from ratings.law.words import gettext_noop as _
from ratings.rulesets.mahjong import edition_undated
from ratings.rulesets.mahjong.edition_undated.parameters import PARAMETERS
from ratings.rulesets.mahjong.fields import FIELDS
from ratings.rulesets.mahjong.law.clauses import CLAUSES
from ratings.rulesets.mahjong.law.messages import MESSAGES
from ratings.rulesets.mahjong.law.questions import QUESTIONS
from ratings.rulesets.mahjong.law.standing import dump, dump_wide, load, load_wide


def tracks_of(section: Section) -> tuple[str, ...]:
    """There is one, and each competition moves it."""
    return (edition_undated.TRACK,)


RULESET = Ruleset(
    slug="mahjong",
    name="Russian Mahjong Federation",
    country=edition_undated.HOME,
    tracks=(Track(edition_undated.TRACK, _("Rating")),),
    editions=(Edition(date.min, _("Rating system, undated"), edition_undated, PARAMETERS),),  # D-9
    clauses=CLAUSES,
    questions=QUESTIONS,
    messages=MESSAGES,
    load=load,
    dump=dump,
    load_wide=load_wide,
    dump_wide=dump_wide,
    folds=frozenset({"rated", "list", "player"}),  # D-RMF-4: the register is a fact of its own
    reads=frozenset({"included_by"}),  # §2
    places_needed=True,  # §5
    fields=FIELDS,
    admission=edition_undated.admission,  # §3
    membership="1.3",  # §6
    formats=("placement",),
    decimals=edition_undated.SHOWN_DECIMALS,  # D-RMF-8
    time_zone="Europe/Moscow",
    rateable=edition_undated.unrateable,
    tracks_of=tracks_of,
    counts=edition_undated.counts,
    days_of_change=edition_undated.days_of_change,  # D-RMF-8
    rating_on=edition_undated.rating_on,
)
