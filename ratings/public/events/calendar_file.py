"""The calendar of events as a file (iCalendar, RFC 5545), to which calendar programs subscribe."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta

from django.conf import settings
from django.http import HttpResponse, HttpResponseBase
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from icalendar import Calendar
from icalendar import Event as CalendarEntry

from players.office.access import OfficeRequest, public
from players.office.settings_schema import today
from ratings.public.common.caching import cached_page
from tournaments.events.models import Event
from tournaments.events.section_days import next_due

BACK = timedelta(days=366)
"""The time before today from which events stand in the file."""
MOST = 2_000
"""Events of one file, the latest first."""


@public
@cached_page
def calendar_file(request: OfficeRequest) -> HttpResponseBase:
    """The events of an office that are to come or were played within a year; cancelled ones say so."""
    day = today(request.office)
    calendar = Calendar()
    calendar.add("prodid", f"-//{settings.SITE_HOST}//{request.office.code}//")
    calendar.add("version", "2.0")
    calendar.add("x-wr-calname", _("Events: %(office)s") % {"office": request.office.name})
    found = Event.objects.filter(federation=request.office, starts__gte=day - BACK).not_withdrawn()
    related = found.select_related("federation", "region").prefetch_related("sections__permission_requests")
    for event in related.order_by("-starts", "-number")[:MOST]:
        calendar.add_component(_entry(event, request.build_absolute_uri(event.get_absolute_url()), day))
    answer = HttpResponse(calendar.to_ical(), content_type="text/calendar; charset=utf-8")
    answer["Content-Disposition"] = f'attachment; filename="{request.office.code}-events.ics"'
    return answer


def _entry(event: Event, address: str, day: date) -> CalendarEntry:
    """An event as an entry of whole days; its end is the day after the last, as the format wants it."""
    entry = CalendarEntry()
    entry.add("uid", f"{event.federation.code}-{event.number}@{settings.SITE_HOST}")
    known = max(filter(None, (event.registered_on, event.notice_on)))
    entry.add("dtstamp", datetime.combine(known, time(), UTC))
    entry.add("sequence", event.version)
    entry.add("summary", event.name)
    entry.add("dtstart", event.starts)
    entry.add("dtend", event.ends + timedelta(days=1))
    entry.add("url", address)
    if where := ", ".join(filter(None, (event.place, event.country))):
        entry.add("location", where)
    if due := next_due(event, day):
        told = {"what": due.words, "day": date_format(due.last, "DATE_FORMAT"), "clause": due.clause}
        entry.add("description", _("%(what)s: by %(day)s (§%(clause)s)") % told)
    cancelled = event.state == Event.State.CANCELLED
    entry.add("status", "CANCELLED" if cancelled else "CONFIRMED")
    return entry
