"""The site's middleware: security headers, languages, compression, logging, and refusals of bad requests."""

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
from django.views.decorators.csrf import csrf_exempt

from federation_site.database import known_migrations, migrations_pending
from players import languages
from players.access import POST, PUBLIC, OfficeRequest, is_public, page
from players.models import User
from players.pages.encodings import (
    ENCODINGS,
    accepted_encoding,
    can_compress,
    compress_content,
    compress_parts,
    set_encoding_headers,
)

GetResponse = Callable[[HttpRequest], HttpResponseBase]


# ---- Security headers, beside those of Django's SecurityMiddleware and django-csp
UNUSED_FEATURES = (
    *("camera", "display-capture", "geolocation", "hid", "microphone"),
    *("midi", "payment", "serial", "usb"),
)
"""Not more, because browsers complain in their console of names that they do not know."""
PASSKEYS = ("publickey-credentials-create", "publickey-credentials-get")
SECURITY_HEADERS = {
    "Permissions-Policy": ", ".join(
        [*(f"{feature}=()" for feature in UNUSED_FEATURES), *(f"{feature}=(self)" for feature in PASSKEYS)]
    ),
    # Pages of other sites cannot embed our files; programs can still fetch them.
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Server": "office",  # not which program, and of which version
}


def add_security_headers(get_response: GetResponse) -> GetResponse:
    """Add `SECURITY_HEADERS` to each response that does not set them itself."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        for name, value in SECURITY_HEADERS.items():
            response.headers.setdefault(name, value)
        return response

    return middleware


# ---- Languages
class SpeakLanguages:
    """Activates the language of each request, and removes it from the path before URLs are resolved."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        before = get_script_prefix()
        code, rest = languages.split_language(request.path_info)
        try:
            with translation.override(settings.LANGUAGE_CODE):
                if code:
                    request.path_info = rest
                    languages.force_language(request, code)
                    languages.set_url_language(code)
                languages.activate_language(request)
                response = self.get_response(request)
                language = translation.get_language() or ""
                if "immutable" not in response.get("Cache-Control", ""):
                    patch_vary_headers(response, ("Cookie", "Accept-Language"))
                response.headers.setdefault("Content-Language", language)
                if isinstance(response, StreamingHttpResponse) and not response.is_async:
                    parts = iter(cast(Iterable[bytes], response.streaming_content))
                    response.streaming_content = _stream_in_language(parts, language, get_script_prefix())
                return response
        finally:
            set_script_prefix(before)

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], _args: Any, kwargs: dict[str, Any]
    ) -> HttpResponseBase | None:
        """Redirect from a URL with a language to the one without, for staff pages and the API.

        Staff pages are in the language that the person chose, which is known only now.
        """
        one_language = hasattr(view, "one_language") or not is_public(view)
        if one_language and languages.path_without_language(request.path) != request.path:
            query = request.META.get("QUERY_STRING", "")
            location = languages.path_without_language(request.path) + (f"?{query}" if query else "")
            status = 302 if request.method in SAFE_METHODS else 307  # 307 keeps the method and the body
            return HttpResponse(status=status, headers={"Location": location})
        if "office" not in kwargs:
            languages.activate_language(request)
        return None


def _stream_in_language(parts: Iterator[bytes], code: str, prefix: str) -> Iterator[bytes]:
    """Yield the parts of a response, each created in its language: in between the thread does other work."""
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


# ---- The language switch on every page
#
# It has no CSRF token, because with one no page could be cached for all. Another site can at most change the
# language of a visitor who is not signed in, because its requests have no session.
@csrf_exempt
@page(PUBLIC, methods=POST)
def choose_language(request: OfficeRequest) -> HttpResponse:
    """Save the language for the account or in a cookie, and redirect to the page's URL without a language."""
    response = HttpResponseRedirect(_page(request), status=303)
    code = languages.supported_language(request.POST.get("language", ""))
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
    """The path of the page with the switch if it is on this site, else of the front page."""
    page = request.POST.get("next", "")
    if not page.startswith("/") or not url_has_allowed_host_and_scheme(page, allowed_hosts=None):
        return languages.site_root()
    path, mark, query = page.partition("?")
    return languages.path_without_language(path) + mark + query


# ---- Compression of text
PADDED_ENCODINGS = ("gzip",)
"""Encodings that can contain random bytes."""
RANDOM_BYTES = 100
"""The most random bytes in the file name that a private page's gzip has. Without them, a stranger who can put
text into a page and see its length could guess secrets in it (BREACH).
"""


def compress_answers(get_response: GetResponse) -> GetResponse:
    """Compress text with an encoding that the browser accepts."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if can_compress(response):
            patch_vary_headers(response, ("Accept-Encoding",))
            public = "public" in response.get("Cache-Control", "")
            if encoding := accepted_encoding(request, ENCODINGS if public else PADDED_ENCODINGS):
                if response.streaming:
                    response.streaming_content = compress_parts(response.streaming_content, encoding)  # type: ignore[attr-defined]
                    response.headers.pop("Content-Length", None)
                else:
                    assert isinstance(response, HttpResponse)
                    response.content = (
                        compress_content(response.content, encoding)
                        if public
                        else compress_string(response.content, max_random_bytes=RANDOM_BYTES)
                    )
                    response.headers["Content-Length"] = str(len(response.content))
                set_encoding_headers(response, encoding)
        return response

    return middleware


# ---- Logging
log = structlog.get_logger("federation_site.requests")


def log_requests(get_response: GetResponse) -> GetResponse:
    """Log each request, without secrets, under an id that the response repeats as X-Request-ID."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        given = request.headers.get("X-Request-ID", "")
        request_id = given if re.fullmatch(r"[\w-]{8,64}", given) else uuid.uuid4().hex
        request.META["REQUEST_ID"] = request_id
        start = time.perf_counter()
        with structlog.contextvars.bound_contextvars(request=request_id):
            response = get_response(request)
            key = getattr(getattr(request, "_cached_user", None), "pk", None)
            log.info(
                "request",
                method=request.method,
                path=request.path,
                status=response.status_code,
                ms=round((time.perf_counter() - start) * 1000),
                **{"person": key} if key else {},
            )
        response["X-Request-ID"] = request_id
        return response

    return middleware


# ---- Refusals before URLs are resolved
SAFE_METHODS = ("GET", "HEAD")
ALLOWED_METHODS = (*SAFE_METHODS, "POST")


def refuse_nul_in_address(get_response: GetResponse) -> GetResponse:
    """Answer 400 to a URL with a NUL, which PostgreSQL accepts in no text, not even to compare."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if "\0" in request.path or "%00" in request.META.get("QUERY_STRING", ""):
            raise BadRequest("a NUL in the address")
        return get_response(request)

    return middleware


def refuse_other_methods(get_response: GetResponse) -> GetResponse:
    """Answer 405 to methods that no page has: OPTIONS, TRACE, PUT, DELETE …"""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        return (
            get_response(request)
            if request.method in ALLOWED_METHODS
            else HttpResponseNotAllowed(ALLOWED_METHODS)
        )

    return middleware


def hold_writes_while_migrating(get_response: GetResponse) -> GetResponse:
    """Answer writes with 503 while code and database have different versions: they could not be undone."""
    known_migrations()  # read now, because the folder may get files of another version

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if request.method in SAFE_METHODS or not migrations_pending():
            return get_response(request)
        response = render(request, "503.html", status=503)
        response["Retry-After"] = "30"
        return response

    return middleware
