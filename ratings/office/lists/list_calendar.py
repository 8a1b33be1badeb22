"""The calendar of lists: the next days with who is to publish, the past ones with who did, and the forms to
take a list or give it back.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime
from functools import partial
from typing import Any

from django.contrib import messages
from django.db.models import Max
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from players.office.access import OfficeRequest, Permission, permitted
from players.office.decision_record import Refused
from players.office.models import Decision, Federation
from players.office.settings_schema import today
from ratings import decisions
from ratings.lists.list_days import coming_days
from ratings.lists.models import ListTaking, RatingList
from ratings.office.common.decision_forms import ComingDayForm
from ratings.preview.missing_before_list import MissingBeforeList, missing_before
from tournaments.views.filing_steps import is_number

COMING, PAST = 6, 24
"""The most days to come and the most past lists that the calendar shows."""


@dataclass(frozen=True, slots=True)
class ComingList:
    """A day of the calendar on which a list is due."""

    on: date
    days: int
    """Days until then; below 0, days since then."""
    taking: ListTaking | None
    missing: MissingBeforeList | None
    """Things missing before it; worked out for the next list alone."""


@dataclass(frozen=True, slots=True)
class PastList:
    """A day of which lists were published."""

    newest: RatingList
    by: str
    """The official who published it; empty: it came with an imported journal."""
    at: datetime | None
    revision: int


@permitted(Permission.SECTIONS_REVIEW)
@never_cache
@require_safe
def list_calendar(request: OfficeRequest) -> HttpResponse:
    day = today(request.office)
    context = {
        "coming": coming_lists(request.office, day),
        "past": past_lists(request.office),
        "regular": request.office.publication.list_days,
        "form": ComingDayForm(today=day),
    }
    return render(request, "ratings/office/list_calendar.html", context)


def coming_lists(office: Federation, day: date) -> list[ComingList]:
    """The days of the next lists, with who is to publish each, and what is missing before the first."""
    days = coming_days(office, day)[:COMING]
    takings = ListTaking.objects.filter(federation=office, on__in=days).select_related("official")
    by_day = {each.on: each for each in takings}
    return [
        ComingList(
            on,
            (on - day).days,
            by_day.get(on),
            missing_before(office, max(on, day), day) if on == days[0] else None,
        )
        for on in days
    ]


def past_lists(office: Federation) -> list[PastList]:
    """The newest published days, newest first, with who published each and when."""
    lists = RatingList.objects.of(office)
    days = lists.values("on").annotate(revision=Max("revision")).order_by("-on")[:PAST]
    abouts = [f"list {each['on']}" for each in days]
    found = Decision.objects.filter(federation=office, kind="publish", about__in=abouts).select_related("by")
    by_about = {each.about: each for each in found}
    return [
        PastList(
            RatingList(federation=office, on=each["on"], track=""),
            str(decided.by or "") if decided else "",
            decided.at if decided else None,
            each["revision"],
        )
        for each in days
        for decided in (by_about.get(f"list {each['on']}"),)
    ]


@permitted(Permission.SECTIONS_REVIEW)
@never_cache
@require_POST
def take_list(request: OfficeRequest) -> HttpResponse:
    deed = partial(decisions.take_list, at=timezone.now())
    return _do(request, deed, _("Your name stands at this list: your colleagues see it."))


@permitted(Permission.SECTIONS_REVIEW)
@never_cache
@require_POST
def give_back_list(request: OfficeRequest) -> HttpResponse:
    return _do(request, decisions.give_back_list, _("Nobody's name stands at this list now."))


def _do(request: OfficeRequest, deed: Callable[..., Any], done: str) -> HttpResponse:
    seen = request.POST.get("seen", "")
    try:
        deed(
            federation=request.office,
            day=_day(request),
            by=request.user,
            on=today(request.office),
            seen=int(seen) if is_number(seen) else None,
        )
    except Refused as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, done)
    return redirect("ratings:list_calendar", office=request.office.code)


def _day(request: OfficeRequest) -> date:
    """Read the day of a list from a form; 404 if it is none."""
    try:
        return date.fromisoformat(request.POST.get("on", ""))
    except ValueError as wrong:
        raise Http404(_("That is no day.")) from wrong
