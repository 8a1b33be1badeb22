"""Pages to edit a registered event, and a section of it."""

from __future__ import annotations

from functools import partial

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from players.office.access import OfficeRequest, Permission, permitted
from players.office.decision_record import Refused
from players.office.settings_schema import today
from tournaments.events.models import Event, Section
from tournaments.filing.changes.edit import edit_event, edit_section
from tournaments.filing.changes.lock_event import what_stays
from tournaments.forms.change_forms import EventEditForm, SectionEditForm
from tournaments.forms.overtaken_answers import come_back
from tournaments.views.filing_steps import own_event, own_section


@permitted(Permission.EVENTS_EDIT)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def event(request: OfficeRequest, number: str) -> HttpResponse:
    """Page of a registered event's particulars, to be changed."""
    found = own_event(request, number, Permission.EVENTS_EDIT)
    form = EventEditForm(request.POST if request.method == "POST" else None, event=found)
    arbiters = ""
    status = 400 if request.method == "POST" else 200
    if request.method == "POST" and form.is_valid():
        seen = form.cleaned_data["version"]
        try:
            edit_event(event=found, by=request.user, on=today(request.office), version=seen, said=form.said())
        except Refused as refused:
            found = own_event(request, number, Permission.EVENTS_EDIT)
            form = come_back(partial(EventEditForm, event=found), request.POST, found, refused)
            arbiters = form.saved_arbiters(request.POST["version"])
            status = 409
        else:
            return _saved(request, found)
    found.refresh_from_db(fields=["state"])
    told, some = what_stays(found)
    context = {"event": found, "form": form, "in_the_way": told, "closed": not some}
    context["typed"] = form.typed() if form.is_bound and not some else []
    context["saved_arbiters"] = arbiters
    return render(request, "tournaments/edit_event.html", context, status=status)


@permitted(Permission.EVENTS_EDIT)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def section(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    """Page of a registered section's particulars, to be changed."""
    found = own_section(request, number, code, Permission.EVENTS_EDIT)
    form = SectionEditForm(request.POST if request.method == "POST" else None, section=found)
    status = 400 if request.method == "POST" else 200
    if request.method == "POST" and form.is_valid():
        try:
            _edit(request, found, form)
        except Refused as refused:
            found = own_section(request, number, code, Permission.EVENTS_EDIT)
            form = come_back(partial(SectionEditForm, section=found), request.POST, found, refused)
            status = 409
        else:
            return _saved(request, found.event)
    context = {"event": found.event, "section": found, "form": form}
    return render(request, "tournaments/edit_section.html", context, status=status)


def _edit(request: OfficeRequest, section: Section, form: SectionEditForm) -> None:
    edit_section(
        section=section,
        by=request.user,
        on=today(request.office),
        version=form.cleaned_data["version"],
        said=form.changed(),
    )


def _saved(request: OfficeRequest, event: Event) -> HttpResponse:
    messages.success(request, _("Saved."))
    return redirect("tournaments:event", request.office.code, event.number)
