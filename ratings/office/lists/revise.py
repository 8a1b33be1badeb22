"""Pages to publish a list anew: the changes, a note for everybody, the day typed again."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db import transaction
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from players.office.access import OfficeRequest, Permission, permitted
from players.office.decision_record import Refused, lock_ledger, made_before
from players.office.models import Federation, Ledger
from players.office.settings_schema import today
from players.pages.sent_once import mark_of
from ratings import decisions
from ratings.lists.models import RatingList
from ratings.office.common.decision_forms import ReviseForm
from ratings.office.common.outlook_form import OutlookForm, mark_of_record
from ratings.public.common.errata_reach import all_reaches, corrected_since
from ratings.public.common.track_groups import track_of
from ratings.recompute.models import RulesVersion
from ratings.recompute.office_rules import own_rules
from ratings.recompute.progress_words import state_of, trouble_of
from ratings.recompute.revised_lists import RowDifference, TrackRevision, list_line, preview_revision

MOST = 50
"""The most rows of a track shown before the decision; the page of differences has all."""


class RevisionForm(OutlookForm, ReviseForm):
    """The form that publishes a list anew: it holds for the changes that its page showed."""


@permitted(Permission.LISTS_PUBLISH)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def revise(request: OfficeRequest, day: str) -> HttpResponseBase:
    """Page to publish a list anew: GET shows the corrections since, a preview and a form; POST revises."""
    on = _listed(request, day)
    done = redirect("ratings:published", office=request.office.code, day=on.isoformat())
    if request.method == "POST" and made_before(request.office, mark_of(request)):
        return done
    mark, shown = _mark(request.office, on), not Ledger.objects.get(federation=request.office).pending
    form = RevisionForm(request.POST if request.method == "POST" else None, mark=mark, drawn=shown, day=on)
    if not form.is_valid():
        return _page(request, on, form, status=form.status)
    try:
        with transaction.atomic():
            lock_ledger(request.office)
            if holds := _mark(request.office, on) == mark:
                decisions.revise_list(
                    federation=request.office,
                    day=on,
                    by=request.user,
                    on=today(request.office),
                    note=form.cleaned_data["note"],
                    mark=mark_of(request),
                )
        if not holds:  # what was shown changed in this moment: the page comes back with what is now
            return revise(request, office=request.office.code, day=day)
    except Refused as refused:
        return _page(request, on, form, refused=str(refused), status=409)
    return done


def _mark(office: Federation, on: date) -> str:
    """The mark of what publishing the list of a day anew would change as everything stands."""
    return mark_of_record(office, today(office), "list", on.isoformat())


def _listed(request: OfficeRequest, day: str) -> date:
    """Read a day from an address; 404 if no list of it was published."""
    try:
        on = date.fromisoformat(day)
    except ValueError as wrong:
        raise Http404 from wrong
    if list_line(request.office, on) is None:
        raise Http404(_("No list was published then."))
    return on


def _page(
    request: OfficeRequest, on: date, form: ReviseForm, *, refused: str = "", status: int = 200
) -> HttpResponse:
    ledger = Ledger.objects.get(federation=request.office)
    lists = RatingList.objects.of(request.office).filter(on=on).current().without_content()
    context = {
        "on": on,
        "form": form,
        "refused": refused,
        "pending": state_of(request.office, ledger) if ledger.pending else None,
        "rules": RulesVersion.objects.waiting_in(request.office, own_rules(request.office)),
        "trouble": trouble_of(request.office, ledger),
        "corrected": corrected_since(
            request.office, list(lists.select_related("fact")), all_reaches(request.office)
        ),
    }
    return render(request, "ratings/office/revise.html", context, status=status)


@permitted(Permission.LISTS_PUBLISH)
@never_cache
@require_safe
def revise_preview(request: OfficeRequest, day: str) -> HttpResponse:
    """The rows that a revision would change: a page of its own, or for htmx part of the decision's page."""
    on = _listed(request, day)
    if Ledger.objects.get(federation=request.office).pending:
        raise Http404
    part = request.headers.get("HX-Request") == "true"
    template = "ratings/office/_revising.html" if part else "ratings/office/revising.html"
    found = preview_revision(request.office, on, today(request.office))
    context: dict[str, Any] = {"on": on, "tracks": [_shown_revision(request.office, each) for each in found]}
    return render(request, template, context)


@dataclass(frozen=True, slots=True)
class TrackShown:
    """One track in the preview of a revised list: its first changed rows, and the number of all."""

    name: str
    rows: list[RowDifference]
    count: int


def _shown_revision(office: Federation, revision: TrackRevision) -> TrackShown:
    name = _(track_of(office.ruleset, revision.track).name)
    return TrackShown(name, revision.differences[:MOST], len(revision.differences))
