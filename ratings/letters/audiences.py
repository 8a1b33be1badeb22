"""The people whom a decision concerns: whoever files for the region, officials, all staff, the person."""

from __future__ import annotations

from django.db.models import Q, QuerySet

from players.office.models import Appointment, Decision, Role, User
from players.office.settings_schema import today
from ratings.letters.decided_about import deadline_of, event_of, section_of
from tournaments.cases.models import Case

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


def regions_of_moved_event(decision: Decision) -> Audience:
    """Today's administrators of the region that gave an event and of the one that has it now."""
    event = event_of(decision)
    of_giving = Q(region__code=decision.details.get("region_before") or "")
    of_taking = Q(region=event.region_id if event else None, region__isnull=False)
    return holders(decision, Q(role=Role.REGIONAL) & (of_giving | of_taking))


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


def those_who_are_due(decision: Decision) -> Audience:
    """The people who have to keep the deadline of which a decision reminds: officials where the office itself
    is due, else those who file. Nobody once it was met or moved, or is over.
    """
    near = deadline_of(decision)
    if near is None:
        return User.objects.none()
    return officials(decision) if near.deadline.by_office else those_who_file(decision)


def whoever_takes_over(decision: Decision) -> Audience:
    """The official to whom a section is handed over."""
    return holders(decision, Q(role=Role.OFFICIAL, user=decision.details.get("to") or 0))


def whoever_proposed(decision: Decision) -> Audience:
    """The official who proposed the correction that the decision is about, if they still work here."""
    proposals = Decision.objects.filter(federation=decision.federation_id, about=decision.about)
    earlier = proposals.filter(kind="propose-mend", number__lt=decision.number).order_by("-number").first()
    return holders(decision, Q(role=Role.OFFICIAL, user=(earlier.by_id if earlier else None) or 0))


def holders(decision: Decision, which: Q) -> Audience:
    """People who hold such an appointment in the decision's office today."""
    held = Appointment.objects.filter(which, federation=decision.federation_id)
    return User.objects.filter(is_active=True, pk__in=held.on(today(decision.federation)).values("user"))
