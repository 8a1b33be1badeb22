"""Chooses the language of an answer and of a letter.

An address that names a language is answered in it. Otherwise the reader's choice counts: the account's, else
that of the switch at a page's foot. Whoever chose none reads an office in its own language, and pages of no
office by what the browser asks for. So do staff, in an office too.
"""

from __future__ import annotations

from typing import Any, Protocol

from django.conf import settings
from django.http import HttpRequest
from django.utils import translation
from django.utils.translation import get_supported_language_variant
from django.utils.translation.trans_real import parse_accept_lang_header


class Speaking(Protocol):
    """A thing with a language of its own: an office."""

    @property
    def language(self) -> str: ...


def offered(code: str | None) -> str:
    """The code, if pages are offered in that language; empty otherwise."""
    return code if code and code in dict(settings.LANGUAGES) else ""


def fix_language(request: HttpRequest, code: str) -> None:
    """Have a request answered in this language, whoever asks: its address names it, or is of one alone."""
    request.fixed_language = code  # type: ignore[attr-defined]


def speak(request: HttpRequest, office: Speaking | None = None) -> None:
    """Answer a request in the language that is its reader's, in an office or outside all."""
    code = language_for(request, office)
    translation.activate(code)
    request.LANGUAGE_CODE = code


def language_for(request: HttpRequest, office: Speaking | None = None) -> str:
    """The language of the answer to a request: see above."""
    if fixed := getattr(request, "fixed_language", ""):
        return str(fixed)
    if chosen := chosen_language(request):
        return chosen
    own = office.language if office else settings.LANGUAGE_CODE
    return own if office and not _signed_in(request) else asked_by_browser(request) or own


def chosen_language(request: HttpRequest) -> str:
    """The language that the reader chose, for the account or with the switch; empty: none."""
    of_account = request.user.language if _signed_in(request) else ""  # type: ignore[union-attr]
    return offered(of_account) or offered(request.COOKIES.get(settings.LANGUAGE_COOKIE_NAME))


def asked_by_browser(request: HttpRequest) -> str:
    """The first language of `Accept-Language` that is offered; empty: none is."""
    return first_accepted(request.headers.get("Accept-Language", ""))


def first_accepted(header: str) -> str:
    """The language that a header `Accept-Language` likes best among those offered; empty: none."""
    for code, _liking in parse_accept_lang_header(header):
        if code == "*":
            break
        try:
            return get_supported_language_variant(code)
        except LookupError:
            continue
    return ""


def _signed_in(request: Any) -> bool:
    """Whether somebody is; before the session was read nobody knows, and nobody is."""
    return hasattr(request, "user") and bool(request.user.is_authenticated)
