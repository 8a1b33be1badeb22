"""Template filters for days in the forms that no setting of Django's names, by language."""

from __future__ import annotations

from datetime import date, datetime

from django import template
from django.utils.formats import date_format
from django.utils.translation import pgettext

register = template.Library()


@register.filter
def day_alone(day: date) -> str:
    """The first of several days in one month: 26 in English, 26. in Czech."""
    return date_format(day, pgettext("form of a day", "j"))


@register.filter
def day_before_digits(day: date) -> str:
    """The first of several days in one month, before one in digits: 6 in English, 06 in Russian."""
    return date_format(day, pgettext("form of a day before one in digits", "j"))


@register.filter
def day_and_month(day: date) -> str:
    """A day whose year stands elsewhere: 1 October, 1. října."""
    return date_format(day, pgettext("form of a day", "j E"))


@register.filter(expects_localtime=True)
def moment(at: datetime, form: str = "DATETIME_FORMAT") -> str:
    """A day and time, with the time zone: 7 June 2026, 15:04 UTC."""
    return f"{date_format(at, form)} {date_format(at, 'e')}"
