"""“I am on it”: an official takes a section, gives it back or hands it over. All others may still decide."""

from __future__ import annotations

from datetime import date, datetime

from django.db import transaction
from django.utils.translation import gettext as _

from players.office.decision_record import Refused, decide
from players.office.models import Role, User
from tournaments.events.lock_section import lock_section
from tournaments.events.models import Section, Stage
from tournaments.review.models import SectionTaking

TAKEN_IN = tuple(stage for stage in Stage if stage not in (Stage.RATED, Stage.REFUSED))
"""Stages in which there is something to be on."""


@transaction.atomic
def take(*, section: Section, by: User, at: datetime, on: date, seen: int | None) -> SectionTaking:
    """Put an official on a section. `seen`: the key of whoever was on it on the official's page.

    Raises `Refused` if somebody else is on it by now, or nothing is left to be done.
    """
    locked = _locked(section, seen)
    taking = _put(locked, by, at)
    _record(locked, "take", by, on)
    return taking


@transaction.atomic
def give_back(*, section: Section, by: User, on: date, seen: int | None) -> None:
    """Free a section for whoever takes it next. Raises `Refused` if somebody else is on it, or nobody."""
    locked = _locked(section, seen)
    if seen != by.pk:
        raise Refused(_("You are not on this section, so there is nothing to give back."))
    SectionTaking.objects.filter(section=locked).delete()
    _record(locked, "give-back", by, on)


@transaction.atomic
def hand_over(
    *, section: Section, by: User, to: User, at: datetime, on: date, seen: int | None
) -> SectionTaking:
    """Put another official on a section. Raises `Refused` if they are none today, or somebody was faster."""
    locked = _locked(section, seen)
    appointments = locked.event.federation.appointments.on(on)
    if not appointments.filter(user=to, role=Role.OFFICIAL).exists():
        raise Refused(_("Choose an official who is in office today: the section was handed to nobody."))
    taking = _put(locked, to, at)
    _record(locked, "hand-over", by, on, to=to.pk)
    return taking


def set_free(section: Section) -> None:
    """Take everybody off a section that is decided; its holder has locked it."""
    SectionTaking.objects.filter(section=section).delete()


def _locked(section: Section, seen: int | None) -> Section:
    locked = lock_section(section, stages=TAKEN_IN)
    now = SectionTaking.objects.filter(section=locked).select_related("official").first()
    if (now.official_id if now else None) != seen:
        if now is None:
            raise Refused(_("This section was given back meanwhile. Look at it again."))
        raise Refused(
            _("%(official)s is on this section by now. Look at it again.") % {"official": now.official}
        )
    return locked


def _put(section: Section, official: User, at: datetime) -> SectionTaking:
    taking, _new = SectionTaking.objects.update_or_create(
        section=section, defaults={"official": official, "since": at}
    )
    return taking


def _record(section: Section, kind: str, by: User, on: date, **details: object) -> None:
    decide(section.event.federation, kind=kind, by=by, on=on, about=f"section {section.key}", **details)
