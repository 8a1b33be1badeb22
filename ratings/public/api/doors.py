"""The door of every address of the API: who may ask, kept answers, problem details, leave for other sites."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Sequence
from functools import wraps
from http import HTTPStatus
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.utils.translation import gettext as _

from players.languages.choice import fix_language, speak
from players.office.access import OfficeRequest, public
from ratings.public.common.asked_day import NoDay
from ratings.public.common.caching import cached_page
from ratings.public.lists.downloads import UNINDEXED

PROBLEM = "application/problem+json"
READS = ("GET", "HEAD")
OPEN = {
    **UNINDEXED,
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "ETag, Link",
    "Cross-Origin-Resource-Policy": "cross-origin",
}
"""Headers of every answer: pages of other sites may read it. Nothing in it depends on who asks."""
View = Callable[..., HttpResponseBase]


class BadCursor(Exception):
    """A cursor that no answer gave."""


def problem(status: int, detail: str) -> HttpResponse:
    """An answer that says why there is none (RFC 9457)."""
    told = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status, "detail": detail}
    return HttpResponse(json.dumps(told), status=status, content_type=PROBLEM)


def door(view: View) -> View:
    """Open an operation of the API to everybody: answers about an office are kept as its pages are."""

    @wraps(view)
    def inner(request: HttpRequest, /, **kwargs: Any) -> HttpResponseBase:
        fix_language(request, "en")  # programs read the words too: they are the same for all
        speak(request)
        if request.method not in READS:
            response: HttpResponseBase = problem(405, _("This is for reading only: ask with GET."))
            response["Allow"] = ", ".join(READS)
        else:
            response = _asked(view, request, kwargs)
        for name, value in OPEN.items():
            response[name] = value
        if response.status_code >= 400:
            response.headers.pop("ETag", None)
        return response

    inner.permission = None  # type: ignore[attr-defined]
    inner.one_language = True  # type: ignore[attr-defined]
    return inner


def _asked(view: View, request: HttpRequest, kwargs: dict[str, Any]) -> HttpResponseBase:
    method, request.method = request.method, "GET"  # a HEAD asks the same; the server leaves the body out
    try:
        return _kept(view, request, kwargs)
    except NoDay as error:
        return problem(400, str(error))
    except Http404 as error:
        words = error.args[0] if error.args and isinstance(error.args[0], str) else ""
        return problem(
            404, words if words and "matches the given" not in words else _("There is no such thing.")
        )
    finally:
        request.method = method


def _kept(view: View, request: HttpRequest, kwargs: dict[str, Any]) -> HttpResponseBase:
    if "office" not in kwargs:
        return public(cached_page(lambda request: view(request, **kwargs)))(request)
    code, asked = kwargs["office"], {key: value for key, value in kwargs.items() if key != "office"}

    @public
    @cached_page
    def of_office(request: OfficeRequest) -> HttpResponseBase:
        return view(request, office=code, **asked)

    return of_office(request, office=code)


# ---------------------------------------------------------------- parts of longer answers


def cursor_of(*key: Any) -> str:
    """The text that asks for what comes after this key; programs pass it on and read nothing from it."""
    return base64.urlsafe_b64encode(json.dumps(key).encode()).decode().rstrip("=")


def key_of(cursor: str, *kinds: type) -> Sequence[Any] | None:
    """The key in a cursor; None for the first part. Raises `BadCursor` if it is none of ours."""
    if not cursor:
        return None
    try:
        key = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (binascii.Error, ValueError) as error:
        raise BadCursor from error
    if not isinstance(key, list) or [type(each) for each in key] != list(kinds):
        raise BadCursor
    if not all(each.isprintable() for each in key if isinstance(each, str)):  # no database takes a NUL
        raise BadCursor
    return key


def part(
    request: HttpRequest, response: HttpResponse, items: Sequence[Any], cursor: str | None
) -> dict[str, Any]:
    """One part of a longer answer, with the address of the next in it and in the header `Link`."""
    following = None
    if cursor is not None:
        query = request.GET.copy()
        query["cursor"] = cursor
        following = f"{request.build_absolute_uri(request.path)}?{query.urlencode()}"
        response["Link"] = f'<{following}>; rel="next"'
    return {"items": items, "next": following}
