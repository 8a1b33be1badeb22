"""Forms by which an official takes a section, gives it back or hands it over. Each brings who was on it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from players.office.access import OfficeRequest, Permission, permitted
from players.office.decision_record import Refused
from players.office.settings_schema import today
from ratings.office.common.officials_in_office import officials_of
from ratings.office.sections.review import section_for
from tournaments.events.models import Section
from tournaments.review import take_section
from tournaments.views.filing_steps import is_number


@permitted(Permission.SECTIONS_REVIEW)
@never_cache
@require_POST
def take(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    section = section_for(request, number, code, Permission.SECTIONS_REVIEW)
    deed = partial(take_section.take, at=timezone.now())
    return _do(request, section, deed, _("You are on this section: your colleagues see it."))


@permitted(Permission.SECTIONS_REVIEW)
@never_cache
@require_POST
def give_back(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    section = section_for(request, number, code, Permission.SECTIONS_REVIEW)
    return _do(request, section, take_section.give_back, _("Nobody is on this section now."))


@permitted(Permission.SECTIONS_REVIEW)
@never_cache
@require_POST
def hand_over(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    section = section_for(request, number, code, Permission.SECTIONS_REVIEW)
    to = officials_of(request).get(_key(request.POST.get("to", "")) or 0)
    if to is None:
        messages.error(request, _("Choose the official who is to take this section."))
        return _back(request, section)
    deed = partial(take_section.hand_over, to=to, at=timezone.now())
    return _do(request, section, deed, _("%(official)s is on this section now.") % {"official": to})


def _do(request: OfficeRequest, section: Section, deed: Callable[..., Any], done: str) -> HttpResponse:
    seen = _key(request.POST.get("seen", ""))
    try:
        deed(section=section, by=request.user, on=today(request.office), seen=seen)
    except Refused as refused:
        messages.error(request, str(refused))
    else:
        messages.success(request, done)
    return _back(request, section)


def _back(request: OfficeRequest, section: Section) -> HttpResponse:
    return redirect(
        "ratings:review", office=request.office.code, number=section.event.number, code=section.code
    )


def _key(text: str) -> int | None:
    return int(text) if is_number(text) else None
