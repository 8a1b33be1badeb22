"""Notices by which events and sections stand as they do, read from the record for many at once. Pages show
these words, never the row's copy: that would outlast words withdrawn from the record.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from players.office.models import Decision, Federation
from tournaments.events.models import Event, Section, Stage
from tournaments.events.section_days import refused_before_play
from tournaments.filing.changes.notices import Notice, notice_of

TAKEN_BACK = "take-back"


@dataclass(frozen=True, slots=True)
class _Source:
    """The decisions by which an event or a section came to stand as it does: the newest one counts."""

    kind: str
    about: str
    sections: frozenset[str] = frozenset()
    """The sections of a postponed event: it was also moved with one of them, if its days changed by that."""

    def has(self, decision: Decision) -> bool:
        if decision.kind != self.kind:
            return False
        with_event = "event_days_before" in decision.sealed_details
        return decision.about == self.about or (decision.about in self.sections and with_event)


def closing_notice(thing: Event | Section) -> Notice | None:
    """The notice by which an event or a section was cancelled or withdrawn, or a section was refused before
    play; None: none of these happened.
    """
    if _closed_by(thing) is None:
        return None
    event = thing if isinstance(thing, Event) else thing.event
    return state_notices(event.federation, [thing]).get(thing.named_on_record)


def state_notices(office: Federation, things: Iterable[Event | Section]) -> dict[str, Notice]:
    """Notices of those of an office's events and sections that were cancelled, withdrawn, refused before play
    or else postponed, by their names on record; two queries for all. A section that was postponed with its
    event has none of its own.
    """
    stood = ((thing.named_on_record, _closed_by(thing) or _postponed_by(thing)) for thing in things)
    sources = {name: source for name, source in stood if source}
    if not sources:
        return {}
    about = {name for each in sources.values() for name in (each.about, *each.sections)}
    kinds = {each.kind for each in sources.values()} | {TAKEN_BACK}
    made = Decision.objects.filter(federation=office, about__in=about, kind__in=kinds)
    newest_first = list(made.prefetch_related("words").order_by("-number"))
    slips = {each.sealed_details.get("decision") for each in newest_first if each.kind == TAKEN_BACK}
    standing = [each for each in newest_first if each.number not in slips]
    found = {name: next(filter(source.has, standing), None) for name, source in sources.items()}
    return {name: notice_of(decision) for name, decision in found.items() if decision}


def _closed_by(thing: Event | Section) -> _Source | None:
    return _event_closed_by(thing) if isinstance(thing, Event) else _section_closed_by(thing)


def _event_closed_by(event: Event) -> _Source | None:
    if event.state == Event.State.CANCELLED:
        return _Source("cancel", event.named_on_record)
    if event.state == Event.State.WITHDRAWN:
        return _Source("withdraw-event", event.named_on_record)
    return None


def _section_closed_by(section: Section) -> _Source | None:
    with_event = section.closed_with_event
    name = section.event.named_on_record if with_event else section.named_on_record
    if section.stage == Stage.CANCELLED:
        return _Source("cancel", name)
    if section.stage == Stage.WITHDRAWN:
        return _Source("withdraw-event" if with_event else "withdraw-section", name)
    return _Source("refuse-before-play", name) if refused_before_play(section) else None


def _postponed_by(thing: Event | Section) -> _Source | None:
    if not thing.postponed:
        return None
    sections = thing.sections.all() if isinstance(thing, Event) else ()
    return _Source("postpone", thing.named_on_record, frozenset(each.named_on_record for each in sections))
