"""Shared by the filing pages: the section or 404, the stepper, and the refusals of services."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from players.access import OfficeRequest, Permission
from players.pages.forms import MESSAGE, attempt
from players.settings import today
from tournaments import steps
from tournaments.before_play import get_open_region_question, list_missed_days_to_act_on
from tournaments.corrections import list_corrections
from tournaments.findings import filing_url
from tournaments.formats.file_check import group_equal_findings
from tournaments.models import Event, Remark, Section, Stage
from tournaments.pages.forms import VersionForm
from tournaments.review import count_open_remarks, mark_notice_as_read

REASON_PREFIX = "reason-"


def posted_reasons(request: OfficeRequest) -> dict[int, str]:
    """The posted reasons for waiving findings (`reason-17`), by the key of the finding."""
    reasons = {
        name.removeprefix(REASON_PREFIX): str(text).replace("\0", "")
        for name, text in request.POST.items()
        if name.startswith(REASON_PREFIX)
    }
    return {int(key): text for key, text in reasons.items() if is_number(key)}


def get_own_event(request: OfficeRequest, number: str) -> Event:
    """Get an event of a region in which the user has the page's permission; 404 for any other."""
    events = Event.objects.within(request.rights, request.permission).select_related("federation", "region")
    return get_object_or_404(events, number=number)


def get_own_section(request: OfficeRequest, event_number: str, section_code: str) -> Section:
    events = Event.objects.within(request.rights, request.permission)
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
        None if steps.is_file_read(section) else redirect_to_step(section, "file")
    )


def redirect_and_warn_if_unread(request: OfficeRequest, section: Section) -> HttpResponse | None:
    """Like `redirect_if_unread`, for a page with a form: a post also gets a message: nothing was saved."""
    elsewhere = redirect_if_unread(section)
    if elsewhere and request.method == "POST":
        words = _("Nothing was saved: this section is %(stage)s by now.")
        messages.error(request, words % {"stage": section.get_stage_display()})
    return elsewhere


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
        "ended_at": steps.get_last_step_label(section),
        "returned": section.remarks if section.open_to_filing else "",
        "question": get_open_region_question(section),
        "askable": section.open_to_filing and list_missed_days_to_act_on(section, today(request.office)),
        "unrated": section.stage == Stage.UNRATED,
        "corrections": list_corrections(section),
        "next": steps.next_step_url(section, step),
        "said": Remark.objects.for_region().filter(section=section).count(),
        "unanswered": count_open_remarks(section),
        "noted": count_nonblocking_findings(section, step),
    }
    return render(request, f"tournaments/{step}.html", common | context, status=status)


def build_stepper(section: Section, current_step: str) -> list[dict[str, Any]]:
    """Context of the stepper above a section's pages: which steps are done, current, or can be opened."""
    done = steps.done_steps(section)
    open_ones = steps.reachable_steps(section)
    return [
        {
            "label": label,
            "state": "now" if step == current_step else "done" if step in done else "todo",
            "url": filing_url(step, section) if step in open_ones else "",
        }
        for step, label in steps.STEP_LABELS.items()
    ]


def count_nonblocking_findings(section: Section, step: str) -> int:
    """The number of findings that do not block, for the steps after the findings."""
    if step not in ("details", "players") or not section.open_to_filing:
        return 0
    return len(group_equal_findings(section.findings.exclude(level__in=("blocks", "asks"))))


def run_decision(
    request: OfficeRequest, service: Callable[..., object], message: str = "", **terms: Any
) -> bool:
    """Run a service with the posted version of the section; return whether it was accepted.

    A refusal, or else the message, is shown on the next page.
    """
    attempted = attempt(request, VersionForm(request.POST), service, message, refusal_to=MESSAGE, **terms)
    if not attempted.done and not attempted.refused:
        raise Http404
    return attempted.done


def is_number(text: str) -> bool:
    """Whether a posted text can be a row's number or key, which has at most 18 digits in the database."""
    return text.isascii() and text.isdecimal() and len(text) < 19
