"""Days as the reader's language writes them: `7 June 2026`. The record and the journal keep them as text."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from datetime import date

from django.utils.formats import date_format


def day_in_words(day: date | str) -> str:
    """A day, or its text (`2026-06-07`), in words; what is no day stays as it is."""
    if isinstance(day, date):
        return str(date_format(day, "DATE_FORMAT"))
    if len(day) == len("2026-06-07"):
        with suppress(ValueError):
            return day_in_words(date.fromisoformat(day))
    return day


def days_in_words(days: Sequence[date | str]) -> str:
    """The days from the first of two to the last; one where both are the same."""
    first, last = (day_in_words(day) for day in days)
    return first if first == last else f"{first} – {last}"
