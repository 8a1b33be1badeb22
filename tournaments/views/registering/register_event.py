"""Pages to register an event, and an event's own filing page."""

from __future__ import annotations

from datetime import date
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from players.drawing.particulars_in_words import FORMATS
from players.office.access import OfficeRequest, Permission, permitted
from players.office.decision_record import Refused
from players.office.settings_schema import today
from players.pages.sent_once import OnceForm, mark_of
from tournaments.events.finding_words import filing_url
from tournaments.events.lock_section import refuse_flood
from tournaments.events.models import Event, Section, Stage
from tournaments.events.section_days import due_of, upload_words
from tournaments.filing.before_play.first_decision import question_to_region
from tournaments.filing.before_play.missed_days import missed_before_play
from tournaments.filing.changes.lock_event import in_the_way
from tournaments.filing.changes.notices import notices_of
from tournaments.filing.changes.state_notices import closing_notice
from tournaments.filing.register_event import NewSection, RegisteredBefore, add_sections, register_event
from tournaments.forms.change_forms import other_regions
from tournaments.forms.event_forms import ArchiveForm, BaseSections, EventForm, sections_formset
from tournaments.forms.prefilled import event_like, one_row_more, row_like, typed_in
from tournaments.forms.registration_steps import in_steps
from tournaments.views.filing_steps import is_read, next_step, own_event
from tournaments.views.registering.register_in_steps import register_in_steps
from tournaments.views.registering.registered import to_registered

MORE = "more"
"""The button that asks for one more row, for browsers without script."""


@permitted(Permission.EVENTS_REGISTER)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def register(request: OfficeRequest) -> HttpResponse:
    """Page that registers an event; `?like=` an event's number fills it in as that one, a year later.

    A federation that asks much has it in steps.
    """
    if in_steps(request.office):
        return register_in_steps(request)
    if request.method != "POST":
        said, rows = _like(request)
        form = EventForm(rights=request.rights, initial=said)
        return _show_form(request, form, sections_formset(request.office, like=rows))
    form = EventForm(request.POST, rights=request.rights)
    sections = sections_formset(request.office, request.POST)
    if MORE in request.POST:
        rows = one_row_more(sections)
        form = EventForm(rights=request.rights, initial=typed_in(form))
        return _show_form(request, form, sections_formset(request.office, like=rows))
    days = ("starts", "ends")
    valid = all([form.is_valid(), sections.is_valid()])
    if not valid or not sections.check_within(*(form.cleaned_data[day] for day in days)):
        return _show_form(request, form, sections, status=400)
    try:
        event = _register(request, form, sections)
    except RegisteredBefore as before:
        form.told_before = before.event
        form.add_error("another", _("If this is another event, say so by the tick; else go to that one."))
        form.add_error(None, str(before))
    except Refused as refused:
        form.add_error(None, str(refused))
    else:
        return to_registered(request, event)
    return _show_form(request, form, sections, status=409)


def _like(request: OfficeRequest) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The first content of the form: nothing, or the event that the address names; 404 for another's."""
    if not (number := request.GET.get("like", "")):
        return {}, []
    earlier = own_event(request, number[:20], Permission.EVENTS_REGISTER)
    return event_like(earlier, today(request.office))


def _show_form(
    request: OfficeRequest, form: EventForm, sections: BaseSections, status: int = 200
) -> HttpResponse:
    context = {"form": form, "sections": sections}
    return render(request, "tournaments/register.html", context, status=status)


def _register(request: OfficeRequest, form: EventForm, sections: BaseSections) -> Event:
    refuse_flood(request.user, timezone.now(), "register")
    return register_event(
        rights=request.rights,
        by=request.user,
        on=today(request.office),
        sections=sections.sections(),
        mark=mark_of(request),
        **form.said(),
    )


@permitted(Permission.SECTIONS_FILE)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def event(request: OfficeRequest, number: str) -> HttpResponse:
    """The filing page of an event: its sections with what each needs next, and a form to add further ones."""
    found = own_event(request, number, Permission.SECTIONS_FILE)
    related = found.sections.select_related("event__federation", "event__region")
    sections = list(related.prefetch_related("permission_requests"))
    formset, status = sections_formset(request.office, like=_row_like_last(sections)), 200
    if request.method == "POST":
        formset, status = sections_formset(request.office, request.POST), 400
        if MORE in request.POST:
            formset, status = sections_formset(request.office, like=one_row_more(formset)), 200
        elif formset.is_valid() and formset.check_within(found.starts, found.ends):
            if _add(request, found, formset.sections()):
                return redirect("tournaments:event", request.office.code, found.number)
            status = 409
    context = {
        "event": found,
        "rows": [_row(section, today(request.office)) for section in sections],
        "sections": formset,
        "adding": request.method == "POST" or not sections,
        "once": OnceForm(request.POST or None)["once"],
        "form": ArchiveForm(),
        "archives": found.archives.defer("content"),
        "not_before": found.starts if today(request.office) < found.starts else None,
        "planned": found.state == Event.State.PLANNED,
        "notices": notices_of(found),
        "closing": closing_notice(found),
        "movable": other_regions(request.rights, found).exists(),
        "in_the_way": in_the_way(sections),
        "rated": any(section.stage == Stage.RATED for section in sections),
    }
    return render(request, "tournaments/event.html", context, status=status)


def _row_like_last(sections: list[Section]) -> list[dict[str, Any]]:
    """The form's first row: like the section registered last."""
    standing = [section for section in sections if section.stage != Stage.WITHDRAWN]
    return [row_like(max(standing, key=lambda section: section.pk))] if standing else []


def _add(request: OfficeRequest, event: Event, sections: list[NewSection]) -> bool:
    """Add sections to an event; return whether that was not refused."""
    on, mark = today(request.office), mark_of(request)
    try:
        refuse_flood(request.user, timezone.now(), "register")
        add_sections(event=event, by=request.user, on=on, sections=sections, mark=mark)
    except Refused as refused:
        messages.error(request, str(refused))
        return False
    return True


def _row(section: Section, day: date) -> dict[str, object]:
    """A row of the event's page for one section, with a link to the next step there and its next deadline."""
    label, url = _("See it"), filing_url("submit", section)
    if question_to_region(section):
        label, url = _("Answer the office’s question"), filing_url("answer_before_play", section)
    elif section.open_to_filing and is_read(section):
        label, url = _("Go on"), next_step(section, "file")
    elif section.open_to_filing:
        label, url = upload_words(section, day), filing_url("file", section)
    return {
        "section": section,
        "format": FORMATS[section.format],
        "label": label,
        "url": url,
        "due": due_of(section, day),
        "missed": missed_before_play(section, day),
        "deadlines": filing_url("deadlines", section),
    }
