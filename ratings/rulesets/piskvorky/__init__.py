"""Czech piškvorky: two founding tournaments, novices, and established ratings that move by a table."""

from __future__ import annotations

from datetime import date

from ratings.rulesets.order import by_order_of_play
from ratings.rulesets.piskvorky import edition
from ratings.rulesets.piskvorky.clauses import CLAUSES
from ratings.rulesets.piskvorky.edition.parameters import PARAMETERS
from ratings.rulesets.piskvorky.messages import MESSAGES
from ratings.rulesets.piskvorky.questions import QUESTIONS
from ratings.rulesets.piskvorky.standing import dump, load
from ratings.rulesets.ruleset import Edition, Ruleset, Track
from ratings.rulesets.words import gettext_noop as _

RULESET = Ruleset(
    slug="piskvorky",
    name="Czech piškvorky",
    country="CZE",
    tracks=(Track(edition.TRACK, _("Rating")),),
    editions=(Edition(date.min, _("Rating system, undated"), edition, PARAMETERS),),  # D-9
    clauses=CLAUSES,
    questions=QUESTIONS,
    messages=MESSAGES,
    load=load,
    dump=dump,
    load_wide=int,  # §6: founding tournaments so far
    dump_wide=str,
    order_key=by_order_of_play,  # D-PIS-7
    kept_decimals=0,  # D-4
    many_games_a_round=True,  # short matches
    formats=edition.FORMATS,
    decimals=0,  # D-PIS-2
    time_zone="Europe/Prague",
    tracks_of=edition.tracks_of,
    collected=edition.collected,  # §5
)
