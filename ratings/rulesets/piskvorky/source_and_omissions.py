"""The rating system of Czech piškvorky: its source, and readings of small points."""

from __future__ import annotations

from ratings.law.ruleset_helpers.source_and_omissions import Enacted, EnactedText
from ratings.law.translation_marks import gettext_noop as _

ENACTED = Enacted(
    source=EnactedText("Ratingový systém v piškvorkách", "Czech piškvorky"),
    smaller_readings=(
        (
            "1",
            _("A rating taken over when the record began is established, and a whole number, half up."),
        ),
        (
            "6",
            _(
                "A tournament in which no game was played counts among the first two all the same, as the "
                "text counts tournaments; the office is asked first."
            ),
        ),
        (
            "6",
            _(
                "A player of the first founding tournament only keeps its rating: the sum over both has the "
                "same games."
            ),
        ),
    ),
)
