"""Pages of a table on its way into the register: uploaded, looked at row by row, confirmed or discarded."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from players.importing.models import RegisterImport, RegisterLine, State
from players.importing.problem_messages import NOTICES, REASONS, say
from players.importing.services import (
    MOST_BYTES,
    confirm_register,
    discard_register,
    name_columns,
    receive_register,
)
from players.office.access import OfficeRequest, Permission, permitted
from players.office.decision_record import Refused
from players.office.settings_schema import today
from players.office.stored_bytes import let_go_words
from players.pages.htmx_error_status import error_status
from players.pages.paging import paged
from players.pages.sent_once import mark_of
from ratings.office.register.export_and_imports import register_page
from ratings.office.register.import_forms import ConfirmForm, TableForm
from ratings.office.register.import_tables import ComingListTable, LinesTable
from ratings.office.register.naming_form import NamingForm

STOP_POLLING = 286  # htmx: swap this in and ask no more


@permitted(Permission.PLAYERS_IMPORT)
@never_cache
@require_POST
def receive(request: OfficeRequest) -> HttpResponse:
    form = TableForm(request.POST, request.FILES)
    if not form.is_valid():
        return register_page(request, form, status=error_status(request, 400))
    given = form.cleaned_data["file"]
    try:
        received = receive_register(
            federation=request.office,
            by=request.user,
            at=timezone.now(),
            on=today(request.office),
            name=given.name,
            data=given.read(MOST_BYTES + 1),
            takes_numbers=form.cleaned_data["takes_numbers"],
            mark=mark_of(request),
        )
    except Refused as refused:
        form.add_error("file", str(refused))
        return register_page(request, form, status=error_status(request, 409))
    return redirect("ratings:register_import", request.office.code, received.pk)


@permitted(Permission.PLAYERS_IMPORT)
@never_cache
@require_safe
def look(request: OfficeRequest, key: int) -> HttpResponse:
    job = _job(request, key)
    return _page(request, job, ConfirmForm(initial={"digest": job.digest}, problems=_problems(job)))


def _job(request: OfficeRequest, key: int) -> RegisterImport:
    jobs = RegisterImport.objects.filter(federation=request.office).defer("content", "reading")
    return get_object_or_404(jobs.select_related("by", "confirmed_by"), pk=key)


def _problems(job: RegisterImport) -> int:
    return int(job.counts.get("problem", 0))


def _page(
    request: OfficeRequest,
    job: RegisterImport,
    form: ConfirmForm,
    refused: str = "",
    status: int = 200,
    naming: NamingForm | None = None,
) -> HttpResponse:
    context: dict[str, Any] = {
        "job": job,
        "refused": refused,
        "let_go": let_go_words(job),
        "reason": say(job.reason, REASONS) if job.reason else "",
        "notices": [say(told, NOTICES) for told in job.notices],
    }
    if job.nameable and job.head:
        context["naming"] = naming or NamingForm(job=job)
    if job.working:
        context["working"] = _state_of(request, job)
    elif job.state in (State.PLANNED, State.WRITTEN) and not job.let_go_on:  # these alone have a dry run
        context |= _lines(request, job)
        if job.opening and job.state == State.PLANNED:
            context["coming"] = ComingListTable(job)
        context |= {"form": form, "writes": job.counts["new"] + job.counts["changed"]}
    return render(request, "ratings/office/register_import.html", context, status=status)


ALL = "all"


def _lines(request: OfficeRequest, job: RegisterImport) -> dict[str, Any]:
    """The template context with a page of an import's rows, of one kind: the one that the address asks for,
    else the one that needs attention first.
    """
    kinds = [kind for kind in RegisterLine.Kind if kind != "unchanged" or job.state == State.PLANNED]
    asked = request.GET.get("kind", "")
    chosen = asked if asked in (ALL, *kinds) else _first_kind(job)
    lines = job.lines.all() if chosen == ALL else job.lines.filter(kind=chosen)
    table = paged(LinesTable(lines, office=request.office), request)
    whole = _("All rows") if len(kinds) == len(RegisterLine.Kind) else _("All but the unchanged")
    total = sum(job.counts[kind] for kind in kinds)
    tabs = [_tab(ALL, whole, total, chosen)]
    tabs += [_tab(kind, capfirst(str(kind.label)), job.counts[kind], chosen) for kind in kinds]
    return {"table": table, "tabs": tabs}


def _tab(kind: str, label: str, count: int, chosen: str) -> dict[str, Any]:
    return {"label": label, "url": f"?kind={kind}", "current": kind == chosen, "count": count}


def _first_kind(job: RegisterImport) -> str:
    """The kind of rows that an import's page opens with: problems, else changes, new players, all rows."""
    kinds = (RegisterLine.Kind.PROBLEM, RegisterLine.Kind.CHANGED, RegisterLine.Kind.NEW)
    if job.state == State.WRITTEN:
        return ALL
    return next((kind for kind in kinds if job.counts[kind]), ALL)


def _state_of(request: OfficeRequest, job: RegisterImport) -> dict[str, Any]:
    """The template context of the progress bar while the worker compares or writes an import."""
    waits = job.state in (State.WAITING, State.CONFIRMED)
    if waits:
        words = _("Waiting for the worker")
    else:
        words = _("Writing the register") if job.writes else _("Comparing the table with the register")
    here = [request.office.code, job.pk]
    return {
        "words": words,
        "done": job.progress,
        "total": None if waits else 100,
        "count": " ",
        "url": reverse("ratings:register_progress", args=here),
        "refresh_url": reverse("ratings:register_import", args=here),
    }


@permitted(Permission.PLAYERS_IMPORT)
@never_cache
@require_safe
def progress(request: OfficeRequest, key: int) -> HttpResponse:
    """The progress that the waiting page asks for each second; at the end it is told to reload."""
    job = _job(request, key)
    if not job.working:
        return HttpResponse(status=STOP_POLLING, headers={"HX-Refresh": "true"})
    return render(request, "components/progress_state.html", _state_of(request, job))


@permitted(Permission.PLAYERS_IMPORT)
@never_cache
@require_POST
def name(request: OfficeRequest, key: int) -> HttpResponse:
    """Take what a person says of the columns; the worker then compares the table anew."""
    job = _job(request, key)
    naming = NamingForm(request.POST, job=job)
    confirmation = ConfirmForm(initial={"digest": job.digest}, problems=_problems(job))
    if not naming.is_valid():
        return _page(request, job, confirmation, _("Look at the columns again."), 400, naming)
    try:
        name_columns(register_import=job, naming=naming.naming(), digest=naming.cleaned_data["digest"])
    except Refused as refused:
        return _page(request, _job(request, key), confirmation, str(refused), status=409)
    return redirect("ratings:register_import", request.office.code, key)


@permitted(Permission.PLAYERS_IMPORT)
@never_cache
@require_POST
def confirm(request: OfficeRequest, key: int) -> HttpResponse:
    job = _job(request, key)
    form = ConfirmForm(request.POST, problems=_problems(job))
    if not form.is_valid():
        return _page(request, job, form, _("Look at it again."), status=400)
    try:
        confirm_register(
            register_import=job,
            by=request.user,
            on=today(request.office),
            digest=form.cleaned_data["digest"],
            leave_out=form.cleaned_data.get("leave_out", False),
        )
    except Refused as refused:
        job = _job(request, key)
        form = ConfirmForm(initial={"digest": job.digest}, problems=_problems(job))
        return _page(request, job, form, str(refused), status=409)
    return redirect("ratings:register_import", request.office.code, key)


@permitted(Permission.PLAYERS_IMPORT)
@never_cache
@require_POST
def discard(request: OfficeRequest, key: int) -> HttpResponse:
    job = _job(request, key)
    try:
        discard_register(register_import=job, by=request.user, on=today(request.office))
    except Refused as refused:
        messages.error(request, str(refused))
        return redirect("ratings:register_import", request.office.code, key)
    messages.success(request, _("The table was discarded. Nothing was changed."))
    return redirect("ratings:register", request.office.code)
