"""Leads on whoever has registered an event."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from players.office.access import OfficeRequest
from players.office.settings_schema import today
from tournaments.events.finding_words import day_in_words
from tournaments.events.models import Event
from tournaments.filing.before_play.first_decision import decides_before_play
from tournaments.views.filing_steps import to_step


def to_registered(request: OfficeRequest, event: Event) -> HttpResponse:
    """Lead on to the file of the only section if its play has begun, else to the event's page, and say what
    comes next and when. Both pages tell what is too late.
    """
    words = _("Registered: %(event)s has the number %(number)s.")
    told = [words % {"event": event.name, "number": event.number}]
    sections, day = list(event.sections.all()), today(request.office)
    begun = [section for section in sections if section.starts <= day]
    if not begun:
        told += _what_comes_next(event)
    messages.success(request, " ".join(told))
    if len(sections) == 1 and begun:
        return to_step(sections[0], "file")
    return redirect("tournaments:event", request.office.code, event.number)


def _what_comes_next(event: Event) -> list[str]:
    """Sentences on what follows the registration of an event that has not begun."""
    file = _("The next step is the file of each section: it can be uploaded from %(day)s on.")
    told = [file % {"day": day_in_words(min(section.starts for section in event.sections.all()))}]
    if decides_before_play(event.federation):
        told.insert(0, _("An official decides on it before play, and you read the answer on your desk."))
    return told
