"""The first two steps of filing, the file and its findings; and the download of a filed file."""

from __future__ import annotations

from datetime import date
from functools import partial
from io import BytesIO
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import FileResponse, Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from players.access import OfficeRequest, Permission, permitted
from players.files import deletion_message
from players.models import User
from players.pages.forms import error_status
from players.record import Refused, decide
from players.settings import today
from tournaments.filing import accepted_kind_names, accepted_sources, takes_games
from tournaments.findings import build_worded_findings, describe_failure, filing_url
from tournaments.models import Archive, FileJob, Section, Upload
from tournaments.pages.forms import FileForm, VersionForm
from tournaments.pages.steps import (
    get_own_section,
    redirect_if_closed,
    redirect_if_unread,
    redirect_to_step,
    render_filing_step,
    run_decision,
)
from tournaments.review import get_quoted_lines
from tournaments.section_files import CONTENT_TYPES, make_empty_tables, render_empty_table
from tournaments.sections import refuse_flood, was_rated
from tournaments.submission import describe_adjustments
from tournaments.uploads import (
    MOST_BYTES,
    KnownAsArchive,
    discard_unreviewed_files,
    find_reviewed_file,
    receive_file,
    removable_files,
)


# ---- Downloads
@transaction.atomic
def open_and_record_upload(*, upload: Upload, by: User, on: date) -> BytesIO:
    """Return the filed bytes, and record who took them."""
    decide(
        upload.federation,
        kind="open-file",
        by=by,
        on=on,
        about=f"section {upload.section.key}",
        sha256=upload.sha256,
    )
    return BytesIO(bytes(upload.content or b""))


def download_held_file(request: OfficeRequest, section: Section) -> HttpResponseBase:
    """Respond with the file that a section holds, and record who opened it, because it has dates of birth."""
    upload = section.uploads.held()
    if upload is None:
        raise Http404
    if upload.content is None:
        words = deletion_message(upload) or _("The file itself is no longer here.")
        return render(request, "410.html", {"words": words}, status=410)
    content = open_and_record_upload(upload=upload, by=request.user, on=today(request.office))
    return FileResponse(
        content, as_attachment=True, filename=upload.name, content_type="application/octet-stream"
    )


@permitted(Permission.SECTIONS_FILE)
@never_cache
@require_POST
def take_file(request: OfficeRequest, number: str, code: str) -> HttpResponseBase:
    """Download a section's file as its region, in any stage."""
    return download_held_file(request, get_own_section(request, number, code, Permission.SECTIONS_FILE))


@permitted(Permission.SECTIONS_FILE)
@never_cache
@require_safe
def table(request: OfficeRequest, suffix: str) -> HttpResponse:
    if suffix not in CONTENT_TYPES:
        raise Http404
    content = render_empty_table(request.office.ruleset, suffix)
    name = f"{request.office.code}-table.{suffix}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(content, content_type=CONTENT_TYPES[suffix], headers=headers)


# ---- The steps
STOP_POLLING_STATUS = 286  # htmx swaps the response in and stops polling


@permitted(Permission.SECTIONS_FILE)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def file(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    section = get_own_section(request, number, code, Permission.SECTIONS_FILE)
    if request.method == "POST":
        return _receive(request, section)
    return redirect_if_closed(section) or _show_file(request, section, FileForm())


def _receive(request: OfficeRequest, section: Section) -> HttpResponse:
    form = FileForm(request.POST, request.FILES)
    if not form.is_valid():
        return _show_file(request, section, form, status=400)
    given = form.cleaned_data["file"]
    try:
        refuse_flood(request.user, timezone.now())
        received = receive_file(
            section=section,
            by=request.user,
            at=timezone.now(),
            on=today(request.office),
            name=given.name,
            data=given.read(MOST_BYTES + 1),
        )
    except KnownAsArchive as held:
        if held.archive.event_id == section.event_id:
            messages.info(
                request, _("This archive was uploaded before: below you see what happened with it.")
            )
            return redirect(held.archive)
        form.add_error("file", str(held))
        return _show_file(request, section, form, status=409)
    except Refused as refused:
        form.add_error("file", str(refused))
        return _show_file(request, section, form, status=409)
    if received.known and received.upload.state == Upload.State.READ:
        messages.info(request, _("This file was uploaded before; nothing was changed."))
    return redirect_to_step(section, "file")


def _show_file(request: OfficeRequest, section: Section, form: FileForm, status: int = 200) -> HttpResponse:
    upload = section.uploads.newest()
    sources = accepted_sources(request.office.ruleset)
    context: dict[str, Any] = {
        "form": form,
        "upload": upload,
        "archive": find_undistributed_archive(section),
        "not_before": section.starts if today(request.office) < section.starts else None,
        "being_played": section.starts <= today(request.office) < section.ends,
        "waiting": upload is not None and upload in section.uploads.waiting(),
        "progress_url": filing_url("progress", section),
        "reasons": []
        if form.errors or not upload or upload.state != Upload.State.UNREADABLE
        else describe_failure(upload),
        "discardable": section.stage != "unrated"
        and section.open_to_filing
        and not was_rated(section)
        and removable_files(section).exists(),
        "entries": section.entries.count(),
        "tables": make_empty_tables(request.office.ruleset),
        "takes_games": takes_games(request.office.ruleset),
        "kinds": accepted_kind_names(request.office.ruleset),
        "sources": sources,
        "by_description": any(source.by_description for source in sources),
    }
    status = error_status(request, status)
    return render_filing_step(
        request, section, "file", context | (progress_bar_context(upload) if upload else {}), status
    )


def find_undistributed_archive(section: Section) -> Archive | None:
    """The section's last archive, if no file was uploaded after it and no section has a file from it."""
    archive = section.archives.defer("content").exclude(files__upload__isnull=False).first()
    upload = section.uploads.newest()
    return archive if archive and (upload is None or upload.at < archive.at) else None


def progress_bar_context(job: FileJob) -> dict[str, Any]:
    """Context of the progress bar for a file that waits or is being read."""
    waits = job.state == FileJob.State.WAITING
    words = _("Waiting for the worker") if waits else _("Reading the file")
    return {"words": words, "done": job.progress, "total": None if waits else 100, "count": " "}


@permitted(Permission.SECTIONS_FILE)
@never_cache
@require_safe
def progress(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    """The progress that the page polls each second; at the end it reloads, or goes to the archive."""
    section = get_own_section(request, number, code, Permission.SECTIONS_FILE)
    upload = section.uploads.waiting().newest()
    if upload is None:
        archive = find_undistributed_archive(section)
        headers = {"HX-Redirect": archive.get_absolute_url()} if archive else {"HX-Refresh": "true"}
        return HttpResponse(status=STOP_POLLING_STATUS, headers=headers)
    context = progress_bar_context(upload) | {"refresh_url": filing_url("file", section)}
    return render(request, "components/progress_state.html", context)


@permitted(Permission.SECTIONS_FILE)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def discard(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    section = get_own_section(request, number, code, Permission.SECTIONS_FILE)
    if request.method == "POST":
        decision = partial(
            discard_unreviewed_files, section=section, by=request.user, on=today(request.office)
        )
        run_decision(request, decision, _("The file was removed from this section."))
        return redirect_to_step(section, "file")
    context = {
        "section": section,
        "event": section.event,
        "form": VersionForm(initial={"version": section.version}),
        "cancel_url": filing_url("file", section),
        "back_to": find_reviewed_file(section),
    }
    return redirect_if_closed(section) or render(request, "tournaments/discard.html", context)


@permitted(Permission.SECTIONS_FILE)
@never_cache
@require_safe
def findings(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    section = get_own_section(request, number, code, Permission.SECTIONS_FILE)
    if elsewhere := redirect_if_unread(section):
        return elsewhere
    upload = section.uploads.defer("content").held()
    found = list(section.findings.all())
    blocked = any(finding.level == "blocks" and finding.source == "file" for finding in found)
    if blocked:  # the next file may answer all other questions, except who the players are
        found = [finding for finding in found if finding.level != "asks" or finding.source == "players"]
    context = {
        "upload": upload,
        "found": build_worded_findings(section, found, get_quoted_lines(upload)),
        "blocked": blocked,
        "adjustments": describe_adjustments(section),
    }
    return render_filing_step(request, section, "findings", context)
