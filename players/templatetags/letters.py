"""Template filters of letters."""

from __future__ import annotations

from datetime import date
from typing import Any

from django import template

from players.drawing.days_in_words import day_in_words

register = template.Library()


@register.filter
def as_day(value: Any) -> str:
    """Write a day as the reader's language does; the record keeps days as text (`2026-06-07`). What is no day
    stays as it is.
    """
    return day_in_words(value if isinstance(value, date) else str(value)) if value else ""
