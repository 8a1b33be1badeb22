"""Caching of pages: unchanged while the office's record is, so a second look costs one small query.

What the public sees changes only by a decision, a fold or a new day: the ledger counts the first two, and
some ratings move with the calendar. People who are signed in get pages of their own, which nobody else may
keep. What strangers ask for, each web process keeps for the next stranger, as long as it is fresh.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Callable, Mapping
from functools import cache, wraps
from typing import Concatenate, ParamSpec, TypeGuard, TypeVar

from django.conf import settings
from django.core.cache import caches
from django.http import HttpResponse, HttpResponseBase
from django.utils import translation
from django.utils.cache import get_conditional_response, patch_cache_control, patch_vary_headers
from django.utils.http import quote_etag

from players.office.access import OfficeRequest
from players.office.models import Ledger
from players.office.settings_schema import today, today_under
from players.pages.answer_encodings import ENCODINGS, accepted_encoding, encode, mark_encoded

P = ParamSpec("P")
T = TypeVar("T")
View = Callable[Concatenate[OfficeRequest, P], HttpResponseBase]

BUILD = ("templates", "static", "federation_site", "ratings", "tournaments", "players")
"""Folders with all that a page is made of."""
FRESH = 60
"""Seconds during which a reader need not ask again."""
KEPT_SECONDS = 600
"""Seconds for which a web process keeps an answer: its etag alone says whether it still holds."""
FOR_EVER = 365 * 24 * 3600
COUNTED = ("decisions", "facts", "done", "wanted", "signed", "restored_at")
"""The ledger's figures, of which one moves with whatever the public sees of an office."""


def cached_page(view: View[P]) -> View[P]:
    """Decorate a public view, of an office or of all: readers who hold the current page get 304. Stands below
    `@public`.
    """

    @wraps(view)
    def inner(request: OfficeRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if request.user.is_authenticated:
            _state(
                request
            )  # before the page is made: a part that is kept may be newer than it says, not older
            response = view(request, *args, **kwargs)
            patch_cache_control(response, private=True, no_cache=True)
            return response
        etag = f"W/{quote_etag(etag_of(request))}"  # weak: the same page travels in several encodings
        response = get_conditional_response(request, etag=etag) or _page(view, etag, request, *args, **kwargs)
        response.headers.setdefault("ETag", etag)
        if response.status_code in (200, 304):
            patch_cache_control(response, public=True, max_age=FRESH)
            patch_vary_headers(response, ("Cookie", "Accept-Language"))
        return response

    return inner


def _page(
    view: View[P], etag: str, request: OfficeRequest, /, *args: P.args, **kwargs: P.kwargs
) -> HttpResponseBase:
    """The answer of a public view: the one that this process gave a stranger shortly before under the same
    etag, or a new one.

    Only plain addresses are kept, which nobody can invent, and only for and from visitors without a cookie.
    """
    plain = request.method == "GET" and not request.GET and not request.COOKIES
    if not plain or "HX-Request" in request.headers:
        return view(request, *args, **kwargs)
    if (found := caches["answers"].get(etag)) is not None:
        return _kept_answer(request, *found)
    response = view(request, *args, **kwargs)
    if _for_everybody(response, request):
        kept = {encoding: encode(response.content, encoding) for encoding in ENCODINGS}
        caches["answers"].set(etag, (kept, dict(response.items())), KEPT_SECONDS)
    return response


def _kept_answer(
    request: OfficeRequest, kept: Mapping[str, bytes], headers: Mapping[str, str]
) -> HttpResponse:
    """A kept answer as it lies there, compressed, or unpacked for a program that takes nothing compressed."""
    if encoding := accepted_encoding(request):
        response = HttpResponse(kept[encoding], headers=headers)
        mark_encoded(response, encoding)
        return response
    return HttpResponse(gzip.decompress(kept["gzip"]), headers=headers)


def _for_everybody(response: HttpResponseBase, request: OfficeRequest) -> TypeGuard[HttpResponse]:
    """Whether the next stranger may get this very answer: it is whole, and has nobody's cookie or token."""
    whole = isinstance(response, HttpResponse) and response.status_code == 200
    return whole and not response.cookies and "CSRF_COOKIE" not in request.META


def kept_part(request: OfficeRequest, name: str, make: Callable[[], T], place: str = "answers") -> T:
    """Parts that a page shows beside its main matter, made once for each state of the record.

    `name`: says what it is, and of what. It must not depend on who asks. `place`: the cache that it lies in.
    """
    key = hashlib.sha256(f"{_state(request)} {request.get_host()} {name}".encode()).hexdigest()
    found: T | None = caches[place].get(key)
    if found is None:
        found = make()
        caches[place].set(key, found, KEPT_SECONDS)
    return found


def for_ever(response: HttpResponseBase) -> HttpResponseBase:
    """Mark a response as never changing, so that browsers keep it without asking again. It may name nobody: a
    name may be withheld later.
    """
    patch_cache_control(response, public=True, max_age=FOR_EVER, immutable=True)
    return response


def etag_of(request: OfficeRequest, **_place: object) -> str:
    said = f"{_state(request)} {request.build_absolute_uri()}"
    return hashlib.sha256(said.encode()).hexdigest()[:32]


def _state(request: OfficeRequest) -> str:
    """All that a public page follows from beside its address: program, record, day, language. Looked up once
    for a request. A page of no office follows from the records of all.
    """
    known: str | None = getattr(request, "public_state", None)
    if known is None:
        known = f"{_build()} {_records(request)} {translation.get_language()}"
        request.public_state = known  # type: ignore[attr-defined]
    return known


def _records(request: OfficeRequest) -> object:
    """The state of the record of the request's office, or of each office, and the day that it is there."""
    if (office := getattr(request, "office", None)) is not None:
        ledger = Ledger.objects.filter(federation=office)
        return ledger.values_list(*COUNTED).first(), today(office)
    ledgers = Ledger.objects.order_by("federation_id").values_list("federation__ruleset_slug", *COUNTED)
    return [(*row, today_under(row[0])) for row in ledgers]


@cache
def _build() -> int:
    """The time of the newest change to a file of templates, static files or code: part of every page's etag,
    so that a new version of the program shows at once.
    """
    places = [settings.ROOT / each for each in BUILD]
    files = (
        path
        for place in places
        for path in place.rglob("*")
        if path.suffix in (".html", ".py", ".css", ".js")
    )
    return max(path.stat().st_mtime_ns for path in files)
