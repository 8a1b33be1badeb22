"""The pages of further results: the rating of any day, and the coefficients behind it."""

from __future__ import annotations

from ratings.equipment.publication import Page
from ratings.law.words import gettext_noop as _

PAGES = (
    Page(
        code="rating",
        name=_("Rating of the day"),
        about=_("Everybody's rating as it is today, or was on a day that you choose."),
        ratings=True,
    ),
    Page(
        code="coefficients",
        name=_("Coefficients"),
        about=_("Which competitions count today and how much, and the days on which that changes."),
        tables=("coefficients", "days"),
    ),
)
