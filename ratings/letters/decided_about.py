"""The event, section, deadline or appointment that a decision is about, as they stand now."""

from __future__ import annotations

from datetime import date

from players.office.models import Appointment, Decision
from players.office.settings_schema import today
from ratings.letters.remind_of_deadlines import REMIND, name_of, near_deadlines, still_waited_for
from tournaments.events.models import Event, Section
from tournaments.events.section_days import SectionDeadline


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


def appointment_of(decision: Decision) -> Appointment | None:
    """The appointment that a decision is about, if it is about one."""
    what, _space, key = decision.about.partition(" ")
    if what != "appointment" or not key.isdigit():
        return None
    found = Appointment.objects.filter(pk=int(key), federation=decision.federation_id)
    return found.select_related("user", "region").first()


def last_day_of(decision: Decision) -> date | None:
    """The last day that a decision gave an appointment; None: it gave none."""
    try:
        return date.fromisoformat(str(decision.details.get("ends")))
    except ValueError:
        return None


def deadline_of(decision: Decision) -> SectionDeadline | None:
    """The deadline of which a decision reminds; None: it was met, moved or is over, nobody waits for the
    section any more, or the decision is another.
    """
    section = section_of(decision) if decision.kind == REMIND else None
    waited_for = section and still_waited_for(decision.federation).filter(pk=section.pk).first()
    if not waited_for:
        return None
    told = decision.details
    near = near_deadlines(waited_for, today(decision.federation))
    return next((each for each in near if name_of(each) == (told.get("clause"), told.get("last"))), None)


def rated_anew(decision: Decision) -> bool:
    """Whether a decision corrects a rated section, which is un-rated just before and rated just after it."""
    if decision.kind != "mend":
        return False
    before = Decision.objects.filter(federation=decision.federation_id, number=decision.number - 1)
    return before.filter(kind="unrate", about=decision.about).exists()


def is_step_of_correction(decision: Decision) -> bool:
    """Whether an un-rating or approval is a step of correcting a rated section in one go: the letter of the
    correction tells of it, and alone the step would be untrue.
    """
    of_section = Decision.objects.filter(federation=decision.federation_id, about=decision.about)
    of_section = of_section.exclude(kind="leave-hints")
    if decision.kind == "unrate":
        beside = of_section.filter(number__gt=decision.number).order_by("number").first()
    elif decision.kind == "approve":
        beside = of_section.filter(number__lt=decision.number).order_by("-number").first()
    else:
        return False
    return beside is not None and rated_anew(beside)
