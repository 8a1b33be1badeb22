"""The introduction printed at every start for a newcomer: who may sign in, and what to try first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from players.office.models import Federation, Role
from ratings.demo.files_not_uploaded import folder, offered
from ratings.demo.staff import demo_password, email_of
from ratings.equipment.demo import Demo, SignIn

STEPS = (
    gettext_noop(
        "Sign in as %(files)s. At the foot of the desk is the file of “%(event)s”, which waits to be filed:"
        "\n     download it (it lies here too: %(file)s)"
    ),
    gettext_noop("Open that event from the desk, upload the file, answer what it leaves open, submit it."),
    gettext_noop("Sign in as %(decides)s, look at who would gain and lose, approve it, and publish a list."),
)


def introduction(offices: Sequence[Federation]) -> Iterator[str]:
    """The introduction's lines: the sign-ins of every demo office, then the first steps in the first office
    that still has an event file to be uploaded.
    """
    yield _("Sign in with the password %(password)s as") % {"password": demo_password()}
    for federation in offices:
        yield ""
        yield f"  {federation.name}  /{federation.code}/"
        yield from sign_ins(federation)
    yield ""
    for federation in offices:
        if steps := list(first_steps(federation)):
            yield from steps
            return


def sign_ins(federation: Federation) -> Iterator[str]:
    regions = {region.code: region.name for region in federation.regions.all()}
    for person in people_of(federation):
        role = Role(person.role).label
        what = f"{role}, {regions[person.region]}" if len(regions) > 1 and person.region else role
        yield f"    {email_of(person):24} {what}"


def people_of(federation: Federation) -> list[SignIn]:
    """The people of a demo office who have a password to sign in with."""
    demo: Demo | None = federation.equipment.demo
    return [person for person in demo.sign_ins if person.password] if demo else []


def first_steps(federation: Federation) -> Iterator[str]:
    people = people_of(federation)
    files = next((person for person in people if person.role == Role.REGIONAL), None)
    decides = next((person for person in people if person.role == Role.OFFICIAL), None)
    if files is None or decides is None:
        return
    waiting = [(event, name) for event, name in offered(federation) if event.region.code == files.region]
    if not waiting:
        return
    event, name = waiting[0]
    words = {
        "event": event.name,
        "file": folder(federation) / name,
        "files": email_of(files),
        "decides": email_of(decides),
    }
    yield _("What to try first:")
    for number, step in enumerate(STEPS, start=1):
        yield f"  {number}. " + _(step) % words
    yield ""
