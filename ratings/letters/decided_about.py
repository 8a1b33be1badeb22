"""The event, the section and the deadline that a decision is about, as they stand now."""

from __future__ import annotations

from players.office.models import Decision
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
