"""The people whom a decision concerns: whoever files for the region, officials, all staff, the person."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from players.office.models import Appointment, Decision, Role, User
from players.office.settings_schema import today
from tournaments.cases.models import Case
from tournaments.events.models import Event, Section

Audience = QuerySet[User]


def staff(decision: Decision) -> Audience:
    """Everybody who works for the office today."""
    return holders(decision, Q())


def officials(decision: Decision) -> Audience:
    return holders(decision, Q(role=Role.OFFICIAL))


def those_who_file(decision: Decision) -> Audience:
    """Today's administrators of the region that filed, and whoever submitted, if they still work here."""
    event = event_of(decision)
    if event is None:
        return User.objects.none()
    section = section_of(decision)
    submitted_by = section.submitted_by_id if section else None
    return holders(decision, Q(role=Role.REGIONAL, region=event.region_id) | Q(user=submitted_by or 0))


def those_who_answer(decision: Decision) -> Audience:
    """Officials, and today's administrators of the region to which a case goes."""
    what, _space, key = decision.about.partition(" ")
    if what != "case" or not key.isdigit():
        return User.objects.none()
    cases = Case.objects.filter(pk=int(key), federation=decision.federation_id, region__isnull=False)
    regional = Q(role=Role.REGIONAL, region__in=cases.values("region"))
    return holders(decision, Q(role=Role.OFFICIAL) | regional)


def person_appointed(decision: Decision) -> Audience:
    """The person who holds the appointment that the decision is about, or held it."""
    what, _space, key = decision.about.partition(" ")
    if what != "appointment" or not key.isdigit():
        return User.objects.none()
    return User.objects.filter(appointments=int(key), appointments__federation=decision.federation_id)


def whoever_asked(decision: Decision) -> Audience:
    """The person who ordered what the worker has done, if they still work here."""
    return holders(decision, Q(user=decision.by_id or 0))


def section_of(decision: Decision) -> Section | None:
    """The section that a decision is about, if it is about one."""
    what, _space, key = decision.about.partition(" ")
    number, _slash, code = key.partition("/")
    if what != "section":
        return None
    found = Section.objects.filter(event__federation=decision.federation_id, event__number=number, code=code)
    return found.select_related("event__region", "event__federation").first()


def event_of(decision: Decision) -> Event | None:
    """The event that a decision is about, or whose section it is about."""
    what, _space, key = decision.about.partition(" ")
    if what not in ("event", "section"):
        return None
    number = key.partition("/")[0]
    return Event.objects.filter(federation=decision.federation_id, number=number).first()


def holders(decision: Decision, which: Q) -> Audience:
    """People who hold such an appointment in the decision's office today."""
    held = Appointment.objects.filter(which, federation=decision.federation_id)
    return User.objects.filter(is_active=True, pk__in=held.on(today(decision.federation)).values("user"))
