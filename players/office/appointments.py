"""Services for appointments that stand: another last day, an invitation again or made void, a successor."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils.translation import gettext as _

from players.office.decision_record import Refused, decide, lock_ledger
from players.office.models import Appointment, AppointmentQuerySet, Federation, Letter, Region, Role, User
from players.office.settings_schema import settings_of

OPEN = "open"
"""The record's word for an appointment without a last day."""
INVITATION = "invitation"
"""The kind of the letter that invites (`players/office/mail/invitation_letter.py`)."""


@dataclass(frozen=True, slots=True)
class Invitation:
    """An invitation that is to go: from which site, at what moment."""

    site: str
    """The front page's address, without its last slash."""
    at: datetime


@transaction.atomic
def set_last_day(
    *, appointment: Appointment, ends: date | None, seen: date | None, by: User | None, on: date
) -> None:
    """Give an appointment in force, or to come, another last day, or none. `seen`: the last day that the page
    showed: of two who change it at once, the second is refused.
    """
    lock_ledger(appointment.federation)
    appointment.refresh_from_db(fields=["ends"])
    if appointment.ends != seen:
        raise Refused(_("Somebody else changed this appointment. Look at it again."))
    if appointment.ends and appointment.ends < on:
        raise Refused(_("This appointment has ended already. Appoint the person again."))
    if ends and ends < max(appointment.starts, on):
        raise Refused(
            _("The last day lies before the first, or before today. To end it at once, choose “End”.")
        )
    if ends == appointment.ends:
        return
    _refuse_own_overlap(appointment, ends)
    if ends:
        refuse_last(appointment, ends + timedelta(days=1))
    others = second_administrators(
        appointment.federation,
        appointment.role,
        appointment.region,
        appointment.starts,
        ends,
        appointment.user,
    )
    if others:
        raise Refused(one_a_region(appointment.federation, others[0]))
    appointment.ends = ends
    appointment.save(update_fields=["ends"])
    record_appointment(appointment, "set-last-day", by, on, ends=ends.isoformat() if ends else OPEN)


@transaction.atomic
def invite_again(*, appointment: Appointment, by: User | None, on: date, invitation: Invitation) -> None:
    """Send another invitation to the person; the link of the one before opens nothing then."""
    lock_ledger(appointment.federation)
    refuse_without_invitation(appointment, on)
    invite(appointment, invitation)
    record_appointment(appointment, "invite", by, on)


def invite(appointment: Appointment, invitation: Invitation) -> None:
    """Order the letter of an invitation, in the transaction of the deed that it comes from."""
    Appointment.objects.filter(pk=appointment.pk).update(invited_at=invitation.at)
    told = {"appointment": appointment.pk, "site": invitation.site}
    Letter.objects.create(email=appointment.user.email, kind=INVITATION, particulars=told)


@transaction.atomic
def void_invitation(*, appointment: Appointment, by: User | None, on: date) -> None:
    """Make an invitation void: its link, and the letter if it is still to go. A chosen password stays, and so
    does what another office sent to the same person.
    """
    lock_ledger(appointment.federation)
    refuse_without_invitation(appointment, on)
    if appointment.invited_at is None:
        raise Refused(_("No invitation is open."))
    Letter.objects.filter(kind=INVITATION, particulars__appointment=appointment.pk).delete()
    Appointment.objects.filter(pk=appointment.pk).update(invited_at=None)
    record_appointment(appointment, "void-invitation", by, on)


def refuse_without_invitation(appointment: Appointment, on: date) -> None:
    """Raise `Refused` where nobody is to be invited any more, as the appointment has ended."""
    appointment.refresh_from_db(fields=["ends", "invited_at"])
    if appointment.ends and appointment.ends < on:
        raise Refused(_("This appointment has ended already. Appoint the person again."))


def invited_until(appointment: Appointment) -> datetime | None:
    """The moment until which the newest invitation's link is good, if it has one; None: none is open.

    Whether the person has chosen a password already is not told: they may have an account for another office.
    """
    if appointment.invited_at is None:
        return None
    return appointment.invited_at + timedelta(seconds=settings.PASSWORD_RESET_TIMEOUT)


def second_administrators(
    federation: Federation, role: str, region: Region | None, starts: date, ends: date | None, user: User
) -> list[Appointment]:
    """Others who administer the region within these days, where the regulations want one for each region."""
    if role != Role.REGIONAL or not federation.equipment.office.powers.one_regional_administrator:
        return []
    held = federation.appointments.filter(role=role, region=region).ending_after(starts).exclude(user=user)
    within = held.filter(starts__lte=ends) if ends else held
    return list(within.select_related("user", "region").order_by("starts", "pk"))


def one_a_region(federation: Federation, held: Appointment) -> str:
    """Say who administers the region, and that the regulations want one for each region."""
    words = _(
        "%(region)s has an administrator: %(person)s. The regulations want one for each region "
        "(§%(clause)s). Choose to end that appointment the day before, or days that do not meet it."
    )
    clause = federation.equipment.office.powers.one_regional_administrator
    return words % {"region": held.region, "person": held.known_as, "clause": clause}


def succeed(held: Appointment, starts: date, by: User | None, on: date) -> None:
    """End an appointment the day before its successor's first; the caller has locked the ledger."""
    if held.starts >= starts:
        raise Refused(
            _("The appointment of %(person)s begins on that day or later: end it first.")
            % {"person": held.known_as}
        )
    held.ends = starts - timedelta(days=1)
    held.save(update_fields=["ends"])
    end_sessions_of_the_last(held, on)
    record_appointment(held, "set-last-day", by, on, ends=held.ends.isoformat())


def end_sessions_of_the_last(appointment: Appointment, on: date) -> None:
    """End a person's sessions with the last appointment that they hold anywhere.

    Another office may end another at the same time: of the two the second, which waits here, finds none left.
    """
    User.objects.select_for_update(no_key=True).get(pk=appointment.user_id)
    if not Appointment.objects.filter(user=appointment.user_id).ending_after(on).exists():
        User.objects.filter(pk=appointment.user_id).update(session_number=F("session_number") + 1)


def refuse_last(appointment: Appointment, on: date) -> None:
    """Raise `Refused` where to end this appointment the day before `on` leaves the office without
    administrator on that day or later, or a region, if the office's settings forbid that.
    """
    same = appointment.federation.appointments.filter(role=appointment.role, region=appointment.region)
    others = same.exclude(user=appointment.user)
    if others.on(on).exists() and _last_as_long(others.ending_after(on), appointment.ends):
        return
    if appointment.role == Role.ADMINISTRATOR:
        raise Refused(_("An office needs an administrator. Appoint another first."))
    if appointment.role == Role.REGIONAL and settings_of(appointment.federation).successor_first:
        region = appointment.region
        raise Refused(
            _("%(region)s would have no administrator. Appoint another first.") % {"region": region}
        )


def _last_as_long(others: AppointmentQuerySet, ends: date | None) -> bool:
    """Whether one of some appointments goes on until a day; None: for good."""
    open_ended = others.filter(ends=None)
    return (open_ended if ends is None else open_ended | others.filter(ends__gte=ends)).exists()


def record_appointment(
    appointment: Appointment, kind: str, by: User | None, on: date, **details: object
) -> None:
    """Put a deed about an appointment on record, with its role and region."""
    decide(
        appointment.federation,
        kind=kind,
        by=by,
        on=on,
        about=f"appointment {appointment.pk}",
        role=appointment.role,
        region=appointment.region.code if appointment.region else None,
        **details,
    )


def _refuse_own_overlap(appointment: Appointment, ends: date | None) -> None:
    """Raise `Refused` where the same person holds the same role again within the longer time."""
    same = appointment.user.appointments.filter(
        federation=appointment.federation, role=appointment.role, region=appointment.region
    ).exclude(pk=appointment.pk)
    later = same.filter(starts__gte=appointment.starts)
    if (later.filter(starts__lte=ends) if ends else later).exists():
        raise Refused(_("%(person)s holds this appointment already.") % {"person": appointment.known_as})


def name_here(office: Federation, email: str) -> str:
    """The name under which an office knows the holder of an address already; empty where it knows none."""
    known = office.appointments.filter(user__email=email.strip().lower()).exclude(name="")
    return known.order_by("-pk").values_list("name", flat=True).first() or ""
