"""The page of an office's dump, and its file."""

from datetime import datetime

from django.conf import settings
from django.http import FileResponse, HttpResponseBase
from django.shortcuts import render
from django.utils.cache import get_conditional_response, patch_cache_control
from django.utils.http import quote_etag
from django.utils.translation import gettext as _

from players.access import PUBLIC, OfficeRequest, page
from ratings.dumps import Dump, find_servable_dump, get_dump_path
from ratings.pages.responses import UNINDEXED
from ratings.public_tables import TABLES


@page(PUBLIC, caching=None)
def dump_page(request: OfficeRequest) -> HttpResponseBase:
    """Page of the dump: tables, day, size and checksum of the file; or that it is being written."""
    dump = find_servable_dump(request.office)
    context = {
        "dump": dump,
        "drawn_at": dump and datetime.fromisoformat(dump.drawn_at),
        "tables": TABLES,
        "listed": request.office.lists.exists(),
    }
    response = render(request, "ratings/dump.html", context)
    _leave_out_of_searches(response)
    patch_cache_control(response, no_cache=True)
    return response


@page(PUBLIC, caching=None)
def dump_file(request: OfficeRequest) -> HttpResponseBase:
    """Download of the dump; 503 until it is written again after something was withheld, corrected or taken
    back.
    """
    dump = find_servable_dump(request.office)
    response = (dump and _file_response(request, dump)) or _unavailable(request)
    _leave_out_of_searches(response)
    return response


def _leave_out_of_searches(response: HttpResponseBase) -> None:
    for name, value in UNINDEXED.items():
        response[name] = value


def _file_response(request: OfficeRequest, dump: Dump) -> HttpResponseBase | None:
    """The file, or 304 if the client has it; None if a newer one is taking its place."""
    etag = quote_etag(dump.sha256)
    response: HttpResponseBase | None = get_conditional_response(request, etag=etag)
    try:
        response = response or FileResponse(
            get_dump_path(request.office, dump).open("rb"),
            content_type="application/zip",
            as_attachment=True,
            filename=f"{request.office.code}-dump.zip",
        )
    except FileNotFoundError:
        return None
    response["ETag"] = etag
    patch_cache_control(response, public=True, no_cache=True)  # names may go from it at any moment
    return response


def _unavailable(request: OfficeRequest) -> HttpResponseBase:
    reason = _(
        "The dump is being drawn up anew, since something was published, corrected or withheld. Try again in "
        "a minute or two; lists and pages have it already."
    )
    response = render(request, "503.html", {"reason": reason}, status=503)
    response["Retry-After"] = str(2 * settings.SWEEP_SECONDS)
    patch_cache_control(response, no_store=True)
    return response
