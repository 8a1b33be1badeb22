"""The first two steps of filing, the file and its findings; and the download of a filed file."""

from datetime import date
from io import BytesIO
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import FileResponse, Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from players.access import FORM, POST, OfficeRequest, Permission, page
from players.files import deletion_message
from players.models import User
from players.pages.forms import MESSAGE, attempt, error_status
from players.record import Refused, refuse_flood
from players.settings import today
from tournaments import uploads
from tournaments.filing import (
    MISPLACED,
    accepted_kind_names,
    accepted_sources,
    get_quoted_lines,
    takes_games,
)
from tournaments.findings import build_worded_findings, describe_failure, describe_finding, filing_url
from tournaments.models import OPEN_TO_FILING, Archive, Event, FileJob, Section, Upload
from tournaments.pages import steps
from tournaments.pages.forms import FileForm, VersionForm
from tournaments.section_files import CONTENT_TYPES, make_empty_tables, render_empty_table
from tournaments.sections import record, was_rated
from tournaments.submission import describe_adjustments


# ---- Downloads
@transaction.atomic
def open_and_record_upload(*, upload: Upload, by: User, on: date) -> BytesIO:
    """Return the filed bytes, and record who took them."""
    record(upload.section, "open-file", by, on, sha256=upload.sha256)
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


@page(Permission.SECTIONS_FILE, methods=POST)
def take_file(request: OfficeRequest, number: str, code: str) -> HttpResponseBase:
    """Download a section's file as its region, in any stage."""
    return download_held_file(request, steps.get_own_section(request, number, code))


@page(Permission.SECTIONS_FILE)
def table(request: OfficeRequest, suffix: str) -> HttpResponse:
    if suffix not in CONTENT_TYPES:
        raise Http404
    content = render_empty_table(request.office.ruleset, suffix)
    name = f"{request.office.code}-table.{suffix}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(content, content_type=CONTENT_TYPES[suffix], headers=headers)


# ---- The steps
STOP_POLLING_STATUS = 286  # htmx swaps the response in and stops polling


@page(Permission.SECTIONS_FILE, methods=FORM)
def file(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    section = steps.get_own_section(request, number, code)
    if request.method == "POST":
        return _receive(request, section)
    return steps.redirect_if_closed(section) or _show_file(request, section, FileForm())


def _receive(request: OfficeRequest, section: Section) -> HttpResponse:
    form = FileForm(request.POST, request.FILES)
    if not form.is_valid():
        return _show_file(request, section, form, status=400)
    given = form.cleaned_data["file"]
    try:
        refuse_flood(request.user, timezone.now(), "file", str(uploads.FILES_FLOOD))
        upload, known = uploads.receive_file(
            section=section,
            by=request.user,
            at=timezone.now(),
            on=today(request.office),
            name=given.name,
            data=given.read(uploads.MOST_BYTES + 1),
        )
    except Refused as refused:
        if isinstance(refused, uploads.KnownAsArchive) and refused.archive.event_id == section.event_id:
            words = _("This archive was uploaded before: below you see what happened with it.")
            messages.info(request, words)
            return redirect(refused.archive)
        form.add_error("file", str(refused))
        elsewhere = refused.upload if isinstance(refused, uploads.FiledElsewhere) else None
        movable = elsewhere if elsewhere and uploads.is_movable(elsewhere, section) else None
        return _show_file(request, section, form, status=409, movable=movable)
    if known and upload.state == Upload.State.READ:
        messages.info(request, _("This file was uploaded before; nothing was changed."))
    return steps.redirect_to_step(section, "file")


@page(Permission.SECTIONS_FILE, methods=POST)
def move(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    """Move a file that another section has to this one."""
    section, key = steps.get_own_section(request, number, code), request.POST.get("upload", "")
    own = Upload.objects.filter(section__event__in=Event.objects.within(request.rights, request.permission))
    upload = get_object_or_404(
        own.select_related("section__event__federation"), pk=key if steps.is_number(key) else 0
    )
    words = _("The file is moved here from %(event)s, %(section)s.")
    words %= {"event": upload.section.event.name, "section": upload.section.name}
    moved = attempt(
        request, None, uploads.move_file, words, refusal_to=MESSAGE, upload=upload, section=section
    )
    return steps.redirect_to_step(section if moved.done else upload.section, "file")


def _find_right_section(request: OfficeRequest, section: Section) -> dict[str, Any]:
    """The words by which the file is another section's, and that section if the file can move there."""
    finding = section.findings.filter(source="file", key__in=MISPLACED.values()).first()
    if finding is None:
        return {}
    number, _slash, code = finding.params["to"].rpartition("/")
    sections = Section.objects.within(request.rights, request.permission).select_related("event__federation")
    other = sections.filter(event__number=number, code=code, stage__in=OPEN_TO_FILING).first()
    words = describe_finding(finding, request.office.ruleset)
    upload = section.uploads.defer("content").held()
    return {"misplaced": {"words": words, "to": other, "upload": upload}}


def _show_file(
    request: OfficeRequest,
    section: Section,
    form: FileForm,
    status: int = 200,
    movable: Upload | None = None,
) -> HttpResponse:
    """Render the step of the file; `movable`: the upload of the same file, which another section has."""
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
        and uploads.removable_files(section).exists(),
        "entries": section.entries.count(),
        "tables": make_empty_tables(request.office.ruleset),
        "takes_games": takes_games(request.office.ruleset),
        "kinds": accepted_kind_names(request.office.ruleset),
        "sources": sources,
        "by_description": any(source.by_description for source in sources),
        "movable": movable,
        **_find_right_section(request, section),
    }
    status = error_status(request, status)
    return steps.render_filing_step(
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


@page(Permission.SECTIONS_FILE)
def progress(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    """The progress that the page polls each second; at the end it reloads, or goes to the archive."""
    section = steps.get_own_section(request, number, code)
    upload = section.uploads.waiting().newest()
    if upload is None:
        archive = find_undistributed_archive(section)
        headers = {"HX-Redirect": archive.get_absolute_url()} if archive else {"HX-Refresh": "true"}
        return HttpResponse(status=STOP_POLLING_STATUS, headers=headers)
    context = progress_bar_context(upload) | {"refresh_url": filing_url("file", section)}
    return render(request, "components/progress_state.html", context)


@page(Permission.SECTIONS_FILE, methods=FORM)
def discard(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    section = steps.get_own_section(request, number, code)
    if request.method == "POST":
        words = _("The file was removed from this section.")
        steps.run_decision(request, uploads.discard_unreviewed_files, words, section=section)
        return steps.redirect_to_step(section, "file")
    context = {
        "section": section,
        "event": section.event,
        "form": VersionForm(initial={"version": section.version}),
        "cancel_url": filing_url("file", section),
        "back_to": uploads.find_reviewed_file(section),
    }
    return steps.redirect_if_closed(section) or render(request, "tournaments/discard.html", context)


@page(Permission.SECTIONS_FILE)
def findings(request: OfficeRequest, number: str, code: str) -> HttpResponse:
    section = steps.get_own_section(request, number, code)
    if elsewhere := steps.redirect_if_unread(section):
        return elsewhere
    upload = section.uploads.defer("content").held()
    misplaced = _find_right_section(request, section)
    found = [each for each in section.findings.all() if each.key not in MISPLACED.values()]
    blocked = any(finding.level == "blocks" and finding.source == "file" for finding in found)
    if blocked:  # the next file may answer all other questions, except who the players are
        found = [finding for finding in found if finding.level != "asks" or finding.source == "players"]
    context = {
        "upload": upload,
        "found": build_worded_findings(section, found, get_quoted_lines(upload)),
        "blocked": blocked,
        "adjustments": describe_adjustments(section),
        **misplaced,
    }
    return steps.render_filing_step(request, section, "findings", context)
