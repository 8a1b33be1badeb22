"""Pages to postpone, cancel, take up again or withdraw an event or a section: each asks before it acts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from players.office.access import OfficeRequest, Permission, permitted
from players.office.decision_record import Refused
from players.office.settings_schema import today
from tournaments.events.models import Event, Section
from tournaments.filing.changes.cancel import cancel_event, cancel_section, reinstate_event, reinstate_section
from tournaments.filing.changes.postpone import postpone_event, postpone_section
from tournaments.filing.changes.withdraw import withdraw_event, withdraw_section
from tournaments.forms.change_forms import CancelForm, PostponeForm, WithdrawForm
from tournaments.forms.event_forms import VersionForm
from tournaments.forms.overtaken_answers import come_back
from tournaments.views.changes.seen_facts import SEEN, as_seen, beside_seen, facts_of
from tournaments.views.filing_steps import own_event, own_section

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


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
    postpone_event,
    postpone_section,
    _("Postpone %(name)s?"),
    _(
        "Sections that have its days get the new ones. Others move by as many days; where the event only "
        "gets longer or shorter around their days, they stay. The calendar shows the new days, the old ones "
        "and the reason."
    ),
    _("The section's page shows the new days, the old ones and the reason."),
    _("Postpone"),
    _("%(name)s is postponed."),
)
CANCEL = ChangePage(
    Permission.EVENTS_CANCEL,
    CancelForm,
    cancel_event,
    cancel_section,
    _("Cancel %(name)s?"),
    _("It stays in the calendar as cancelled, with the reason. You can take it up again."),
    _("It stays on the event's page as cancelled, with the reason. You can take it up again."),
    _("Cancel it"),
    _("%(name)s is cancelled."),
    danger=True,
)
REINSTATE = ChangePage(
    Permission.EVENTS_REINSTATE,
    VersionForm,
    reinstate_event,
    reinstate_section,
    _("Take up %(name)s again?"),
    _("It stands in the calendar as before, with the sections that were cancelled together with it."),
    _("It stands on the event's page as before."),
    _("Take it up again"),
    _("%(name)s is taken up again."),
)
WITHDRAW = ChangePage(
    Permission.EVENTS_WITHDRAW,
    WithdrawForm,
    withdraw_event,
    withdraw_section,
    _("Withdraw %(name)s?"),
    _(
        "For what was registered by mistake, or twice. It leaves the calendar, and its address says that it "
        "was withdrawn. The office keeps it. This cannot be undone; if it is not played, cancel it instead."
    ),
    _(
        "For a section that was registered by mistake. It leaves the event's page, and its address says that "
        "it was withdrawn. The office keeps it. This cannot be undone; if it is not played, cancel it "
        "instead."
    ),
    _("Withdraw it"),
    _("%(name)s is withdrawn."),
    danger=True,
)


def _change_event(request: OfficeRequest, number: str, page: ChangePage) -> HttpResponse:
    found = own_event(request, number, page.permission)
    return _ask(request, page, found, found, lambda **said: page.of_event(event=found, **said))


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
        return _change_event(request, number, page)

    def of_section(request: OfficeRequest, number: str, code: str) -> HttpResponse:
        return _change_section(request, number, code, page)

    guard = permitted(page.permission)
    methods = require_http_methods(["GET", "HEAD", "POST"])
    return guard(never_cache(methods(of_event))), guard(never_cache(methods(of_section)))  # type: ignore[return-value]


postponing_event, postponing_section = _pages(POSTPONE)
cancelling_event, cancelling_section = _pages(CANCEL)
reinstating_event, reinstating_section = _pages(REINSTATE)
withdrawing_event, withdrawing_section = _pages(WITHDRAW)
