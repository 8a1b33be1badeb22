"""The people who work in a demo office, and their sign-ins."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from django.conf import settings
from django.contrib.auth.hashers import make_password

from players.office.models import Appointment, Federation, Region, Role, User
from ratings.equipment.demo import Demo, SignIn
from ratings.storage.secret_file import kept_secret

AT = "example.org"
LETTERS = "abcdefghijkmnpqrstuvwxyz"
"""The letters of demo passwords: none that looks like another."""


@dataclass(slots=True)
class Staff:
    """The people of a demo office by what they do there: one official decides, and one person for each region
    files.
    """

    official: User
    regional: dict[str, User] = field(default_factory=dict)
    """The regional administrators by the region's code."""


def demo_password() -> str:
    """The password of everybody in this installation's demo offices, kept in a file that its owner alone may
    read and made on first use.

    Where the file was lost, or an older version gave everybody the same, all demo people get the new one.
    """
    path = Path(settings.VAR) / "demo_password"
    lost = not path.exists()
    groups = ("".join(secrets.choice(LETTERS) for _each in range(4)) for _group in range(4))
    password = kept_secret(path, "-".join(groups))
    if lost:
        invented = User.objects.filter(appointments__federation__demo=True, password__contains="$")
        invented.exclude(appointments__federation__demo=False).update(password=make_password(password))
    return password


def email_of(person: SignIn) -> str:
    return f"{person.name.lower()}@{AT}"


def appoint_staff(federation: Federation, demo: Demo, regions: dict[str, Region], since: date) -> Staff:
    """Make the accounts of a demo office's people and appoint each to a role, from the day `since`."""
    password = make_password(demo_password())
    users = {person: _user(person, password) for person in demo.sign_ins}
    Appointment.objects.bulk_create(
        Appointment(
            user=user,
            name=person.name,
            role=person.role,
            federation=federation,
            region=regions[person.region] if person.region else None,
            starts=since,
        )
        for person, user in users.items()
    )
    official = next(user for person, user in users.items() if person.role == Role.OFFICIAL)
    return Staff(official, {person.region: user for person, user in users.items() if person.region})


def _user(person: SignIn, password: str) -> User:
    """The account of a person of the demo, made if there is none. `password` is a hash already: hashing it
    once for all is enough.
    """
    email = email_of(person)
    user = User.objects.filter(email=email).first() or User.objects.create_user(email, name=person.name)
    if person.password:
        user.password = password
        user.save(update_fields=["password"])
    return user
