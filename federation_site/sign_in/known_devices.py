"""Devices on which a person has signed in before: a signed cookie knows for whom.

It opens nothing. Tries from such a device are counted apart; a sign-in from any other is told by letter.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import constant_time_compare, salted_hmac

from players.office.models import User

SALT = "federation_site.sign_in.known_devices"
SECONDS = 180 * 24 * 60 * 60
PEOPLE = 5
"""The number of people whom one device remembers: an office's common machine has a few."""


@dataclass(frozen=True, slots=True)
class Device:
    """A browser: its own random name, and a mark for each person who signed in on it."""

    name: str = field(default_factory=lambda: secrets.token_urlsafe(12))
    marks: dict[str, str] = field(default_factory=dict)
    """By the person's key."""

    def knows(self, user: User) -> bool:
        return constant_time_compare(self.marks.get(str(user.pk), ""), mark_of(user))


def mark_of(user: User) -> str:
    """The mark by which a device knows a person, until “sign out everywhere” or a forgotten password."""
    return salted_hmac(SALT, f"{user.pk}:{user.session_number}", algorithm="sha256").hexdigest()[:32]


def device_of(request: HttpRequest) -> Device:
    """The device that a request's cookie names; a new one where there is none or somebody else wrote it."""
    try:
        name, marks = signing.loads(
            request.COOKIES.get(settings.DEVICE_COOKIE_NAME, ""), salt=SALT, max_age=SECONDS
        )
    except signing.BadSignature:
        return Device()
    return Device(name, marks)


def device_that_knows(request: HttpRequest, email: str) -> str | None:
    """The name of the asking device, if the person of that address signed in on it before."""
    device = device_of(request)
    if not device.marks:
        return None
    user = User.objects.filter(email=email).first()
    return device.name if user and device.knows(user) else None


def remember(request: HttpRequest, response: HttpResponse, user: User) -> None:
    """Let the device know the person from now on; whoever signed in on it longest ago makes room."""
    device = device_of(request)
    others = {key: mark for key, mark in device.marks.items() if key != str(user.pk)}
    marks = dict([*others.items(), (str(user.pk), mark_of(user))][-PEOPLE:])
    response.set_cookie(
        settings.DEVICE_COOKIE_NAME,
        signing.dumps((device.name, marks), salt=SALT),
        max_age=SECONDS,
        httponly=True,
        secure=settings.SESSION_COOKIE_SECURE,
        samesite="Lax",
    )
