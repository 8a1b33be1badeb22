"""The reasons for which sections are un-rated: codes, as the journal has them, and words for them."""

from __future__ import annotations

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

REASONS: Mapping[str, str | Promise] = {
    "result": _("A game was entered wrongly"),
    "player": _("Somebody was taken for somebody else"),
    "particulars": _("Dates, time control, rounds or place were wrong"),
    "duplicate": _("It was rated twice"),
    "breach": _("A clause forbade rating it"),
    "appeal": _("Decided on appeal"),
    "withdrawn": _("The organiser withdrew it"),
    "other": _("Another reason"),
}
"""Words by code of `facts.REASONS`."""


def reason_words(code: str) -> str:
    """The code in words; an unknown code as it stands."""
    return str(REASONS.get(code, code))
