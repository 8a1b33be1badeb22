"""The pages of further results: the rating of any day, and the coefficients behind it."""

from __future__ import annotations

from ratings.equipment.publication_profile import Page
from ratings.law.translation_marks import gettext_noop as _

PAGES = (
    Page(
        code="rating",
        name=_("Rating of the day"),
        about=_("Everybody's rating today, or on a day that you choose."),
        ratings=True,
    ),
    Page(
        code="coefficients",
        name=_("Coefficients"),
        about=_("The competitions that count today, their weights, and the days on which these change."),
        tables=("coefficients", "days"),
    ),
)
