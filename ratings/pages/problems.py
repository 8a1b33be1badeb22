"""Errors of the API: problem details (RFC 9457)."""

import json
from http import HTTPStatus

from django.http import HttpResponse
from ninja import Schema

PROBLEM = "application/problem+json"


class ProblemDetails(Schema):
    """The reason for which there is no answer (RFC 9457)."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str


def problem(status: int, detail: str) -> HttpResponse:
    """Return the details of an error (RFC 9457)."""
    fields = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status, "detail": detail}
    return HttpResponse(json.dumps(fields), status=status, content_type=PROBLEM)
