"""Pages of the remarks of region and office on a section and of the differences of its files; appeals."""

from datetime import date
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from players.access import FORM, POST, OfficeRequest, Permission, page
from players.files import deletion_message
from players.models import User
from players.pages.forms import MESSAGE, attempt
from tournaments import review
from tournaments.filing import compare_sheet_summaries
from tournaments.findings import filing_url
from tournaments.models import Remark, Section, Upload
from tournaments.pages.deadlines import AppealForm
from tournaments.pages.forms import rebuild_form
from tournaments.pages.steps import get_own_section, is_number, mark_office_answer_as_read, redirect_to_step
from tournaments.pages.submission import render_submission_page
from tournaments.review import (
    MOST_WORDS,
    WANTS_ANSWER,
    answer,
    count_open_remarks,
    refuse_taken_back,
)


@page(Permission.SECTIONS_FILE, methods=FORM)
def remarks(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    """List the remarks on a section, on which the region answers each remark of the office."""
    section = get_own_section(request, number, code)
    mark_office_answer_as_read(request, section)
    typed: dict[str, str] = {}
    status = 200
    if request.method == "POST":
        # By the key of the remark that is answered; under "" words that answer none.
        posted = {"": request.POST.get("words", "")}
        for name, words in request.POST.items():
            if name.startswith(ANSWER_PREFIX):
                posted[name.removeprefix(ANSWER_PREFIX)] = str(words)
        typed = {key: words.replace("\0", "").strip()[:MOST_WORDS] for key, words in posted.items()}
        recorded = attempt(
            request,
            None,
            _record_answers,
            _("The office reads it beside the section."),
            refusal_to=MESSAGE,
            section=section,
            typed=typed,
        )
        if recorded.done:
            return redirect(filing_url("remarks", section))
        status = recorded.status
    thread = list_remark_threads(section, include_internal=False)
    # Show typed answers at their remarks, and words on any other at the end, so that none are lost.
    for one in (each for each in thread if each.asks and not each.answered_by):  # type: ignore[attr-defined]
        one.typed = typed.pop(str(one.pk), "")  # type: ignore[attr-defined]
    context = {
        "section": section,
        "event": section.event,
        "thread": thread,
        "open": count_open_remarks(section),
        "typed": "\n".join(words for words in typed.values() if words),
        "comparable": has_comparable_files(section),
    }
    return render(request, "tournaments/remarks.html", context, status=status)


ANSWER_PREFIX = "answer-"


@transaction.atomic
def _record_answers(*, section: Section, typed: dict[str, str], by: User, on: date) -> None:
    """Record all answers or none. Raises `Refused` as `answer` does."""
    answers = {key: words for key, words in typed.items() if words} or {"": ""}
    for key, words in answers.items():
        remark = _get_remark(section, key)
        answer(section=section, by=by, on=on, words=words, answers_to=remark)


def list_remark_threads(section: Section, *, include_internal: bool) -> list[Remark]:
    """A section's remarks in order, each with its answers; `include_internal`: include the office's own
    notes.
    """
    rows = section.thread.all() if include_internal else Remark.objects.for_region().filter(section=section)
    found = list(rows.select_related("by", "sealed_words").prefetch_related("decision__words"))
    asking = set(section.thread.filter(WANTS_ANSWER).values_list("pk", flat=True))
    by_key = {one.pk: one for one in found}
    for one in found:
        one.answered_by = []  # type: ignore[attr-defined]
        one.asks = one.pk in asking  # type: ignore[attr-defined]
    for one in found:
        if one.answers_to_id in by_key:
            by_key[one.answers_to_id].answered_by.append(one)  # type: ignore[attr-defined]
    return [one for one in found if one.answers_to_id not in by_key]


def _get_remark(section: Section, key: str) -> Remark | None:
    """Get the answered remark; None for an empty key. Raises Http404, or `Refused` if it was taken back."""
    if not key:
        return None
    if not is_number(key):
        raise Http404
    refuse_taken_back(int(key))
    return get_object_or_404(Remark.objects.for_region().filter(WANTS_ANSWER, section=section), pk=int(key))


# ---- Differences between two files
@page(Permission.SECTIONS_FILE)
def differences(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    """Compare two files of a section: the newest two, or two others in the address."""
    section = get_own_section(request, number, code)
    read = section.uploads.filter(state=Upload.State.READ).select_related("sheet", "by").defer("content")
    files = list(read.order_by("-at", "-pk"))
    keys = {request.GET.get("old", ""), request.GET.get("new", "")}
    chosen = [one for one in files if str(one.pk) in keys]
    if len(chosen) != 2:
        chosen = files[:2]
    old, new = (chosen[1], chosen[0]) if len(chosen) == 2 else (None, None)
    births = Permission.PLAYERS_BIRTHS in request.rights.everywhere
    births = births or section.event.region_id in request.rights.region_keys_unless_everywhere(
        Permission.SECTIONS_FILE
    )
    context: dict[str, Any] = {
        "section": section,
        "event": section.event,
        "files": files,
        "old": old,
        "new": new,
        "gone": [
            f"{one.name}: {deletion_message(one)}" for one in (old, new) if one and deletion_message(one)
        ],
    }
    if old and new and not context["gone"]:
        context["compared"] = compare_sheet_summaries(
            old.sheet.content, new.sheet.content, show_births=births
        )
    return render(request, "tournaments/differences.html", context)


def has_comparable_files(section: Section) -> bool:
    """Whether two files of the section were read."""
    return section.uploads.filter(state=Upload.State.READ).count() > 1


@page(Permission.SECTIONS_SUBMIT, methods=POST)
def appeal(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    """Appeal against the refusal of a section."""
    section = get_own_section(request, number, code)
    mark_office_answer_as_read(request, section)
    form = AppealForm(request.POST)
    if not form.is_valid():
        messages.error(request, _("Say in at most 1,000 letters why the office should decide otherwise."))
        return render_submission_page(request, section, appeal_form=form, status=400)
    words = _("Your appeal is with the office. It answers on this page.")
    appealed = attempt(request, form, review.appeal, words, refusal_to=MESSAGE, section=section)
    if appealed.done:
        return redirect_to_step(section, "submit")
    section.refresh_from_db()
    form = rebuild_form(AppealForm, request.POST, section, appealed.refused)
    return render_submission_page(request, section, appeal_form=form, status=appealed.status)
