"""Who works in the demo office, and how they sign in."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date

from django.contrib.auth.hashers import make_password

from players.models import Appointment, Federation, Region, Role, User

PASSWORD = "chess-demo-2020"
"""Of everybody who may sign in; it protects nothing."""
AT = "example.org"
SIGN_INS = (
    # who, role, region
    ("Amahle", Role.REGIONAL, "GAU"),
    ("Pieter", Role.REGIONAL, "WCA"),
    ("Nomsa", Role.OFFICIAL, ""),
    ("Thandi", Role.ADMINISTRATOR, ""),
)
OTHERS = (
    ("Vuyo", "ECA"), ("Karlien", "FST"), ("Thivesh", "KZN"), ("Lesiba", "LIM"),
    ("Sabelo", "MPU"), ("Naledi", "NWE"), ("Denzil", "NCA"),
)  # fmt: skip
"""The other regions' administrators: appointed, without a password."""


@dataclass(slots=True)
class Staff:
    """The office's people: who files for a region, and who decides."""

    official: User
    administrator: User
    regional: dict[str, User] = field(default_factory=dict)
    """By the region's code."""


def email_of(name: str) -> str:
    return f"{name.lower()}@{AT}"


def appoint_staff(federation: Federation, regions: dict[str, Region], since: date) -> Staff:
    """Accounts and appointments, all of them since the office opened."""
    password = make_password(PASSWORD)
    who = [*SIGN_INS, *((name, Role.REGIONAL, region) for name, region in OTHERS)]
    users = {
        name: _user(name, password if place < len(SIGN_INS) else None) for place, (name, *_) in enumerate(who)
    }
    Appointment.objects.bulk_create(
        Appointment(
            user=users[name],
            role=role,
            federation=federation,
            region=regions[region] if region else None,
            starts=since,
        )
        for name, role, region in who
    )
    regional = {region: users[name] for name, _role, region in who if region}
    return Staff(users["Nomsa"], users["Thandi"], regional)


def _user(name: str, password: str | None) -> User:
    """An account; hashing one password once is enough."""
    user = User.objects.filter(email=email_of(name)).first() or User.objects.create_user(
        email_of(name), name=name
    )
    if password:
        user.password = password
        user.save(update_fields=["password"])
    return user
