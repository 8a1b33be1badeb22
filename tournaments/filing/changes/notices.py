"""Notices to everybody of an event or a section since it was announced, as the record has them.

The words stand in the record alone: withdrawn there, they are gone from the public pages too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any

from django.db.models import Q, QuerySet
from django.utils.translation import gettext as now
from django.utils.translation import gettext_lazy as _

from players.drawing.days_in_words import days_in_words
from players.office.models import Decision
from players.pages.record_details import in_words, worded
from tournaments.events.models import Event, Section, Stage
from tournaments.filing.changes.changed_fields import seen

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise

HEADINGS: Mapping[str, StrOrPromise] = {
    "postpone": _("Postponed."),
    "cancel": _("Cancelled."),
    "reinstate": _("Taken up again."),
    "edit": _("Changed."),
    "move-event": _("Moved to another region."),
}
"""The words of a notice of the history by the kind of its decision."""
CLOSED_OTHERWISE: Mapping[str, StrOrPromise] = {
    "refuse-before-play": _("Refused before play."),
    "withdraw-event": _("Withdrawn."),
    "withdraw-section": _("Withdrawn."),
}
"""The words of notices that are told beside the history."""


@dataclass(frozen=True, slots=True)
class Notice:
    """A thing that everybody was told: when, what, why, and what it was before and after."""

    number: int
    """The number of its decision in the record."""
    kind: str
    on: date
    heading: str
    words: str
    """The reason; empty where none was given, or where it was withdrawn from the record."""
    changes: list[str] = field(default_factory=list)


def notices_of(thing: Event | Section) -> list[Notice]:
    """Notices of an event or a section, the newest first."""
    told = _decisions(thing, list(HEADINGS)).prefetch_related("words").order_by("-number")
    found = ((decision, decision.details) for decision in told)
    return [
        notice_of(decision, _changes(thing, details))
        for decision, details in found
        if decision.kind != "edit" or _is_public(details)
    ]


def notice_of(decision: Decision, changes: Sequence[str] = ()) -> Notice:
    """The notice that a decision gave everybody, with its words as far as the record still has them."""
    heading = {**HEADINGS, **CLOSED_OTHERWISE}[decision.kind]
    words = decision.details.get("reason") or ""
    return Notice(decision.number, decision.kind, decision.on, str(heading), words, [*changes])


def told_by_headline(thing: Event | Section, notices: Sequence[Notice]) -> Notice | None:
    """The only notice, where the headline that something was cancelled or postponed tells its kind: its words
    follow there. Else None: the notices stand in a list.
    """
    state = thing.state if isinstance(thing, Event) else thing.stage
    kind = "cancel" if state == Stage.CANCELLED else "postpone" if thing.postponed else ""
    return notices[0] if [notice.kind for notice in notices] == [kind] else None


def standing_notice(thing: Event | Section) -> tuple[str, date | None]:
    """The words of the newest postponement and their day, where something is postponed; else empty. A section
    is not spoken of by a postponement of its event with which it did not move.
    """
    if not thing.postponed:
        return "", None
    told = _decisions(thing, ["postpone"], with_event=True).order_by("-number")
    newest = next((each for each in told if isinstance(thing, Event) or _moved_by(thing, each)), None)
    return (newest.details.get("reason") or "", newest.on) if newest else ("", None)


def _moved_by(section: Section, decision: Decision) -> bool:
    """Whether a postponement, of a section or of its event, gave the section its days. An older record does
    not say which sections moved with an event: there the days tell it.
    """
    if decision.about == section.named_on_record:
        return True
    if (codes := decision.details.get("sections_moved")) is not None:
        return section.code in codes
    days = [section.starts.isoformat(), section.ends.isoformat()]
    before, now_ = decision.details["days_before"], decision.details["days_now"]
    inside = now_[0] <= days[0] and days[1] <= now_[1]
    return bool(days == now_ or (days != before and not inside))


def _decisions(thing: Event | Section, kinds: list[str], *, with_event: bool = False) -> QuerySet[Decision]:
    """Decisions of these kinds about an event, also by its sections where its days changed with theirs; or
    about a section. `with_event`: about a section's event too, with which it was moved.
    """
    event = thing if isinstance(thing, Event) else thing.event
    about = Q(about=thing.named_on_record)
    if isinstance(thing, Event):
        of_sections = Q(about__startswith=f"section {event.number}/")
        about |= of_sections & Q(kind="postpone", sealed_details__has_key="event_days_before")
    elif with_event:
        about |= Q(about=event.named_on_record)
    return Decision.objects.filter(about, federation=event.federation_id, kind__in=kinds)


def _is_public(details: Mapping[str, Any]) -> bool:
    """Whether an edit changed what everybody could read, and so was told with its reason."""
    return bool(details.get("reason") and seen(details.get("edited") or {}))


def _changes(thing: Event | Section, details: Mapping[str, Any]) -> list[str]:
    """Words before and after: of the days, and of the fields that everybody could read."""
    of_event = "event_" if isinstance(thing, Event) and "event_days_before" in details else ""
    before, after = (details.get(f"{of_event}days_{when}") for when in ("before", "now"))
    days = [_move(before, after)] if before else []
    fields = worded("edit", "edited", seen(details.get("edited") or {}))
    if "region_before" in details:
        days.append(_regions(thing, details))
    return [*days, *(in_words({label: pair}) for label, pair in fields.items())]


def _regions(thing: Event | Section, details: Mapping[str, Any]) -> str:
    event = thing if isinstance(thing, Event) else thing.event
    names = dict(event.federation.region_names)
    before, after = (names.get(details[key], details[key]) for key in ("region_before", "region"))
    return now("region: %(before)s → %(after)s") % {"before": before, "after": after}


def _move(before: list[str], after: list[str] | None) -> str:
    if not after:
        return now("days before: %(before)s") % {"before": days_in_words(before)}
    return now("days: %(before)s → %(after)s") % {
        "before": days_in_words(before),
        "after": days_in_words(after),
    }
