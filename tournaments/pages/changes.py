"""Pages on which a region or an official changes what was registered: an event, or a section of it.

It can be edited, postponed, cancelled, taken up again or withdrawn, and an event can move to another region.
Each form brings the version that its page showed, so that nothing is changed unseen.
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
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext, pgettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from players.access import OfficeRequest, Permission, permitted
from players.display import FORMATS
from players.models import Region
from players.record import Refused
from players.settings import today
from ratings.models import Fact as JournalFact
from tournaments import announcements, sections
from tournaments.announcements import seen
from tournaments.models import Event, Section
from tournaments.pages import forms as reasons
from tournaments.pages.details import ArbiterForm, filled_arbiters
from tournaments.pages.forms import (
    SectionForm,
    VersionForm,
    ask_why,
    check_days,
    come_back,
    day_field,
    leave_out,
    other_regions,
    public_reason,
)
from tournaments.pages.steps import own_event, own_section
from tournaments.registration import (
    EventParticulars,
    SectionParticulars,
    can_change_code,
    edit_event,
    edit_section,
    withdraw_event,
    withdraw_section,
    write_section,
)
from tournaments.sections import NameInPublic, PlainField

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


# ---- Forms that change what was registered.
class CancelForm(VersionForm):
    reason = public_reason()


class WithdrawForm(CancelForm):
    """The form to withdraw a registration; its reason stands at its old address."""


class PostponeForm(CancelForm):
    starts = day_field(gettext_lazy("New first day"))
    ends = day_field(gettext_lazy("New last day"))
    field_order = ("starts", "ends", "reason", "version")

    def clean(self) -> dict[str, Any]:
        super().clean()
        check_days(self)
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


class EventEditForm(VersionForm):
    """The form of a registered event's particulars, as far as its federation asks for them."""

    name = NameInPublic(label=gettext_lazy("Name of the event"), max_length=100, min_length=3)
    starts = day_field(gettext_lazy("First day"))
    ends = day_field(gettext_lazy("Last day"))
    place = NameInPublic(label=pgettext_lazy("where it is played", "Place"), max_length=100, required=False)
    country = forms.RegexField(
        r"^[A-Za-z]{3}$",
        label=gettext_lazy("Country"),
        max_length=3,
        required=False,
        help_text=gettext_lazy("Three letters."),
    )
    organizer = PlainField(
        label=gettext_lazy("Chief organiser"),
        max_length=200,
        required=False,
        help_text=gettext_lazy(
            "Everybody can read this once the event is rated, except e-mail addresses and telephone numbers."
        ),
    )
    reason = reasons.of_event()

    def __init__(self, data: Any = None, *, event: Event) -> None:
        names = ("version", "name", "starts", "ends", "place", "organizer")
        home = event.federation.ruleset.country
        initial = {name: getattr(event, name) for name in names} | {"country": event.country or home}
        super().__init__(data, initial=initial)
        self.event = event
        leave_out(self, event.federation)
        asked = event.federation.equipment.office.registration.asks
        self.arbiters: BaseFormSet[ArbiterForm] | None = None
        if "arbiters" in asked:
            rows = formset_factory(ArbiterForm, extra=1, max_num=30)
            self.arbiters = rows(data, prefix="arbiters", initial=list(event.arbiters))

    def clean(self) -> dict[str, Any]:
        super().clean()
        check_days(self)
        ask_why(self, self.event, else_seen=bool(seen(self._changed())))
        return self.cleaned_data

    def _changed(self) -> announcements.Changes:
        """The fields that everybody could read and the form gives otherwise."""
        given, home = self.cleaned_data, self.event.federation.ruleset.country
        names: list[str] = [name for name in ("name", "place", "country") if name in given]
        before = announcements.told_of_event(self.event)
        after = {name: given[name] for name in names}
        if "country" in after:
            after["country"] = after["country"].upper() or home
        return announcements.changes({name: before[name] for name in names}, after)

    def is_valid(self) -> bool:
        return all([super().is_valid(), self.arbiters is None or self.arbiters.is_valid()])

    def typed(self) -> list[tuple[str, str]]:
        """Each field's label and its text as typed, to be copied where it cannot be saved."""
        fields = [(str(each.label), str(each.data or "")) for each in self.visible_fields()]
        rows = self.arbiters.forms if self.arbiters is not None else []
        people = [" ".join(filter(None, (each.data for each in row.visible_fields()))) for row in rows]
        return [*fields, (_("Arbiters"), "; ".join(filter(None, people)))]

    def saved_arbiters(self, shown: str) -> str:
        """The arbiters saved by now, where others were typed into a page that showed an older version."""
        if self.arbiters is None or shown == str(self.event.version) or not self.arbiters.has_changed():
            return ""
        return announcements.told_of_event(self.event)["arbiters"] or _("nothing")

    def said(self) -> EventParticulars:
        given = self.cleaned_data
        country = given.get("country")
        return EventParticulars(
            name=given["name"],
            starts=given["starts"],
            ends=given["ends"],
            place=given.get("place"),
            country=country.upper() if country is not None else None,
            organizer=given.get("organizer"),
            arbiters=filled_arbiters(self.arbiters) if self.arbiters is not None else None,
            reason=given["reason"],
        )


class SectionEditForm(SectionForm):
    """The form of a registered section's particulars; its code only where nothing names it by that yet."""

    version = forms.IntegerField(widget=forms.HiddenInput)
    code = PlainField(
        label=gettext_lazy("Code"),
        max_length=20,
        help_text=gettext_lazy("It stands in the section's number. Once something was filed it stays."),
    )

    def __init__(self, data: Any = None, *, section: Section) -> None:
        names = ("version", "name", "code", "format", "rounds", "team", "starts", "ends")
        initial = {name: getattr(section, name) for name in names}
        initial |= sections.initial_of(section.particulars)
        super().__init__(data, initial=initial, ruleset=section.event.federation.ruleset)
        self.section_of_form = section
        self.fields["reason"] = reasons.of_section()
        if not can_change_code(section):
            del self.fields["code"]

    def clean(self) -> dict[str, Any]:
        super().clean()
        ask_why(self, self.section_of_form, else_seen=not self.errors and bool(seen(self._changes())))
        return self.cleaned_data

    def _changes(self) -> announcements.Changes:
        """The fields that the form gives otherwise than the section has them."""
        given = copy(self.section_of_form)
        write_section(given, self.changed())
        return announcements.changes(
            announcements.told_of_section(self.section_of_form), announcements.told_of_section(given)
        )

    def changed(self) -> SectionParticulars:
        given = self.cleaned_data
        return SectionParticulars(
            name=given["name"],
            code=given.get("code", self.section_of_form.code),
            format=given["format"],
            rounds=given["rounds"],
            team=given.get("team"),
            starts=given.get("starts"),
            ends=given.get("ends"),
            particulars=sections.particulars_of(self.ruleset, self),
            reason=given.get("reason", ""),
        )


# ---- Facts about an event or a section beside a question, with those that others changed meanwhile.
SEEN = "seen"
"""The hidden field in which a page brings back what it told."""
Fact = tuple[str, str]


def facts_of(thing: Event | Section) -> list[Fact]:
    """Tell an event or a section from others, and how far it has come."""
    first, last = (date_format(day, "SHORT_DATE_FORMAT") for day in (thing.starts, thing.ends))
    days = (_("Days"), f"{first} – {last}")
    if isinstance(thing, Section):
        return [
            (_("Section"), thing.name),
            days,
            (_("Format"), str(FORMATS.get(thing.format, thing.format))),
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


def as_seen(facts: Sequence[Fact]) -> str:
    return json.dumps(facts)


def beside_seen(facts: Sequence[Fact], seen: str) -> list[Fact]:
    """Facts as they are now, each with what an older page told where that was another."""
    try:
        told = dict(json.loads(seen))
    except (ValueError, TypeError):
        return list(facts)
    return [(label, _beside(value, told.get(label, value))) for label, value in facts]


def _beside(value: str, before: object) -> str:
    if value == before:
        return value
    return _("%(now)s; before: %(before)s") % {"now": value or _("nothing"), "before": before or _("nothing")}


# ---- Pages to postpone, cancel, take up again or withdraw: each asks before it acts.
@dataclass(frozen=True, slots=True)
class ChangePage:
    """The words, the form and the services of a page that asks before something is changed."""

    permission: Permission
    form: type[VersionForm]
    of_event: Callable[..., Event]
    of_section: Callable[..., Section]
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
    withdraw_event,
    withdraw_section,
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


def _change_section(request: OfficeRequest, number: str, code: str, page: ChangePage) -> HttpResponse:
    found = own_section(request, number, code, page.permission)
    return _ask(request, page, found, found.event, lambda **said: page.of_section(section=found, **said))


def _ask(
    request: OfficeRequest, page: ChangePage, thing: Event | Section, event: Event, change: Callable[..., Any]
) -> HttpResponse:
    """Show the page that asks, or do what it asks about and go back to the event with a message."""
    form = _form(page, thing, request.POST or None)
    status, named, seen = 200, {"name": str(thing)}, ""
    if request.method == "POST":
        status = 400
        if form.is_valid():
            try:
                told = {name: value for name, value in form.cleaned_data.items() if name != SEEN}
                change(by=request.user, on=today(request.office), **told)
            except Refused as refused:
                thing.refresh_from_db()
                sent, seen = request.POST.copy(), request.POST.get(SEEN, "")
                sent[SEEN] = as_seen(facts_of(thing))
                form = come_back(partial(_form, page, thing), sent, thing, refused)
                status = 409
            else:
                messages.success(request, page.done % named)
                return redirect("tournaments:event", request.office.code, event.number)
    context = {
        "event": event,
        "question": page.question % named,
        "words": page.about_event if isinstance(thing, Event) else page.about_section,
        "button": page.button,
        "danger": page.danger,
        "reason_form": form,
        "facts": beside_seen(facts_of(thing), seen),
    }
    return render(request, "tournaments/change.html", context, status=status)


def _form(page: ChangePage, thing: Event | Section, data: Any) -> VersionForm:
    days = {"starts": thing.starts, "ends": thing.ends}
    form = page.form(data, initial={"version": thing.version} | days)
    form.fields[SEEN] = forms.CharField(
        required=False, widget=forms.HiddenInput, initial=as_seen(facts_of(thing))
    )
    return form


def _pages(page: ChangePage) -> tuple[Callable[..., HttpResponse], Callable[..., HttpResponse]]:
    """The views of one change: of an event, and of a section."""

    def of_event(request: OfficeRequest, number: str) -> HttpResponse:
        found = own_event(request, number, page.permission)
        return _ask(request, page, found, found, lambda **said: page.of_event(event=found, **said))

    def of_section(request: OfficeRequest, number: str, code: str) -> HttpResponse:
        return _change_section(request, number, code, page)

    guard = permitted(page.permission)
    methods = require_http_methods(["GET", "HEAD", "POST"])
    return guard(never_cache(methods(of_event))), guard(never_cache(methods(of_section)))  # type: ignore[return-value]


postponing_event, postponing_section = _pages(POSTPONE)
cancelling_event, cancelling_section = _pages(CANCEL)
reinstating_event, reinstating_section = _pages(REINSTATE)
withdrawing_event, withdrawing_section = _pages(WITHDRAW)


# ---- Pages to edit a registered event, and a section of it.
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
    told, some = announcements.what_stays(found)
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
            edit_section(
                section=found,
                by=request.user,
                on=today(request.office),
                version=form.cleaned_data["version"],
                said=form.changed(),
            )
        except Refused as refused:
            found = own_section(request, number, code, Permission.EVENTS_EDIT)
            form = come_back(partial(SectionEditForm, section=found), request.POST, found, refused)
            status = 409
        else:
            return _saved(request, found.event)
    context = {"event": found.event, "section": found, "form": form}
    return render(request, "tournaments/edit_section.html", context, status=status)


def _saved(request: OfficeRequest, event: Event) -> HttpResponse:
    messages.success(request, _("Saved."))
    return redirect("tournaments:event", request.office.code, event.number)


@permitted(Permission.EVENTS_EDIT)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def moving(request: OfficeRequest, number: str) -> HttpResponse:
    """Page that asks to which region an event moves; 404 for whoever acts in no other, or where there is
    none.
    """
    found = own_event(request, number, Permission.EVENTS_EDIT)
    regions = other_regions(request.rights, found)
    if not regions:
        raise Http404
    form = MoveRegionForm(request.POST or None, event=found, regions=regions)
    status = 400 if request.method == "POST" else 200
    if request.method == "POST" and form.is_valid():
        try:
            _move(request, found, form)
        except Refused as refused:
            found = own_event(request, number, Permission.EVENTS_EDIT)
            make = partial(MoveRegionForm, event=found, regions=regions)
            form = come_back(make, request.POST, found, refused)
            status = 409
        else:
            words = _("%(event)s now belongs to %(region)s.")
            messages.success(request, words % {"event": found, "region": form.cleaned_data["region"]})
            return redirect("tournaments:event", request.office.code, found.number)
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
    return render(request, "tournaments/change.html", context, status=status)


def _move(request: OfficeRequest, event: Event, form: MoveRegionForm) -> None:
    announcements.move_to_region(
        rights=request.rights,
        event=event,
        by=request.user,
        on=today(request.office),
        in_journal=JournalFact.objects.filter(federation=request.office, kind="player").values("subject"),
        **form.cleaned_data,
    )
