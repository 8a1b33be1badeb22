"""Keys with which programs file to the sections of one region, as the person who made the key would."""

import hashlib
import secrets
from datetime import date

from django.db import transaction
from django.utils.translation import gettext as _

from players.access import ROLES, Permission
from players.models import Appointment, FilingKey, Region, User
from players.record import Refused, decide, lock_ledger
from players.seals import SealedWords
from players.settings import today

PREFIX = "filing_"
"""The beginning of each key, by which people and scanners of secrets know it."""
MOST_KEYS = 20
"""The most keys of a region that are in force."""


def list_keys(region: Region, on: date) -> list[FilingKey]:
    """The keys of a region that are in force on a day, with the people who made them."""
    keys = region.filing_keys.filter(ended_on=None, appointment__in=Appointment.objects.on(on))
    return list(keys.select_related("appointment__user"))


@transaction.atomic
def make_key(*, region: Region, name: str, by: User, on: date) -> str:
    """Make a key for a region and return it, which is shown once: only its digest is stored.

    It ends with the appointment of the person. Raises `Refused` if the region has `MOST_KEYS`.
    """
    lock_ledger(region.federation)
    if len(list_keys(region, on)) >= MOST_KEYS:
        raise Refused(_("The region has %(most)s keys. End those that nobody uses.") % {"most": MOST_KEYS})
    held = by.appointments.filter(federation=region.federation).on(on).order_by("-starts", "-pk")
    appointment = next(
        each
        for each in held
        if Permission.KEYS_MANAGE in ROLES[each.role].grants and each.region_id in (None, region.pk)
    )
    key = PREFIX + secrets.token_urlsafe(32)
    made = FilingKey(appointment=appointment, region=region, name=name, digest=_digest(key), made_on=on)
    made.save()
    _record(made, "make-key", by, on)
    return key


@transaction.atomic
def end_key(*, key: FilingKey, by: User, on: date) -> None:
    """End a key at once."""
    lock_ledger(key.region.federation)
    if not FilingKey.objects.filter(pk=key.pk, ended_on=None).update(ended_on=on):
        raise Refused(_("This key has ended already."))
    _record(key, "end-key", by, on)


def find_key(key: str) -> FilingKey | None:
    """The key in force that a program sent; None for any other text.

    It is found by its digest, of which nobody can choose the beginning, so that the time of the search tells
    nothing about other keys.
    """
    if not key.startswith(PREFIX):
        return None
    related = ("appointment__user", "appointment__federation", "region__federation")
    found = FilingKey.objects.filter(digest=_digest(key), ended_on=None).select_related(*related).first()
    if found is None or not found.appointment.user.is_active:
        return None
    appointment = found.appointment
    in_force = Appointment.objects.filter(pk=appointment.pk).on(today(appointment.federation)).exists()
    return found if in_force and Permission.SECTIONS_FILE in ROLES[appointment.role].grants else None


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()


def _record(key: FilingKey, kind: str, by: User, on: date) -> None:
    about, name = f"region {key.region.code}", SealedWords(key.name)
    decide(key.region.federation, kind=kind, by=by, on=on, about=about, key=name)
