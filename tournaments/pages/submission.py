"""The last step: everything at a glance, and the region's confirmation that it is correct."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from players.access import OfficeRequest, Permission, permitted
from players.settings import today
from tournaments import submission
from tournaments.announcements import closing_notice
from tournaments.findings import show_findings
from tournaments.models import Finding, Section, Stage, Upload
from tournaments.pages.deadlines import AppealForm
from tournaments.pages.steps import REASON, decide_on, is_read, own_section, reasons_of, show, to_step
from tournaments.review import last_day_to_appeal, may_appeal, refusal_of
from tournaments.submission import (
    Adjusted,
    absences_of,
    adjusted,
    confirmations_of,
    marks_of,
    notices_on,
    tiles_of,
    tracks_of,
)

SHOWN = "shown"


@permitted(Permission.SECTIONS_SUBMIT)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def submit(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    section = own_section(request, number, code, Permission.SECTIONS_SUBMIT)
    if section.open_to_filing and not is_read(section):
        return to_step(section, "file")
    if request.method != "POST":
        return submission_page(request, section)
    reasons = reasons_of(request)
    # A blocking finding has no form to tick; the service refuses it.
    unseen = "adjusted" not in request.POST and not _blocking(section).exists()
    if unseen and _to_look_at(adjusted(section)):
        messages.error(request, _("Check the adjustments to the file, and tick that they are right."))
        return submission_page(request, section, typed=reasons, status=400)
    day = today(request.office)
    shown = request.POST[SHOWN].split() if SHOWN in request.POST else None  # every page of ours brings them
    decision = partial(
        submission.submit, section=section, by=request.user, on=day, reasons=reasons, shown=shown
    )
    if decide_on(request, decision, _("Submitted. The office will look at it.")):
        return to_step(section, "submit")
    section.refresh_from_db()
    if section.open_to_filing:
        submission.note_what_is_late(section=section, on=day, version=section.version)
    return submission_page(request, section, typed=reasons, status=409)


def submission_page(
    request: OfficeRequest,
    section: Section,
    typed: Mapping[int, str] | None = None,
    appeal: AppealForm | None = None,
    status: int = 200,
) -> HttpResponse:
    """The page of the submission; `typed`: reasons by their finding, and `appeal`: an appeal, as they were
    typed and could not be taken.
    """
    adjustments = adjusted(section)
    notices = notices_on(section, today(request.office))
    waivable = section.findings.filter(level="waivable")
    asked = [
        {
            "finding": one,
            "name": f"{REASON}{one.key}",
            "typed": (typed or {}).get(one.key, one.waived_because),
        }
        for one in show_findings(section, waivable)
    ]
    context: dict[str, Any] = {
        "tiles": tiles_of(section),
        "keeps_file": section.uploads.filter(state=Upload.State.READ, let_go_on=None).exists(),
        "tracks": tracks_of(section),
        "absences": absences_of(section),
        "blocking": show_findings(section, _blocking(section)),
        "asked": asked,
        "notices": show_findings(section, notices),
        "shown": " ".join(sorted(marks_of(notices))),
        "confirmations": confirmations_of(section),
        "adjustments": adjustments,
        "to_look_at": _to_look_at(adjustments),
        "new": section.entries.filter(match="new").select_related("player", "region"),
        "closing": closing_notice(section),
        **_appeals(request, section, appeal),
    }
    return show(request, section, "submit", context, status)


def _appeals(request: OfficeRequest, section: Section, typed: AppealForm | None) -> dict[str, Any]:
    """The template context of a section's appeals, and of the form to make one while there is time; what was
    `typed` stands in it, or is kept beside it where no appeal can be made any more.
    """
    refusal = refusal_of(section) if section.stage == Stage.REFUSED else None
    last = last_day_to_appeal(refusal) if refusal else None
    appealing = may_appeal(section, today(request.office))
    appealed = section.appeals.filter(refusal=refusal).exists()
    form = typed or AppealForm(initial={"version": section.version})
    return {
        "appeals": section.appeals.select_related("by"),
        "appealing": form if appealing else None,
        "appeal_kept": typed["reason"].value() if typed and not appealing else "",
        "last_day": last if appealing else None,
        "appeal_over": None if appealing or appealed else last,
    }


def _blocking(section: Section) -> QuerySet[Finding]:
    return section.findings.blocking().exclude(level="waivable")


def _to_look_at(adjustments: Sequence[Adjusted]) -> bool:
    return any(one.matters for one in adjustments)


@permitted(Permission.SECTIONS_SUBMIT)
@never_cache
@require_POST
def withdraw(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    section = own_section(request, number, code, Permission.SECTIONS_SUBMIT)
    day = today(request.office)
    decision = partial(submission.withdraw_submission, section=section, by=request.user, on=day)
    decide_on(request, decision, _("Withdrawn. Submit the section again when it is correct."))
    return to_step(section, "submit")
