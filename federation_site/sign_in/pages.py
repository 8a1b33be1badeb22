"""Pages beside those of django-allauth."""

from __future__ import annotations

from typing import NoReturn

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render

from players.office.access import public


@public
def no_such_page(request: HttpRequest) -> NoReturn:
    """Answer 404. Addresses change by appointment only: who appoints people must know where letters go."""
    raise Http404


def too_many_tries(request: HttpRequest) -> HttpResponse:
    """The page for whoever asks too often for what only people do: letters, passwords, codes."""
    return render(request, "account/too_many_tries.html", status=429)
