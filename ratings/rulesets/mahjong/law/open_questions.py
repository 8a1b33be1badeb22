"""The questions that the text leaves open, by the id of the reading that settles each (`clauses`)."""

from __future__ import annotations

from ratings.law.translation_marks import gettext_noop as _

QUESTIONS = {
    "D-RMF-1": _("Among which players is a place counted?"),
    "D-RMF-2": _("On which day does a competition lose a quarter of its weight?"),
    "D-RMF-3": _(
        "Which year's competitions share an absence's weight, and what about competitions before a debut?"
    ),
    "D-RMF-4": _("Who is listed, and which day's register decides?"),
    "D-RMF-5": _("How do conditions on members apply before there is membership?"),
    "D-RMF-6": _("Which coefficient belongs to which status?"),
    "D-RMF-7": _("From which day on does a competition count?"),
    "D-RMF-8": _("When is the rating recomputed, and with how many decimals?"),
}
