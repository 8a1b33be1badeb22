"""Fields that an edit changes, with their words before and after, and which of them everybody could read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any

from django.utils.translation import gettext as _

from players.drawing.particulars_in_words import FORMATS
from players.office.decision_record import decide
from players.office.models import User
from players.office.record_chain_and_sealed_words import SealedWords
from tournaments.events.models import Event, Section, Stage
from tournaments.events.ruleset_fields import particulars_in_words

Changes = dict[str, list[str]]
"""The words of each changed field, before and after, by the field's code or its ruleset's label."""
UNSEEN = frozenset({"arbiters", "code", "format", "organizer", "team"})
"""Fields that no public page shows before the section is rated."""


def told_of_event(event: Event) -> dict[str, str]:
    """The words of an event's fields, but for its days."""
    arbiters = (_arbiter(each) for each in event.arbiters)
    return {
        "name": event.name,
        "place": event.place,
        "country": event.country or event.federation.ruleset.country,
        "organizer": event.organizer,
        "arbiters": ", ".join(arbiters),
    }


def _arbiter(said: Mapping[str, str]) -> str:
    return " ".join(filter(None, (said.get("title"), said["name"], said.get("id"))))


def told_of_section(section: Section) -> dict[str, str]:
    """The words of a section's fields, but for its days."""
    return {
        "code": section.code,
        "name": section.name,
        "format": str(FORMATS.get(section.format, section.format)),
        "team": _("yes") if section.team else _("no"),
        **dict(particulars_in_words(section)),
    }


def changes(before: Mapping[str, str], after: Mapping[str, str]) -> Changes:
    """The fields that differ between two tellings; one that only one of them has is empty in the other."""
    both = {name: [before.get(name, ""), after.get(name, "")] for name in (*before, *after)}
    return {name: pair for name, pair in both.items() if pair[0] != pair[1]}


def seen(changed: Changes) -> Changes:
    """The changes of what everybody could read: not of a field that was empty, nor of one kept inside."""
    return {name: pair for name, pair in changed.items() if pair[0] and name not in UNSEEN}


def on_record(changed: Changes, words: str = "") -> dict[str, Any]:
    """The details by which a decision tells of changed fields, sealed, and of their reason."""
    edited = {"edited": SealedWords(changed)} if changed else {}
    return edited | ({"reason": words} if words else {})


def record_edit(thing: Event | Section, by: User | None, on: date, changed: Changes, words: str) -> None:
    """Put on record that fields of an event or a section were changed, and why."""
    event = thing if isinstance(thing, Event) else thing.event
    decide(
        event.federation, kind="edit", by=by, on=on, about=thing.named_on_record, **on_record(changed, words)
    )


def look_again(sections: Iterable[Section]) -> None:
    """Give submitted sections another version where their event changed: whoever has the review open is asked
    to look again before deciding.
    """
    for section in sections:
        if section.stage == Stage.SUBMITTED:
            section.version += 1
            section.save(update_fields=["version"])
