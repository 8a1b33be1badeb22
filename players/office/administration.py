"""Services of administrators: people and their appointments, regions, the office's settings, a new office.

Each is one transaction and one decision. The record names people by their appointment, never by address.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from datetime import date, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q
from django.urls import get_resolver
from django.utils import translation
from django.utils.translation import gettext as _

from players.languages.name_of_office import name_of_office
from players.office.access import misplaced
from players.office.appointments import (
    Invitation,
    end_sessions_of_the_last,
    invite,
    name_here,
    one_a_region,
    record_appointment,
    refuse_last,
    second_administrators,
    succeed,
)
from players.office.decision_record import Refused, decide, lock_ledger
from players.office.models import Appointment, Federation, Ledger, Region, Role, User
from players.office.settings_schema import Settings, settings_of
from ratings.equipment.find_equipment import equipment_of
from ratings.law.ruleset import Ruleset
from ratings.rulesets import rulesets


@transaction.atomic
def appoint(
    *,
    federation: Federation,
    email: str,
    role: str,
    starts: date,
    by: User | None,
    on: date,
    region: Region | None = None,
    ends: date | None = None,
    name: str = "",
    instead: bool = False,
    invitation: Invitation | None = None,
) -> Appointment:
    """Give a person a role from a day on, and an account without a password where they have none yet.
    Somebody whom the office knows already keeps the name that they have here.

    `instead`: end the appointment of the region's administrator the day before, where the regulations want
    one for each. `invitation`: the letter that goes with it; None: none does. Raises `Refused` where there
    would be two.
    """
    lock_ledger(federation)
    _refuse_misplaced(federation, role, region)
    if ends and ends < starts:
        raise Refused(_("The last day lies before the first."))
    name = name_here(federation, email) or name
    user = _account_of(email, name)
    held = user.appointments.filter(federation=federation, role=role, region=region)
    if held.filter(Q(ends=None) | Q(ends__gte=starts)).exists():
        raise Refused(_("%(person)s holds this appointment already.") % {"person": email})
    for other in second_administrators(federation, role, region, starts, ends, user):
        if not instead:
            raise Refused(one_a_region(federation, other))
        succeed(other, starts, by, on)
    appointment = Appointment.objects.create(
        user=user, role=role, federation=federation, region=region, starts=starts, ends=ends, name=name
    )
    record_appointment(
        appointment, "appoint", by, on, starts=starts.isoformat(), ends=ends.isoformat() if ends else None
    )
    if invitation:
        invite(appointment, invitation)
    return appointment


def _account_of(email: str, name: str) -> User:
    """The account of an address, a new one where there is none. Another office may make it just now: offices
    do not wait for each other.
    """
    held = User.objects.filter(email=email.lower())
    if user := held.first():
        return user
    try:
        with transaction.atomic():
            return User.objects.create_user(email, name=name)
    except IntegrityError:
        return held.get()


@transaction.atomic
def let_in(
    *,
    federation: Federation,
    email: str,
    role: str,
    by: User | None,
    on: date,
    region: Region | None = None,
) -> User | None:
    """Record that whoever holds this appointment is given a link to set a password; None if nobody does."""
    lock_ledger(federation)
    held = Appointment.objects.filter(federation=federation, role=role, region=region)
    appointment = held.on(on).filter(user__email=email.lower()).select_related("user", "region").first()
    if appointment is None:
        return None
    record_appointment(appointment, "let-in", by, on)
    return appointment.user


@transaction.atomic
def end_appointment(*, appointment: Appointment, by: User | None, on: date) -> None:
    """End an appointment at once: yesterday becomes its last day. With the last one that a person holds
    anywhere their sessions end; whoever works for another office goes on there.
    """
    lock_ledger(appointment.federation)
    appointment.refresh_from_db(fields=["ends"])
    if appointment.ends and appointment.ends < on:
        raise Refused(_("This appointment has ended already."))
    refuse_last(appointment, on)
    appointment.ends = on - timedelta(days=1)
    appointment.save(update_fields=["ends"])
    end_sessions_of_the_last(appointment, on)
    record_appointment(appointment, "end", by, on)


@transaction.atomic
def add_region(*, federation: Federation, code: str, name: str, by: User | None, on: date) -> Region:
    """Add a region that files. Its code stands in the journal, so it is never changed."""
    lock_ledger(federation)
    if federation.regions.filter(Q(code__iexact=code) | Q(name__iexact=name)).exists():
        raise Refused(_("There is a region of that code or name already."))
    region = Region.objects.create(federation=federation, code=code.upper(), name=name)
    decide(federation, kind="add-region", by=by, on=on, about=f"region {region.code}", name=name)
    return region


@transaction.atomic
def rename_region(*, region: Region, name: str, by: User | None, on: date) -> None:
    lock_ledger(region.federation)
    if region.federation.regions.exclude(pk=region.pk).filter(name__iexact=name).exists():
        raise Refused(_("There is a region of that name already."))
    before, region.name = region.name, name
    region.save(update_fields=["name"])
    about = f"region {region.code}"
    decide(region.federation, kind="rename-region", by=by, on=on, about=about, before=before, after=name)


@transaction.atomic
def change_settings(
    *, federation: Federation, settings: Settings, by: User | None, on: date, seen: str = ""
) -> None:
    """Save changed settings and record each with its old value; record nothing if nothing changed. `seen`:
    the digest of those that the page showed (`digest_of_settings`), for it sends all of them.

    Raises `Refused` if somebody changed them meanwhile, or an official switches off what guards officials.
    """
    lock_ledger(federation)
    federation.refresh_from_db(fields=["settings"])
    if seen and seen != digest_of_settings(federation):
        raise Refused(
            _("Somebody else changed the settings while your page was open. Open it anew, and try again.")
        )
    before, after = asdict(settings_of(federation)), asdict(settings)
    _refuse_own_guards(federation, before, after, by, on)
    changed = {name: [before[name], value] for name, value in after.items() if before[name] != value}
    if not changed:
        return
    federation.settings = {**federation.settings, **after}
    federation.save(update_fields=["settings"])
    decide(federation, kind="set", by=by, on=on, about="settings", changed=changed)


@transaction.atomic
def create_office(
    *,
    slug: str,
    official: str,
    on: date,
    administrator: str = "",
    name: str = "",
    code: str = "",
    settings: Settings | None = None,
    demo: bool = False,
) -> Federation:
    """Create an office under a ruleset, with its regions, an empty ledger and its first appointments.

    `official`, `administrator`: addresses; without the second the official administers too. Raises `Refused`
    if there is no such ruleset, the office exists, or its code is an address of the site.
    """
    code = code or slug
    if slug not in rulesets():
        known = ", ".join(rulesets())
        raise Refused(
            _("There is no ruleset “%(slug)s”. There are: %(known)s.") % {"slug": slug, "known": known}
        )
    if Federation.objects.filter(code=code).exists():
        raise Refused(_("The office “%(code)s” exists already. Nothing was changed.") % {"code": code})
    if code in addresses_of_the_site():
        raise Refused(
            _("An office cannot have the code “%(code)s”: the site has pages of its own at that address.")
            % {"code": code}
        )
    ruleset = rulesets()[slug]
    federation = Federation.objects.create(
        code=code,
        name=name or name_of_office(ruleset),
        ruleset_slug=slug,
        settings=asdict(settings) if settings else {},
        demo=demo,
    )
    Ledger.objects.create(federation=federation)
    create_regions(federation, ruleset)
    decide(federation, kind="create", by=None, on=on, about="office", ruleset=slug)
    for email, role in ((official, Role.OFFICIAL), (administrator or official, Role.ADMINISTRATOR)):
        appoint(federation=federation, email=email, role=role, starts=on, by=None, on=on)
    return federation


# ---------------------------------------------------------------- helpers


def addresses_of_the_site() -> set[str]:
    """The first parts of addresses that lead to no office: `accounts`, `operations`, `programs` …"""
    included = [each for each in get_resolver().url_patterns if not str(each.pattern)]
    inside = [pattern for each in included for pattern in getattr(each, "url_patterns", [])]
    firsts = {str(each.pattern).split("/")[0] for each in (*get_resolver().url_patterns, *inside)}
    return {first for first in firsts if first and "<" not in first} | {"static"}


def digest_of_settings(federation: Federation) -> str:
    """A digest of an office's settings, to tell whether they changed meanwhile."""
    told = json.dumps(asdict(settings_of(federation)), sort_keys=True, default=str)
    return hashlib.sha256(told.encode()).hexdigest()


def _refuse_own_guards(
    federation: Federation, before: dict[str, Any], after: dict[str, Any], by: User | None, on: date
) -> None:
    """Raise `Refused` where an official switches off four eyes or the second factor, which guard officials:
    another administrator has to.
    """
    guards = (name for name in ("four_eyes", "second_factor") if before[name] and not after[name])
    if any(guards) and by and by.appointments.filter(federation=federation, role=Role.OFFICIAL).on(on):
        raise Refused(
            _(
                "Four eyes and the second factor guard what officials do, and you are one: an administrator"
                " who is not must switch them off."
            )
        )


def _refuse_misplaced(federation: Federation, role: str, region: Region | None) -> None:
    if wrong := misplaced(role, region):
        raise Refused(wrong)
    if region is not None and region.federation_id != federation.pk:
        raise Refused(_("That region is not one of this office's."))


def create_regions(federation: Federation, ruleset: Ruleset) -> list[Region]:
    """Create the regions that the ruleset names, called as in the office's own language, or one that has the
    office's own name.
    """
    with translation.override(federation.language):
        regions = [(region.value, _(region.label)) for region in equipment_of(ruleset).office.regions]
    regions = regions or [(federation.code.upper(), federation.name)]
    return Region.objects.bulk_create(Region(federation=federation, code=c, name=n) for c, n in regions)
