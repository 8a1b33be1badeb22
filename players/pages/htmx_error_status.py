"""Answers to htmx, which asks for a page in the background and puts it in place of the one that is open."""

from __future__ import annotations

from django.http import HttpRequest


def error_status(request: HttpRequest, status: int) -> int:
    """The status of a page that tells of an error: 200 to htmx, which shows no page with any other."""
    return 200 if request.headers.get("HX-Request") else status
