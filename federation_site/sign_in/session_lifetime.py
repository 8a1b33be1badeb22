"""The life of a session: it ends some time after its sign-in, sooner where nothing is done in it, and has
a new key after each proof.

When something was last done a signed cookie says, bound to the session: no page writes the database for it.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from allauth.account.authentication import get_authentication_records
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.auth import logout
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare, salted_hmac

from players.office.reauthentication import proved_at

GetResponse = Callable[[HttpRequest], HttpResponse]
SALT = "federation_site.sign_in.session_lifetime"
NOTED_EVERY = 60
"""Seconds: what is done within a minute of the last note is not noted."""


def renew_or_end_sessions(get_response: GetResponse) -> GetResponse:
    """Make a middleware that ends a session `SESSION_COOKIE_AGE` after its sign-in, whatever was done in it,
    and `SESSION_IDLE_AGE` after anything was; and gives one whose owner has just proved again who they are a
    new key: a stolen one opens nothing then.
    """

    def middleware(request: HttpRequest) -> HttpResponse:
        if settings.SESSION_COOKIE_NAME not in request.COOKIES or not request.user.is_authenticated:
            return get_response(request)
        seen, now = seen_at(request), time.time()
        if now >= min(began_at(request) + settings.SESSION_COOKIE_AGE, seen + settings.SESSION_IDLE_AGE):
            logout(request)
            return get_response(request)
        proved = proved_at(request)
        response = get_response(request)
        if proved_at(request) > proved:
            renew(request)
        if now - seen >= NOTED_EVERY and is_deed(request) and is_for_them_alone(response):
            note_deed(request, response)
        return response

    return middleware


def began_at(request: HttpRequest) -> float:
    """The time of a session's first proof, its sign-in, in seconds since 1970; 0: there is none."""
    records = get_authentication_records(request, request.user)
    return min((float(each["at"]) for each in records), default=0.0)


def seen_at(request: HttpRequest) -> float:
    """The time at which something was last done in a session: by its cookie, or else its last proof."""
    try:
        of, at = signing.loads(request.COOKIES.get(settings.SEEN_COOKIE_NAME, ""), salt=SALT)
    except (signing.BadSignature, ValueError):
        of, at = "", 0.0
    theirs = constant_time_compare(of, _mark(request))
    return max(proved_at(request), began_at(request), float(at) if theirs else 0.0)


def is_deed(request: HttpRequest) -> bool:
    """Whether a person did this: a page that stands open asks for its parts by itself."""
    return request.method == "POST" or "HX-Request" not in request.headers


def is_for_them_alone(response: HttpResponse) -> bool:
    """Whether no proxy keeps the answer, and a cookie with it."""
    said = response.headers.get("Cache-Control", "")
    return "private" in said or "no-store" in said


def note_deed(request: HttpRequest, response: HttpResponse) -> None:
    if request.session.session_key:
        response.set_cookie(
            settings.SEEN_COOKIE_NAME,
            signing.dumps((_mark(request), int(time.time())), salt=SALT),
            httponly=True,
            secure=settings.SESSION_COOKIE_SECURE,
            samesite="Lax",
        )


def _mark(request: HttpRequest) -> str:
    return salted_hmac(SALT, request.session.session_key or "", algorithm="sha256").hexdigest()[:32]


def renew(request: HttpRequest) -> None:
    """Give a session another key, here and in the list of the person's sign-ins."""
    before = request.session.session_key
    request.session.cycle_key()
    UserSession.objects.filter(session_key=before).update(session_key=request.session.session_key)
