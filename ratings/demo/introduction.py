"""What a newcomer is told at every start: who may sign in, and what to try first."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from players.models import Federation
from ratings.demo.offers import folder, offered
from ratings.demo.staff import PASSWORD, SIGN_INS, email_of

STEPS = (
    gettext_noop(
        "Sign in as %(amahle)s. At the foot of the desk is the file of “%(event)s”, which waits to be filed:"
        "\n     download it (it lies here too: %(file)s)"
    ),
    gettext_noop("Open that event from the desk, upload the file, answer what it leaves open, submit it."),
    gettext_noop("Sign in as %(nomsa)s, look at who would gain and lose, approve it, and publish a list."),
)


def introduction(federation: Federation) -> Iterator[str]:
    """Lines: the sign-ins of a demo office, then the first steps while their file is not filed."""
    yield _("Sign in with the password %(password)s as") % {"password": PASSWORD}
    regions = {region.code: region.name for region in federation.regions.all()}
    for name, role, region in SIGN_INS:
        what = f"{role.label}, {regions[region]}" if region else role.label
        yield f"  {email_of(name):24} {what}"
    yield ""
    yield from first_steps(federation)


def first_steps(federation: Federation) -> Iterator[str]:
    waiting = [(event, name) for event, name in offered(federation) if event.region.code == SIGN_INS[0][2]]
    if not waiting:
        return
    event, name = waiting[0]
    words = {"event": event.name, "file": folder() / name}
    words |= {person: email_of(person) for person in ("amahle", "nomsa")}
    yield _("What to try first:")
    for number, step in enumerate(STEPS, start=1):
        yield f"  {number}. " + _(step) % words
    yield ""
