"""The last step of filing: a summary, and the region's confirmation that it is correct."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpResponse
from django.utils.translation import gettext as _

from players.access import FORM, POST, OfficeRequest, Permission, page
from players.settings import today
from tournaments import submission
from tournaments.announcements import find_closing_notice
from tournaments.findings import build_worded_findings
from tournaments.models import Finding, Section, Stage, Upload
from tournaments.pages import steps
from tournaments.pages.deadlines import AppealForm
from tournaments.pages.details import find_last_questions
from tournaments.review import can_appeal, find_refusal, last_day_to_appeal
from tournaments.steps import is_file_read
from tournaments.submission import (
    MINOR_ADJUSTMENTS,
    describe_absences,
    describe_adjustments,
    hash_notices,
    list_confirmations,
    list_figures,
    list_notices,
    list_track_names,
)

SHOWN_FIELD = "shown"


@page(Permission.SECTIONS_SUBMIT, methods=FORM)
def submit(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    section = steps.get_own_section(request, number, code)
    if section.open_to_filing and not is_file_read(section):
        return steps.redirect_to_step(section, "file")
    if request.method != "POST":
        return render_submission_page(request, section)
    reasons = steps.posted_reasons(request)
    # With a blocking finding the page has no box to tick, and the service refuses.
    unseen = "adjusted" not in request.POST and not _blocking(section).exists()
    if unseen and _to_look_at(describe_adjustments(section)):
        messages.error(request, _("Check the adjustments to the file, and tick that they are right."))
        return render_submission_page(request, section, typed_reasons=reasons, status=400)
    shown = request.POST[SHOWN_FIELD].split() if SHOWN_FIELD in request.POST else None
    terms = {"section": section, "waiver_reasons": reasons, "shown_notices": shown}
    words = _("Submitted. The office will look at it.")
    if steps.run_decision(request, submission.submit, words, **terms):
        return steps.redirect_to_step(section, "submit")
    section.refresh_from_db()
    if section.open_to_filing:
        submission.add_late_findings(section=section, on=today(request.office), version=section.version)
    return render_submission_page(request, section, typed_reasons=reasons, status=409)


def render_submission_page(
    request: OfficeRequest,
    section: Section,
    typed_reasons: Mapping[int, str] | None = None,
    appeal_form: AppealForm | None = None,
    status: int = 200,
) -> HttpResponse:
    """Render the submission; `typed_reasons` by finding, and `appeal_form`, were not accepted."""
    adjustments = describe_adjustments(section)
    notices = list_notices(section, today(request.office))
    waivable = section.findings.filter(level="waivable")
    typed_reasons = typed_reasons or {}
    asked = [
        {
            "finding": one,
            "name": f"{steps.REASON_PREFIX}{one.key}",
            "typed": typed_reasons.get(one.key, one.asked_because or one.waived_because),
        }
        for one in build_worded_findings(section, waivable)
    ]
    context: dict[str, Any] = {
        "tiles": list_figures(section),
        "keeps_file": section.uploads.filter(state=Upload.State.READ, let_go_on=None).exists(),
        "tracks": list_track_names(section),
        "absences": describe_absences(section),
        "blocking": build_worded_findings(section, _blocking(section)),
        "asked": asked,
        "notices": build_worded_findings(section, notices),
        "shown": " ".join(sorted(hash_notices(notices))),
        "confirmations": list_confirmations(section),
        "adjustments": adjustments,
        "to_look_at": _to_look_at(adjustments),
        "new": section.entries.filter(match="new").select_related("player", "region"),
        "closing": find_closing_notice(section),
        "questions": find_last_questions(section),
        **_appeals(request, section, appeal_form),
    }
    return steps.render_filing_step(request, section, "submit", context, status)


def _appeals(request: OfficeRequest, section: Section, typed: AppealForm | None) -> dict[str, Any]:
    """The context of a section's appeals; `typed`: an appeal that was not accepted, shown again."""
    refusal = find_refusal(section) if section.stage == Stage.REFUSED else None
    last = last_day_to_appeal(refusal) if refusal else None
    appealing = can_appeal(section, today(request.office))
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


def _to_look_at(adjustments: Sequence[dict[str, Any]]) -> bool:
    """Whether adjustments have to be confirmed before the section is submitted."""
    return any(one["key"] not in MINOR_ADJUSTMENTS for one in adjustments)


@page(Permission.SECTIONS_SUBMIT, methods=POST)
def withdraw(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    section = steps.get_own_section(request, number, code)
    words = _("Withdrawn. Submit the section again when it is correct.")
    steps.run_decision(request, submission.withdraw_submission, words, section=section)
    return steps.redirect_to_step(section, "submit")
