"""The API as a whole: its operations, its errors, its description, its addresses."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.urls import URLPattern, path, re_path
from django.utils.cache import get_conditional_response
from django.utils.translation import gettext as _
from ninja import NinjaAPI
from ninja.errors import ValidationError

from ratings.public.api import events, lists, offices, players
from ratings.public.api.doors import PROBLEM, BadCursor, door, problem

ROOT = "api/v1/"
ABOUT = (
    "Everything public of the rating offices of this site, for reading. Ratings and points are text with "
    "every digit. Long answers come in parts: follow `next`. Answers have an ETag, and errors are problem "
    "details (RFC 9457). What stands here stays: a change that breaks a program gets another version."
)
api = NinjaAPI(
    title="Federation Ratings",
    version="1",
    description=ABOUT,
    openapi_url=None,
    docs_url=None,
    urls_namespace="ratings-api",
)
for router in (offices.router, players.router, lists.router, events.router):
    api.add_router("", router)


@api.exception_handler(Http404)
def _not_found(request: HttpRequest, error: Http404 | type[Http404]) -> HttpResponse:
    raise error  # the door answers it, as it does for an office that there is not


@api.exception_handler(BadCursor)
def _bad_cursor(request: HttpRequest, error: BadCursor | type[BadCursor]) -> HttpResponse:
    return problem(400, _("This cursor is none of ours: begin without one, and follow “next”."))


@api.exception_handler(ValidationError)
def _bad_query(request: HttpRequest, error: ValidationError | type[ValidationError]) -> HttpResponse:
    found = error.errors if isinstance(error, ValidationError) else []
    told = [f"{each['loc'][-1]}: {each['msg']}" for each in found]
    return problem(400, "; ".join(told))


def description(request: HttpRequest) -> HttpResponseBase:
    """The description of the API (OpenAPI 3.1)."""
    told: dict[str, Any] = json.loads(json.dumps(api.get_openapi_schema(path_prefix="/"), default=str))
    told["info"]["version"] = f"1 ({settings.VERSION})"
    told["servers"] = [{"url": request.build_absolute_uri(request.path).rpartition("/")[0]}]
    for operations in told["paths"].values():
        for operation in operations.values():
            for status, answer in operation["responses"].items():
                if int(status) >= 400:
                    answer["content"] = {PROBLEM: answer["content"].pop("application/json")}
    content = json.dumps(told, ensure_ascii=False).encode()
    etag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    response = get_conditional_response(request, etag=etag) or HttpResponse(
        content, content_type="application/json"
    )
    response["ETag"] = etag
    return response


def unknown(request: HttpRequest, rest: str) -> HttpResponseBase:
    raise Http404(_("The API has no such address: /api/v1/openapi.json describes all of them."))


def _patterns() -> list[URLPattern]:
    operations = [each for each in api.urls[0] if isinstance(each, URLPattern) and each.name != "api-root"]
    return [path(f"{ROOT}{each.pattern}", door(each.callback), name=each.name) for each in operations]


urlpatterns = [
    path(f"{ROOT}openapi.json", door(description), name="api_description"),
    *_patterns(),
    # whatever else is asked for, with line ends too, which the converters of paths do not take
    re_path(rf"^{ROOT}(?P<rest>[\s\S]*)$", door(unknown), name="api_unknown"),
]
