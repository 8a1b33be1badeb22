"""An invented federation whose rules were amended once, to be laid beside the others for a test."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from ratings.rulesets.facts import by_order_of_play
from ratings.rulesets.ruleset import Edition, JournalRules
from ratings.tests.amended.mill import edition_1990, edition_2021
from ratings.tests.amended.mill.edition_2021 import score
from ratings.tests.amended.mill.edition_2021.clauses import CLAUSES
from ratings.tests.amended.mill.edition_2021.parameter_table import PARAMETERS as OF_2021
from ratings.tests.sixth.morris import PARAMETERS as OF_1990, RULESET as MORRIS, SCORING

RULESET = replace(
    MORRIS,
    slug="mill",
    name="Guild of the Mill",
    journal=JournalRules(order_key=by_order_of_play),
    editions=(
        Edition(date(1990, 1, 1), "Rules of 1990", edition_1990, OF_1990, scoring=SCORING),
        Edition(date(2021, 7, 1), "Rules as amended in 2021", edition_2021, OF_2021, CLAUSES, score.SCORING),
    ),
    words=replace(
        MORRIS.words,
        messages={
            **MORRIS.words.messages,
            "swept": "For a clean sweep: {result}",
            "settled-by-games": "Settled players",
            "games": "Games",
        },
    ),
)
