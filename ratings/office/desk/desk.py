"""The desk: the work that waits for the person signed in."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db.models import Count, Q
from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from players.office.access import OfficeRequest, Permission, permitted, signed_in
from players.office.models import Ledger, Role
from players.office.settings_schema import today
from players.office.stored_bytes import use_of_region
from players.people.models import Transfer
from ratings.journal.models import Fact
from ratings.lists.list_days import next_day
from ratings.lists.models import ListTaking, RatingList
from ratings.office.cases.case_pages import cases_of, with_days
from ratings.office.desk.models import DoublesCount
from ratings.office.desk.queue import queue
from ratings.office.desk.queue_tables import FilingTable
from ratings.office.desk.rated_effects import effects_of
from ratings.preview.missing_before_list import ranks_to_confirm
from ratings.recompute.models import RulesVersion
from ratings.recompute.progress_words import state_of, trouble_of
from tournaments.events.models import NOT_PLAYED, Finding, Section, SectionQuerySet, Stage
from tournaments.events.permission_models import PermissionRequest
from tournaments.events.section_days import pressing
from tournaments.filing.before_play.permission_requests import ANSWERABLE
from tournaments.mending.models import MendingProposal
from tournaments.review.appeal_models import Appeal

SOON = timedelta(days=30)
LATELY = 5
CASES_ON_DESK = 10
_IN_THE_WAY = Q(findings__in=Finding.objects.blocking())


@signed_in
@never_cache
@require_safe
def desk(request: OfficeRequest) -> HttpResponse:
    rights = request.rights
    if not rights.any:
        raise PermissionDenied(_("You hold no appointment in this office."))
    context: dict[str, Any] = {"has_deadlines": request.office.ruleset.sections.deadlines is not None}
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


def filing(request: OfficeRequest) -> dict[str, Any]:
    """The desk's context for a regional administrator: sections to work on, and those that the office has."""
    mine = Section.objects.within(request.rights, Permission.SECTIONS_FILE).select_related(
        "event__federation", "event__region"
    )
    own = mine.filter(event__region__in=request.rights.regions_for(Permission.SECTIONS_FILE))
    unfinished = own.exclude(stage__in=(Stage.RATED, *NOT_PLAYED)).annotate(
        blocking=Count("findings", filter=_IN_THE_WAY)
    )
    order = (*(Stage.RETURNED, Stage.UNRATED, Stage.FILED, Stage.REGISTERED, Stage.SUBMITTED, Stage.REFUSED),)
    day = today(request.office)

    def urgency(section: Section) -> tuple[date, int, date]:
        due = pressing(section, day) if section.open_to_filing else None
        return due.last if due else date.max, order.index(Stage(section.stage)), section.ends

    sections = by_event(sorted(unfinished.prefetch_related("permission_requests"), key=urgency))
    regions = {section.event.region_id for section in sections}
    hidden = ("region",) if len(regions) < 2 else ()
    if request.office.ruleset.sections.deadlines is None:
        hidden = (*hidden, "due")
    table = FilingTable(sections, day=day, exclude=hidden)
    keeping = request.office.regions.filter(pk__in=request.rights.regions_for(Permission.SECTIONS_FILE))
    return {
        "filing": table,
        "rated_lately": rated_lately(own),
        "places": request.office.publication.decimals,
        "room": [use_of_region(region) for region in keeping.select_related("federation")],
    }


def by_event(sections: list[Section]) -> list[Section]:
    """The same sections with those of one event together, where its first stands; the further ones of an
    event are marked as such, and need not name it again.
    """
    events: dict[int, list[Section]] = {}
    for section in sections:
        events.setdefault(section.event_id, []).append(section)
    for together in events.values():
        for section in together[1:]:
            section.follows = True  # type: ignore[attr-defined]
    return [section for together in events.values() for section in together]


def rated_lately(own: SectionQuerySet) -> list[dict[str, Any]]:
    """The sections of a region that were rated last, each with what it moved."""
    sections = list(own.filter(stage=Stage.RATED).order_by("-rated_on", "-pk")[:LATELY])
    effects = effects_of(sections)
    return [{"section": section, "effect": effects.get(section.pk)} for section in sections]


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
        "rules": RulesVersion.objects.waiting_in(request.office),
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
    closed = Fact.objects.filter(federation=request.office, kind="list").order_by("-number").first()
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
