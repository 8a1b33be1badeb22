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
from tournaments.before_play import missed_before_play, question_to_region
from tournaments.corrections import told_of
from tournaments.findings import equal_ones, filing_url, is_for_details
from tournaments.models import NOT_PLAYED, WITH_THE_OFFICE, Event, Remark, Section, Stage
from tournaments.pages.forms import VersionForm
from tournaments.review import note_read, open_remarks
from tournaments.sections import refused_before_play

STEPS = ("file", "findings", "details", "players", "submit")


REASON = "reason-"


def reasons_of(request: OfficeRequest) -> dict[int, str]:
    """The posted reasons for waiving findings (`reason-17`), by the key of the finding."""
    posted = {name: str(text).replace("\0", "") for name, text in request.POST.items()}
    named = {name.removeprefix(REASON): text for name, text in posted.items() if name.startswith(REASON)}
    return {int(key): text for key, text in named.items() if is_number(key)}


def own_event(request: OfficeRequest, number: str, permission: Permission) -> Event:
    """An event of a region in which the permission is held; 404 for any other."""
    events = Event.objects.within(request.rights, permission).select_related("federation", "region")
    return get_object_or_404(events, number=number)


def own_section(request: OfficeRequest, number: str, code: str, permission: Permission) -> Section:
    events = Event.objects.within(request.rights, permission)
    sections = Section.objects.select_related("event__federation", "event__region")
    return get_object_or_404(sections, event__in=events, event__number=number, code=code)


def to_step(section: Section, step: str, anchor: str = "") -> HttpResponse:
    return redirect(filing_url(step, section) + anchor)


def closed(section: Section) -> HttpResponse | None:
    """A redirect away from a page that changes a section, if the region may not change it now; else None."""
    return None if section.open_to_filing else to_step(section, "submit")


def not_read(section: Section) -> HttpResponse | None:
    """A redirect away from a page for a section whose file was read, if it was not; else None."""
    return closed(section) or (None if is_read(section) else to_step(section, "file"))


def too_late(request: OfficeRequest, section: Section) -> HttpResponse | None:
    """As `not_read`, for a page with a form: whoever sent one is told that nothing was saved."""
    elsewhere = not_read(section)
    if elsewhere and request.method == "POST":
        words = _("Nothing was saved: this section is %(stage)s by now.")
        messages.error(request, words % {"stage": section.get_stage_display()})
    return elsewhere


def is_read(section: Section) -> bool:
    return section.entries.exists() and not section.uploads.waiting().exists()


def note_opened(request: OfficeRequest, section: Section) -> None:
    """Note that the region has opened what the office decided; an official who looks is not the region."""
    if request.rights.regions_for(Permission.SECTIONS_FILE):
        note_read(section, timezone.now())


def show(
    request: OfficeRequest, section: Section, step: str, context: dict[str, Any], status: int = 200
) -> HttpResponse:
    """Render the page of one of the five steps of filing a section, with the stepper."""
    note_opened(request, section)
    common = {
        "section": section,
        "event": section.event,
        "steps": steps_of(section, step),
        "ended_at": ended_at(section),
        "returned": section.remarks if section.open_to_filing else "",
        "question": question_to_region(section),
        "missed": missed_before_play(section, today(request.office)) if section.open_to_filing else [],
        "unrated": section.stage == Stage.UNRATED,
        "corrections": told_of(section),
        "next": next_step(section, step),
        "said": Remark.objects.for_region().filter(section=section).count(),
        "unanswered": open_remarks(section),
        "noted": noted(section, step),
    }
    return render(request, f"tournaments/{step}.html", common | context, status=status)


def steps_of(section: Section, now: str) -> list[dict[str, Any]]:
    """Context of the stepper above a section's pages: which steps are done, present, or can be opened."""
    done = done_steps(section)
    open_ones = reachable(section)
    return [
        {
            "label": label,
            "state": "now" if step == now else "done" if step in done else "todo",
            "url": filing_url(step, section) if step in open_ones else "",
        }
        for step, label in labels().items()
    ]


def labels() -> dict[str, str]:
    """The name of each step."""
    return {
        "file": _("Upload"),
        "findings": _("Findings"),
        "details": _("Details"),
        "players": _("Players"),
        "submit": _("Submit"),
    }


def ended_at(section: Section) -> str:
    """The label of the step at which filing a called off or refused section ended; empty: it did not, or
    all was done.
    """
    if section.stage not in (*NOT_PLAYED, Stage.REFUSED):
        return ""
    done = done_steps(section)
    return next((str(label) for step, label in labels().items() if step not in done), "")


def reachable(section: Section) -> tuple[str, ...]:
    """The steps that make sense now: until the file is put right only it, its findings and the players."""
    if not section.open_to_filing:
        return ("submit",)
    if not is_read(section):
        return ("file",)
    blocked = section.findings.filter(source="file", level="blocks").exists()
    return ("file", "findings", "players") if blocked else STEPS


def done_steps(section: Section) -> set[str]:
    """The steps that are behind a section: all once the office got it; where it was called off, or refused
    before play, those up to which it came.
    """
    if section.stage in WITH_THE_OFFICE or (
        section.stage == Stage.REFUSED and not refused_before_play(section)
    ):
        return set(STEPS)
    if not is_read(section):
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


def next_step(section: Section, now: str) -> str:
    """The address of the next step with something to do or to see, those after this one first, then those
    before it with something to do; else the submission.
    """
    if not is_read(section):
        return ""
    after, done = STEPS.index(now) + 1, done_steps(section)
    unseen = done - steps_to_see(section)
    wanted = [step for step in STEPS[after:-1] if step not in unseen]
    wanted += [step for step in STEPS[:after] if step not in done]
    return filing_url(wanted[0] if wanted else "submit", section)


def steps_to_see(section: Section) -> set[str]:
    """The steps that tell something though nothing there may be in the way: findings or adjustments, and
    notices that the details answer.
    """
    found = list(section.findings.all())
    told = {"findings"} if found or section.adjustments.exists() else set()
    return told | ({"details"} if any(is_for_details(section, each) for each in found) else set())


def noted(section: Section, step: str) -> int:
    """The number of findings that a step after them tells of, though they are not in the way."""
    if step not in ("details", "players") or not section.open_to_filing:
        return 0
    return len(equal_ones(section.findings.exclude(level__in=("blocks", "asks"))))


def decide_on(request: OfficeRequest, decision: Callable[..., object], done: str = "") -> bool:
    """Run a service with the version of the section that the page posted; return whether it was not refused.

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
    if done:
        messages.success(request, done)
    return True


def is_number(text: str) -> bool:
    """Whether a posted text can be a row's number or key: no longer than the database's whole numbers."""
    return text.isascii() and text.isdecimal() and len(text) < 19
