"""The site's own middleware, and the switch of languages that it works with.

It answers each request in its language and lets none of it reach the next request of the thread, adds
security headers, compresses answers, logs requests, and refuses what no page is asked for: zero bytes,
strange methods, and writes while migrations wait.
"""

from __future__ import annotations

import re
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from typing import Any, cast

import structlog
from django.conf import settings
from django.core.exceptions import BadRequest
from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    HttpResponseNotAllowed,
    HttpResponseRedirect,
    StreamingHttpResponse,
)
from django.shortcuts import render
from django.urls import get_script_prefix, set_script_prefix
from django.utils import translation
from django.utils.cache import patch_vary_headers
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.text import compress_string
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST

from federation_site.database import known_migrations, migrations_pending
from players.access import OfficeRequest, public
from players.languages import (
    enter_language,
    fix_language,
    offered,
    plain_path,
    site_root,
    speak,
    split_language,
)
from players.models import User
from players.pages.encodings import (
    ENCODINGS,
    accepted_encoding,
    encode,
    encode_parts,
    mark_encoded,
    may_be_encoded,
)

# ---- Headers that every answer of the site has: what its pages may do in a browser, and who may use its
# answers.
#
# Django's SecurityMiddleware and django-csp add theirs; these are the rest.
GetResponse = Callable[[HttpRequest], HttpResponse]

REFUSED = (
    "camera",
    "display-capture",
    "geolocation",
    "hid",
    "microphone",
    "midi",
    "payment",
    "serial",
    "usb",
)
"""Features that no page needs; browsers complain in their console of names that they do not know."""
PASSKEYS = ("publickey-credentials-create", "publickey-credentials-get")
HEADERS = {
    "Permissions-Policy": ", ".join(
        [*(f"{feature}=()" for feature in REFUSED), *(f"{feature}=(self)" for feature in PASSKEYS)]
    ),
    # No page of another site shows our files as its own; a program may fetch them all the same.
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Server": "office",  # not which program, and of which version
}


def add_security_headers(get_response: GetResponse) -> GetResponse:
    """Make a middleware that gives each answer `HEADERS`, unless it has one of its own."""

    def middleware(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        return response

    return middleware


# ---- Languages: each request is answered in its own.
_GetResponse = Callable[[HttpRequest], HttpResponseBase]


class SpeakLanguages:
    """The middleware: an address's language is taken off before any address is looked up, and fixed."""

    def __init__(self, get_response: _GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        before = get_script_prefix()
        code, rest = split_language(request.path_info)
        try:
            with translation.override(settings.LANGUAGE_CODE):
                if code:
                    request.path_info = rest
                    fix_language(request, code)
                    enter_language(code)
                speak(request)
                response = self.get_response(request)
                return _marked(response, translation.get_language() or "", get_script_prefix())
        finally:
            set_script_prefix(before)

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], _args: Any, kwargs: dict[str, Any]
    ) -> HttpResponseBase | None:
        """Lead from an address with a language to the one without where a page has but one: pages of staff,
        which follow the person's choice, and the API. The person is known from here on.
        """
        of_one = hasattr(view, "one_language") or getattr(view, "permission", "") is not None
        if of_one and plain_path(request.path) != request.path:
            # Redirect with the same method: what was posted is posted again there.
            query = request.META.get("QUERY_STRING", "")
            place = plain_path(request.path) + (f"?{query}" if query else "")
            status = 302 if request.method in ("GET", "HEAD") else 307
            return HttpResponse(status=status, headers={"Location": place})
        if "office" not in kwargs:
            speak(request)
        return None


def _marked(response: HttpResponseBase, code: str, prefix: str) -> HttpResponseBase:
    """Say on what the language of an answer rests, and keep it for what is written while it is sent."""
    if "immutable" not in response.get("Cache-Control", ""):
        patch_vary_headers(response, ("Cookie", "Accept-Language"))
    response.headers.setdefault("Content-Language", code)
    if isinstance(response, StreamingHttpResponse) and not response.is_async:
        parts = cast(Iterable[bytes], response.streaming_content)
        response.streaming_content = _in_language(iter(parts), code, prefix)
    return response


def _in_language(parts: Iterator[bytes], code: str, prefix: str) -> Iterator[bytes]:
    """Give the parts of an answer, each made in its language: meanwhile the thread may do other things."""
    while True:
        before = get_script_prefix()
        try:
            with translation.override(code):
                set_script_prefix(prefix)
                part = next(parts, None)
        finally:
            set_script_prefix(before)
        if part is None:
            return
        yield part


# ---- The switch at the foot of every page: it keeps the chosen language, for the account or in this
# browser.
# Without a token: with one, no page could be kept for all. Another site can at most have a stranger read
# another language: it sends no session along.
@csrf_exempt
@public
@never_cache
@require_POST
def choose_language(request: OfficeRequest) -> HttpResponse:
    """Keep the language, and lead back to the page, at its address that names none."""
    response = HttpResponseRedirect(_page(request), status=303)
    code = offered(request.POST.get("language", ""))
    if not code:
        return response
    if request.user.is_authenticated:
        User.objects.filter(pk=request.user.pk).update(language=code)
    response.set_cookie(
        settings.LANGUAGE_COOKIE_NAME,
        code,
        max_age=settings.LANGUAGE_COOKIE_AGE,
        secure=settings.LANGUAGE_COOKIE_SECURE,
        httponly=settings.LANGUAGE_COOKIE_HTTPONLY,
        samesite="Lax",
    )
    return response


def _page(request: OfficeRequest) -> str:
    """The page on which the switch stood, on this site; else the front page."""
    page = request.POST.get("next", "")
    if not page.startswith("/") or not url_has_allowed_host_and_scheme(page, allowed_hosts=None):
        return site_root()
    path, mark, query = page.partition("?")
    return plain_path(path) + mark + query


# ---- Compression of answers on their way out: pages, tables and files that are text.
PADDED = ("gzip",)
"""Encodings that have a place for bytes of chance."""
RANDOM_BYTES = 100
"""The most bytes of chance in the file name that a private page's gzip has: without them, a stranger who can
put words of his own into a page, and see how long it is, could guess secrets beside them (BREACH).
"""


def compress_answers(get_response: _GetResponse) -> _GetResponse:
    """Make a middleware that compresses what is text, in the way that the reader's program takes."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if may_be_encoded(response):
            patch_vary_headers(response, ("Accept-Encoding",))
            public = "public" in response.get("Cache-Control", "")
            if encoding := accepted_encoding(request, ENCODINGS if public else PADDED):
                if response.streaming:
                    response.streaming_content = encode_parts(response.streaming_content, encoding)  # type: ignore[attr-defined]
                    response.headers.pop("Content-Length", None)
                else:
                    assert isinstance(response, HttpResponse)
                    response.content = (
                        encode(response.content, encoding)
                        if public
                        else compress_string(response.content, max_random_bytes=RANDOM_BYTES)
                    )
                    response.headers["Content-Length"] = str(len(response.content))
                mark_encoded(response, encoding)
        return response

    return middleware


# ---- Logs each request: who asked for what, how it ended, and how long it took. No secret enters the log.
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
            key = getattr(getattr(request, "_cached_user", None), "pk", None)
            log.info(
                "request",
                method=request.method,
                path=request.path,
                status=response.status_code,
                ms=milliseconds,
                **{"person": key} if key else {},
            )
        response["X-Request-ID"] = request_id
        return response

    return middleware


# ---- Refuses requests before a page is looked for: zero bytes, strange methods, writes while migrations
# wait.
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
