"""The Russian Mahjong Federation: the weighted mean of places, a function of the admitted and the day."""

from __future__ import annotations

from datetime import date

from ratings.rulesets.downloads import SEMICOLONS
from ratings.rulesets.facts import Section
from ratings.rulesets.mahjong import edition
from ratings.rulesets.mahjong.clauses import CLAUSES
from ratings.rulesets.mahjong.messages import MESSAGES
from ratings.rulesets.mahjong.standing import dump, dump_wide, load, load_wide
from ratings.rulesets.ruleset import Choice, Edition, Field, Ruleset, Track
from ratings.rulesets.words import gettext_noop as _


def tracks_of(section: Section) -> tuple[str, ...]:
    """There is one, and each competition moves it."""
    return (edition.TRACK,)


RULESET = Ruleset(
    slug="mahjong",
    name="Russian Mahjong Federation",
    country=edition.HOME,
    tracks=(Track(edition.TRACK, _("Rating")),),
    editions=(Edition(date.min, _("Rating system, undated"), edition),),  # D-9
    clauses=CLAUSES,
    messages=MESSAGES,
    load=load,
    dump=dump,
    load_wide=load_wide,
    dump_wide=dump_wide,
    folds=frozenset({"rated", "list", "player"}),  # D-RMF-4: the register is a fact of its own
    reads=frozenset({"included_by"}),  # §2
    places_needed=True,  # §5
    fields=(
        Field(
            name="status",
            label=_("Status"),
            kind="choice",
            clause="1.1",
            help=_("Decides what is asked of the competition, and how much its results weigh."),
            choices=(
                Choice("city", _("Championship of a city")),
                Choice("region", _("Championship of a region")),
                Choice("national", _("Championship of Russia")),
                Choice("special", _("Special tournament")),
                Choice("foreign", _("Foreign or international tournament")),
                Choice("european", _("Championship of Europe")),
                Choice("world", _("Championship of the world")),
            ),
        ),
        Field(
            name="coefficient",
            label=_("Coefficient"),
            kind="whole",
            clause="4",
            help=_("Of a special tournament, as the Presidium decided."),
            choices=tuple(Choice(str(value), str(value)) for value in edition.SPECIAL_WEIGHTS),
            only_with=("status", "special"),
        ),
    ),
    formats=("placement",),
    decimals=4,  # D-RMF-8
    downloads=(SEMICOLONS,),
    time_zone="Europe/Moscow",
    regions=(Choice("RUS", _("Russia")),),
    rateable=edition.unrateable,
    tracks_of=tracks_of,
)
