"""Reads the day that an address asks for: one of the record, from its first day to today."""

from __future__ import annotations

from datetime import date

from django.http import Http404
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from players.office.models import Federation
from ratings.law.journal.values import DAY
from ratings.results.as_of import first_day


class NoDay(Http404):
    """Raised for a text that is no day; the API answers it with 400."""

    def __init__(self) -> None:
        super().__init__(_("Write the day as YYYY-MM-DD."))


def day_asked(office: Federation, text: str | None, now: date, first: date | None = None) -> date | None:
    """Read the day in an address; None if there is none. Raises `NoDay` if it is none, and Http404 if it does
    not lie between the record's first and today. `first`: the record's first day, if the caller knows it.
    """
    if not text:
        return None
    try:
        day = date.fromisoformat(text) if DAY.fullmatch(text) else None
    except ValueError:
        day = None
    if day is None:
        raise NoDay
    if day > now:
        raise Http404(_("That day is still to come: nothing is known of it yet."))
    first = first or first_day(office) or now
    if day < first:
        raise Http404(_("The record begins on %(day)s.") % {"day": date_format(first, "DATE_FORMAT")})
    return day
