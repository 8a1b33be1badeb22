"""The open record: what everything rests on, and how anyone works it out again."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from itertools import islice

from django.core.cache import cache
from django.http import HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import render

from players.access import OfficeRequest, public
from players.models import Federation
from ratings.models import Fact, RatingList
from ratings.public.kept import kept
from ratings.transfer import journal_lines as lines_of

NEWEST = 12


@public
@kept
def journal(request: OfficeRequest) -> HttpResponseBase:
    newest = Fact.objects.filter(federation=request.office).defer("line", "particulars").order_by("-number")
    return render(
        request, "ratings/journal.html", {"ledger": request.office.ledger, "newest": list(newest[:NEWEST])}
    )


@public
@kept
def journal_file(request: OfficeRequest) -> HttpResponseBase:
    """The whole journal, line by line as it is read from the database."""
    response = StreamingHttpResponse(_bytes(request.office), content_type="application/x-ndjson")
    response["Content-Disposition"] = f'attachment; filename="{request.office.code}-journal.ndjson"'
    return response


@public
@kept
def journal_checksum(request: OfficeRequest) -> HttpResponseBase:
    """The checksum as `sha256sum --check` reads it; `?bare` for a page that puts it in its place."""
    name = "" if "bare" in request.GET else f"  {request.office.code}-journal.ndjson\n"
    written = f"{checksum(request.office)}{name}"
    return HttpResponse(written, content_type="text/plain; charset=utf-8")


def checksum(federation: Federation) -> str:
    """SHA-256 of the journal, worked out once for each length: lines are only ever added."""
    key = f"journal-sha256-{federation.pk}-{federation.ledger.facts}"
    if (known := cache.get(key)) is None:
        digest = hashlib.sha256()
        for line in _bytes(federation):
            digest.update(line)
        known = digest.hexdigest()
        cache.set(key, known, None)
    return str(known)


def _bytes(federation: Federation) -> Iterator[bytes]:
    """What was there when the ledger was read: a line that comes meanwhile is the next reader's."""
    for line in islice(lines_of(federation), max(federation.ledger.facts, 1)):
        yield f"{line}\n".encode()


@public
@kept
def check(request: OfficeRequest) -> HttpResponseBase:
    newest = RatingList.objects.of(request.office).of_newest_day().current().without_content().first()
    return render(request, "ratings/check.html", {"newest": newest})
