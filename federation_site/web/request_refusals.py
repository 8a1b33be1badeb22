"""Refuses requests before a page is looked for: zero bytes, strange methods, writes while migrations wait."""

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed
from django.shortcuts import render

from federation_site.startup_checks.pending_migrations import known_migrations, migrations_pending
from federation_site.web.request_log import GetResponse

READS = ("GET", "HEAD")
METHODS = (*READS, "POST")


def refuse_nul(get_response: GetResponse) -> GetResponse:
    """Answer 400 to an address that holds a NUL, which PostgreSQL accepts in no text, not even to compare."""

    def middleware(request: HttpRequest) -> HttpResponse:
        if "\0" in request.path or "%00" in request.META.get("QUERY_STRING", ""):
            raise BadRequest("a NUL in the address")
        return get_response(request)

    return middleware


def refuse_other_methods(get_response: GetResponse) -> GetResponse:
    """Answer 405 to methods that no page has: OPTIONS, TRACE, PUT, DELETE …"""

    def middleware(request: HttpRequest) -> HttpResponse:
        return get_response(request) if request.method in METHODS else HttpResponseNotAllowed(METHODS)

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
