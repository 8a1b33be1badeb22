"""Hands strangers the page that another one was given shortly before, ahead of sessions, forms and views.

`cached_page` keeps the answer itself; here stands under which address it was given, and in which state of the
record. One query tells whether the record still is in that state: what is shown changes with it at once.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import NamedTuple

from django.core.cache import caches
from django.http import HttpRequest, HttpResponseBase
from django.utils import translation
from django.utils.cache import get_conditional_response

from players.pages.answer_encodings import accepted_encoding
from ratings.public.common.caching import KEPT_SECONDS, KeptUnder, kept_answer, records

GetResponse = Callable[[HttpRequest], HttpResponseBase]
LONGEST_WISH = 100
"""Characters of a reader's languages, which tell addresses apart; who names more waits for the view."""


class KeptPage(NamedTuple):
    """An address at which a page was given to a stranger."""

    under: KeptUnder
    headers: Mapping[str, str]
    """All headers of that answer, those of the middleware below this one too."""
    language: str
    """The language in which it speaks, the reader's or the office's, as the middleware above says it."""


def answer_kept_pages(get_response: GetResponse) -> GetResponse:
    """Make a middleware that gives kept pages to visitors without a cookie, and notes those that are kept."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        key = _key(request)
        if not key:
            return get_response(request)
        found: KeptPage | None = caches["doors"].get(key)
        if found and (answer := _given_again(found, request)) is not None:
            return answer
        response = get_response(request)
        if (under := getattr(response, "kept_under", None)) is not None:
            page = KeptPage(under, dict(response.items()), translation.get_language() or "")
            caches["doors"].set(key, page, KEPT_SECONDS)
        return response

    return middleware


def _key(request: HttpRequest) -> str:
    """The address as a stranger asks for it: where, in which languages and which encoding; empty where this
    may be no stranger, or is no plain address.
    """
    meta, languages = request.META, request.META.get("HTTP_ACCEPT_LANGUAGE", "")
    plain = request.method == "GET" and not meta.get("QUERY_STRING") and not meta.get("HTTP_COOKIE")
    if not plain or "HTTP_HX_REQUEST" in meta or len(languages) > LONGEST_WISH:
        return ""
    asked = f"{accepted_encoding(request)} {request.scheme}://{request.get_host()}{request.path} {languages}"
    return hashlib.sha256(asked.encode()).hexdigest()


def _given_again(page: KeptPage, request: HttpRequest) -> HttpResponseBase | None:
    """The page as it was given before, or 304 for who has it; None if the record moved on or a day ended."""
    office, known, etag, encoding = page.under
    if records(office) != known or (response := kept_answer(etag, encoding)) is None:
        return None
    translation.activate(page.language)
    for name, value in page.headers.items():
        response.headers[name] = value
    return get_conditional_response(request, etag=etag, response=response)
