"""Pages beside those of django-allauth."""

from __future__ import annotations

from typing import NoReturn

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from players.office.access import public


@public
def no_such_page(request: HttpRequest) -> NoReturn:
    """Answer 404 where allauth has its page for another mail address: here only an appointment changes it."""
    raise Http404


def too_many_tries(request: HttpRequest) -> HttpResponse:
    """The page (429) for whoever asks for too many letters, or tries too many passwords or codes."""
    return render(request, "account/too_many_tries.html", status=429)
