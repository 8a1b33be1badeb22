"""The desk: the work that waits for the person signed in."""

from __future__ import annotations

from datetime import timedelta
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
from players.office.office_settings import today
from players.pages.paging import paged
from ratings.journal.models import Fact
from ratings.lists.models import RatingList
from ratings.office.sections.before_play import awaiting
from ratings.office.sections.section_tables import FilingTable, ReviewTable
from ratings.recompute.progress import state_of, trouble_of
from tournaments.events.models import Finding, Section, Stage

SOON = timedelta(days=30)
_IN_THE_WAY = Q(findings__in=Finding.objects.blocking())


@signed_in
@never_cache
@require_safe
def desk(request: OfficeRequest) -> HttpResponse:
    rights = request.rights
    if not rights.any:
        raise PermissionDenied(_("You hold no appointment in this office."))
    context: dict[str, Any] = {}
    if rights.regions_for(Permission.SECTIONS_FILE):
        context |= filing(request)
    if Permission.SECTIONS_REVIEW in rights:
        context |= reviewing(request)
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
    unfinished = own.exclude(stage=Stage.RATED).annotate(blocking=Count("findings", filter=_IN_THE_WAY))
    order = (*(Stage.RETURNED, Stage.UNRATED, Stage.FILED, Stage.REGISTERED, Stage.SUBMITTED, Stage.REFUSED),)
    sections = sorted(unfinished, key=lambda section: (order.index(Stage(section.stage)), section.ends))
    regions = {section.event.region_id for section in sections}
    table = FilingTable(sections, exclude=("region",) if len(regions) < 2 else ())
    return {"filing": table, "rated_lately": own.filter(stage=Stage.RATED).order_by("-rated_on", "-pk")[:5]}


def reviewing(request: OfficeRequest) -> dict[str, Any]:
    """The desk's context for an official: sections to review, the worker's progress, a list that is due."""
    sections = Section.objects.within(request.rights, Permission.SECTIONS_REVIEW)
    waiting = sections.awaiting_review().select_related("event__federation", "event__region")
    day = today(request.office)
    hidden = () if request.office.regional else ("region",)
    table = ReviewTable(waiting.annotate(players=Count("entries")), day=day, exclude=hidden)
    ledger = Ledger.objects.get(federation=request.office)
    counts = dict(sections.with_the_region().order_by().values_list("stage").annotate(Count("pk")))
    return {
        "review": paged(table, request),
        "ledger": ledger,
        "working": state_of(request.office, ledger) if ledger.pending else None,
        "trouble": trouble_of(request.office, ledger),
        "due": due_list(request),
        "before_play": awaiting(request.office),
        "with_regions": [(stage.label, counts[stage]) for stage in Stage if stage in counts],
    }


def due_list(request: OfficeRequest) -> dict[str, Any]:
    """The newest list, and the number of sections rated since, for officials to see whether a list is due."""
    newest = RatingList.objects.filter(federation=request.office).select_related("fact").first()
    closed = Fact.objects.filter(federation=request.office, kind="list").order_by("-number").first()
    rated = Fact.objects.filter(federation=request.office, kind="rated").in_force()
    since = rated.filter(number__gt=closed.number) if closed else rated
    return {"newest": newest, "since": since.count()}


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
