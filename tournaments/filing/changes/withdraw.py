"""Withdraws an event or a section that was registered by mistake: it is kept, and nobody waits for it."""

from __future__ import annotations

from datetime import date

from django.db import transaction
from django.utils.translation import gettext as _

from players.office.decision_record import decide
from players.office.models import User
from tournaments.events.lock_section import lock_section
from tournaments.events.models import Event, Section, Stage
from tournaments.filing.changes.cancel import close
from tournaments.filing.changes.lock_event import (
    BEFORE_RATING,
    given,
    lock_event,
    refuse_decided,
    sections_of,
)
from tournaments.filing.changes.move_days import span_event


@transaction.atomic
def withdraw_event(*, event: Event, by: User | None, on: date, version: int, reason: str) -> Event:
    """Take an event that was one too many out of the calendar, with all its sections; none is deleted."""
    words = given(reason)
    states = (Event.State.PLANNED, Event.State.CANCELLED)
    locked = lock_event(event, version=version, states=states)
    sections = sections_of(locked)
    refuse_decided(sections, one_by_one=_("Other sections can be withdrawn one by one."))
    for section in sections:
        if section.stage in BEFORE_RATING:
            close(section, Stage.WITHDRAWN, words, on, with_event=True)
    locked.state = Event.State.WITHDRAWN
    locked.announce(words, on)
    locked.version += 1
    locked.save(update_fields=["state", "notice", "notice_on", "version"])
    about = f"event {locked.number}"
    decide(locked.federation, kind="withdraw-event", by=by, on=on, about=about, reason=words)
    return locked


@transaction.atomic
def withdraw_section(*, section: Section, by: User | None, on: date, version: int, reason: str) -> Section:
    """Take a section that was one too many off its event; its code stays taken."""
    words = given(reason)
    locked = lock_section(section, version=version, stages=BEFORE_RATING)
    close(locked, Stage.WITHDRAWN, words, on)
    span_event(locked.event)
    about = f"section {locked.key}"
    decide(locked.event.federation, kind="withdraw-section", by=by, on=on, about=about, reason=words)
    return locked
