"""Cancels an event or a section that will not be played, and takes it up again."""

from __future__ import annotations

from datetime import date

from django.db import transaction
from django.utils.translation import gettext as _

from players.office.decision_record import Refused, decide
from players.office.models import User
from tournaments.events.lock_section import lock_section
from tournaments.events.models import OPEN_TO_FILING, Event, Section, Stage
from tournaments.filing.change_stage import change_stage
from tournaments.filing.changes.lock_event import given, lock_event, refuse_decided, sections_of
from tournaments.filing.changes.notices import standing_notice


@transaction.atomic
def cancel_event(*, event: Event, by: User | None, on: date, version: int, reason: str) -> Event:
    """Call an event off with all its open sections: it stays in the calendar, with the reason."""
    words = given(reason)
    locked = lock_event(event, version=version)
    sections = sections_of(locked)
    refuse_decided(sections, one_by_one=_("Other sections can be cancelled one by one."))
    for section in sections:
        if section.open_to_filing:
            close(section, Stage.CANCELLED, words, on, with_event=True)
    _to_state(locked, Event.State.CANCELLED, words, on)
    decide(locked.federation, kind="cancel", by=by, on=on, about=f"event {locked.number}", reason=words)
    return locked


@transaction.atomic
def cancel_section(*, section: Section, by: User | None, on: date, version: int, reason: str) -> Section:
    """Call one section off: its event's page tells it, with the reason."""
    words = given(reason)
    locked = lock_section(section, version=version)
    close(locked, Stage.CANCELLED, words, on)
    _record_section(locked, "cancel", by, on, reason=words)
    return locked


@transaction.atomic
def reinstate_event(*, event: Event, by: User | None, on: date, version: int) -> Event:
    """Take a cancelled event up again, with the sections that were cancelled together with it."""
    locked = lock_event(event, version=version, states=(Event.State.CANCELLED,))
    for section in sections_of(locked):
        if section.stage == Stage.CANCELLED and section.closed_with_event:
            reopen(section)
    _to_state(locked, Event.State.PLANNED, *standing_notice(locked))
    decide(locked.federation, kind="reinstate", by=by, on=on, about=f"event {locked.number}")
    return locked


@transaction.atomic
def reinstate_section(*, section: Section, by: User | None, on: date, version: int) -> Section:
    """Take a cancelled section up again, where its event is planned."""
    locked = lock_section(section, version=version, stages=(Stage.CANCELLED,))
    if locked.event.state != Event.State.PLANNED:
        raise Refused(_("The whole event was cancelled. Take the event up again; its sections come with it."))
    reopen(locked)
    _record_section(locked, "reinstate", by, on)
    return locked


def close(section: Section, stage: Stage, words: str, on: date, *, with_event: bool = False) -> None:
    """Put a locked section where nobody waits for it, and keep the stage from which it came."""
    if section.uploads.waiting().exists():
        raise Refused(
            _("The file of section %(section)s is just being read. Try again in a minute.")
            % {"section": section.name}
        )
    section.announce(words, on)
    before = section.stage if section.stage in OPEN_TO_FILING else section.stage_before
    more = {"notice": section.notice, "notice_on": section.notice_on}
    change_stage(section, stage, stage_before=before, closed_with_event=with_event, **more)


def reopen(section: Section) -> None:
    """Bring a locked section back to the stage from which it was cancelled; what was told of its days stands
    again.
    """
    words, on = standing_notice(section)
    fields = {"notice": words, "notice_on": on, "stage_before": "", "closed_with_event": False}
    change_stage(section, Stage(section.stage_before or Stage.REGISTERED), **fields)


def _to_state(event: Event, state: Event.State, words: str, on: date | None) -> None:
    event.state, event.notice, event.notice_on = state, words, on
    event.version += 1
    event.save(update_fields=["state", "notice", "notice_on", "version"])


def _record_section(section: Section, kind: str, by: User | None, on: date, **details: str) -> None:
    about = f"section {section.key}"
    decide(section.event.federation, kind=kind, by=by, on=on, about=about, **details)
