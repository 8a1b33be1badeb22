"""The pages of a ZIP with files of several sections: dropped on the event's page, unpacked, shared out."""

from __future__ import annotations

from datetime import date
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from players.office.access import OfficeRequest, Permission, permitted
from players.office.decision_record import Refused
from players.office.settings_schema import today
from players.office.stored_bytes import let_go_words
from players.pages.htmx_error_status import error_status
from tournaments.events.file_models import Archive, ArchivedFile, Upload
from tournaments.events.finding_words import filing_url, why
from tournaments.events.lock_section import refuse_flood
from tournaments.events.models import Event
from tournaments.filing.accepted_files import names_of_kinds
from tournaments.filing.archives import ShareOutcome, discard_archive, receive_archive, share_out, uploads_of
from tournaments.filing.changes.lock_event import in_the_way
from tournaments.formats.zip.unpack import MOST_PACKED
from tournaments.forms.archive_file_sections import ShareForms
from tournaments.forms.event_forms import ArchiveForm
from tournaments.views.file import STOP_POLLING, progress_of
from tournaments.views.filing_steps import is_read, next_step, own_event


def own_archive(request: OfficeRequest, number: str, key: int) -> Archive:
    event = own_event(request, number, Permission.SECTIONS_FILE)
    archives = event.archives.select_related("event__federation", "event__region", "section", "by")
    return get_object_or_404(archives.defer("content"), pk=key)


@permitted(Permission.SECTIONS_FILE)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def unpack(request: OfficeRequest, number: str) -> HttpResponse:
    event = own_event(request, number, Permission.SECTIONS_FILE)
    if request.method != "POST":
        return _show_upload(request, event, ArchiveForm())
    form = ArchiveForm(request.POST, request.FILES)
    if not form.is_valid():
        return _show_upload(request, event, form, status=400)
    given = form.cleaned_data["file"]
    try:
        refuse_flood(request.user, timezone.now())
        received = receive_archive(
            event=event,
            by=request.user,
            at=timezone.now(),
            on=today(request.office),
            name=given.name,
            data=given.read(MOST_PACKED + 1),
        )
    except Refused as refused:
        form.add_error("file", str(refused))
        return _show_upload(request, event, form, status=409)
    if received.known:
        messages.info(request, _("This archive was uploaded before: below you see what happened with it."))
    return redirect(received.archive)


def _not_before(request: OfficeRequest, event: Event) -> date | None:
    """The day from which files of an event are taken, while it is still to come."""
    return event.starts if today(request.office) < event.starts else None


def _show_upload(request: OfficeRequest, event: Event, form: ArchiveForm, status: int = 200) -> HttpResponse:
    status = error_status(request, status)
    context = {
        "event": event,
        "form": form,
        "archives": event.archives.defer("content"),
        "not_before": _not_before(request, event),
        "in_the_way": in_the_way(event.sections.all()),
    }
    return render(request, "tournaments/unpack.html", context, status=status)


@permitted(Permission.SECTIONS_FILE)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def archive(request: OfficeRequest, number: str, key: int) -> HttpResponse:
    found = own_archive(request, number, key)
    if request.method != "POST":
        return _show(request, found)
    files, uploads = _files(found), uploads_of(found)
    forms = ShareForms(found, _open_files(found, files, uploads), uploads, request.POST)
    if not forms.is_valid():
        return _show(request, found, forms, status=400)
    try:
        outcomes = share_out(
            archive=found,
            by=request.user,
            at=timezone.now(),
            on=today(request.office),
            shares=forms.shares(),
        )
    except Refused as refused:
        messages.error(request, str(refused))
    else:
        _report(request, outcomes)
    return redirect(found)


def _report(request: OfficeRequest, outcomes: list[ShareOutcome]) -> None:
    given = sum(outcome.section is not None for outcome in outcomes)
    if given:
        words = ngettext("One file went to its section.", "%(count)s files went to their sections.", given)
        messages.success(request, words % {"count": given})
    for outcome in outcomes:
        if outcome.refused:
            messages.error(request, f"{outcome.name}: {outcome.refused}")
    if not any(outcome.section or outcome.refused for outcome in outcomes):
        messages.info(request, _("All files are left out; no section was changed."))


def _files(archive: Archive) -> list[ArchivedFile]:
    return list(archive.files.defer("content").select_related("upload__section__event__federation"))


def _upload_of(archive: Archive, file: ArchivedFile, uploads: dict[str, Upload]) -> Upload | None:
    """The upload, to a section of this event, that an archive's file is already; None if there is none."""
    same = file.upload or uploads.get(file.sha256)
    return same if same and same.section.event_id == archive.event_id else None


def _open_files(
    archive: Archive, files: list[ArchivedFile], uploads: dict[str, Upload]
) -> list[ArchivedFile]:
    return [file for file in files if not file.reason and not _upload_of(archive, file, uploads)]


def _show(
    request: OfficeRequest, archive: Archive, forms: ShareForms | None = None, status: int = 200
) -> HttpResponse:
    files, uploads = _files(archive), uploads_of(archive)
    given = [(file, same) for file in files if (same := _upload_of(archive, file, uploads))]
    forms = forms or ShareForms(archive, _open_files(archive, files, uploads), uploads)
    context: dict[str, Any] = {
        "archive": archive,
        "event": archive.event,
        "given": [_given(file, upload) for file, upload in given],
        "wrong": status == 400,
        "rows": forms.rows if archive.state == Archive.State.READ else [],
        "kinds": names_of_kinds(request.office.ruleset),
        "others": [{"file": file, "reasons": why(file)} for file in files if file.reason],
        "reasons": why(archive) if archive.state == Archive.State.UNREADABLE else [],
        "form": ArchiveForm(),
        "let_go": let_go_words(archive),
        "discardable": not any(file.upload for file in files),
        "not_before": _not_before(request, archive.event),
        "in_the_way": in_the_way(archive.event.sections.all()),
        **_progress(archive),
    }
    return render(request, "tournaments/archive.html", context, status=status)


def _given(file: ArchivedFile, upload: Upload) -> dict[str, Any]:
    """A row of the archive's page for a file that has a section, with a link to the next step there."""
    section = upload.section
    label, url = _("See it"), filing_url("submit", section)
    if upload.waits:
        label, url = _("It is being read"), filing_url("file", section)
    elif section.open_to_filing and is_read(section):
        label, url = _("Go on"), next_step(section, "file")
    elif section.open_to_filing:
        label, url = _("See why it could not be read"), filing_url("file", section)
    return {"file": file, "section": section, "label": label, "url": url}


def _progress(archive: Archive) -> dict[str, Any]:
    """The context of the progress bar: of reading the archive, then the files that went to their sections."""
    if archive.waits:
        return {"waiting": True, **progress_of(archive)}
    uploads = Upload.objects.filter(archived__archive=archive).distinct()
    left, total = uploads.waiting().count(), uploads.count()
    if not left:
        return {"waiting": False}
    words = _("Reading the files of the sections")
    return {"waiting": True, "words": words, "done": total - left, "total": total, "count": ""}


@permitted(Permission.SECTIONS_FILE)
@never_cache
@require_safe
def archive_progress(request: OfficeRequest, number: str, key: int) -> HttpResponse:
    """The progress that the waiting page asks for each second; at the end it reloads, or offers to."""
    found = own_archive(request, number, key)
    progress = _progress(found)
    if progress["waiting"]:
        context = progress | {"refresh_url": found.get_absolute_url()}
        return render(request, "components/progress_state.html", context)
    uploads = found.files.filter(upload__isnull=False)
    if uploads and found.files.filter(reason="", upload=None):  # somebody may be filling in the others' form
        context = {"words": _("The files were read."), "done": 1, "total": 1, "count": " ", "finished": True}
        context |= {"next_url": found.get_absolute_url(), "next_label": _("Go on")}
        return render(request, "components/progress_state.html", context, status=STOP_POLLING)
    return HttpResponse(status=STOP_POLLING, headers={"HX-Refresh": "true"})


@permitted(Permission.SECTIONS_FILE)
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def discard_zip(request: OfficeRequest, number: str, key: int) -> HttpResponse:
    found = own_archive(request, number, key)
    if request.method != "POST":
        context = {"archive": found, "event": found.event, "cancel_url": found.get_absolute_url()}
        return render(request, "tournaments/discard_archive.html", context)
    try:
        discard_archive(archive=found, by=request.user, on=today(request.office))
    except Refused as refused:
        messages.error(request, str(refused))
        return redirect(found)
    messages.success(request, _("The archive was discarded."))
    return redirect("tournaments:event", request.office.code, number)
