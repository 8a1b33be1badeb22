"""Refusals before Django is asked: each with its status, and words for the person who reads it."""

from __future__ import annotations

from functools import cache

from django.template import loader
from django.utils import translation


class Refusal(Exception):
    """A request that is not answered. `status` is HTTP's; the template of that name has the words."""

    status = 503
    retry_after: int | None = None


class TooLarge(Refusal):
    status = 413


class TooSlow(Refusal):
    """A request whose body did not arrive in time."""

    status = 408


class TooMany(Refusal):
    """A request of a visitor who asks for too much at once."""

    status = 429
    retry_after = 2


class Busy(Refusal):
    """A request that waited too long for a thread, or found the queue full."""

    retry_after = 5


class Gone(Exception):
    """A visitor who left before the answer: nothing is sent any more."""


@cache
def page(status: int, language: str) -> bytes:
    """The page for a refusal with this HTTP status, rendered once: it needs no session and no database."""
    name = "busy" if status == 503 else str(status)
    with translation.override(language):
        return loader.get_template(f"{name}.html").render().encode()
