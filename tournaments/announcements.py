"""Changes of announced events and sections: edits, other days, cancellation, postponement, another region.

Each change begins by locking the event as it is, and is refused where a section stands in the way. Everybody
can read the reason, and the first announced days stay to be read. The words of notices stand in the record of
decisions alone: withdrawn there, they are gone from the public pages too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.db.models import Max, Min, Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from players.access import Permission, Rights
from players.decision_kinds import in_words, worded
from players.display import FORMATS, day_in_words, days_in_words
from players.models import Decision, Federation, Player, Region, Transfer, User
from players.record import Refused, decide, lock_ledger
from players.seals import SealedWords
from tournaments.acceptance import recheck
from tournaments.models import NOT_PLAYED, OPEN_TO_FILING, WITH_THE_OFFICE, Case, Entry, Event, Section, Stage
from tournaments.sections import (
    change_stage,
    lock_section,
    particulars_in_words,
    refused_before_play,
    was_rated,
)

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


# ---- Fields that an edit changes, before and after, and which of them everybody could read.
Changes = dict[str, list[str]]
"""The words of each changed field, before and after, by the field's code or its ruleset's label."""
UNSEEN = frozenset({"arbiters", "code", "format", "organizer", "team"})
"""Fields that no public page shows before the section is rated."""


def told_of_event(event: Event) -> dict[str, str]:
    """The words of an event's fields, but for its days."""
    arbiters = (
        " ".join(filter(None, (each.get("title"), each["name"], each.get("id")))) for each in event.arbiters
    )
    return {
        "name": event.name,
        "place": event.place,
        "country": event.country or event.federation.ruleset.country,
        "organizer": event.organizer,
        "arbiters": ", ".join(arbiters),
    }


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


# ---- Notices to everybody of an event or a section since it was announced, as the record has them.
HEADINGS: Mapping[str, StrOrPromise] = {
    "postpone": gettext_lazy("Postponed."),
    "cancel": gettext_lazy("Cancelled."),
    "reinstate": gettext_lazy("Taken up again."),
    "edit": gettext_lazy("Changed."),
    "move-event": gettext_lazy("Moved to another region."),
}
"""The words of a notice of the history by the kind of its decision."""
CLOSED_OTHERWISE: Mapping[str, StrOrPromise] = {
    "refuse-before-play": gettext_lazy("Refused before play."),
    "withdraw-event": gettext_lazy("Withdrawn."),
    "withdraw-section": gettext_lazy("Withdrawn."),
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
        if decision.kind != "edit" or bool(details.get("reason") and seen(details.get("edited") or {}))
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
    return _("region: %(before)s → %(after)s") % {"before": before, "after": after}


def _move(before: list[str], after: list[str] | None) -> str:
    if not after:
        return _("days before: %(before)s") % {"before": days_in_words(before)}
    return _("days: %(before)s → %(after)s") % {
        "before": days_in_words(before),
        "after": days_in_words(after),
    }


# ---- Notices by which events and sections stand as they do, read from the record for many at once. Pages
# show these words, never the row's copy, which would outlast words withdrawn from the record.
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


# ---- Lock the event as it is now, and refuse where a section stands in the way.
LONGEST_NOTICE = 1000
"""The most characters of a reason that everybody can read."""
BEFORE_RATING = (*OPEN_TO_FILING, Stage.CANCELLED)
FREE_IN_REVIEW = frozenset({"name", "place"})
"""Fields of an event on which no finding rests: the review of a submitted section shows them as they are."""


def lock_event(
    event: Event, *, version: int, states: Collection[Event.State] = (Event.State.PLANNED,)
) -> Event:
    """Lock the event until the transaction ends; raise `Refused` if it is not what the person saw."""
    lock_ledger(event.federation)
    events = Event.objects.select_for_update(of=("self",)).select_related("federation", "region")
    locked = events.get(pk=event.pk)
    refuse_older(locked, version)
    if locked.state not in states:
        raise Refused(not_now(locked))
    return locked


def refuse_older(event: Event, version: int) -> None:
    """Raise `Refused` if a person saw another version of a locked event."""
    if event.version != version:
        raise Refused(_("This event changed while your page was open. Check it as it is now, and try again."))


def not_now(event: Event) -> str:
    """Say that an event's state stands in the way."""
    return _("This event is %(state)s, so this cannot be done now.") % {"state": event.get_state_display()}


def sections_of(event: Event) -> list[Section]:
    """The event's sections, locked until the transaction ends, each with this event."""
    sections = list(Section.objects.select_for_update(of=("self",)).filter(event=event))
    for section in sections:
        section.event = event
    return sections


def refuse_decided(sections: Iterable[Section], *, one_by_one: str = "") -> None:
    """Raise `Refused` if the office has one of the sections, or rated it: say which, and what to do.

    `one_by_one`: words on changing the other sections by themselves, where that can be done.
    """
    if told := in_the_way(sections):
        raise Refused(" ".join([*told, one_by_one]).strip())


def refuse_reviewed(sections: Collection[Section], changed: Collection[str]) -> None:
    """Raise `Refused` where these fields of an event change and a section is rated; or one is submitted, and
    more changes than may in review.
    """
    refuse_decided(section for section in sections if section.stage == Stage.RATED)
    if set(changed) - FREE_IN_REVIEW:
        refuse_decided(sections, one_by_one=_free_in_review())


def what_stays(event: Event) -> tuple[list[str], bool]:
    """Say what stands in the way of changing an event, as its state and `refuse_reviewed` do; and whether
    something of it can be changed all the same.
    """
    if event.state != Event.State.PLANNED:
        return [not_now(event)], False
    sections = list(event.sections.all())
    told = in_the_way(sections)
    if any(section.stage == Stage.RATED for section in sections):
        return told, False
    return ([*told, _free_in_review()] if told else []), True


def _free_in_review() -> str:
    return _("The name and the place of the event can be changed now.")


def in_the_way(sections: Iterable[Section]) -> list[str]:
    """Say of each section that the office has, or rated, what to do before its event can be changed."""
    return [_way_out(section) for section in sections if section.stage in WITH_THE_OFFICE]


def _way_out(section: Section) -> str:
    if section.stage == Stage.SUBMITTED:
        words = _(
            "Section %(section)s stands in the way: it is submitted. Withdraw its submission, or ask the "
            "office to return it; then try again."
        )
    else:
        words = _(
            "Section %(section)s stands in the way: it is rated. What is rated changes only if the office "
            "un-rates it first."
        )
    return words % {"section": section.name}


def reason_for(reason: str, *, asked: bool) -> str:
    """The reason as `given` wants it, where it is asked for or there is one; else empty."""
    return given(reason) if asked or reason.strip() else ""


def given(reason: str) -> str:
    """The reason without blanks around it; raise `Refused` where there is none, or one too long."""
    if not reason.strip():
        raise Refused(_("Say why: everybody who looks for the event reads it."))
    if len(reason.strip()) > LONGEST_NOTICE:
        raise Refused(
            _("Shorten the reason to %(most)s characters: it stands on the event's page.")
            % {"most": LONGEST_NOTICE}
        )
    return reason.strip()


# ---- Move the days of an event or a section.
Days = tuple[date, date]


def days_of(thing: Event | Section) -> Days:
    return thing.starts, thing.ends


def move_event(event: Event, sections: Iterable[Section], to: Days, words: str, on: date) -> list[str]:
    """Give a locked event other days, and its open sections those of `days_within`. Whoever calls saves the
    event, and checks its sections anew. Returns the codes of the sections that moved.
    """
    before, moved = days_of(event), list[str]()
    _announce(event, words, on)
    event.starts, event.ends = to
    for section in sections:
        if section.open_to_filing and (days := days_within(section, before, to)) != days_of(section):
            _announce(section, words, on)
            move_section(section, *days)
            moved.append(section.code)
    return moved


def days_within(section: Section, before: Days, to: Days) -> Days:
    """A section's days once its event has others: the event's, if it had those. Days of its own stay where
    the event gets longer or shorter around them; else they move as the event's first day does.
    """
    if days_of(section) == before:
        return to
    if (_lies_within(before, to) or _lies_within(to, before)) and _lies_within(days_of(section), to):
        return days_of(section)
    by = to[0] - before[0]
    if section.ends + by > to[1]:
        raise Refused(
            _("Section %(section)s would end on %(day)s, after the event. Give the event a later end.")
            % {"section": section.name, "day": day_in_words(section.ends + by)}
        )
    return section.starts + by, section.ends + by


def _lies_within(days: Days, span: Days) -> bool:
    return span[0] <= days[0] and days[1] <= span[1]


def recheck_open(sections: Iterable[Section]) -> None:
    """Check those sections of an event anew that are open to filing."""
    for section in sections:
        if section.open_to_filing:
            recheck(section)


def move_announced_section(section: Section, to: Days, words: str, on: date) -> Days | None:
    """Give a locked section other days; its event then lasts from the first section's day to the last one's,
    and says why if its own days changed by that. Returns the event's days before; None: they are the same.

    Raises `Refused` if the event would last longer while the office has another of its sections.
    """
    event = section.event
    was = days_of(event)
    _refuse_longer(event, to)
    _announce(section, words, on)
    move_section(section, *to)
    if not span_event(event):
        return None
    if event.state == Event.State.PLANNED:
        event.first_starts, event.first_ends = event.first_starts or was[0], event.first_ends or was[1]
        event.announce(words, on)
        event.save(update_fields=["first_starts", "first_ends", "notice", "notice_on"])
    return was


def _refuse_longer(event: Event, to: Days) -> None:
    """Raise `Refused` for a section's days outside its event's, while the office has another section."""
    if not _lies_within(to, days_of(event)):
        words = _("Days within those of the event, %(days)s, can be given now.")
        within = words % {"days": days_in_words(_as_text(days_of(event)))}
        refuse_decided(sections_of(event), one_by_one=within)


def _announce(thing: Event | Section, words: str, on: date) -> None:
    if thing.first_starts is None:
        thing.first_starts, thing.first_ends = days_of(thing)
    thing.announce(words, on)


def move_section(section: Section, starts: date, ends: date) -> None:
    """Give a locked section other days, as a new version; its rounds' days move as its first day does."""
    by = starts - section.starts
    days = [date.fromisoformat(day) + by if day else None for day in section.round_dates]
    section.round_dates = [day.isoformat() if day and day <= ends else None for day in days]
    section.starts, section.ends = starts, ends
    section.version += 1
    section.save()


def span_event(event: Event) -> bool:
    """Let the event last from its sections' first day to their last, where the office waits for them; its
    open sections are checked anew, since deadlines count from its days. While the office has a section, its
    days stay.

    Returns whether its days changed.
    """
    if event.sections.filter(stage__in=WITH_THE_OFFICE).exists():
        return False
    played = event.sections.exclude(stage__in=NOT_PLAYED)
    span = played.aggregate(starts=Min("starts"), ends=Max("ends"))
    if not span["starts"] or (span["starts"], span["ends"]) == days_of(event):
        return False
    event.starts, event.ends = span["starts"], span["ends"]
    event.version += 1
    event.save(update_fields=["starts", "ends", "version"])
    sections = sections_of(event)
    recheck_open(sections)
    return True


def record_move(
    thing: Event | Section,
    by: User | None,
    on: date,
    words: str,
    before: Days,
    of_event: Days | None = None,
    moved: list[str] | None = None,
) -> None:
    """Put on record that an event or a section has other days than before, and why. `of_event`: the days that
    the event of a moved section had, where it lasts otherwise now; `moved`: the sections that moved with an
    event, by their codes.
    """
    event = thing if isinstance(thing, Event) else thing.event
    days = {"days_before": _as_text(before), "days_now": _as_text(days_of(thing))}
    if of_event:
        days |= {"event_days_before": _as_text(of_event), "event_days_now": _as_text(days_of(event))}
    about, office = thing.named_on_record, event.federation
    told: dict[str, Any] = {"reason": words, **days}
    if moved is not None:
        told["sections_moved"] = moved
    decide(office, kind="postpone", by=by, on=on, about=about, **told)


def _as_text(days: Days) -> list[str]:
    return [day.isoformat() for day in days]


# ---- Cancel an event or a section that will not be played, and take it up again.
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


# ---- Postpone an event, or one of its sections, to other days.
@transaction.atomic
def postpone_event(
    *, event: Event, by: User | None, on: date, version: int, starts: date, ends: date, reason: str
) -> Event:
    """Put an event on other days, and its open sections with it."""
    words = given(reason)
    locked = lock_event(event, version=version)
    sections = sections_of(locked)
    refuse_decided(sections, one_by_one=_("Other sections can be postponed one by one."))
    _refuse_same(locked, starts, ends)
    before = days_of(locked)
    moved = move_event(locked, sections, (starts, ends), words, on)
    locked.version += 1
    locked.save()
    recheck_open(sections)
    record_move(locked, by, on, words, before, moved=moved)
    return locked


@transaction.atomic
def postpone_section(
    *, section: Section, by: User | None, on: date, version: int, starts: date, ends: date, reason: str
) -> Section:
    """Put a section on other days; its event then lasts from the first section's day to the last one's."""
    words = given(reason)
    locked = lock_section(section, version=version)
    _refuse_same(locked, starts, ends)
    before = days_of(locked)
    of_event = move_announced_section(locked, (starts, ends), words, on)
    recheck(locked)
    record_move(locked, by, on, words, before, of_event)
    return locked


def _refuse_same(thing: Event | Section, starts: date, ends: date) -> None:
    if days_of(thing) == (starts, ends):
        raise Refused(_("These are the days it has already. Give the new ones."))


# ---- Move an event to another region, as where it was registered for the wrong one.
@transaction.atomic
def move_to_region(
    *,
    rights: Rights,
    event: Event,
    by: User | None,
    on: date,
    version: int,
    region: Region,
    reason: str,
    in_journal: QuerySet[Any, Any],
) -> Event:
    """Give an event to another region, with all its sections, the players new with them and all reports of
    mistakes that are not closed; everybody reads why. `in_journal`: the numbers of players whom the journal
    names; they stay.

    Raises `Refused` if the person may not act in both regions, if the event has that region already, or if a
    section is submitted or rated.
    """
    words = given(reason)
    locked = lock_event(event, version=version)
    giving = locked.region
    _refuse_region(rights, giving, region)
    sections = sections_of(locked)
    refuse_decided(sections)
    locked.region = region
    locked.version += 1
    locked.save(update_fields=["region", "version"])
    # Give sections another version, so that no open page of the giving region goes on; and forget who of it
    # submitted them: letters go to the taking one.
    for section in sections:
        section.submitted_by = None
        section.version += 1
        section.save(update_fields=["submitted_by", "version"])
    players = _take_new_players(sections, giving, region, in_journal)
    cases = Case.objects.filter(section__event=locked, region=giving)
    cases.exclude(state=Case.State.CLOSED).update(region=region)
    recheck_open(sections)
    told = {"region_before": giving.code, "region": region.code, "reason": words, "players": players}
    decide(locked.federation, kind="move-event", by=by, on=on, about=locked.named_on_record, **told)
    return locked


def _refuse_region(rights: Rights, giving: Region, taking: Region) -> None:
    if giving == taking:
        raise Refused(_("This event belongs to %(region)s already.") % {"region": taking})
    mine = set(rights.regions(Permission.EVENTS_EDIT).values_list("pk", flat=True))
    for region in (giving, taking):
        if region.pk not in mine:
            raise Refused(_("You do not act for %(region)s. Ask an official.") % {"region": region})


def _take_new_players(
    sections: Collection[Section], giving: Region, taking: Region, in_journal: QuerySet[Any, Any]
) -> list[str]:
    """Give the taking region the players who came into the register with these sections and play in no other
    (csa 14.1.5: they come under the host region, if no other was stated); return their numbers. Whom the
    journal has already stays, since it tells the region: by a rating, or by a merger. So does whoever has an
    open transfer.
    """
    never_rated = [section for section in sections if not was_rated(section)]
    new = Entry.objects.filter(section__in=never_rated, match=Entry.Match.NEW, region=None).values("player")
    elsewhere = Entry.objects.exclude(section__in=never_rated).exclude(player=None).values("player")
    office = giving.federation_id
    moving = Transfer.objects.filter(federation=office, state__in=Transfer.OPEN).values("player")
    players = Player.objects.filter(region=giving, pk__in=new).exclude(pk__in=elsewhere)
    players = players.exclude(number__in=in_journal).exclude(pk__in=moving)
    numbers = sorted(players.values_list("number", flat=True))
    Player.objects.filter(number__in=numbers, federation=taking.federation_id).update(region=taking)
    return numbers
