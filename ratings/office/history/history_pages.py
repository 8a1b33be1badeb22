"""The workbench for a past: upload, progress, table, questions by cause, the ratings to come, and writing."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import wraps
from io import BytesIO
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from players.office.access import OfficeRequest, Permission, permitted
from players.office.decision_record import Refused
from players.office.models import Federation
from players.office.settings_schema import today
from players.office.stored_bytes import let_go_words
from players.pages.htmx_error_status import error_status
from ratings.journal.days_taken_over import first_own_line, opening_day
from ratings.office.history.decide_people import ABOUT_PEOPLE
from ratings.office.history.find_history import find_history
from ratings.office.history.history_forms import AnswersForm, HistoryForm, HistoryTableForm
from ratings.office.history.one_answer import answers_for, files_of
from tournaments.events.finding_words import reasons_in_words
from tournaments.history import who_is_who
from tournaments.history.models import History, HistoryAnswer, State
from tournaments.history.question_table import read_answers, write_questions
from tournaments.history.read_files import sheets_of
from tournaments.history.receive import (
    MOST_PACKED,
    MOST_TABLE,
    GivenAnswer,
    amend_table,
    answer,
    confirm_history,
    discard_history,
    receive_history,
    refuse_own_record,
    replace_table,
)
from tournaments.history.table import write_table
from tournaments.history.table_columns import columns_of

STOP_POLLING = 286  # htmx: swap this in and ask no more
_MARK = re.compile(r"\bm[0-9a-f]{12} ")
CSV = "text/csv; charset=utf-8"


@permitted(Permission.SECTIONS_APPROVE)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def histories(request: OfficeRequest) -> HttpResponse:
    """The histories of the office, and the form to upload one."""
    form = HistoryForm(request.POST or None, request.FILES or None)
    if request.method != "POST" or not form.is_valid():
        return _overview(request, form, 200 if request.method != "POST" else 400)
    file, table = form.cleaned_data["file"], form.cleaned_data["table"]
    try:
        history = receive_history(
            federation=request.office,
            by=request.user,
            at=timezone.now(),
            on=today(request.office),
            name=file.name,
            data=file.read(MOST_PACKED + 1),
            source=form.cleaned_data["source"],
            own_line=first_own_line(request.office),
            table=(table.name, table.read(MOST_TABLE)) if table else None,
        )
    except Refused as refused:
        form.add_error("file", str(refused))
        return _overview(request, form, 409)
    return redirect("ratings:history", request.office.code, history.pk)


def _overview(request: OfficeRequest, form: HistoryForm, status: int) -> HttpResponse:
    known = History.objects.filter(federation=request.office).defer(*History.byte_columns, "outcome", "rows")
    context = {
        "form": form,
        "histories": known,
        "impossible": _impossible(request.office),
        "openings": opening_day(request.office),
    }
    shown = status if status == 200 else error_status(request, status)
    return render(request, "ratings/office/histories.html", context, status=shown)


def _impossible(office: Federation) -> str:
    """The reason why no past can go in; empty: one can."""
    try:
        refuse_own_record(first_own_line(office))
    except Refused as refused:
        return str(refused)
    return ""


@permitted(Permission.SECTIONS_APPROVE)
@never_cache
@require_safe
def look(request: OfficeRequest, key: int) -> HttpResponse:
    return _page(request, find_history(request, key))


def _page(request: OfficeRequest, history: History, refused: str = "", status: int = 200) -> HttpResponse:
    context: dict[str, Any] = {
        "history": history,
        "refused": refused,
        "let_go": let_go_words(history),
        "reasons": reasons_in_words(history.reason),
        "outcome": history.outcome,
        "causes": [(cause, answers_for(request.office, cause)) for cause in _causes(history)],
        "table_form": HistoryTableForm(auto_id="table_%s"),
        "answers_form": AnswersForm(auto_id="answers_%s"),
    }
    if history.working:
        context["working"] = _work(request, history)
    return render(request, "ratings/office/history.html", context, status=status)


def _causes(history: History) -> list[dict[str, Any]]:
    """The causes of the newest check as pages show them: without the marks that tables of answers need."""
    causes: Any = history.outcome.get("causes", [])
    for cause in causes:
        cause["examples"] = [_MARK.sub("", each) for each in cause["examples"]]
        cause["about_people"] = cause["key"] in ABOUT_PEOPLE
    return list(causes)


def _back_to_page(act: Callable[[OfficeRequest, int], HttpResponse | None]) -> Callable[..., HttpResponse]:
    """Lead back to the page of the history behind what `act` does to it; a refusal is told there."""

    @wraps(act)
    def acting(request: OfficeRequest, key: int) -> HttpResponse:
        try:
            answered = act(request, key)
        except Refused as refused:
            return _page(request, find_history(request, key), str(refused), status=409)
        return answered or redirect("ratings:history", request.office.code, key)

    return acting


def _work(request: OfficeRequest, history: History) -> dict[str, Any]:
    """The template context of the progress bar while the worker reads, checks or writes."""
    waits = history.state in (State.WAITING, State.ASKED, State.CONFIRMED)
    here = [request.office.code, history.pk]
    return {
        "words": _("Waiting for the worker") if waits else history.get_state_display(),
        "done": history.progress,
        "total": None if waits else 100,
        "count": " ",
        "url": reverse("ratings:history_progress", args=here),
        "refresh_url": reverse("ratings:history", args=here),
    }


@permitted(Permission.SECTIONS_APPROVE)
@never_cache
@require_safe
def progress(request: OfficeRequest, key: int) -> HttpResponse:
    """The progress that the waiting page asks for each second; at the end it is told to reload."""
    history = find_history(request, key)
    if not history.working:
        return HttpResponse(status=STOP_POLLING, headers={"HX-Refresh": "true"})
    return render(request, "components/progress_state.html", _work(request, history))


# ---------------------------------------------------------------- table and answers


@permitted(Permission.SECTIONS_APPROVE)
@never_cache
@require_safe
def table(request: OfficeRequest, key: int) -> HttpResponse:
    """The table as CSV, filled in as far as the files tell."""
    history, written = find_history(request, key), BytesIO()
    write_table(written, history, sheets_of(history))
    return _download(written.getvalue(), "table.csv")


@permitted(Permission.SECTIONS_APPROVE)
@never_cache
@require_safe
def questions(request: OfficeRequest, key: int) -> HttpResponse:
    """The open questions as CSV, to be answered there."""
    asked: Any = find_history(request, key).outcome.get("asked", [])
    return _download(write_questions(asked), "questions.csv")


@permitted(Permission.SECTIONS_APPROVE)
@never_cache
@require_safe
def everybody(request: OfficeRequest, key: int) -> HttpResponse:
    """Give out who is who as CSV: for whom each spelling was taken, to be put right there."""
    return _download(who_is_who.read(find_history(request, key)), "who-is-who.csv")


def _download(data: bytes, name: str) -> HttpResponse:
    answered = HttpResponse(data, content_type=CSV)
    answered["Content-Disposition"] = f'attachment; filename="{name}"'
    return answered


@permitted(Permission.SECTIONS_APPROVE)
@never_cache
@require_POST
@_back_to_page
def give_table(request: OfficeRequest, key: int) -> HttpResponse | None:
    """Take the filled-in table in place of the earlier one."""
    history, form = find_history(request, key), HistoryTableForm(request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, history, _("Choose the table."), status=400)
    file = form.cleaned_data["file"]
    replace_table(
        history=history,
        by=request.user,
        on=today(request.office),
        name=file.name,
        data=file.read(MOST_TABLE),
    )
    return None


@permitted(Permission.SECTIONS_APPROVE)
@never_cache
@require_POST
@_back_to_page
def give_answers(request: OfficeRequest, key: int) -> HttpResponse | None:
    """Take one answer for all questions of a kind, or a table of answers."""
    history, form = find_history(request, key), AnswersForm(request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, history, _("Write an answer, or choose a table with answers."), status=400)
    said = form.cleaned_data
    answers = read_answers(said["file"].read(MOST_TABLE)) if said["file"] else []
    if said["kind"] and said["value"]:
        answers.append(GivenAnswer(said["kind"], HistoryAnswer.ALL, said["value"]))
    answer(history=history, by=request.user, at=timezone.now(), on=today(request.office), answers=answers)
    return None


@permitted(Permission.SECTIONS_APPROVE)
@never_cache
@require_POST
@_back_to_page
def amend(request: OfficeRequest, key: int) -> None:
    """Set one cell of the table for all files of a cause that the page showed."""
    history, said = find_history(request, key), request.POST
    cause = next((each for each in _causes(history) if each.get("mark") == said.get("cause")), None)
    column, value = said.get("column", ""), said.get("value", "").strip()[:200]
    if cause is None or column not in columns_of(request.office.ruleset):
        raise Refused(_("Something was changed since this was checked. Look at what would be written now."))
    if not value:
        raise Refused(_("Give a value."))
    amend_table(
        history=history,
        by=request.user,
        on=today(request.office),
        files=files_of(cause),
        cells={column: value},
    )


# ---------------------------------------------------------------- write or discard


@permitted(Permission.SECTIONS_APPROVE)
@never_cache
@require_POST
@_back_to_page
def confirm(request: OfficeRequest, key: int) -> None:
    """Have the worker write what this page showed."""
    history = find_history(request, key)
    confirm_history(
        history=history,
        by=request.user,
        on=today(request.office),
        digest=request.POST.get("digest", ""),
    )


@permitted(Permission.SECTIONS_APPROVE)
@never_cache
@require_POST
def discard(request: OfficeRequest, key: int) -> HttpResponse:
    """Let a history go that is not written."""
    try:
        discard_history(history=find_history(request, key), by=request.user, on=today(request.office))
    except Refused as refused:
        messages.error(request, str(refused))
        return redirect("ratings:history", request.office.code, key)
    messages.success(request, _("The history was discarded. Nothing was changed."))
    return redirect("ratings:histories", request.office.code)
