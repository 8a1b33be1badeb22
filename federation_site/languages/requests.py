"""Answers each request in its language, and lets none of it reach the next request of the thread."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, cast

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.urls import get_script_prefix, set_script_prefix
from django.utils import translation
from django.utils.cache import patch_vary_headers

from players.languages.addresses import enter_language, plain_path, split_language
from players.languages.choice import fix_language, speak

GetResponse = Callable[[HttpRequest], HttpResponseBase]


class SpeakLanguages:
    """The middleware: an address's language is taken off before any address is looked up, and fixed."""

    def __init__(self, get_response: GetResponse) -> None:
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
            return _to_plain(request)
        if "office" not in kwargs:
            speak(request)
        return None


def _to_plain(request: HttpRequest) -> HttpResponse:
    """Redirect with the same method: what was posted is posted again there."""
    query = request.META.get("QUERY_STRING", "")
    place = plain_path(request.path) + (f"?{query}" if query else "")
    status = 302 if request.method in ("GET", "HEAD") else 307
    return HttpResponse(status=status, headers={"Location": place})


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
