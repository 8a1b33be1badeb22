"""The questions that the text leaves open, by the id of the reading that settles each (`clauses`)."""

from __future__ import annotations

from ratings.law.words import gettext_noop as _

QUESTIONS = {
    "D-RMF-1": _("Among whom is a place counted?"),
    "D-RMF-2": _("On which day does a competition lose a quarter of its weight?"),
    "D-RMF-3": _(
        "Of which year's competitions is an absence's weight a share, and what of those before a debut?"
    ),
    "D-RMF-4": _("Who is listed, and by the register of which day?"),
    "D-RMF-5": _("What of conditions on members before there is membership?"),
    "D-RMF-6": _("Which coefficient has which status?"),
    "D-RMF-7": _("From which day on does a competition count?"),
    "D-RMF-8": _("When is the rating worked out anew, and with how many decimals?"),
}
