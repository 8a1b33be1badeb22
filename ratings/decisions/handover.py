"""A handover: a person's appointment ends, a successor is found, and what is open goes over in one go."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from players.office.administration import appoint, end_appointment
from players.office.appointments import Invitation, record_appointment, set_last_day
from players.office.decision_record import Refused, lock_ledger
from players.office.models import Appointment, Federation, Handover, User
from players.people.models import Transfer
from ratings.decisions.open_things import open_with
from ratings.lists.models import ListTaking
from tournaments.events.models import Event


@dataclass(frozen=True, slots=True)
class Successor:
    """The person who follows: by an appointment that they have, or by an address for one to be made."""

    appointment: Appointment | None = None
    email: str = ""
    name: str = ""
    invitation: Invitation | None = None
    """The letter that goes to somebody new."""


@transaction.atomic
def plan_handover(
    *,
    appointment: Appointment,
    successor: Successor,
    ends: date | None,
    seen: date | None,
    by: User | None,
    on: date,
) -> Handover:
    """Give an appointment its last day and a successor, to whom what is open goes on their first day in
    office, or at once where they are in office already.

    `ends`: the last day, at the earliest yesterday; None leaves it as it is. `seen`: the last day that the
    page showed. A successor without appointment is appointed from the day after: where the regulations want
    one administrator for each region (csa §60), there is one on each of the two days. Raises `Refused` where
    somebody else changed the appointment, the successor holds none like it, or the days do not fit.
    """
    lock_ledger(appointment.federation)
    appointment.refresh_from_db(fields=["ends"])
    if appointment.ends != seen:
        raise Refused(_("Somebody else changed this appointment. Look at it again."))
    if ends and ends < on - timedelta(days=1):
        raise Refused(_("The last day is yesterday at the earliest: then the appointment ends at once."))
    to = successor.appointment or _appoint_after(appointment, successor, ends, by, on)
    refuse_unlike(appointment, to, on)
    _end(appointment, ends, by, on)
    Handover.objects.filter(appointment=appointment, done_on=None).delete()
    planned = Handover.objects.create(
        federation=appointment.federation, appointment=appointment, to=to, by=by, on=on
    )
    told = {"to": to.user_id, "starts": max(to.starts, on).isoformat()}
    record_appointment(appointment, "plan-handover", by, on, **told)
    if to.starts <= on:
        carry_out(planned, on)
    return planned


def _appoint_after(
    appointment: Appointment, successor: Successor, ends: date | None, by: User | None, on: date
) -> Appointment:
    """Appoint somebody new from the day after the last one on."""
    if not successor.email:
        raise Refused(_("Choose who follows, or give the address of somebody new."))
    last = ends or appointment.ends
    if last is None or last < on - timedelta(days=1):
        raise Refused(_("Give the last day: somebody new begins on the day after it."))
    office = appointment.federation
    return appoint(
        federation=office,
        email=successor.email,
        name=successor.name,
        role=appointment.role,
        region=appointment.region,
        starts=last + timedelta(days=1),
        by=by,
        on=on,
        instead=bool(office.equipment.office.powers.one_regional_administrator),
        invitation=successor.invitation,
    )


def refuse_unlike(appointment: Appointment, to: Appointment, on: date) -> None:
    """Raise `Refused` unless `to` is another person's appointment to the same, in force or to come."""
    same = to.federation_id == appointment.federation_id and to.role == appointment.role
    if not same or to.region_id != appointment.region_id or to.user_id == appointment.user_id:
        raise Refused(_("Choose somebody else who holds the same appointment."))
    if to.ends and to.ends < on:
        raise Refused(_("The appointment of %(person)s has ended.") % {"person": to.known_as})


def _end(appointment: Appointment, ends: date | None, by: User | None, on: date) -> None:
    """Give the appointment its last day, where a successor's appointment has not done so already."""
    appointment.refresh_from_db(fields=["ends"])
    if ends is None or appointment.ends == ends:
        return
    if ends < on:
        end_appointment(appointment=appointment, by=by, on=on)
    else:
        set_last_day(appointment=appointment, ends=ends, seen=appointment.ends, by=by, on=on)


def carry_out_handovers(federation: Federation, on: date) -> int:
    """Carry out the handovers whose successor is in office by now; return how many. Each is one transaction.
    One whose successor's appointment has ended waits until somebody else is chosen.
    """
    in_office = federation.appointments.on(on)
    waiting = Handover.objects.filter(federation=federation, done_on=None, to__in=in_office)
    return sum(carry_out(each, on) for each in waiting.order_by("pk"))


@transaction.atomic
def carry_out(handover: Handover, on: date) -> bool:
    """Put the successor's name to all that is open with the person; return False where it was done before."""
    lock_ledger(handover.federation)
    locked = Handover.objects.select_related("appointment__user", "appointment__region", "to__user")
    now = locked.filter(pk=handover.pk, done_on=None).first()
    if now is None:
        return False
    told: dict[str, Any] = {"to": now.to.user_id}
    for each in open_with(now.appointment, on):
        if each.moves:
            rows = list(each.rows)
            told[each.key] = named_on_record(rows)
            moved = each.rows.model._default_manager.filter(pk__in=[row.pk for row in rows])
            moved.update(**{each.column: now.to.user})
    Handover.objects.filter(pk=now.pk).update(done_on=on)
    record_appointment(now.appointment, "carry-out-handover", now.by, on, **told)
    return True


def named_on_record(rows: Sequence[Any]) -> list[str]:
    """The numbers, keys and days by which the record tells of things; a player by number."""
    return [_key_of(row) for row in rows]


def _key_of(row: Any) -> str:
    if isinstance(row, Event):
        return row.number
    if isinstance(row, ListTaking):
        return row.on.isoformat()
    return str(row.player.number if isinstance(row, Transfer) else row.section.key)
