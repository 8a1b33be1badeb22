"""Logs each request: who asked for what, how it ended, and how long it took. No secret enters the log."""

import re
import time
import uuid
from collections.abc import Callable

import structlog
from django.http import HttpRequest, HttpResponse

GetResponse = Callable[[HttpRequest], HttpResponse]
log = structlog.get_logger("federation_site.requests")


def log_requests(get_response: GetResponse) -> GetResponse:
    """Log each request under an id that the answer repeats as X-Request-ID."""

    def middleware(request: HttpRequest) -> HttpResponse:
        given = request.headers.get("X-Request-ID", "")
        request_id = given if re.fullmatch(r"[\w-]{8,64}", given) else uuid.uuid4().hex
        request.META["REQUEST_ID"] = request_id
        start = time.perf_counter()
        with structlog.contextvars.bound_contextvars(request=request_id):
            response = get_response(request)
            milliseconds = round((time.perf_counter() - start) * 1000)
            log.info(
                "request",
                method=request.method,
                path=request.path,
                status=response.status_code,
                ms=milliseconds,
                **_person(request),
            )
        response["X-Request-ID"] = request_id
        return response

    return middleware


def _person(request: HttpRequest) -> dict[str, int]:
    """The number of the account that a request was answered for, if anything asked whose it is."""
    key = getattr(getattr(request, "_cached_user", None), "pk", None)
    return {"person": key} if key else {}
