"""Limits on guessing passwords, counted so that nobody's tries keep somebody else out.

From a device on which the person signed in before, a try counts against that device alone. From any other it
counts against address and account together, against the address, and against the account: that last limit
slows down who guesses from many addresses, and leaves the person's own devices alone.
"""

from __future__ import annotations

from allauth.core.internal import ratelimit
from django.http import HttpRequest

from federation_site.sign_in.known_devices import device_that_knows

KNOWN_DEVICE = "5/5m/key,20/h/key"
ADDRESS_AND_ACCOUNT = "5/5m/key,20/h/key"
ADDRESS = "10/m/ip,60/h/ip"
ACCOUNT = "100/h/key"


def count_try(request: HttpRequest, email: str) -> ratelimit.RateLimitUsage | None:
    """Count a try before it is made, so that parallel ones cannot slip by; None: there were too many.

    A try that succeeds is taken back by the caller (`rollback`).
    """
    email = email.lower()
    if device := device_that_knows(request, email):
        return _count(request, {"known": (KNOWN_DEVICE, f"{device}:{email}")})
    address = ratelimit.get_ip(request)
    return _count(
        request,
        {
            # What one limit refuses counts against none of the later ones.
            "pair": (ADDRESS_AND_ACCOUNT, f"{address}:{email}"),
            "address": (ADDRESS, address),
            "account": (ACCOUNT, email),
        },
    )


def forget_tries(request: HttpRequest, email: str) -> None:
    """Let the account be tried from strange devices again: its owner has just chosen a new password."""
    ratelimit.clear(
        request, app="federation_site", action="account", config={"account": ACCOUNT}, key=email.lower()
    )


def _count(request: HttpRequest, limits: dict[str, tuple[str, str]]) -> ratelimit.RateLimitUsage | None:
    counted = ratelimit.RateLimitUsage(usage=[])
    for name, (rates, key) in limits.items():
        usage = ratelimit.consume(request, app="federation_site", action=name, config={name: rates}, key=key)
        if usage is None:
            return None
        counted.usage += usage.usage
    return counted
