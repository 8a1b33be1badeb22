"""The part of the API by which programs file: one request with a region's key sends the file of a section.

No session opens it, so that no other site's page can use a visitor's: only the key in `Authorization` counts.
"""

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from typing import Any

from allauth.core.internal import ratelimit
from django.core.exceptions import TooManyFieldsSent, TooManyFilesSent
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.http.multipartparser import MultiPartParserError
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext as _
from ninja import Router, Schema, Status
from ninja.errors import HttpError
from ninja.params.functions import Query
from ninja.security import HttpBearer
from pydantic import Field

from players.access import BY_KEY
from players.filing_keys import find_key
from players.languages import activate_language, find_accepted_language, force_language
from players.models import FilingKey
from players.record import Refused, refuse_flood
from players.settings import today
from ratings.pages.problems import ProblemDetails, problem
from tournaments import uploads
from tournaments.filing import get_quoted_lines
from tournaments.findings import build_worded_findings, describe_failure, filing_url
from tournaments.models import Section, Upload
from tournaments.pages.files import find_undistributed_archive
from tournaments.steps import next_step_url
from tournaments.submission import describe_adjustments

WRONG_KEYS = "60/h/key"
"""How many requests with a wrong key one network address may send."""
SECONDS_TO_READ = "2"
MOST_WAIT = 30
"""The most seconds for which a request may wait until its file is read."""
MOST_WAITING = 2
"""How many requests of one process may wait at once: the others of its lane go on answering."""
PAUSE = 0.2
"""The seconds between two looks at a file that is being read."""
NOT_READ = (Upload.State.WAITING, Upload.State.READING)
METHODS = ("GET", "POST")
FILE = "/offices/{slug:office}/events/{str:event}/sections/{str:code}/file"
REFUSED = dict.fromkeys((400, 401, 404, 409, 413, 429), ProblemDetails)
_waiting = threading.BoundedSemaphore(MOST_WAITING)
BODY = {"schema": {"type": "string", "format": "binary"}}
FORM = {"schema": {"type": "object", "properties": {"file": BODY["schema"]}, "required": ["file"]}}
REQUEST_BODY = {
    "required": True,
    "content": {"application/octet-stream": BODY, "multipart/form-data": FORM},
}


class RegionKey(HttpBearer):
    """A key of a region, as its page gives it."""

    def authenticate(self, request: HttpRequest, token: str) -> FilingKey | None:
        return find_key(token)


def answer_wrong_key(request: HttpRequest) -> HttpResponse:
    """The answer to a request without a key in force, of which one address may send so many."""
    limits, address = {"key": WRONG_KEYS}, ratelimit.get_ip(request)
    counted = ratelimit.consume(
        request, app="ratings", action="key", config=limits, key=address, limit_get=True
    )
    if not counted:
        return problem(429, _("Too many requests with a wrong key came from your address. Try again later."))
    response = problem(401, _("Send a key of the region that is in force: Authorization: Bearer KEY."))
    response["WWW-Authenticate"] = "Bearer"
    return response


def key_view(view: Callable[..., HttpResponseBase]) -> Callable[..., HttpResponseBase]:
    """Make a view of operations that need a key; their words are in the language that is asked for."""

    @wraps(view)
    def inner(request: HttpRequest, /, **kwargs: Any) -> HttpResponseBase:
        force_language(request, find_accepted_language(request.headers.get("Accept-Language", "")) or "en")
        activate_language(request)
        if request.method not in METHODS:
            response: HttpResponseBase = problem(405, _("Send a file with POST, and ask for it with GET."))
            response["Allow"] = ", ".join(METHODS)
            return response
        try:
            response = view(request, **kwargs)
        except Http404:
            response = problem(404, _("The region of this key has no such section."))
        response["Cache-Control"] = "no-store"
        return response

    inner.permission = BY_KEY  # type: ignore[attr-defined]
    inner.one_language = True  # type: ignore[attr-defined]
    inner.csrf_exempt = True  # type: ignore[attr-defined]
    return inner


class FoundInFile(Schema):
    """Something found in the file or by the regulations."""

    level: str = Field(description="blocks, asks, waivable or notice: only the last needs no answer.")
    words: str
    clause: str
    places: str = Field(description="Lines of the file, or cells of a table.")


class AdjustedInFile(Schema):
    """Something that was repaired, assumed or left out when the file was read."""

    words: str
    lines: str
    before: str
    after: str


class FiledFile(Schema):
    """A section's newest file, and what was found in it."""

    stage: str = Field(description="The section's, as in the calendar.")
    state: str = Field(description="none, waiting, reading, read, unreadable, or archive of several files.")
    name: str
    sha256: str
    reasons: list[str] = Field(description="Why it could not be read.")
    findings: list[FoundInFile]
    adjustments: list[AdjustedInFile]
    address: str = Field(description="Where to ask for this again.")
    page: str = Field(description="The page on which a person goes on.")


filing_router = Router(tags=["filing"], auth=RegionKey())


@filing_router.get(FILE, response={200: FiledFile, **REFUSED}, url_name="api_file")
def section_file(request: Any, office: str, event: str, code: str) -> dict[str, Any]:
    """The state of the section's newest file, and what was found in it once it is read."""
    return _serialize(request, _section(request, office, event, code))


@filing_router.post(
    FILE,
    response={200: FiledFile, 202: FiledFile, **REFUSED},
    url_name="api_file",
    openapi_extra={"requestBody": REQUEST_BODY},
)
def file_section(
    request: Any,
    response: HttpResponse,
    office: str,
    event: str,
    code: str,
    name: str = Query("file", description="The file's name, if the body is the file.", max_length=200),
    wait: int = Query(0, description="The seconds to wait until the file is read.", ge=0, le=MOST_WAIT),
) -> Status[dict[str, Any]]:
    """Send the section's file, as the body or as the field `file` of a form. 200: it is read, and the answer
    has what was found; a file that was sent before changes nothing. 202: it is still being read: ask with GET
    in a few seconds. With `wait` the answer comes once the file is read, or after so many seconds.
    """
    section, key = _section(request, office, event, code), request.auth
    by, now = key.appointment.user, timezone.now()
    try:
        refuse_flood(by, now, "file", str(uploads.FILES_FLOOD))
    except Refused as refused:
        raise HttpError(429, str(refused)) from refused
    given, form = None, request.content_type == "multipart/form-data"
    with suppress(MultiPartParserError, TooManyFieldsSent, TooManyFilesSent):
        given = request.FILES.get("file") if form else None
    if form and given is None:
        raise HttpError(400, _("The form has no field “file” with a file."))
    data = given.read(uploads.MOST_BYTES + 1) if given else request.body
    if len(data) > uploads.MOST_BYTES:
        raise HttpError(413, str(uploads.TOO_BIG))
    on = today(section.event.federation)
    terms = {"name": given.name if given else name, "data": data, "key": key.name}
    uploads.receive_file(section=section, by=by, at=now, on=on, **terms)
    _wait_until_read(section, wait)
    answer = _serialize(request, _section(request, office, event, code))
    response["Location"] = answer["address"]
    if answer["state"] not in NOT_READ:
        return Status(200, answer)
    response["Retry-After"] = SECONDS_TO_READ
    return Status(202, answer)


def _wait_until_read(section: Section, seconds: int) -> None:
    """Return when no file of the section is waiting or being read, or after so many seconds; at once if as
    many requests wait as may, so that others are still answered.
    """
    if not seconds or not _waiting.acquire(blocking=False):
        return
    try:
        until = time.monotonic() + seconds
        while time.monotonic() < until and section.uploads.filter(state__in=NOT_READ).exists():
            time.sleep(PAUSE)
    finally:
        _waiting.release()


def _section(request: Any, office: str, event: str, code: str) -> Section:
    """The section, if it is of the key's region."""
    sections = Section.objects.filter(event__region=request.auth.region, event__federation__code=office)
    related = sections.select_related("event__federation", "event__region")
    return get_object_or_404(related, event__number=event, code=code)


def _serialize(request: Any, section: Section) -> dict[str, Any]:
    upload, archive = section.uploads.defer("content").newest(), find_undistributed_archive(section)
    state = "archive" if archive else str(upload.state) if upload else "none"
    read = state == Upload.State.READ and upload == section.uploads.defer("content").held()
    found = section.findings.all() if read else []
    worded = build_worded_findings(section, found, get_quoted_lines(upload))
    page = archive.get_absolute_url() if archive else next_step_url(section, "file") if read else ""
    return {
        "stage": section.stage,
        "state": state,
        "name": upload.name if upload else "",
        "sha256": upload.sha256 if upload else "",
        "reasons": describe_failure(upload) if upload and state == Upload.State.UNREADABLE else [],
        "findings": [
            {
                **{"level": each.level, "words": each.words, "clause": each.clause},
                "places": each.where or each.lines or str(each.line or ""),
            }
            for each in worded
        ],
        "adjustments": [
            {
                **{name: str(each[name]) for name in ("words", "before", "after")},
                "lines": str(each["lines"] or each["line"] or ""),
            }
            for each in (describe_adjustments(section) if read else ())
        ],
        "address": request.build_absolute_uri(request.path),
        "page": request.build_absolute_uri(page or filing_url("file", section)),
    }
