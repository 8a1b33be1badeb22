"""Pages to un-rate a section: the effect on everybody's rating, and the decision."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.http import Http404, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from players.office.access import OfficeRequest, Permission, permitted
from players.office.decision_record import Refused, lock_ledger
from players.office.models import Federation, Ledger
from players.office.settings_schema import today
from ratings import decisions
from ratings.office.common.decision_forms import UnrateForm
from ratings.office.common.outlook_form import OutlookForm, mark_of_record
from ratings.office.sections.further_effects_preview import rerate_row, unstated_in
from ratings.office.sections.review import section_for
from ratings.office.sections.section_tables import CorrectedTable
from ratings.preview.unrating import preview_unrating
from ratings.recompute.progress_words import state_of, trouble_of
from ratings.results.rating_differences import Corrected, ListDay, lists_with, standing_fact
from tournaments.events.models import Section, Stage

MOST = 200
"""The most ratings of a track shown before the decision; the erratum has all."""


class UnratingForm(OutlookForm, UnrateForm):
    """The form that un-rates a section: it holds for the effects that its page showed."""


@permitted(Permission.SECTIONS_UNRATE)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def unrate(request: OfficeRequest, number: str, code: str) -> HttpResponseBase:
    """Page to un-rate a section: GET shows the lists it is in, a preview and the form; POST un-rates it."""
    section = section_for(request, number, code, Permission.SECTIONS_UNRATE)
    lists, mark = lists_of(section), _mark(section)
    form = UnratingForm(
        request.POST if request.method == "POST" else None,
        mark=mark,
        drawn=section.stage == Stage.RATED and not Ledger.objects.get(federation=request.office).pending,
        initial={"version": section.version},
        confirm=sentence_to_confirm(request.office, lists),
    )
    if request.method == "POST" and section.stage != Stage.RATED:
        return _page(request, section, form, lists, refused=_("Somebody else acted first."), status=409)
    if not form.is_valid():
        return _page(request, section, form, lists, status=form.status)
    try:
        with transaction.atomic():
            lock_ledger(request.office)
            if holds := _mark(section) == mark:
                asked = {name: value for name, value in form.cleaned_data.items() if name != "seen"}
                decisions.unrate(section=section, by=request.user, on=today(request.office), **asked)
        if not holds:  # what was shown changed in this moment: the page comes back with what is now
            return unrate(request, office=request.office.code, number=number, code=code)
    except Refused as refused:
        section.refresh_from_db()
        return _page(request, section, form, lists_of(section), refused=str(refused), status=409)
    return redirect("ratings:outcome", office=request.office.code, number=number, code=code)


def _mark(section: Section) -> str:
    """The mark of the effects that un-rating a section has as everything stands."""
    office = section.event.federation
    return mark_of_record(office, today(office), section.key)


def lists_of(section: Section) -> list[ListDay]:
    fact = standing_fact(section)
    return lists_with(section.event.federation, fact) if fact else []


def sentence_to_confirm(office: Federation, lists: list[ListDay]) -> str:
    """The sentence that an official must tick to un-rate a section standing in these published lists; empty
    if nothing is to be confirmed.
    """
    unrating = office.equipment.office.powers.unrating
    return _(unrating.listed_words) if lists and unrating.listed_clause else ""


def _page(
    request: OfficeRequest,
    section: Section,
    form: UnrateForm,
    lists: list[ListDay],
    *,
    refused: str = "",
    status: int = 200,
) -> HttpResponse:
    ledger = Ledger.objects.get(federation=request.office)
    unrating, ruleset = request.office.equipment.office.powers.unrating, request.office.ruleset
    clause = unrating.listed_clause if lists else unrating.clause
    context = {
        "section": section,
        "form": form,
        "lists": lists,
        "clause": clause,
        "clause_says": _(ruleset.clauses_of(ruleset.newest)[clause]) if clause else "",
        "rated": section.stage == Stage.RATED,
        "pending": state_of(request.office, ledger) if ledger.pending else None,
        "trouble": trouble_of(request.office, ledger),
        "refused": refused,
    }
    return render(request, "ratings/office/unrate.html", context, status=status)


@permitted(Permission.SECTIONS_UNRATE)
@never_cache
@require_safe
def unrate_preview(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    """The preview of un-rating: a page of its own, or for htmx the part that the decision's page takes in."""
    section = section_for(request, number, code, Permission.SECTIONS_UNRATE)
    if section.stage != Stage.RATED or Ledger.objects.get(federation=request.office).pending:
        raise Http404
    part = request.headers.get("HX-Request") == "true"
    template = "ratings/office/_unrating.html" if part else "ratings/office/unrating.html"
    found = preview_unrating(section, today(request.office))
    context: dict[str, Any] = {
        "section": section,
        "seen": found.seen,
        "rerated": [rerate_row(request.office, each) for each in found.seen.rerated if each.fact.section],
        "unstated": unstated_in(request.office, found.seen),
        "tracks": corrected_by_track(request.office, found.ratings),
        "tiles": _tiles(found.ratings),
    }
    return render(request, template, context)


def _tiles(ratings: list[Corrected]) -> list[dict[str, Any]]:
    return [
        {"label": _("Players"), "value": len({each.player.pk for each in ratings})},
        {"label": _("Ratings that move"), "value": sum(each.by is not None for each in ratings)},
        {"label": _("Ratings that go"), "value": sum(each.after is None for each in ratings)},
    ]


@dataclass(frozen=True, slots=True)
class TrackCorrected:
    """One track in the preview of un-rating: a table of the largest differences, and the number of all."""

    name: str
    table: CorrectedTable
    count: int


def corrected_by_track(office: Federation, ratings: list[Corrected]) -> list[TrackCorrected]:
    """Group the ratings that un-rating would change by track, in the ruleset's order."""
    found = (
        (track, [each for each in ratings if each.track == track.code]) for track in office.ruleset.tracks
    )
    places = office.publication.decimals
    return [
        TrackCorrected(_(track.name), CorrectedTable(rows[:MOST], places=places), len(rows))
        for track, rows in found
        if rows
    ]
