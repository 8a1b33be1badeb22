"""The ruleset of Czech piškvorky: founding tournaments, novices, and established ratings moved by a table."""

from __future__ import annotations

from datetime import date

from ratings.rulesets.facts import by_order_of_play
from ratings.rulesets.facts import gettext_noop as _
from ratings.rulesets.piskvorky import edition_undated
from ratings.rulesets.piskvorky.clauses import CLAUSES, QUESTIONS
from ratings.rulesets.piskvorky.edition_undated import PARAMETERS
from ratings.rulesets.piskvorky.messages import MESSAGES
from ratings.rulesets.piskvorky.standing import dump, load
from ratings.rulesets.ruleset import (
    Edition,
    JournalRules,
    PlayerFigures,
    Ruleset,
    SectionRules,
    Storage,
    Track,
    Words,
)

RULESET = Ruleset(
    slug="piskvorky",
    name="Czech piškvorky",
    country="CZE",
    tracks=(Track(edition_undated.TRACK, _("Rating")),),
    editions=(Edition(date.min, _("Rating system, undated"), edition_undated, PARAMETERS),),  # D-9
    words=Words(CLAUSES, MESSAGES, QUESTIONS),
    storage=Storage(
        load,
        dump,
        load_wide=int,  # §6: founding tournaments so far
        dump_wide=str,
        kept_decimals=0,  # D-4
    ),
    sections=SectionRules(
        formats=edition_undated.FORMATS,
        tracks_of=edition_undated.tracks_of,
        requirements=edition_undated.REQUIREMENTS,
        many_games_a_round=True,  # short matches
    ),
    journal=JournalRules(order_key=by_order_of_play),  # D-PIS-7
    figures=PlayerFigures(  # §2 §5
        listed=edition_undated.listed_steps, collected=edition_undated.collected_table
    ),
)
