"""Pages on which a region or an official changes a registered event or section: edit, postpone, cancel,
reinstate, withdraw, or move an event to another region.

Each form posts the version that its page showed, so that nothing is changed unseen.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import messages
from django.db.models import QuerySet
from django.forms import BaseFormSet, formset_factory
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.formats import date_format
from django.utils.translation import gettext as _, gettext_lazy, pgettext

from players.access import FORM, DjangoView, OfficeRequest, Permission, page
from players.display import FORMAT_LABELS
from players.models import Region
from players.pages.forms import attempt
from ratings.models import Fact as JournalFact
from tournaments import announcements, registration, sections
from tournaments.announcements import public_changes
from tournaments.models import Event, Section
from tournaments.pages import forms as reasons
from tournaments.pages.details import ArbiterForm, list_named_arbiters
from tournaments.pages.forms import (
    EventFieldsForm,
    SectionForm,
    VersionForm,
    add_day_errors,
    add_reason_error,
    day_field,
    get_move_target_regions,
    public_reason,
    rebuild_form,
    remove_unasked_fields,
)
from tournaments.pages.steps import get_own_event, get_own_section
from tournaments.sections import PlainField

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


# ---- Forms
class CancelForm(VersionForm):
    reason = public_reason()


class WithdrawForm(CancelForm):
    """The form to withdraw a registration; the reason is shown at its old address."""


class PostponeForm(CancelForm):
    starts = day_field(gettext_lazy("New first day"))
    ends = day_field(gettext_lazy("New last day"))
    field_order = ("starts", "ends", "reason", "version")

    def clean(self) -> dict[str, Any]:
        super().clean()
        add_day_errors(self)
        return self.cleaned_data


class MoveRegionForm(CancelForm):
    region = forms.ModelChoiceField(
        Region.objects.none(), label=gettext_lazy("New region"), empty_label=gettext_lazy("choose a region")
    )
    field_order = ("region", "reason", "version")

    def __init__(self, data: Any = None, *, event: Event, regions: QuerySet[Region]) -> None:
        super().__init__(data, initial={"version": event.version})
        field = self.fields["region"]
        assert isinstance(field, forms.ModelChoiceField)
        field.queryset = regions


class QuestionAnswerForm(VersionForm):
    answer = forms.CharField(
        label=gettext_lazy("Your answer"),
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 4}),
        error_messages={"required": gettext_lazy("Write an answer: the office decides by it.")},
    )


class EventEditForm(EventFieldsForm, VersionForm):
    """The form of a registered event's particulars; its federation may ask for some only."""

    reason = reasons.event_change_reason()

    def __init__(self, data: Any = None, *, event: Event) -> None:
        names = ("version", "name", "starts", "ends", "place", "organizer")
        home = event.federation.ruleset.country
        initial = {name: getattr(event, name) for name in names} | {"country": event.country or home}
        super().__init__(data, initial=initial)
        self.event = event
        remove_unasked_fields(self, event.federation)
        asked = event.federation.equipment.office.registration.asks
        self.arbiters: BaseFormSet[ArbiterForm] | None = None
        if "arbiters" in asked:
            rows = formset_factory(ArbiterForm, extra=1, max_num=30)
            self.arbiters = rows(data, prefix="arbiters", initial=list(event.arbiters))

    def clean(self) -> dict[str, Any]:
        super().clean()
        add_reason_error(self, self.event, else_seen=bool(public_changes(self._changed())))
        return self.cleaned_data

    def _changed(self) -> announcements.Changes:
        """The changes of fields that everybody could read."""
        given, home = self.cleaned_data, self.event.federation.ruleset.country
        names: list[str] = [name for name in ("name", "place", "country") if name in given]
        before = announcements.event_fields_in_words(self.event)
        after = {name: given[name] for name in names}
        if "country" in after:
            after["country"] = after["country"] or home
        return announcements.changes({name: before[name] for name in names}, after)

    def is_valid(self) -> bool:
        return all([super().is_valid(), self.arbiters is None or self.arbiters.is_valid()])

    def typed(self) -> list[tuple[str, str]]:
        """Each field's label and its text as typed, to be copied if it cannot be saved."""
        fields = [(str(each.label), str(each.data or "")) for each in self.visible_fields()]
        rows = self.arbiters.forms if self.arbiters is not None else []
        people = [" ".join(filter(None, (each.data for each in row.visible_fields()))) for row in rows]
        return [*fields, (_("Arbiters"), "; ".join(filter(None, people)))]

    def saved_arbiters(self, shown: str) -> str:
        """The arbiters saved by now, if others were typed into a page that showed an older version."""
        if self.arbiters is None or shown == str(self.event.version) or not self.arbiters.has_changed():
            return ""
        return announcements.event_fields_in_words(self.event)["arbiters"] or _("nothing")

    def particulars(self) -> registration.EventParticulars:
        given = self.cleaned_data
        return registration.EventParticulars(
            name=given["name"],
            starts=given["starts"],
            ends=given["ends"],
            place=given.get("place"),
            country=given.get("country"),
            organizer=given.get("organizer"),
            arbiters=list_named_arbiters(self.arbiters) if self.arbiters is not None else None,
            reason=given["reason"],
        )


class SectionEditForm(SectionForm):
    """The form of a registered section's particulars; its code can change only until something is filed."""

    version = forms.IntegerField(widget=forms.HiddenInput)
    code = PlainField(
        label=gettext_lazy("Code"),
        max_length=20,
        help_text=gettext_lazy("It stands in the section's number. Once something was filed it stays."),
    )

    def __init__(self, data: Any = None, *, section: Section) -> None:
        names = ("version", "name", "code", "format", "rounds", "team", "starts", "ends")
        initial = {name: getattr(section, name) for name in names}
        initial |= sections.get_own_initial(
            section.event.federation.ruleset, section.particulars, section.format
        )
        super().__init__(data, initial=initial, ruleset=section.event.federation.ruleset)
        self.section_of_form = section
        self.fields["reason"] = reasons.section_change_reason()
        if not registration.can_change_code(section):
            del self.fields["code"]

    def clean(self) -> dict[str, Any]:
        super().clean()
        add_reason_error(
            self, self.section_of_form, else_seen=not self.errors and bool(public_changes(self._changes()))
        )
        return self.cleaned_data

    def _changes(self) -> announcements.Changes:
        given = copy(self.section_of_form)
        registration.set_section_fields(given, self.particulars())
        return announcements.changes(
            announcements.section_fields_in_words(self.section_of_form),
            announcements.section_fields_in_words(given),
        )

    def particulars(self) -> registration.SectionParticulars:
        given = self.cleaned_data
        return registration.SectionParticulars(
            name=given["name"],
            code=given.get("code", self.section_of_form.code),
            format=given["format"],
            rounds=given["rounds"],
            team=given.get("team"),
            starts=given.get("starts"),
            ends=given.get("ends"),
            particulars=sections.clean_particulars(self.ruleset, self),
            reason=given.get("reason", ""),
        )


# ---- Facts about an event or a section on a page that asks, with those that others changed meanwhile
SHOWN_VALUES_FIELD = "seen"
"""The hidden field in which a page posts the facts that it showed, as JSON."""
LabelledValue = tuple[str, str]


def list_identifying_values(thing: Event | Section) -> list[LabelledValue]:
    """Facts that identify an event or a section, and its stage: labels and values."""
    first, last = (date_format(day, "SHORT_DATE_FORMAT") for day in (thing.starts, thing.ends))
    days = (_("Days"), f"{first} – {last}")
    if isinstance(thing, Section):
        return [
            (_("Section"), thing.name),
            days,
            (_("Format"), str(FORMAT_LABELS.get(thing.format, thing.format))),
            (_("Stage"), thing.get_stage_display()),
        ]
    sections = [f"{each.name} ({each.get_stage_display()})" for each in thing.sections.order_by("code")]
    return [
        (_("Event"), thing.name),
        days,
        (pgettext("where it is played", "Place"), thing.place),
        (_("Region"), str(thing.region)),
        (_("Sections"), ", ".join(sections)),
    ]


def mark_changed_values(current_values: Sequence[LabelledValue], shown_json: str) -> list[LabelledValue]:
    """Facts as they are now, each with what an older page showed if that was different."""
    try:
        before = dict(json.loads(shown_json))
    except (ValueError, TypeError):
        return list(current_values)
    words, nothing = _("%(now)s; before: %(before)s"), _("nothing")
    return [
        (label, value)
        if before.get(label, value) == value
        else (label, words % {"now": value or nothing, "before": before[label] or nothing})
        for label, value in current_values
    ]


# ---- Pages to postpone, cancel, reinstate or withdraw, which ask before they act
@dataclass(frozen=True, slots=True)
class ChangePage:
    """The words, the form and the services of a page that asks before something is changed."""

    permission: Permission
    form: type[VersionForm]
    event_service: Callable[..., Event]
    section_service: Callable[..., Section]
    question: StrOrPromise
    """With `%(name)s` for the event or section, as in `done`."""
    about_event: StrOrPromise
    about_section: StrOrPromise
    button: StrOrPromise
    done: StrOrPromise
    danger: bool = False


POSTPONE = ChangePage(
    Permission.EVENTS_POSTPONE,
    PostponeForm,
    announcements.postpone_event,
    announcements.postpone_section,
    gettext_lazy("Postpone %(name)s?"),
    gettext_lazy(
        "Sections that have its days get the new ones. Others move by as many days; where the event only "
        "gets longer or shorter around their days, they stay. The calendar shows the new days, the old ones "
        "and the reason."
    ),
    gettext_lazy("The section's page shows the new days, the old ones and the reason."),
    gettext_lazy("Postpone"),
    gettext_lazy("%(name)s is postponed."),
)
CANCEL = ChangePage(
    Permission.EVENTS_CANCEL,
    CancelForm,
    announcements.cancel_event,
    announcements.cancel_section,
    gettext_lazy("Cancel %(name)s?"),
    gettext_lazy("It stays in the calendar as cancelled, with the reason. You can take it up again."),
    gettext_lazy("It stays on the event's page as cancelled, with the reason. You can take it up again."),
    gettext_lazy("Cancel it"),
    gettext_lazy("%(name)s is cancelled."),
    danger=True,
)
REINSTATE = ChangePage(
    Permission.EVENTS_REINSTATE,
    VersionForm,
    announcements.reinstate_event,
    announcements.reinstate_section,
    gettext_lazy("Take up %(name)s again?"),
    gettext_lazy(
        "It stands in the calendar as before, with the sections that were cancelled together with it."
    ),
    gettext_lazy("It stands on the event's page as before."),
    gettext_lazy("Take it up again"),
    gettext_lazy("%(name)s is taken up again."),
)
WITHDRAW = ChangePage(
    Permission.EVENTS_WITHDRAW,
    WithdrawForm,
    registration.withdraw_event,
    registration.withdraw_section,
    gettext_lazy("Withdraw %(name)s?"),
    gettext_lazy(
        "For what was registered by mistake, or twice. It leaves the calendar, and its address says that it "
        "was withdrawn. The office keeps it. This cannot be undone; if it is not played, cancel it instead."
    ),
    gettext_lazy(
        "For a section that was registered by mistake. It leaves the event's page, and its address says that "
        "it was withdrawn. The office keeps it. This cannot be undone; if it is not played, cancel it "
        "instead."
    ),
    gettext_lazy("Withdraw it"),
    gettext_lazy("%(name)s is withdrawn."),
    danger=True,
)


def _ask(
    request: OfficeRequest, page: ChangePage, thing: Event | Section, event: Event, change: Callable[..., Any]
) -> HttpResponse:
    """Show the page that asks, or make the change and redirect to the event with a message."""
    form = _form(page, thing, request.POST or None)
    params, seen = {"name": str(thing)}, ""

    def answers(typed: dict[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in typed.items() if name != SHOWN_VALUES_FIELD}

    changed = attempt(request, form, change, page.done % params, answers=answers)
    if changed.done:
        return redirect("tournaments:event", request.office.code, event.number)
    if changed.refused:
        thing.refresh_from_db()
        sent, seen = request.POST.copy(), request.POST.get(SHOWN_VALUES_FIELD, "")
        sent[SHOWN_VALUES_FIELD] = json.dumps(list_identifying_values(thing))
        form = rebuild_form(partial(_form, page, thing), sent, thing, changed.refused)
    context = {
        "event": event,
        "question": page.question % params,
        "words": page.about_event if isinstance(thing, Event) else page.about_section,
        "button": page.button,
        "danger": page.danger,
        "reason_form": form,
        "facts": mark_changed_values(list_identifying_values(thing), seen),
    }
    return render(request, "tournaments/change.html", context, status=changed.status)


def _form(page: ChangePage, thing: Event | Section, data: Any) -> VersionForm:
    days = {"starts": thing.starts, "ends": thing.ends}
    form = page.form(data, initial={"version": thing.version} | days)
    form.fields[SHOWN_VALUES_FIELD] = forms.CharField(
        required=False, widget=forms.HiddenInput, initial=json.dumps(list_identifying_values(thing))
    )
    return form


def _make_views(change: ChangePage) -> tuple[DjangoView, DjangoView]:
    """The views of one change: of an event, and of a section."""

    @page(change.permission, methods=FORM)
    def change_event(request: OfficeRequest, number: str) -> HttpResponse:
        found = get_own_event(request, number)
        return _ask(request, change, found, found, partial(change.event_service, event=found))

    @page(change.permission, methods=FORM)
    def change_section(request: OfficeRequest, number: str, code: str) -> HttpResponse:
        found = get_own_section(request, number, code)
        return _ask(request, change, found, found.event, partial(change.section_service, section=found))

    return change_event, change_section


postponing_event, postponing_section = _make_views(POSTPONE)
cancelling_event, cancelling_section = _make_views(CANCEL)
reinstating_event, reinstating_section = _make_views(REINSTATE)
withdrawing_event, withdrawing_section = _make_views(WITHDRAW)


# ---- Pages to edit a registered event or section
@page(Permission.EVENTS_EDIT, methods=FORM)
def event(request: OfficeRequest, number: str) -> HttpResponse:
    """Edit a registered event."""
    found = get_own_event(request, number)
    form = EventEditForm(request.POST if request.method == "POST" else None, event=found)
    arbiters = ""

    def answers(typed: dict[str, Any]) -> dict[str, Any]:
        return {"version": typed["version"], "said": form.particulars()}

    edited = attempt(request, form, registration.edit_event, _("Saved."), event=found, answers=answers)
    if edited.done:
        return redirect("tournaments:event", request.office.code, number)
    if edited.refused:
        found = get_own_event(request, number)
        form = rebuild_form(partial(EventEditForm, event=found), request.POST, found, edited.refused)
        arbiters = form.saved_arbiters(request.POST["version"])
    found.refresh_from_db(fields=["state"])
    obstacles, editable = announcements.describe_change_limits(found)
    context = {
        "event": found,
        "form": form,
        "in_the_way": obstacles,
        "closed": not editable,
        "typed": form.typed() if form.is_bound and not editable else [],
        "saved_arbiters": arbiters,
    }
    return render(request, "tournaments/edit_event.html", context, status=edited.status)


@page(Permission.EVENTS_EDIT, methods=FORM)
def section(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    """Edit a registered section."""
    found = get_own_section(request, number, code)
    form = SectionEditForm(request.POST if request.method == "POST" else None, section=found)

    def answers(typed: dict[str, Any]) -> dict[str, Any]:
        return {"version": typed["version"], "said": form.particulars()}

    edited = attempt(request, form, registration.edit_section, _("Saved."), section=found, answers=answers)
    if edited.done:
        return redirect("tournaments:event", request.office.code, number)
    if edited.refused:
        found = get_own_section(request, number, code)
        form = rebuild_form(partial(SectionEditForm, section=found), request.POST, found, edited.refused)
    context = {"event": found.event, "section": found, "form": form}
    return render(request, "tournaments/edit_section.html", context, status=edited.status)


@page(Permission.EVENTS_EDIT, methods=FORM)
def moving(request: OfficeRequest, number: str) -> HttpResponse:
    """Move an event to another region; 404 for a person who acts in no other."""
    found = get_own_event(request, number)
    regions = get_move_target_regions(request.rights, found)
    if not regions:
        raise Http404
    form = MoveRegionForm(request.POST or None, event=found, regions=regions)
    in_journal = JournalFact.objects.filter(federation=request.office, kind="player").values("subject")
    terms: dict[str, Any] = {"rights": request.rights, "event": found, "in_journal": in_journal}
    moved = attempt(request, form, announcements.move_to_region, **terms)
    if moved.done:
        words = _("%(event)s now belongs to %(region)s.")
        messages.success(request, words % {"event": found, "region": form.cleaned_data["region"]})
        return redirect("tournaments:event", request.office.code, found.number)
    if moved.refused:
        found = get_own_event(request, number)
        make = partial(MoveRegionForm, event=found, regions=regions)
        form = rebuild_form(make, request.POST, found, moved.refused)
    context = {
        "event": found,
        "question": _("Move %(name)s to another region?") % {"name": found},
        "words": _(
            "For an event of the wrong region. From then on the other region alone files it; administrators "
            "of both get a letter, and the event's page says why."
        ),
        "button": _("Move it"),
        "reason_form": form,
        "facts": [(_("Region"), str(found.region))],
    }
    return render(request, "tournaments/change.html", context, status=moved.status)
