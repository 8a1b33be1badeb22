"""Pages to register an event, and an event's own filing page."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from players.office.access import OfficeRequest, Permission, permitted
from players.office.office_settings import today
from players.office.record import Refused
from tournaments.events.finding_words import FORMATS, filing_url
from tournaments.events.models import Event, Section
from tournaments.filing.services import add_sections, register_event
from tournaments.forms.event_forms import ArchiveForm, EventForm, sections_formset
from tournaments.views.filing_steps import is_read, next_step, own_event, to_step


@permitted(Permission.EVENTS_REGISTER)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def register(request: OfficeRequest) -> HttpResponse:
    form = EventForm(request.POST or None, rights=request.rights)
    sections = sections_formset(request.office, request.POST or None)
    status = 200
    if request.method == "POST":
        status = 400
        if all([form.is_valid(), sections.is_valid()]):
            try:
                event = register_event(
                    rights=request.rights,
                    by=request.user,
                    on=today(request.office),
                    sections=sections.sections(),
                    **form.cleaned_data,
                )
            except Refused as refused:
                form.add_error(None, str(refused))
                status = 409
            else:
                return _registered(request, event)
    context = {"form": form, "sections": sections}
    return render(request, "tournaments/register.html", context, status=status)


def _registered(request: OfficeRequest, event: Event) -> HttpResponse:
    words = _("Registered: %(event)s has the number %(number)s.")
    messages.success(request, words % {"event": event.name, "number": event.number})
    sections = list(event.sections.all())
    if len(sections) == 1:
        return to_step(sections[0], "file")
    return redirect("tournaments:event", request.office.code, event.number)


@permitted(Permission.SECTIONS_FILE)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def event(request: OfficeRequest, number: str) -> HttpResponse:
    """The filing page of an event: its sections with what each needs next, and a form to add further ones."""
    found = own_event(request, number, Permission.SECTIONS_FILE)
    formset = sections_formset(request.office, request.POST or None)
    if request.method == "POST" and formset.is_valid():
        add_sections(event=found, by=request.user, on=today(request.office), sections=formset.sections())
        return redirect("tournaments:event", request.office.code, found.number)
    rows = [_row(section) for section in found.sections.select_related("event__federation")]
    context = {
        "event": found,
        "rows": rows,
        "sections": formset,
        "form": ArchiveForm(),
        "archives": found.archives.defer("content"),
    }
    status = 400 if request.method == "POST" else 200
    return render(request, "tournaments/event.html", context, status=status)


def _row(section: Section) -> dict[str, object]:
    """A row of the event's page for one section, with a link to the next step there."""
    label, url = _("See it"), filing_url("submit", section)
    if section.open_to_filing and is_read(section):
        label, url = _("Go on"), next_step(section, "file")
    elif section.open_to_filing:
        label, url = _("Upload the file"), filing_url("file", section)
    return {"section": section, "format": FORMATS[section.format], "label": label, "url": url}
