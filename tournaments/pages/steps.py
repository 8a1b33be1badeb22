"""Shared by the filing pages: the section or 404, the steps, and the refusals of services."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from players.access import OfficeRequest, Permission
from players.record import Refused
from players.settings import today
from tournaments.before_play import get_open_region_question, list_missed_days
from tournaments.corrections import list_corrections
from tournaments.findings import filing_url, group_equal_findings, is_for_details
from tournaments.models import CANCELLED_OR_WITHDRAWN, SUBMITTED_OR_RATED, Event, Remark, Section, Stage
from tournaments.pages.forms import VersionForm
from tournaments.review import count_open_remarks, mark_notice_as_read
from tournaments.sections import is_refused_before_play

STEPS = ("file", "findings", "details", "players", "submit")
REASON_PREFIX = "reason-"


def posted_reasons(request: OfficeRequest) -> dict[int, str]:
    """The posted reasons for waiving findings (`reason-17`), by the key of the finding."""
    reasons = {
        name.removeprefix(REASON_PREFIX): str(text).replace("\0", "")
        for name, text in request.POST.items()
        if name.startswith(REASON_PREFIX)
    }
    return {int(key): text for key, text in reasons.items() if is_number(key)}


def get_own_event(request: OfficeRequest, number: str, permission: Permission) -> Event:
    """Get an event of a region in which the user has the permission; 404 for any other."""
    events = Event.objects.within(request.rights, permission).select_related("federation", "region")
    return get_object_or_404(events, number=number)


def get_own_section(
    request: OfficeRequest, event_number: str, section_code: str, permission: Permission
) -> Section:
    events = Event.objects.within(request.rights, permission)
    sections = Section.objects.select_related("event__federation", "event__region")
    return get_object_or_404(sections, event__in=events, event__number=event_number, code=section_code)


def redirect_to_step(section: Section, step: str, anchor: str = "") -> HttpResponse:
    return redirect(filing_url(step, section) + anchor)


def redirect_if_closed(section: Section) -> HttpResponse | None:
    """Redirect from a page that changes a section if the region may not change it now; else None."""
    return None if section.open_to_filing else redirect_to_step(section, "submit")


def redirect_if_unread(section: Section) -> HttpResponse | None:
    """Redirect from a page that needs a section's file if that was not read yet; else None."""
    return redirect_if_closed(section) or (
        None if is_file_read(section) else redirect_to_step(section, "file")
    )


def redirect_and_warn_if_unread(request: OfficeRequest, section: Section) -> HttpResponse | None:
    """Like `redirect_if_unread`, for a page with a form: a post also gets a message: nothing was saved."""
    elsewhere = redirect_if_unread(section)
    if elsewhere and request.method == "POST":
        words = _("Nothing was saved: this section is %(stage)s by now.")
        messages.error(request, words % {"stage": section.get_stage_display()})
    return elsewhere


def is_file_read(section: Section) -> bool:
    return section.entries.exists() and not section.uploads.waiting().exists()


def mark_office_answer_as_read(request: OfficeRequest, section: Section) -> None:
    """Note that the region has opened what the office decided, unless the user is an official."""
    if request.rights.region_keys_unless_everywhere(Permission.SECTIONS_FILE):
        mark_notice_as_read(section, timezone.now())


def render_filing_step(
    request: OfficeRequest, section: Section, step: str, context: dict[str, Any], status: int = 200
) -> HttpResponse:
    """Render the page of one of the five steps of filing, with the stepper."""
    mark_office_answer_as_read(request, section)
    common = {
        "section": section,
        "event": section.event,
        "steps": build_stepper(section, step),
        "ended_at": get_last_step_label(section),
        "returned": section.remarks if section.open_to_filing else "",
        "question": get_open_region_question(section),
        "missed": list_missed_days(section, today(request.office)) if section.open_to_filing else [],
        "unrated": section.stage == Stage.UNRATED,
        "corrections": list_corrections(section),
        "next": next_step_url(section, step),
        "said": Remark.objects.for_region().filter(section=section).count(),
        "unanswered": count_open_remarks(section),
        "noted": count_nonblocking_findings(section, step),
    }
    return render(request, f"tournaments/{step}.html", common | context, status=status)


def build_stepper(section: Section, current_step: str) -> list[dict[str, Any]]:
    """Context of the stepper above a section's pages: which steps are done, current, or can be opened."""
    done = done_steps(section)
    open_ones = reachable_steps(section)
    return [
        {
            "label": label,
            "state": "now" if step == current_step else "done" if step in done else "todo",
            "url": filing_url(step, section) if step in open_ones else "",
        }
        for step, label in step_labels().items()
    ]


def step_labels() -> dict[str, str]:
    return {
        "file": _("Upload"),
        "findings": _("Findings"),
        "details": _("Details"),
        "players": _("Players"),
        "submit": _("Submit"),
    }


def get_last_step_label(section: Section) -> str:
    """The label of the step at which filing a cancelled or refused section ended, or an empty string."""
    if section.stage not in (*CANCELLED_OR_WITHDRAWN, Stage.REFUSED):
        return ""
    done = done_steps(section)
    return next((str(label) for step, label in step_labels().items() if step not in done), "")


def reachable_steps(section: Section) -> tuple[str, ...]:
    """The steps that can be opened now: while the file has faults only the file, its findings and players."""
    if not section.open_to_filing:
        return ("submit",)
    if not is_file_read(section):
        return ("file",)
    blocked = section.findings.filter(source="file", level="blocks").exists()
    return ("file", "findings", "players") if blocked else STEPS


def done_steps(section: Section) -> set[str]:
    """The steps that are done: all once the office has the section, unless it was refused before play."""
    if section.stage in SUBMITTED_OR_RATED or (
        section.stage == Stage.REFUSED and not is_refused_before_play(section)
    ):
        return set(STEPS)
    if not is_file_read(section):
        return set()
    blocking = list(section.findings.blocking().values_list("source", "level"))
    done = {"file"}
    if not any(level == "blocks" for _source, level in blocking):
        done.add("findings")
        if not any(level == "asks" and source != "players" for source, level in blocking):
            done.add("details")
        if not any(source == "players" for source, _level in blocking):
            done.add("players")
    return done


def next_step_url(section: Section, current_step: str) -> str:
    """The address of the next step to do or to see, else of an earlier one to do, else the submission."""
    if not is_file_read(section):
        return ""
    after, done = STEPS.index(current_step) + 1, done_steps(section)
    unseen = done - steps_with_notices(section)
    wanted = [step for step in STEPS[after:-1] if step not in unseen]
    wanted += [step for step in STEPS[:after] if step not in done]
    return filing_url(wanted[0] if wanted else "submit", section)


def steps_with_notices(section: Section) -> set[str]:
    """The steps with something to see, even if it does not block: findings, adjustments, notices."""
    found = list(section.findings.all())
    steps = {"findings"} if found or section.adjustments.exists() else set()
    return steps | ({"details"} if any(is_for_details(section, each) for each in found) else set())


def count_nonblocking_findings(section: Section, step: str) -> int:
    """The number of findings that do not block, for the steps after the findings."""
    if step not in ("details", "players") or not section.open_to_filing:
        return 0
    return len(group_equal_findings(section.findings.exclude(level__in=("blocks", "asks"))))


def run_decision(request: OfficeRequest, decision: Callable[..., object], success_message: str = "") -> bool:
    """Run a service with the posted version of the section; return whether it was accepted.

    A refusal, or the words `done`, are shown on the next page.
    """
    form = VersionForm(request.POST)
    if not form.is_valid():
        raise Http404
    try:
        decision(version=form.cleaned_data["version"])
    except Refused as refused:
        messages.error(request, str(refused))
        return False
    if success_message:
        messages.success(request, success_message)
    return True


def is_number(text: str) -> bool:
    """Whether a posted text can be a row's number or key, which has at most 18 digits in the database."""
    return text.isascii() and text.isdecimal() and len(text) < 19
