"""Czech piškvorky: two founding tournaments, novices, and established ratings that move by a table."""

from __future__ import annotations

from datetime import date

from ratings.law.fold_order import by_order_of_play
from ratings.law.ruleset import Edition, Ruleset, Track
from ratings.law.ruleset_hooks import JournalRules, PlayerFigures, SectionRules, Storage, Words
from ratings.law.translation_marks import gettext_noop as _
from ratings.rulesets.piskvorky import edition_undated
from ratings.rulesets.piskvorky.edition_undated.parameter_table import PARAMETERS
from ratings.rulesets.piskvorky.law.clauses_and_readings import CLAUSES
from ratings.rulesets.piskvorky.law.open_questions import QUESTIONS
from ratings.rulesets.piskvorky.law.standing import dump, load
from ratings.rulesets.piskvorky.law.working_and_finding_messages import MESSAGES

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
        listed=edition_undated.listed_steps, collected=edition_undated.collected
    ),
)
