"""Caching of pages: unchanged while the office's record is, so a second look costs one small query.

What the public sees changes only by a decision, a fold or a new day: the ledger counts the first two, and
some ratings move with the calendar. People who are signed in get pages of their own, which nobody else may
keep.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache, wraps
from typing import Concatenate, ParamSpec

from django.conf import settings
from django.http import HttpResponseBase
from django.utils import translation
from django.utils.cache import patch_cache_control, patch_vary_headers
from django.views.decorators.http import etag

from players.office.access import OfficeRequest
from players.office.models import Ledger
from players.office.office_settings import today

P = ParamSpec("P")
View = Callable[Concatenate[OfficeRequest, P], HttpResponseBase]

FRESH = 60
"""Seconds during which a reader need not ask again."""
FOR_EVER = 365 * 24 * 3600


def kept(view: View[P]) -> View[P]:
    """Decorate a public view: readers who hold the current page get 304. Stands below `@public`."""

    conditional = etag(etag_of)(view)

    @wraps(view)
    def inner(request: OfficeRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if request.user.is_authenticated:
            response = view(request, *args, **kwargs)
            patch_cache_control(response, private=True, no_cache=True)
            return response
        response = conditional(request, *args, **kwargs)
        if response.status_code in (200, 304):
            patch_cache_control(response, public=True, max_age=FRESH)
            patch_vary_headers(response, ("Cookie", "Accept-Language"))
        return response

    return inner


def for_ever(response: HttpResponseBase) -> HttpResponseBase:
    """Mark a response as never changing, so that browsers keep it without asking again. It may name nobody: a
    name may be withheld later.
    """
    patch_cache_control(response, public=True, max_age=FOR_EVER, immutable=True)
    return response


def etag_of(request: OfficeRequest, **_place: object) -> str:
    ledger = Ledger.objects.filter(federation=request.office)
    record = ledger.values_list("decisions", "facts", "done", "wanted", "signed", "restored_at").first()
    address = request.get_full_path()
    said = f"{_build()} {record} {today(request.office)} {address} {translation.get_language()}"
    return hashlib.sha256(said.encode()).hexdigest()[:32]


@cache
def _build() -> int:
    """The time of the newest change to a file of templates, static files or code: part of every page's etag,
    so that a new version of the program shows at once.
    """
    places = [settings.ROOT / "templates", settings.ROOT / "ratings", settings.ROOT / "static"]
    files = (
        path
        for place in places
        for path in place.rglob("*")
        if path.suffix in (".html", ".py", ".css", ".js")
    )
    return max(path.stat().st_mtime_ns for path in files)
