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
from django.utils.translation import gettext as _, gettext_lazy

from players.appointments import record_appointment_decision
from players.models import Appointment, AppointmentQuerySet, Role, Transfer, User
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
def get_possible_successors(appointment: Appointment, on: date) -> AppointmentQuerySet:
    """The other people's appointments to the same that are in force on a day, the longest in office first."""
    same = appointment.federation.appointments.filter(role=appointment.role, region=appointment.region)
    return same.on(on).exclude(user=appointment.user).select_related("user").order_by("starts", "pk")


@transaction.atomic
def carry_out_handover(*, appointment: Appointment, to: Appointment, by: User | None, on: date) -> None:
    """Put the successor's name on all open things of the person who holds, or held, an appointment.

    Raises `Refused` if the successor does not hold the same appointment on that day, or if nothing open bears
    the person's name.
    """
    lock_ledger(appointment.federation)
    if not get_possible_successors(appointment, on).filter(pk=to.pk).exists():
        raise Refused(_("Choose somebody else who holds the same appointment."))
    moving = [each for each in list_open_things(appointment, on) if each.moves]
    if not moving:
        raise Refused(_("Nothing open bears the person’s name."))
    details: dict[str, Any] = {"to": to.user_id}
    also = set()
    for each in moving:
        rows = list(each.rows)
        details[each.key] = [_key_of(row) for row in rows]
        moved = each.rows.model._default_manager.filter(pk__in=[row.pk for row in rows])
        moved.update(**{each.column: to.user})
        also |= {_part_of(row) for row in rows}
    record_appointment_decision(appointment, "carry-out-handover", by, on, also=also, **details)


def _part_of(row: Any) -> str:
    """The part to which an open thing belongs (`players.held`)."""
    if isinstance(row, Transfer):
        return f"player {row.player.number}"
    if isinstance(row, models.Event | models.Section):
        return row.named_on_record
    return str(row.section.named_on_record)


def _key_of(row: Any) -> str:
    """The number or key by which the record names a thing; a transfer by its player's number."""
    if isinstance(row, models.Event):
        return row.number
    return str(row.player.number if isinstance(row, Transfer) else row.section.key)
