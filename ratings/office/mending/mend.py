"""Pages on which an official corrects a section: chosen first, seen with its effects, then decided."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from players.office.access import OfficeRequest, Permission, permitted
from players.office.decision_record import Refused
from players.office.models import Ledger
from players.office.settings_schema import settings_of, today
from ratings.decisions import mending
from ratings.office.common.decision_forms import ReasonForm, UnrateForm
from ratings.office.mending.correction_forms import MendingForm, written
from ratings.office.sections.further_effects_preview import rerate_row
from ratings.office.sections.review import section_for
from ratings.office.sections.unknown_births import answers_given, births_asked
from ratings.office.sections.unrating import corrected_by_track, lists_of, sentence_to_confirm
from ratings.preview.mending import preview_mending
from ratings.recompute.progress_words import state_of
from tournaments.events.finding_words import words_of as words_of_finding
from tournaments.events.models import Section, Stage
from tournaments.events.section_fact import Incomplete
from tournaments.mending.apply_changes import try_changes
from tournaments.mending.change_rows import Change, parse_changes
from tournaments.mending.correction_words import words_of
from tournaments.mending.models import MendingProposal

MENDABLE = (Stage.SUBMITTED, Stage.RATED)
SOMEBODY_FIRST = gettext_lazy(
    "Somebody else acted first: this section has changed and is now “%(stage)s”. Look at it again before you "
    "correct it."
)


@permitted(Permission.SECTIONS_MEND)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def mend(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    """Page to correct a section: GET asks what; POST shows the effects, then, with a reason, corrects it."""
    section = section_for(request, number, code, Permission.SECTIONS_MEND)
    if request.method != "POST":
        return _page(request, section)
    if section.stage not in MENDABLE:
        return _page(request, section, refused=_too_late(section), status=409)
    if "decide" in request.POST:
        return _decide(request, section)
    form = MendingForm(request.POST, section=section)
    if not form.is_valid():
        return _page(request, section, form=form, carried=request.POST.get("changes", ""), status=400)
    try:
        changes = form.chosen
        if not changes:
            nothing = _(
                "Choose what is to be corrected, and what stands there instead: nothing is chosen yet."
            )
            return _page(request, section, form=form, refused=nothing, status=400)
        return _page(request, section, changes=changes)
    except (Refused, Incomplete) as refused:
        return _page(request, section, form=form, refused=str(refused), status=409)


def _too_late(section: Section) -> str:
    return SOMEBODY_FIRST % {"stage": section.get_stage_display()}


def _decide(request: OfficeRequest, section: Section) -> HttpResponse:
    """Correct the section as chosen, or propose it where two officials are wanted."""
    if request.POST.get("version") != str(section.version):
        return _page(request, section, refused=_too_late(section), status=409)
    form = _reason_form(request, section, request.POST)
    rated = section.stage == Stage.RATED and not settings_of(request.office).four_eyes
    changes: list[Change] = []
    try:
        changes = parse_changes(request.POST.get("changes", ""))
        if not form.is_valid():
            return _page(request, section, changes=changes, reason=form, status=400)
        _carry_out(request, section, changes, form.cleaned_data)
    except (Refused, Incomplete) as refused:
        section.refresh_from_db()
        return _page(request, section, refused=str(refused), status=409)
    name = "ratings:outcome" if rated else "ratings:review"
    return redirect(name, office=request.office.code, number=section.event.number, code=section.code)


def _carry_out(
    request: OfficeRequest, section: Section, changes: Sequence[Change], given: dict[str, Any]
) -> None:
    day = today(request.office)
    if section.stage == Stage.SUBMITTED:
        mending.mend(section=section, by=request.user, on=day, changes=changes, **given)
        messages.success(request, _("Corrected. The section still waits for your review."))
    elif settings_of(request.office).four_eyes:
        mending.propose_mend(section=section, by=request.user, on=day, changes=changes, **given)
        messages.success(request, _("Proposed. Another official has to confirm it."))
    else:
        births = answers_given(births_asked(section, request.POST))
        mending.mend_rated(section=section, by=request.user, on=day, changes=changes, births=births, **given)


def _reason_form(request: OfficeRequest, section: Section, data: Any = None) -> ReasonForm | UnrateForm:
    """The form that asks why: of a rated section also for the journal's code."""
    seen = {"version": section.version}
    if section.stage == Stage.SUBMITTED:
        return ReasonForm(data, initial=seen, auto_id="why_%s")
    confirm = sentence_to_confirm(request.office, lists_of(section))
    return UnrateForm(data, initial=seen, confirm=confirm, auto_id="why_%s")


def _page(
    request: OfficeRequest,
    section: Section,
    *,
    form: MendingForm | None = None,
    changes: Sequence[Change] = (),
    carried: str = "",
    reason: ReasonForm | UnrateForm | None = None,
    refused: str = "",
    status: int = 200,
) -> HttpResponse:
    seen = {"version": section.version, "changes": carried or written(changes)}
    context: dict[str, Any] = {
        "section": section,
        "mendable": section.stage in MENDABLE,
        "form": form or MendingForm(initial=seen, section=section),
        "changes": written(changes),
        "proposal": MendingProposal.objects.open().filter(section=section).first(),
        "four_eyes": settings_of(request.office).four_eyes and section.stage == Stage.RATED,
        "refused": refused,
    }
    if changes and section.stage in MENDABLE:
        context |= effects(request, section, changes)
        context["reason_form"] = reason or _reason_form(request, section)
        context["births"] = births_asked(section) if section.stage == Stage.RATED else []
    return render(request, "ratings/office/mend.html", context, status=status)


def effects(request: OfficeRequest, section: Section, changes: Sequence[Change]) -> dict[str, Any]:
    """The template context of corrections: in words, and of a rated section with everything that moves."""
    office = request.office
    if section.stage != Stage.RATED:
        return {"chosen": words_of(office, try_changes(section, changes).corrected)}
    ledger = Ledger.objects.get(federation=office)
    if ledger.pending:
        chosen = words_of(office, try_changes(section, changes).corrected)
        return {"chosen": chosen, "pending": state_of(office, ledger)}
    found = preview_mending(section, changes, today(office))
    return {
        "chosen": words_of(office, found.applied.corrected),
        "allowed": [words_of_finding(each, office.ruleset) for each in found.allowed],
        "ahead": True,
        "seen": found.seen,
        "rerated": [rerate_row(office, each) for each in found.seen.rerated if each.fact.section],
        "tracks": corrected_by_track(office, found.ratings),
        "lists": lists_of(section),
    }


@permitted(Permission.SECTIONS_MEND)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def mend_proposal(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    """Page of a correction that one official proposed: another confirms it, or anybody of them drops it."""
    section = section_for(request, number, code, Permission.SECTIONS_MEND)
    proposals = MendingProposal.objects.select_related("by", "section__event__federation")
    proposal = proposals.filter(section=section).first()
    if proposal is None:
        messages.error(request, _("No correction is proposed any more: somebody confirmed it or dropped it."))
        return redirect("ratings:review", office=request.office.code, number=number, code=code)
    if request.method != "POST":
        return _proposal_page(request, section, proposal)
    day = today(request.office)
    try:
        if "drop" in request.POST:
            mending.drop_mend(proposal=proposal, by=request.user, on=day)
            messages.success(request, _("Dropped. The section stays rated as it is."))
            name = "ratings:review"
        else:
            births = answers_given(births_asked(section, request.POST))
            decided = request.POST.get("after_list") == "on"
            mending.confirm_mend(
                proposal=proposal, by=request.user, on=day, after_list=decided, births=births
            )
            name = "ratings:outcome"
    except (Refused, Incomplete) as refused:
        section.refresh_from_db()
        return _proposal_page(request, section, proposal, refused=str(refused), status=409)
    return redirect(name, office=request.office.code, number=number, code=code)


def _proposal_page(
    request: OfficeRequest,
    section: Section,
    proposal: MendingProposal,
    *,
    refused: str = "",
    status: int = 200,
) -> HttpResponse:
    stands = section.stage == Stage.RATED and section.version == proposal.version
    context: dict[str, Any] = {
        "section": section,
        "proposal": proposal,
        "stands": stands,
        "own": proposal.by_id == request.user.pk,
        "confirm": sentence_to_confirm(request.office, lists_of(section)),
        "births": births_asked(section) if stands else [],
        "refused": refused,
    }
    if stands:
        try:
            context |= effects(request, section, proposal.changes)
        except (Refused, Incomplete) as cannot:
            context["refused"] = refused or str(cannot)
    return render(request, "ratings/office/mend_proposal.html", context, status=status)
