"""Handing over an appointment: the open things of the person who holds it, the successor, and the transfer.
Some things go to the successor by name; others stay with the region or the office, where the successor finds
them.

What somebody wrote or decided stays theirs: the person who submitted a section or proposed a correction still
may not approve it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import transaction
from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from players.appointments import (
    Invitation,
    appoint,
    end_appointment,
    record_appointment_decision,
    set_last_day,
)
from players.models import Appointment, Federation, Handover, Role, Transfer, User
from players.record import Refused, lock_ledger
from tournaments import models
from tournaments.review import WANTS_ANSWER

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


FINISHED_STAGES = (models.Stage.RATED, models.Stage.REFUSED, *models.CANCELLED_OR_WITHDRAWN)
"""The stages in which nothing of a section is open any more."""


@dataclass(frozen=True, slots=True)
class OpenThings:
    """Open things of one kind that a person is in charge of."""

    key: str
    """The name under which the record lists those that went over."""
    label: StrOrPromise
    rows: QuerySet[Any]
    column: str = ""
    """The column that names the person, and then the successor; empty if they stay with region or office."""

    @property
    def moves(self) -> bool:
        return bool(self.column)

    @property
    def shown(self) -> list[tuple[str, str]]:
        """The words and the address path of each thing."""
        return [(describe_open_thing(row), get_open_thing_path(row)) for row in self.rows]


def list_open_things(appointment: Appointment, on: date) -> list[OpenThings]:
    """The open things of the person who holds, or held, an appointment; empty kinds are left out."""
    kinds = [*_by_name(appointment, on)]
    if appointment.role == Role.REGIONAL:
        kinds += _regional_things(appointment)
    elif appointment.role == Role.OFFICIAL:
        kinds += _official_things(appointment)
    else:
        kinds += _administrator_things(appointment, on)
    return [each for each in kinds if each.rows.exists()]


def _by_name(appointment: Appointment, on: date) -> Iterator[OpenThings]:
    """Yield things that name the person, in the region or, for an official, outside their own regions."""
    office, user = appointment.federation, appointment.user
    if appointment.role == Role.ADMINISTRATOR:
        return
    events = models.Event.objects.filter(
        federation=office, registered_by=user, state=models.Event.State.PLANNED
    )
    events = events.filter(Q(sections=None) | Q(pk__in=list_unfinished_sections(appointment).values("event")))
    asked = models.PermissionRequest.objects.filter(asked_by=user, state=models.PermissionRequest.State.ASKED)
    asked = asked.filter(section__event__federation=office)
    transfers = Transfer.objects.filter(federation=office, asked_by=user, state__in=Transfer.OPEN)
    if appointment.region_id:
        region = appointment.region_id
        events, asked = events.filter(region=region), asked.filter(section__event__region=region)
        transfers = transfers.filter(Q(giving=region) | Q(taking=region))
    else:
        own = office.appointments.filter(user=user, role=Role.REGIONAL).ending_after(on).values("region")
        events, asked = events.exclude(region__in=own), asked.exclude(section__event__region__in=own)
        transfers = transfers.exclude(Q(giving__in=own) | Q(taking__in=own))
    yield OpenThings(
        "events", gettext_lazy("Events registered, not finished yet"), events.distinct(), "registered_by"
    )
    asked = asked.select_related("section__event__federation")
    yield OpenThings("permissions", gettext_lazy("Permissions asked for"), asked, "asked_by")
    transfers = transfers.select_related("player", "taking", "federation")
    yield OpenThings("transfers", gettext_lazy("Transfers asked for"), transfers, "asked_by")


def _regional_things(appointment: Appointment) -> list[OpenThings]:
    sections = list_unfinished_sections(appointment).select_related("event__federation")
    back = sections.filter(stage__in=(models.Stage.RETURNED, models.Stage.UNRATED)).order_by("pk")
    unanswered = models.Remark.objects.filter(WANTS_ANSWER, answers=None).values("section")
    asked = models.Section.objects.filter(event__region=appointment.region, pk__in=unanswered)
    asked = asked.select_related("event__federation")
    cases = models.Case.objects.filter(
        federation=appointment.federation, region=appointment.region, state=models.Case.State.OPEN
    )
    appeals = models.Appeal.objects.open().filter(section__event__region=appointment.region)
    return [
        OpenThings("returned", gettext_lazy("Sections to be filed again"), back),
        OpenThings("remarks", gettext_lazy("Remarks to be answered"), asked),
        OpenThings("cases", gettext_lazy("Mistakes reported"), cases.select_related("federation")),
        OpenThings("appeals", gettext_lazy("Appeals"), appeals.select_related("section__event__federation")),
    ]


def _official_things(appointment: Appointment) -> list[OpenThings]:
    office, user = appointment.federation, appointment.user
    taken = models.SectionTaking.objects.filter(section__event__federation=office, official=user)
    taken = taken.order_by("pk").select_related("section__event")
    proposals = models.MendingProposal.objects.open().filter(section__event__federation=office, by=user)
    return [
        OpenThings("taken", gettext_lazy("Sections taken"), taken, "official"),
        OpenThings(
            "proposals",
            gettext_lazy("Corrections that another official confirms"),
            proposals.select_related("section"),
        ),
    ]


def _administrator_things(appointment: Appointment, on: date) -> list[OpenThings]:
    still = timezone.now() - timedelta(seconds=settings.PASSWORD_RESET_TIMEOUT)
    invited = appointment.federation.appointments.filter(invited_at__gte=still).ending_after(on)
    return [
        OpenThings("invitations", gettext_lazy("Invitations"), invited.select_related("user", "federation"))
    ]


def list_unfinished_sections(appointment: Appointment) -> QuerySet[models.Section]:
    """The unfinished sections of the appointment's region, or of the whole office."""
    found = models.Section.objects.filter(event__federation=appointment.federation).exclude(
        stage__in=FINISHED_STAGES
    )
    return found.filter(event__region=appointment.region) if appointment.region_id else found


def describe_open_thing(row: Any) -> str:
    """One open thing in words."""
    if isinstance(row, models.PermissionRequest):
        return f"{row.section}, §{row.clause}"
    if isinstance(row, Transfer):
        return f"{row.player.shown_name} ({row.player.number}) → {row.taking}"
    if isinstance(row, Appointment):
        return row.known_as
    return str(getattr(row, "section", None) or row)


def get_open_thing_path(row: Any) -> str:
    """The address path of the page on which an open thing is worked on."""
    if isinstance(row, models.Event):
        return row.get_absolute_url()
    if isinstance(row, Transfer):
        return reverse("ratings:transfers", args=[row.federation.code])
    if isinstance(row, Appointment):
        return reverse("players:invitation", args=[row.federation.code, row.pk])
    if isinstance(row, models.Case):
        return reverse("ratings:case", args=[row.federation.code, row.pk])
    section = row if isinstance(row, models.Section) else row.section
    return str(section.get_absolute_url())


# ---- The handover
@dataclass(frozen=True, slots=True)
class Successor:
    """The person who follows: their appointment, or an address with which to make one."""

    appointment: Appointment | None = None
    email: str = ""
    name: str = ""
    invitation: Invitation | None = None
    """The letter to a new person."""


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
    """Give an appointment its last day and a successor, who gets what is open on their first day in office,
    or at once if they are in office already.

    `ends`: the last day, at the earliest yesterday; None leaves it as it is. `seen`: the last day that the
    page showed. A successor without appointment is appointed from the day after: where the regulations want
    one administrator for each region (csa §60), there is one on each of the two days. Raises `Refused` if
    somebody else changed the appointment, the successor holds none like it, or the days do not fit.
    """
    lock_ledger(appointment.federation)
    appointment.refresh_from_db(fields=["ends"])
    if appointment.ends != seen:
        raise Refused(_("Somebody else changed this appointment. Look at it again."))
    if ends and ends < on - timedelta(days=1):
        raise Refused(_("The last day is yesterday at the earliest: then the appointment ends at once."))
    to = successor.appointment or _appoint_after(appointment, successor, ends, by, on)
    # Raise `Refused` unless `to` is another person's appointment to the same, in force or to come.
    same = to.federation_id == appointment.federation_id and to.role == appointment.role
    if not same or to.region_id != appointment.region_id or to.user_id == appointment.user_id:
        raise Refused(_("Choose somebody else who holds the same appointment."))
    if to.ends and to.ends < on:
        raise Refused(_("The appointment of %(person)s has ended.") % {"person": to.known_as})
    _end(appointment, ends, by, on)
    Handover.objects.filter(appointment=appointment, done_on=None).delete()
    planned = Handover.objects.create(
        federation=appointment.federation, appointment=appointment, to=to, by=by, on=on
    )
    details = {"to": to.user_id, "starts": max(to.starts, on).isoformat()}
    record_appointment_decision(appointment, "plan-handover", by, on, **details)
    if to.starts <= on:
        carry_out(planned, on)
    return planned


def _appoint_after(
    appointment: Appointment, successor: Successor, ends: date | None, by: User | None, on: date
) -> Appointment:
    """Appoint a new person from the day after the last day."""
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


def _end(appointment: Appointment, ends: date | None, by: User | None, on: date) -> None:
    """Give the appointment its last day, unless a successor's appointment has done so already."""
    appointment.refresh_from_db(fields=["ends"])
    if ends is None or appointment.ends == ends:
        return
    if ends < on:
        end_appointment(appointment=appointment, by=by, on=on)
    else:
        set_last_day(appointment=appointment, ends=ends, seen=appointment.ends, by=by, on=on)


def carry_out_handovers(federation: Federation, on: date) -> int:
    """Carry out the handovers whose successor is in office; return how many. Each is one transaction. One
    whose successor's appointment has ended waits until another is chosen.
    """
    in_office = federation.appointments.on(on)
    waiting = Handover.objects.filter(federation=federation, done_on=None, to__in=in_office)
    return sum(carry_out(each, on) for each in waiting.order_by("pk"))


@transaction.atomic
def carry_out(handover: Handover, on: date) -> bool:
    """Give the successor all open things of the person; return False if that was done before."""
    lock_ledger(handover.federation)
    locked = Handover.objects.select_related("appointment__user", "appointment__region", "to__user")
    now = locked.filter(pk=handover.pk, done_on=None).first()
    if now is None:
        return False
    details: dict[str, Any] = {"to": now.to.user_id}
    for each in list_open_things(now.appointment, on):
        if each.moves:
            rows = list(each.rows)
            details[each.key] = [_key_of(row) for row in rows]
            moved = each.rows.model._default_manager.filter(pk__in=[row.pk for row in rows])
            moved.update(**{each.column: now.to.user})
    Handover.objects.filter(pk=now.pk).update(done_on=on)
    record_appointment_decision(now.appointment, "carry-out-handover", now.by, on, **details)
    return True


def _key_of(row: Any) -> str:
    """The number or key by which the record names a thing; a transfer by its player's number."""
    if isinstance(row, models.Event):
        return row.number
    return str(row.player.number if isinstance(row, Transfer) else row.section.key)
