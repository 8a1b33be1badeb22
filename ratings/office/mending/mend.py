"""Pages on which an official corrects a section: chosen first, seen with its effects, then decided."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse, HttpResponseBase, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from players.office.access import OfficeRequest, Permission, permitted
from players.office.decision_record import Refused, lock_ledger
from players.office.settings_schema import settings_of, today
from ratings.decisions import mending
from ratings.office.common.decision_forms import ReasonForm
from ratings.office.mending.correction_forms import MendingForm, written
from ratings.office.mending.effects_shown import (
    ConfirmingForm,
    RatedMendingForm,
    effects,
    mark_of_correction,
    outlook_of_correction,
)
from ratings.office.sections.review import section_for
from ratings.office.sections.unknown_births import answers_given, births_asked
from ratings.office.sections.unrating import lists_of, sentence_to_confirm
from tournaments.events.models import Section, Stage
from tournaments.events.section_fact import Incomplete
from tournaments.mending.change_rows import Change, parse_changes
from tournaments.mending.models import MendingProposal

MENDABLE = (Stage.SUBMITTED, Stage.RATED)
SOMEBODY_FIRST = gettext_lazy(
    "Somebody else acted first: this section has changed and is now “%(stage)s”. Look at it again before you "
    "correct it."
)


@permitted(Permission.SECTIONS_MEND)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def mend(request: OfficeRequest, number: str, code: str) -> HttpResponseBase:
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


def _decide(request: OfficeRequest, section: Section) -> HttpResponseBase:
    """Correct the section as chosen, or propose it where two officials are wanted. A refusal gives back what
    was chosen and typed; of a rated section with the effects as they are now.
    """
    rated = section.stage == Stage.RATED and not settings_of(request.office).four_eyes
    changes: list[Change] = []
    form: ReasonForm | RatedMendingForm | None = None
    try:
        changes = parse_changes(request.POST.get("changes", ""))
        form = _reason_form(request, section, changes, request.POST)
        if request.POST.get("version") != str(section.version):
            raise Refused(_too_late(section))
        if not form.is_valid():
            status = form.status if isinstance(form, RatedMendingForm) else 400
            return _page(request, section, changes=changes, reason=form, status=status)
        holds = _carry_out(request, section, changes, form)
    except (Refused, Incomplete) as refused:
        section.refresh_from_db()
        return _page(request, section, changes=changes, reason=form, refused=str(refused), status=409)
    if not holds:  # what was shown changed in this moment: the page comes back with what is now
        return mend(request, office=request.office.code, number=section.event.number, code=section.code)
    name = "ratings:outcome" if rated else "ratings:review"
    return redirect(name, office=request.office.code, number=section.event.number, code=section.code)


def _carry_out(
    request: OfficeRequest,
    section: Section,
    changes: Sequence[Change],
    form: ReasonForm | RatedMendingForm,
) -> bool:
    """Decide as a valid form says; return False, with nothing done, where the effects are others by now."""
    given = {name: value for name, value in form.cleaned_data.items() if name != "seen"}
    asked: dict[str, Any] = {"section": section, "by": request.user, "changes": changes, **given}
    asked["on"] = today(request.office)
    if not isinstance(form, RatedMendingForm):
        mending.mend(**asked)
        messages.success(request, _("Corrected. The section still waits for your review."))
        return True
    with transaction.atomic():
        lock_ledger(request.office)
        if mark_of_correction(section, changes) != form.mark:
            return False
        if settings_of(request.office).four_eyes:
            mending.propose_mend(**asked)
            messages.success(request, _("Proposed. Another official has to confirm it."))
        else:
            births = answers_given(births_asked(section, request.POST))
            mending.mend_rated(births=births, **asked)
    return True


def _reason_form(
    request: OfficeRequest, section: Section, changes: Sequence[Change], typed: QueryDict | None = None
) -> ReasonForm | RatedMendingForm:
    """The form that asks why: of a rated section also for the journal's code, and for the effects as shown.
    Words `typed` for the other of the two are kept.
    """
    seen, held = {"version": section.version}, typed.copy() if typed is not None else None
    if held is not None:
        held["version"] = str(section.version)
    if section.stage == Stage.SUBMITTED:
        if held is not None and "words" in held:
            held["reason"] = str(held["words"])
        return ReasonForm(held, initial=seen, auto_id="why_%s")
    if held is not None and "words" not in held:
        held["words"], held["reason"] = str(held.get("reason", "")), ""
    confirm = sentence_to_confirm(request.office, lists_of(section))
    outlook = outlook_of_correction(section, changes)
    return RatedMendingForm(held, initial=seen, confirm=confirm, auto_id="why_%s", **outlook)


def _page(
    request: OfficeRequest,
    section: Section,
    *,
    form: MendingForm | None = None,
    changes: Sequence[Change] = (),
    carried: str = "",
    reason: ReasonForm | RatedMendingForm | None = None,
    refused: str = "",
    status: int = 200,
) -> HttpResponse:
    seen = {"version": section.version, "changes": carried or written(changes)}
    deciding = "decide" in request.POST
    context: dict[str, Any] = {
        "section": section,
        "mendable": section.stage in MENDABLE,
        "form": form or MendingForm(initial=seen, section=section),
        "changes": written(changes),
        "proposal": MendingProposal.objects.open().filter(section=section).first(),
        "four_eyes": settings_of(request.office).four_eyes and section.stage == Stage.RATED,
        "refused": refused,
        "typed": request.POST.get("words", request.POST.get("reason", "")) if deciding else "",
    }
    if changes and section.stage in MENDABLE:
        context["reason_form"] = reason or _reason_form(request, section, changes)
        try:
            context |= effects(request.office, section, changes)
        except (Refused, Incomplete) as cannot:
            if not refused:
                raise
            context |= {"refused": f"{refused}\n{cannot}", "form": MendingForm(initial=seen, section=section)}
        births = births_asked(section, request.POST if deciding else None)
        context["births"] = births if section.stage == Stage.RATED else []
    return render(request, "ratings/office/mend.html", context, status=status)


@permitted(Permission.SECTIONS_MEND)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def mend_proposal(request: OfficeRequest, number: str, code: str) -> HttpResponseBase:
    """Page of a correction that one official proposed: another confirms it, or anybody of them drops it."""
    section = section_for(request, number, code, Permission.SECTIONS_MEND)
    proposals = MendingProposal.objects.select_related("by", "section__event__federation")
    proposal = proposals.filter(section=section).first()
    if proposal is None:
        messages.error(request, _("No correction is proposed any more: somebody confirmed it or dropped it."))
        return redirect("ratings:review", office=request.office.code, number=number, code=code)
    if request.method != "POST":
        return _proposal_page(request, section, proposal)
    try:
        if "drop" in request.POST:
            mending.drop_mend(proposal=proposal, by=request.user, on=today(request.office))
            messages.success(request, _("Dropped. The section stays rated as it is."))
            return redirect("ratings:review", office=request.office.code, number=number, code=code)
        return _confirm(request, section, proposal)
    except (Refused, Incomplete) as refused:
        section.refresh_from_db()
        return _proposal_page(request, section, proposal, refused=str(refused), status=409)


def _confirm(request: OfficeRequest, section: Section, proposal: MendingProposal) -> HttpResponseBase:
    """Correct as another official proposed, if the effects still are what the page showed."""
    form = ConfirmingForm(request.POST, **outlook_of_correction(section, proposal.changes))
    if proposal.by_id != request.user.pk and section.version == proposal.version and not form.is_valid():
        raise Refused(form.non_field_errors()[0])
    births = answers_given(births_asked(section, request.POST))
    with transaction.atomic():
        lock_ledger(request.office)
        if holds := mark_of_correction(section, proposal.changes) == form.mark:
            decided = request.POST.get("after_list") == "on"
            mending.confirm_mend(
                proposal=proposal,
                by=request.user,
                on=today(request.office),
                after_list=decided,
                births=births,
            )
    code, number = section.code, section.event.number
    if not holds:  # what was shown changed in this moment: the page comes back with what is now
        return mend_proposal(request, office=request.office.code, number=number, code=code)
    return redirect("ratings:outcome", office=request.office.code, number=number, code=code)


def _proposal_page(
    request: OfficeRequest,
    section: Section,
    proposal: MendingProposal,
    *,
    refused: str = "",
    status: int = 200,
) -> HttpResponse:
    stands = section.stage == Stage.RATED and section.version == proposal.version
    typed = request.POST if request.method == "POST" else None
    context: dict[str, Any] = {
        "section": section,
        "proposal": proposal,
        "stands": stands,
        "own": proposal.by_id == request.user.pk,
        "confirm": sentence_to_confirm(request.office, lists_of(section)),
        "births": births_asked(section, typed) if stands else [],
        "decided": bool(typed and typed.get("after_list")),
        "refused": refused,
    }
    if stands:
        context["form"] = ConfirmingForm(None, **outlook_of_correction(section, proposal.changes))
        try:
            context |= effects(request.office, section, proposal.changes)
        except (Refused, Incomplete) as cannot:
            context["refused"] = refused or str(cannot)
    return render(request, "ratings/office/mend_proposal.html", context, status=status)
