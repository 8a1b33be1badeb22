"""The things that are open with a person who serves: what goes over to a successor by name, and what stays
with the region or the office, where the successor finds it.

What somebody wrote or decided stays theirs: whoever submitted a section or proposed a correction is still the
one who may not approve it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db.models import Q, QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from players.drawing.days_in_words import day_in_words
from players.office.models import Appointment, Role
from players.people.models import Transfer
from ratings.lists.models import ListTaking
from tournaments.cases.models import Case
from tournaments.events.models import NOT_PLAYED, Event, Section, Stage
from tournaments.events.permission_models import PermissionRequest
from tournaments.mending.models import MendingProposal
from tournaments.review.appeal_models import Appeal
from tournaments.review.models import Remark, SectionTaking
from tournaments.review.section_thread import WANTS_ANSWER

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

OVER = (Stage.RATED, Stage.REFUSED, *NOT_PLAYED)
"""The stages in which nothing of a section is open any more."""


@dataclass(frozen=True, slots=True)
class OpenThings:
    """Things of one kind that are open with a person."""

    key: str
    """The name under which the record tells of those that went over."""
    label: StrOrPromise
    rows: QuerySet[Any]
    column: str = ""
    """The column that names the person, and then the successor; empty: they stay with region or office."""

    @property
    def moves(self) -> bool:
        return bool(self.column)

    @property
    def shown(self) -> list[tuple[str, str]]:
        """Each of them as words, and the address path of its page."""
        return [(words_of(row), path_of(row)) for row in self.rows]


def open_with(appointment: Appointment, on: date) -> list[OpenThings]:
    """The kinds of things that are open with who holds, or held, an appointment, but for empty kinds."""
    kinds = [*_by_name(appointment, on)]
    if appointment.role == Role.REGIONAL:
        kinds += _of_region(appointment)
    elif appointment.role == Role.OFFICIAL:
        kinds += _of_official(appointment)
    else:
        kinds += _of_administrator(appointment, on)
    return [each for each in kinds if each.rows.exists()]


def _by_name(appointment: Appointment, on: date) -> Iterator[OpenThings]:
    """Yield what names the person, within the region of the appointment; of an official's, outside regions
    that the same person administers.
    """
    office, user = appointment.federation, appointment.user
    if appointment.role == Role.ADMINISTRATOR:
        return
    events = Event.objects.filter(federation=office, registered_by=user, state=Event.State.PLANNED)
    events = events.filter(Q(sections=None) | Q(pk__in=unfinished(appointment).values("event")))
    asked = PermissionRequest.objects.filter(asked_by=user, state=PermissionRequest.State.ASKED)
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
    yield OpenThings("events", _("Events registered, not finished yet"), events.distinct(), "registered_by")
    asked = asked.select_related("section__event__federation")
    yield OpenThings("permissions", _("Permissions asked for"), asked, "asked_by")
    transfers = transfers.select_related("player", "taking", "federation")
    yield OpenThings("transfers", _("Transfers asked for"), transfers, "asked_by")


def _of_region(appointment: Appointment) -> list[OpenThings]:
    sections = unfinished(appointment).select_related("event__federation")
    back = sections.filter(stage__in=(Stage.RETURNED, Stage.UNRATED)).order_by("pk")
    unanswered = Remark.objects.filter(WANTS_ANSWER, answers=None).values("section")
    asked = Section.objects.filter(event__region=appointment.region, pk__in=unanswered)
    cases = Case.objects.filter(
        federation=appointment.federation, region=appointment.region, state=Case.State.OPEN
    )
    appeals = Appeal.objects.open().filter(section__event__region=appointment.region)
    return [
        OpenThings("returned", _("Sections to be filed again"), back),
        OpenThings("remarks", _("Remarks to be answered"), asked.select_related("event__federation")),
        OpenThings("cases", _("Mistakes reported"), cases.select_related("federation")),
        OpenThings("appeals", _("Appeals"), appeals.select_related("section__event__federation")),
    ]


def _of_official(appointment: Appointment) -> list[OpenThings]:
    office, user = appointment.federation, appointment.user
    taken = SectionTaking.objects.filter(section__event__federation=office, official=user).order_by("pk")
    lists = ListTaking.objects.filter(federation=office, official=user).order_by("on")
    proposals = MendingProposal.objects.open().filter(section__event__federation=office, by=user)
    return [
        OpenThings("taken", _("Sections taken"), taken.select_related("section__event"), "official"),
        OpenThings("lists", _("Lists taken"), lists.select_related("federation"), "official"),
        OpenThings(
            "proposals", _("Corrections that another official confirms"), proposals.select_related("section")
        ),
    ]


def _of_administrator(appointment: Appointment, on: date) -> list[OpenThings]:
    still = timezone.now() - timedelta(seconds=settings.PASSWORD_RESET_TIMEOUT)
    invited = appointment.federation.appointments.filter(invited_at__gte=still).ending_after(on)
    return [OpenThings("invitations", _("Invitations"), invited.select_related("user", "federation"))]


def unfinished(appointment: Appointment) -> QuerySet[Section]:
    """The sections of the office, or of the appointment's region, that are not over."""
    found = Section.objects.filter(event__federation=appointment.federation).exclude(stage__in=OVER)
    return found.filter(event__region=appointment.region) if appointment.region_id else found


def words_of(row: Any) -> str:
    """One open thing in words."""
    if isinstance(row, PermissionRequest):
        return f"{row.section}, §{row.clause}"
    if isinstance(row, Transfer):
        return f"{row.player.shown_name} ({row.player.number}) → {row.taking}"
    if isinstance(row, Appointment):
        return row.known_as
    if isinstance(row, ListTaking):
        return day_in_words(row.on)
    return str(getattr(row, "section", None) or row)


def path_of(row: Any) -> str:
    """The address path of the page on which an open thing is worked on."""
    if isinstance(row, Event):
        return row.get_absolute_url()
    if isinstance(row, Transfer):
        return reverse("ratings:transfers", args=[row.federation.code])
    if isinstance(row, Appointment):
        return reverse("players:invitation", args=[row.federation.code, row.pk])
    if isinstance(row, ListTaking):
        return reverse("ratings:list_calendar", args=[row.federation.code])
    if isinstance(row, Case):
        return reverse("ratings:case", args=[row.federation.code, row.pk])
    section = row if isinstance(row, Section) else row.section
    return str(section.get_absolute_url())
