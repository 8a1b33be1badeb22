"""Pages to register an event with its sections, and the event's own filing page."""

from __future__ import annotations

from datetime import date
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from players.access import FORM, OfficeRequest, Permission, page
from players.display import FORMAT_LABELS, day_in_words
from players.models import User
from players.pages.forms import MESSAGE, OnceForm, attempt, posted_form_digest
from players.record import Refused, refuse_flood
from players.settings import today
from tournaments.announcements import describe_blockers, find_closing_notice, get_notices
from tournaments.before_play import get_open_region_question, group_missed_days, needs_decision_before_play
from tournaments.findings import filing_url
from tournaments.models import Event, Section, Stage
from tournaments.pages.forms import (
    ArchiveForm,
    BaseSections,
    EventForm,
    build_sections_formset,
    get_move_target_regions,
)
from tournaments.pages.steps import get_own_event, redirect_to_step
from tournaments.registration import (
    REGISTRATIONS_FLOOD,
    AlreadyRegistered,
    SectionParticulars,
    add_sections,
    build_event_copy_values,
    build_section_copy_row,
    register_event,
)
from tournaments.sections import find_region_deadline, tell_organizer, upload_link_text
from tournaments.steps import is_file_read, next_step_url


# ---- Values of the form as typed, to be shown again
def typed_values(form: forms.BaseForm) -> dict[str, Any]:
    """All that was typed into a form, valid or not, to be shown again without errors."""
    return {
        name: field.widget.value_from_datadict(form.data, form.files, form.add_prefix(name))
        for name, field in form.fields.items()
        if name != "once"
    }


def add_row_like_last(formset: BaseSections) -> list[dict[str, Any]]:
    """The rows as typed, and another that is like the last except for its name."""
    rows = [typed_values(form) for form in formset.forms]
    return [*rows, {**rows[-1], "name": ""}] if rows else []


# ---- After the registration of an event
def redirect_after_registration(request: OfficeRequest, event: Event) -> HttpResponse:
    """Redirect to the file of the only section if play has begun, else to the event, with a message."""
    words = _("Registered: %(event)s has the number %(number)s.")
    sentences = [words % {"event": event.name, "number": event.number}]
    sections, day = list(event.sections.all()), today(request.office)
    begun = [section for section in sections if section.starts <= day]
    if not begun:
        sentences += _next_sentences(event)
    messages.success(request, " ".join(sentences))
    if len(sections) == 1 and begun:
        return redirect_to_step(sections[0], "file")
    return redirect("tournaments:event", request.office.code, event.number)


def _next_sentences(event: Event) -> list[str]:
    """Sentences on what follows the registration of an event that has not begun."""
    file = _("The next step is the file of each section: it can be uploaded from %(day)s on.")
    sentences = [file % {"day": day_in_words(min(section.starts for section in event.sections.all()))}]
    if needs_decision_before_play(event.federation):
        sentences.insert(0, _("An official decides on it before play, and you read the answer on your desk."))
    return sentences


def _register_posted(request: OfficeRequest, sections: BaseSections, data: dict[str, Any]) -> Event:
    """Register the event that valid forms tell of, once. Raises `Refused` as `register_event` does."""
    refuse_flood(request.user, timezone.now(), "register", str(REGISTRATIONS_FLOOD))
    return register_event(
        rights=request.rights,
        by=request.user,
        on=today(request.office),
        sections=sections.sections(),
        mark=posted_form_digest(request),
        **data,
    )


# ---- The page that registers an event, and an event's filing page
MORE = "more"
"""The button that adds a row, for browsers without script."""


@page(Permission.EVENTS_REGISTER, methods=FORM)
def register(request: OfficeRequest) -> HttpResponse:
    """Register an event; `?like=` with an event's number copies that, a year later."""
    if request.method != "POST":
        values, rows = _initial_values(request)
        form = EventForm(rights=request.rights, initial=values)
        return _show_form(request, form, build_sections_formset(request.office, initial_rows=rows))
    form = EventForm(request.POST, rights=request.rights)
    sections = build_sections_formset(request.office, request.POST)
    if MORE in request.POST:
        rows = add_row_like_last(sections)
        form = EventForm(rights=request.rights, initial=typed_values(form))
        return _show_form(request, form, build_sections_formset(request.office, initial_rows=rows))
    days = ("starts", "ends")
    valid = all([form.is_valid(), sections.is_valid()])
    if not valid or not sections.check_within(*(form.cleaned_data[day] for day in days)):
        return _show_form(request, form, sections, status=400)
    try:
        event = _register_posted(request, sections, form.event_data())
    except AlreadyRegistered as before:
        form.told_before = before.event
        form.add_error("another", _("If this is another event, say so by the tick; else go to that one."))
        form.add_error(None, str(before))
    except Refused as refused:
        form.add_error(None, str(refused))
    else:
        return redirect_after_registration(request, event)
    return _show_form(request, form, sections, status=409)


def _initial_values(request: OfficeRequest) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The initial values of the form: none, or a copy of the event in the address; 404 for another's."""
    if not (number := request.GET.get("like", "")):
        return {}, []
    earlier = get_own_event(request, number[:20])
    return build_event_copy_values(earlier, today(request.office))


def _show_form(
    request: OfficeRequest, form: EventForm, sections: BaseSections, status: int = 200
) -> HttpResponse:
    context = {"form": form, "sections": sections}
    return render(request, "tournaments/register.html", context, status=status)


@page(Permission.SECTIONS_FILE, methods=FORM)
def event(request: OfficeRequest, number: str) -> HttpResponse:
    """The filing page of an event: its sections with what each needs next, and a form to add others."""
    found = get_own_event(request, number)
    related = found.sections.select_related("event__federation", "event__region")
    sections = list(related.prefetch_related("permission_requests"))
    formset, status = build_sections_formset(request.office, initial_rows=_copy_last_section(sections)), 200
    if request.method == "POST":
        formset, status = build_sections_formset(request.office, request.POST), 400
        if MORE in request.POST:
            formset, status = (
                build_sections_formset(request.office, initial_rows=add_row_like_last(formset)),
                200,
            )
        elif formset.is_valid() and formset.check_within(found.starts, found.ends):
            if _add(request, found, formset.sections()):
                return redirect("tournaments:event", request.office.code, found.number)
            status = 409
    context = {
        "event": found,
        "rows": [_row(section, today(request.office)) for section in sections],
        "missed": group_missed_days(sections, today(request.office)),
        "sections": formset,
        "adding": request.method == "POST" or not sections,
        "once": OnceForm(request.POST or None)["once"],
        "form": ArchiveForm(),
        "archives": found.archives.defer("content"),
        "not_before": found.starts if today(request.office) < found.starts else None,
        "planned": found.state == Event.State.PLANNED,
        "notices": get_notices(found),
        "closing": find_closing_notice(found),
        "movable": get_move_target_regions(request.rights, found).exists(),
        "in_the_way": describe_blockers(sections),
        "rated": any(section.stage == Stage.RATED for section in sections),
    }
    return render(request, "tournaments/event.html", context, status=status)


def _copy_last_section(sections: list[Section]) -> list[dict[str, Any]]:
    """The form's first row: a copy of the section registered last."""
    remaining = [section for section in sections if section.stage != Stage.WITHDRAWN]
    return [build_section_copy_row(max(remaining, key=lambda section: section.pk))] if remaining else []


def _add(request: OfficeRequest, event: Event, sections: list[SectionParticulars]) -> bool:
    """Add sections to an event; return whether that was accepted."""

    def add(*, by: User, on: date) -> None:
        refuse_flood(by, timezone.now(), "register", str(REGISTRATIONS_FLOOD))
        add_sections(event=event, by=by, on=on, sections=sections, mark=posted_form_digest(request))

    return attempt(request, None, add, refusal_to=MESSAGE).done


def _row(section: Section, day: date) -> dict[str, object]:
    """A row of the event's page for one section, with links to its next step and its next deadline."""
    label, url = _("See it"), filing_url("submit", section)
    if get_open_region_question(section):
        label, url = _("Answer the office’s question"), filing_url("answer_before_play", section)
    elif section.open_to_filing and is_file_read(section):
        label, url = _("Go on"), next_step_url(section, "file")
    elif section.open_to_filing:
        label, url = upload_link_text(section, day), filing_url("file", section)
    return {
        "section": section,
        "format": FORMAT_LABELS[section.format],
        "label": label,
        "url": url,
        "due": find_region_deadline(section, day),
        "told": tell_organizer(section) if section.stage == Stage.REGISTERED else [],
        "deadlines": filing_url("deadlines", section),
    }
