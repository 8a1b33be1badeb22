"""The Russian Mahjong Federation: the weighted mean of places, a function of the admitted and the day."""

from __future__ import annotations

from datetime import date

from ratings.rulesets.facts import Section
from ratings.rulesets.mahjong import edition
from ratings.rulesets.mahjong.clauses import CLAUSES
from ratings.rulesets.mahjong.edition.parameters import PARAMETERS
from ratings.rulesets.mahjong.fields import FIELDS
from ratings.rulesets.mahjong.messages import MESSAGES
from ratings.rulesets.mahjong.questions import QUESTIONS
from ratings.rulesets.mahjong.standing import dump, dump_wide, load, load_wide
from ratings.rulesets.ruleset import Edition, Ruleset, Track
from ratings.rulesets.words import gettext_noop as _


def tracks_of(section: Section) -> tuple[str, ...]:
    """There is one, and each competition moves it."""
    return (edition.TRACK,)


RULESET = Ruleset(
    slug="mahjong",
    name="Russian Mahjong Federation",
    country=edition.HOME,
    tracks=(Track(edition.TRACK, _("Rating")),),
    editions=(Edition(date.min, _("Rating system, undated"), edition, PARAMETERS),),  # D-9
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
    admission=edition.admission,  # §3
    membership="1.3",  # §6
    formats=("placement",),
    decimals=4,  # D-RMF-8
    time_zone="Europe/Moscow",
    rateable=edition.unrateable,
    tracks_of=tracks_of,
    counts=edition.counts,
    days_of_change=edition.days_of_change,  # D-RMF-8
    rating_on=edition.rating_on,
)
