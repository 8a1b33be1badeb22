"""Pages and files of the open record, and of working it out again."""

from __future__ import annotations

import hashlib

from django.conf import settings
from django.http import FileResponse, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import render

from players.office.access import OfficeRequest, public
from players.office.models import Federation
from players.pages.answer_encodings import accepted_encoding, mark_encoded
from ratings.journal.models import Fact
from ratings.proof.program import current
from ratings.public.common.caching import cached_page
from ratings.public.proof.journal_file_cache import journal_bytes, open_journal
from ratings.public.proof.log_files import newest_checkpoint
from ratings.public.proof.proving_instructions import main_list, programs_of, proof_of
from ratings.public.proof.worded_journal_lines import worded_lines
from ratings.signing.models import LogKey
from ratings.storage.page_cache import cache

NEWEST = 12


@public
@cached_page
def journal(request: OfficeRequest) -> HttpResponseBase:
    lines = Fact.objects.filter(federation=request.office).defer("particulars").order_by("-number")
    newest = worded_lines(request.office, list(lines.select_related("section__event")[:NEWEST]))
    context = {"ledger": request.office.ledger, "newest": newest, "program": current()}
    return render(request, "ratings/journal.html", context)


@public
@cached_page
def journal_file(request: OfficeRequest) -> HttpResponseBase:
    """Download of the whole journal: its file, packed for programs that take that, or lines from the database
    where the disk has no room.
    """
    name, kind = f"{request.office.code}-journal.ndjson", "application/x-ndjson"
    response: HttpResponseBase
    packed = accepted_encoding(request, ("gzip",))
    try:
        file = open_journal(request.office, packed=bool(packed))
        response = FileResponse(file, content_type=kind, as_attachment=True, filename=name)
        if packed:
            mark_encoded(response, packed)
    except OSError:
        response = StreamingHttpResponse(journal_bytes(request.office), content_type=kind)
        response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["X-Robots-Tag"] = "noindex"  # it names children
    return response


@public
@cached_page
def journal_checksum(request: OfficeRequest) -> HttpResponseBase:
    """The journal's SHA-256 as a file for `sha256sum --check`; with `?bare`, the digits alone."""
    name = "" if "bare" in request.GET else f"  {request.office.code}-journal.ndjson\n"
    written = f"{checksum(request.office)}{name}"
    return HttpResponse(written, content_type="text/plain; charset=utf-8")


def checksum(federation: Federation) -> str:
    """The SHA-256 of the journal's public form, worked out once for each state of it: lines are added, and
    decisions may hide or show names in those that stand.
    """
    ledger = federation.ledger
    key = f"journal-sha256-{federation.pk}-{ledger.facts}-{ledger.decisions}"
    if (known := cache.get(key)) is None:
        digest = hashlib.sha256()
        for line in journal_bytes(federation):
            digest.update(line)
        known = digest.hexdigest()
        cache.set(key, known, None)
    return str(known)


@public
@cached_page
def check(request: OfficeRequest) -> HttpResponseBase:
    newest = main_list(request.office)
    context = {
        "newest": newest,
        "proof": newest and proof_of(newest),
        "program": current(),
        "programs": programs_of(request.office),
        "log_keys": LogKey.objects.filter(federation=request.office),
        "checkpoint": newest_checkpoint(request.office),
    }
    return render(request, "ratings/check.html", context)


@public
@cached_page
def description(request: OfficeRequest) -> HttpResponseBase:
    """Download of the journal's description: every kind of line, enough to write a reader of one's own."""
    text = (settings.ROOT / "docs" / "journal.md").read_bytes()
    return HttpResponse(text, content_type="text/plain; charset=utf-8")
