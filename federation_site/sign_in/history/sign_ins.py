"""Sign-ins of an account that its owner is shown, with the tries that failed: for some weeks, in short."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from ipaddress import ip_address, ip_network

from allauth.account.adapter import get_adapter
from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest

from federation_site.sign_in.history.models import PastSignIn
from players.office.models import User

DAYS_KEPT = 90
FAILED_KEPT = 200
"""Failed tries at one account that a night leaves, the newest: whoever tries at it all day fills no disk, and
pushes out no sign-in.
"""
BROWSERS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
)
"""Marks in what browsers say of themselves: each says those of the ones below it too."""
SYSTEMS = (
    ("Android", "Android"),
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Windows", "Windows"),
    ("CrOS", "ChromeOS"),
    ("Mac OS X", "macOS"),
    ("Linux", "Linux"),
)


def note_sign_in(request: HttpRequest, person: int | None, outcome: str) -> None:
    """Keep that somebody signed in, or failed to. `person`: the account's key; None: nobody has the address
    that was typed. Then the row is taken back at once: the answer takes as long, and tells nobody which
    addresses have accounts.
    """
    device = kind_of_device(request.headers.get("User-Agent", ""))
    with transaction.atomic():
        network = shortened(get_adapter().get_client_ip(request))
        row = PastSignIn.objects.create(user_id=person, outcome=outcome, network=network, device=device)
        if person is None:
            row.delete()


def shortened(address: str) -> str:
    """The part of an address that tells the provider and not the house: 24 bits of 32, 48 of 128."""
    try:
        given = ip_address(unmapped(address))
    except ValueError:
        return ""
    return str(ip_network(f"{given}/{24 if given.version == 4 else 48}", strict=False))


def unmapped(address: str) -> str:
    """An address, of an IPv4 one that is written as IPv6 (`::ffff:…`) the IPv4 one."""
    try:
        return str(getattr(ip_address(address), "ipv4_mapped", None) or address)
    except ValueError:
        return address


def kind_of_device(said: str) -> str:
    """Browser and system as a browser names them, without versions; empty: it says neither."""
    return ", ".join(name for name in (_first(BROWSERS, said), _first(SYSTEMS, said)) if name)


def delete_old_sign_ins(now: datetime) -> None:
    """Delete sign-ins and failed tries that are older than `DAYS_KEPT`, and of the failed tries at each
    account those that are older than the newest `FAILED_KEPT`.
    """
    PastSignIn.objects.filter(at__lt=now - timedelta(days=DAYS_KEPT)).delete()
    many = _failed().order_by().values("user").annotate(number=Count("pk")).filter(number__gt=FAILED_KEPT)
    for user in many.values_list("user", flat=True):
        failed = _failed().filter(user=user)
        # By moment and not by the keys that stay: a try that comes in meanwhile is newer, and stays too.
        for last in failed[FAILED_KEPT - 1 : FAILED_KEPT]:
            failed.filter(Q(at__lt=last.at) | Q(at=last.at, pk__lt=last.pk)).delete()


def sign_ins_of(user: User, failed: int) -> list[PastSignIn]:
    """All sign-ins of an account that are kept, and among them so many failed tries, the newest first."""
    signed_in = PastSignIn.objects.filter(user=user, outcome=PastSignIn.Outcome.SIGNED_IN)
    listed = [*signed_in, *_failed().filter(user=user)[:failed]]
    return sorted(listed, key=lambda each: (each.at, each.pk), reverse=True)


def failed_tries_at(user: User) -> int:
    """The number of failed tries at an account that are kept."""
    return _failed().filter(user=user).count()


def _failed() -> QuerySet[PastSignIn]:
    return PastSignIn.objects.exclude(outcome=PastSignIn.Outcome.SIGNED_IN)


def _first(marks: Iterable[tuple[str, str]], said: str) -> str:
    return next((name for mark, name in marks if mark in said), "")
