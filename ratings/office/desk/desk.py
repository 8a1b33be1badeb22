"""The desk: the work that waits for the person signed in."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from players.office.access import OfficeRequest, Permission, permitted, signed_in
from players.office.models import Ledger, Role
from players.office.settings_schema import today
from players.people.models import Transfer
from ratings.journal.models import Fact
from ratings.lists.list_days import next_day
from ratings.lists.models import ListTaking, RatingList
from ratings.office.cases.case_pages import cases_of, with_days
from ratings.office.desk.filing_tabs import filing
from ratings.office.desk.models import DoublesCount
from ratings.office.desk.queue import queue
from ratings.preview.missing_before_list import ranks_to_confirm
from ratings.recompute.models import RulesVersion
from ratings.recompute.office_rules import own_rules
from ratings.recompute.progress_words import state_of, trouble_of
from tournaments.events.models import Section
from tournaments.events.permission_models import PermissionRequest
from tournaments.filing.before_play.permission_requests import ANSWERABLE
from tournaments.mending.models import MendingProposal
from tournaments.review.appeal_models import Appeal
from tournaments.views.registering.draft import drafts_of

SOON = timedelta(days=30)
CASES_ON_DESK = 10


@signed_in
@never_cache
@require_safe
def desk(request: OfficeRequest) -> HttpResponse:
    rights = request.rights
    if not rights.any:
        raise PermissionDenied(_("You hold no appointment in this office."))
    context: dict[str, Any] = {"has_deadlines": request.office.ruleset.sections.deadlines is not None}
    if Permission.EVENTS_REGISTER in rights:
        context["begun"] = registrations_begun(request)
    if rights.regions_for(Permission.SECTIONS_FILE):
        context |= filing(request)
    if Permission.SECTIONS_REVIEW in rights:
        context |= reviewing(request)
    if Permission.SECTIONS_MEND in rights:
        context["proposals"] = proposals_to(request)
    if Permission.CASES_ANSWER in rights:
        context["cases_waiting"] = with_days(request, cases_of(request).waiting()[:CASES_ON_DESK])
    if Permission.APPOINTMENTS_MANAGE in rights:
        context |= administering(request)
    return render(request, "ratings/office/desk.html", context)


@permitted(Permission.SECTIONS_REVIEW)
@never_cache
@require_safe
def progress(request: OfficeRequest) -> HttpResponse:
    """The recompute's progress bar, for which htmx asks again and again: 204 while nothing moves; at the end,
    word to reload the page.
    """
    ledger = Ledger.objects.get(federation=request.office)
    if not ledger.pending or ledger.last_error:
        return HttpResponse(status=286, headers={"HX-Refresh": "true"})
    if not ledger.folded:
        return HttpResponse(status=204)
    return render(request, "components/progress_state.html", state_of(request.office, ledger))


# ---------------------------------------------------------------- what each role finds


def registrations_begun(request: OfficeRequest) -> list[tuple[str, str]]:
    """The registrations in steps that the person has begun and not sent: the name typed, and the draft's
    key.
    """
    return [(draft.typed.get("name", [""])[0].strip(), draft.key) for draft in drafts_of(request)]


def reviewing(request: OfficeRequest) -> dict[str, Any]:
    """The desk's context for an official: the queue, the worker's progress, a list that is due."""
    ledger = Ledger.objects.get(federation=request.office)
    return {
        **queue(request),
        "permissions_asked": PermissionRequest.objects.open()
        .filter(section__in=Section.objects.within(request.rights, Permission.SECTIONS_REVIEW))
        .filter(section__stage__in=ANSWERABLE)
        .select_related("section__event__federation"),
        **waiting_of_the_register(request),
        "appeals_open": Appeal.objects.open()
        .filter(section__in=Section.objects.within(request.rights, Permission.SECTIONS_REFUSE))
        .select_related("section__event__federation"),
        "ledger": ledger,
        "working": state_of(request.office, ledger) if ledger.pending else None,
        "trouble": trouble_of(request.office, ledger),
        "rules": RulesVersion.objects.waiting_in(request.office, own_rules(request.office)),
        "due": due_list(request),
    }


def waiting_of_the_register(request: OfficeRequest) -> dict[str, Any]:
    """The transfers that wait for an answer, and the number of likely doubles when the worker last looked."""
    if Permission.PLAYERS_CORRECT not in request.rights:
        return {}
    asked = Transfer.objects.filter(federation=request.office, state=Transfer.State.ASKED)
    return {
        "transfers_asked": asked.select_related("player", "giving", "taking").order_by("asked_on", "pk"),
        "doubles": DoublesCount.objects.filter(federation=request.office, pairs__gt=0).first(),
    }


def proposals_to(request: OfficeRequest) -> list[MendingProposal]:
    """The corrections of rated sections that one official proposed, the oldest first; `own` marks those of
    the person, which another confirms, `stands` those whose section is still what was seen.
    """
    sections = Section.objects.within(request.rights, Permission.SECTIONS_MEND)
    found = MendingProposal.objects.filter(section__in=sections)
    waiting = list(found.select_related("section__event__federation", "by"))
    standing = set(found.open().values_list("pk", flat=True))
    for each in waiting:
        each.own, each.stands = each.by_id == request.user.pk, each.pk in standing  # type: ignore[attr-defined]
    return waiting


def due_list(request: OfficeRequest) -> dict[str, Any]:
    """The newest list and the sections rated since, the next list's day with who publishes it, and the number
    of ranks to confirm.
    """
    newest = RatingList.objects.filter(federation=request.office).select_related("fact").first()
    closed = Fact.objects.newest_of(request.office, "list")
    rated = Fact.objects.filter(federation=request.office, kind="rated").in_force()
    since = rated.filter(number__gt=closed.number) if closed else rated
    day = today(request.office)
    on = next_day(request.office, day)
    takings = ListTaking.objects.filter(federation=request.office).select_related("official")
    return {
        "newest": newest,
        "since": since.count(),
        "next": on,
        "days": (on - day).days if on else None,
        "taking": takings.filter(on=on).first() if on else None,
        "ranks": ranks_to_confirm(request.office, day),
    }


def administering(request: OfficeRequest) -> dict[str, Any]:
    """The desk's context for an administrator: people in office, terms that end soon, vacant regions."""
    day = today(request.office)
    held = request.office.appointments.on(day).select_related("user", "region")
    covered = held.filter(role=Role.REGIONAL).values("region")
    return {
        "people": held.values("user").distinct().count(),
        "ending": held.filter(ends__lte=day + SOON).order_by("ends"),
        "vacant": request.office.regions.exclude(pk__in=covered),
    }
