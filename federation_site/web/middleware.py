"""Middleware: logs each request, refuses NUL, and holds writes while the database is being changed."""

import re
import time
import uuid
from collections.abc import Callable

import structlog
from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from federation_site.processes.database_version import known_migrations, migrations_pending

GetResponse = Callable[[HttpRequest], HttpResponse]
READS = ("GET", "HEAD", "OPTIONS", "TRACE")
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
            )
        response["X-Request-ID"] = request_id
        return response

    return middleware


def refuse_nul(get_response: GetResponse) -> GetResponse:
    """Answer 400 to an address that holds a NUL, which PostgreSQL accepts in no text, not even to compare."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if "\0" in request.path or "%00" in request.META.get("QUERY_STRING", ""):
            raise BadRequest("a NUL in the address")
        return get_response(request)

    return middleware


def hold_writes_while_migrating(get_response: GetResponse) -> GetResponse:
    """Answer writes with 503 while code and database differ in version: a wrong write cannot be undone."""
    known_migrations()  # of the code that starts here, whatever is laid into its folder later

    def middleware(request: HttpRequest) -> HttpResponse:
        if request.method in READS or not migrations_pending():
            return get_response(request)
        response = render(request, "503.html", status=503)
        response["Retry-After"] = "30"
        return response

    return middleware
