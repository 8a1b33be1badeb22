"""Hands a filed file out as it came: to the official who reviews it, and to the region whose it is."""

from __future__ import annotations

from datetime import date
from io import BytesIO

from django.db import transaction
from django.http import FileResponse, Http404
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from players.office.access import OfficeRequest, Permission, permitted
from players.office.decision_record import decide
from players.office.models import User
from players.office.settings_schema import today
from players.office.stored_bytes import let_go_words
from tournaments.events.file_models import Upload
from tournaments.events.models import Section
from tournaments.views.filing_steps import own_section


@transaction.atomic
def open_upload(*, upload: Upload, by: User, on: date) -> BytesIO:
    """The bytes as they came; the record keeps who took them."""
    decide(
        upload.federation,
        kind="open-file",
        by=by,
        on=on,
        about=f"section {upload.section.key}",
        sha256=upload.sha256,
    )
    return BytesIO(bytes(upload.content or b""))


def hand_out(request: OfficeRequest, section: Section) -> HttpResponseBase:
    """Answer with the file that a section holds. It has dates of birth, so the record keeps who opened it."""
    upload = section.uploads.held()
    if upload is None:
        raise Http404
    if upload.content is None:
        words = let_go_words(upload) or _("The file itself is no longer here.")
        return render(request, "410.html", {"words": words}, status=410)
    content = open_upload(upload=upload, by=request.user, on=today(request.office))
    return FileResponse(
        content, as_attachment=True, filename=upload.name, content_type="application/octet-stream"
    )


@permitted(Permission.SECTIONS_FILE)
@never_cache
@require_POST
def take_file(request: OfficeRequest, number: str, code: str) -> HttpResponseBase:
    """Download of a section's own file by the region that filed it, in whatever stage the section is."""
    return hand_out(request, own_section(request, number, code, Permission.SECTIONS_FILE))
