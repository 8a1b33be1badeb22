"""The questions that the text leaves open, by the id of the reading that settles each (`clauses`)."""

from __future__ import annotations

from ratings.law.translation_marks import gettext_noop as _

QUESTIONS = {
    "D-PIS-1": _("Which games make a novice's rating, and how does a draw count?"),
    "D-PIS-2": _("How is a formula's result rounded?"),
    "D-PIS-3": _(
        "Are the two founding tournaments rated together, and what happens to a player without a game?"
    ),
    "D-PIS-4": _(
        "How many points does the loser lose, from which ratings, and what holds beyond the table's end?"
    ),
    "D-PIS-5": _("What is the rating of a novice who has met no established player?"),
    "D-PIS-6": _("Which games does a player's record count?"),
    "D-PIS-7": _("Which two tournaments are the first?"),
}
