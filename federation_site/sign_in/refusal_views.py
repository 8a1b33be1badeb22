"""Pages beside those of django-allauth."""

from __future__ import annotations

from typing import NoReturn

from django.core.exceptions import RequestDataTooBig
from django.http import Http404, HttpRequest, HttpResponse
from django.http.multipartparser import MultiPartParserError
from django.http.request import UnreadablePostError
from django.shortcuts import render
from django.views.decorators.cache import never_cache

from players.office.access import public

LEAST_WORDS, MOST_WORDS = 12, 2000
"""Characters of what looks like sentences."""


@public
def no_such_page(request: HttpRequest) -> NoReturn:
    """Answer 404 where allauth has its page for another mail address: here only an appointment changes it."""
    raise Http404


def too_many_tries(request: HttpRequest) -> HttpResponse:
    """The page (429) for whoever asks for too many letters, or tries too many passwords or codes."""
    return render(request, "account/too_many_tries.html", status=429)


@never_cache
def expired_form(request: HttpRequest, reason: str = "") -> HttpResponse:
    """Refuse a form whose token is not this session's, and give back the words that were typed into it.

    `reason`: Django's, for the log. Words come back only where the browser says that a page of this site sent
    them: nobody else's page shall write on ours.
    """
    own = request.headers.get("Sec-Fetch-Site") == "same-origin"
    return render(request, "403_csrf.html", {"typed": _words_of(request) if own else []}, status=403)


def _words_of(request: HttpRequest) -> list[str]:
    """The sentences in a form, as far as they look like some: no password, no token, no name alone."""
    try:
        given = [str(value).strip() for name, value in request.POST.items() if "password" not in name]
    except (UnreadablePostError, RequestDataTooBig, MultiPartParserError):
        return []
    return [value[:MOST_WORDS] for value in given if " " in value and len(value) >= LEAST_WORDS]
