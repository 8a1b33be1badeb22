"""Changes of announced events and sections: edits, other days, cancellation, postponement, another region.

Each change locks the event first, and is refused if a submitted or rated section prevents it. The reason is
public. The words of notices are stored in the record of decisions alone: withdrawn there, they are gone from
the public pages too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.db.models import Max, Min, Q, QuerySet
from django.utils.translation import gettext as _, gettext_lazy

from players.access import Permission, Rights
from players.decision_kinds import detail_in_words, translate_detail
from players.display import FORMAT_LABELS, day_in_words, days_in_words
from players.models import Decision, Federation, Player, Region, Transfer, User
from players.record import Refused, lock_ledger
from players.seals import SealedWords
from tournaments.acceptance import recheck
from tournaments.entries import delete_unnamed_players, players_gone
from tournaments.models import (
    CANCELLED_OR_WITHDRAWN,
    OPEN_TO_FILING,
    SUBMITTED_OR_RATED,
    Case,
    Entry,
    Event,
    Section,
    Stage,
)
from tournaments.sections import (
    change_stage,
    is_refused_before_play,
    lock_section,
    particulars_in_words,
    record,
    was_rated,
)

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


# ---- Edited fields
Changes = dict[str, list[str]]
"""Before and after of each changed field, by the field's code or its ruleset's label."""
INTERNAL_FIELDS = frozenset({"arbiters", "code", "format", "organizer", "team"})
"""Fields that no public page shows before the section is rated."""


def event_fields_in_words(event: Event) -> dict[str, str]:
    """The event's fields in words, without its days."""
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


def section_fields_in_words(section: Section) -> dict[str, str]:
    """The section's fields in words, without its days."""
    return {
        "code": section.code,
        "name": section.name,
        "format": str(FORMAT_LABELS.get(section.format, section.format)),
        "team": _("yes") if section.team else _("no"),
        **dict(particulars_in_words(section)),
    }


def changes(before: Mapping[str, str], after: Mapping[str, str]) -> Changes:
    """The fields that differ; a missing field counts as empty."""
    both = {name: [before.get(name, ""), after.get(name, "")] for name in (*before, *after)}
    return {name: pair for name, pair in both.items() if pair[0] != pair[1]}


def public_changes(changed: Changes) -> Changes:
    """The changes of fields that were public and not empty."""
    return {name: pair for name, pair in changed.items() if pair[0] and name not in INTERNAL_FIELDS}


def build_edit_details(changed: Changes, reason: str = "") -> dict[str, Any]:
    """The details of a decision on changed fields: the sealed changes and the reason."""
    edited = {"edited": SealedWords(changed)} if changed else {}
    return edited | ({"reason": reason} if reason else {})


def record_edit(
    thing: Event | Section,
    by: User | None,
    on: date,
    changed: Changes,
    reason: str,
    also: Collection[str] = (),
) -> None:
    """Record that fields of an event or a section were changed, and why. `also`: other parts that changed."""
    record(thing, "edit", by, on, also=also, **build_edit_details(changed, reason))


def increment_submitted_versions(sections: Iterable[Section]) -> None:
    """Raise the versions of submitted sections after a change of their event, to refuse open reviews."""
    for section in sections:
        if section.stage == Stage.SUBMITTED:
            section.version += 1
            section.save(update_fields=["version"])


# ---- Public notices of an event or a section
HEADINGS: Mapping[str, StrOrPromise] = {
    "postpone": gettext_lazy("Postponed."),
    "cancel": gettext_lazy("Cancelled."),
    "reinstate": gettext_lazy("Taken up again."),
    "edit": gettext_lazy("Changed."),
    "move-event": gettext_lazy("Moved to another region."),
}
"""The headings of notices by the kind of decision."""
CLOSING_HEADINGS: Mapping[str, StrOrPromise] = {
    "refuse-before-play": gettext_lazy("Refused before play."),
    "withdraw-event": gettext_lazy("Withdrawn."),
    "withdraw-section": gettext_lazy("Withdrawn."),
}
"""The headings of notices that are shown outside the list."""


@dataclass(frozen=True, slots=True)
class Notice:
    """A decision as those concerned read it: when, what, why, and what changed."""

    number: int
    """The decision's number in the record."""
    kind: str
    on: date
    heading: str
    words: str
    """The reason; empty if none was given or it was withdrawn from the record."""
    changes: list[str] = field(default_factory=list)
    until: date | None = None
    """The day until which a decision is put off."""


def get_notices(thing: Event | Section) -> list[Notice]:
    """The notices of an event or a section, the newest first."""
    decisions = _decisions(thing, list(HEADINGS)).prefetch_related("words").order_by("-number")
    return [
        make_notice(decision, _changes(thing, details))
        for decision, details in ((decision, decision.details) for decision in decisions)
        if decision.kind != "edit" or (details.get("reason") and public_changes(details.get("edited") or {}))
    ]


def make_notice(decision: Decision, changes: Sequence[str] = ()) -> Notice:
    """The notice of a decision, with its words as far as the record still has them."""
    heading = {**HEADINGS, **CLOSING_HEADINGS}[decision.kind]
    words = decision.details.get("reason") or ""
    return Notice(decision.number, decision.kind, decision.on, str(heading), words, [*changes])


def find_headline_notice(thing: Event | Section, notices: Sequence[Notice]) -> Notice | None:
    """The only notice, if the page's headline shows that cancellation or postponement; else None."""
    state = thing.state if isinstance(thing, Event) else thing.stage
    kind = "cancel" if state == Stage.CANCELLED else "postpone" if thing.postponed else ""
    return notices[0] if [notice.kind for notice in notices] == [kind] else None


def get_postponement_notice(thing: Event | Section) -> tuple[str, date | None]:
    """The words and day of the newest postponement that set the current days; empty if there is none."""
    if not thing.postponed:
        return "", None
    decisions = _decisions(thing, ["postpone"], with_event=True).order_by("-number")
    newest = next((each for each in decisions if isinstance(thing, Event) or _moved_by(thing, each)), None)
    return (newest.details.get("reason") or "", newest.on) if newest else ("", None)


def _moved_by(section: Section, decision: Decision) -> bool:
    """Whether a postponement, of a section or its event, set the section's days. Older records do not name
    the sections that moved; there the days tell.
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
    """Decisions of these kinds about an event (also those about its sections that changed its days) or a
    section. `with_event`: also about the section's event.
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
    """The changes of days, region and public fields in words."""
    of_event = "event_" if isinstance(thing, Event) and "event_days_before" in details else ""
    before, after = (details.get(f"{of_event}days_{when}") for when in ("before", "now"))
    days = [_move(before, after)] if before else []
    fields = translate_detail("edit", "edited", public_changes(details.get("edited") or {}))
    if "region_before" in details:
        event = thing if isinstance(thing, Event) else thing.event
        names = dict(event.federation.region_names)
        old, new = (names.get(details[key], details[key]) for key in ("region_before", "region"))
        days.append(_("region: %(before)s → %(after)s") % {"before": old, "after": new})
    return [*days, *(detail_in_words({label: pair}) for label, pair in fields.items())]


def _move(before: list[str], after: list[str] | None) -> str:
    if not after:
        return _("days before: %(before)s") % {"before": days_in_words(before)}
    params = {"before": days_in_words(before), "after": days_in_words(after)}
    return _("days: %(before)s → %(after)s") % params


# ---- Notices on the state of many events and sections
#
# Pages show these words, never the row's copy, which would outlast words withdrawn from the record.
_TAKE_BACK = "take-back"


Source = tuple[str, str, frozenset[str]]
"""The decisions that may have led to the state of an event or a section, the newest of which counts: kind,
name on record, and the names of a postponed event's sections, whose decisions may have changed its days.
"""
NO_SECTIONS: frozenset[str] = frozenset()


def _led_to(source: Source, decision: Decision) -> bool:
    kind, about, sections = source
    with_event = "event_days_before" in decision.sealed_details
    return decision.kind == kind and (decision.about == about or (decision.about in sections and with_event))


def find_closing_notice(thing: Event | Section) -> Notice | None:
    """The notice of a cancellation, a withdrawal or a refusal before play, if there was one."""
    if _closed_by(thing) is None:
        return None
    event = thing if isinstance(thing, Event) else thing.event
    return state_notices(event.federation, [thing]).get(thing.named_on_record)


def state_notices(office: Federation, things: Iterable[Event | Section]) -> dict[str, Notice]:
    """The notices on the state of events and sections (closed or postponed) by their names on record, in two
    queries. A section that was postponed with its event has none.
    """
    found = ((thing.named_on_record, _closed_by(thing) or _postponed_by(thing)) for thing in things)
    sources = {name: source for name, source in found if source}
    if not sources:
        return {}
    about = {name for _kind, own, others in sources.values() for name in (own, *others)}
    kinds = {kind for kind, *_names in sources.values()} | {_TAKE_BACK}
    decisions = Decision.objects.filter(federation=office, about__in=about, kind__in=kinds)
    newest_first = list(decisions.prefetch_related("words").order_by("-number"))
    taken_back = {each.sealed_details.get("decision") for each in newest_first if each.kind == _TAKE_BACK}
    standing = [each for each in newest_first if each.number not in taken_back]
    newest = {
        name: next((each for each in standing if _led_to(source, each)), None)
        for name, source in sources.items()
    }
    return {name: make_notice(decision) for name, decision in newest.items() if decision}


def _closed_by(thing: Event | Section) -> Source | None:
    name = thing.named_on_record
    if isinstance(thing, Event):
        kinds: dict[str, str] = {Event.State.CANCELLED: "cancel", Event.State.WITHDRAWN: "withdraw-event"}
        kind = kinds.get(thing.state, "")
        return (kind, name, NO_SECTIONS) if kind else None
    if thing.closed_with_event:
        name = thing.event.named_on_record
    if thing.stage == Stage.CANCELLED:
        return "cancel", name, NO_SECTIONS
    if thing.stage == Stage.WITHDRAWN:
        return "withdraw-event" if thing.closed_with_event else "withdraw-section", name, NO_SECTIONS
    return ("refuse-before-play", name, NO_SECTIONS) if is_refused_before_play(thing) else None


def _postponed_by(thing: Event | Section) -> Source | None:
    if not thing.postponed:
        return None
    sections = thing.sections.all() if isinstance(thing, Event) else ()
    return "postpone", thing.named_on_record, frozenset(each.named_on_record for each in sections)


# ---- Locks and refusals
LONGEST_NOTICE = 1000
"""The maximum length of a public reason."""
UNSUBMITTED_STAGES = (*OPEN_TO_FILING, Stage.CANCELLED)
FREE_IN_REVIEW = frozenset({"name", "place"})
"""Fields of an event that may change while a section is submitted, as no finding depends on them."""


def lock_event(
    event: Event, *, version: int, states: Collection[Event.State] = (Event.State.PLANNED,)
) -> Event:
    """Lock the event until the transaction ends. Raises `Refused` if its version or state is another."""
    lock_ledger(event.federation)
    events = Event.objects.select_for_update(of=("self",)).select_related("federation", "region")
    locked = events.get(pk=event.pk)
    refuse_changed_event(locked, version)
    if locked.state not in states:
        raise Refused(state_refusal(locked))
    return locked


def refuse_changed_event(event: Event, version: int) -> None:
    """Raise `Refused` if a person saw another version of the event."""
    if event.version != version:
        raise Refused(_("This event changed while your page was open. Check it as it is now, and try again."))


def state_refusal(event: Event) -> str:
    """The message that an event's state prevents a change."""
    return _("This event is %(state)s, so this cannot be done now.") % {"state": event.get_state_display()}


def lock_sections(event: Event) -> list[Section]:
    """The event's sections, locked until the transaction ends."""
    sections = list(Section.objects.select_for_update(of=("self",)).filter(event=event))
    for section in sections:
        section.event = event
    return sections


def refuse_submitted_or_rated(sections: Iterable[Section], *, alternative: str = "") -> None:
    """Raise `Refused` if one of the sections is submitted or rated. `alternative`: what else can be done."""
    if words := describe_blockers(sections):
        raise Refused(" ".join([*words, alternative]).strip())


def refuse_reviewed_changes(sections: Collection[Section], changed: Collection[str]) -> None:
    """Raise `Refused` if a section is rated, or one submitted and fields change that reviews rest on."""
    refuse_submitted_or_rated(section for section in sections if section.stage == Stage.RATED)
    if set(changed) - FREE_IN_REVIEW:
        refuse_submitted_or_rated(sections, alternative=_free_in_review())


def describe_change_limits(event: Event) -> tuple[list[str], bool]:
    """Messages on what prevents changes of an event, and whether some fields can be changed all the same."""
    if event.state != Event.State.PLANNED:
        return [state_refusal(event)], False
    sections = list(event.sections.all())
    words = describe_blockers(sections)
    if any(section.stage == Stage.RATED for section in sections):
        return words, False
    return ([*words, _free_in_review()] if words else []), True


def _free_in_review() -> str:
    return _("The name and the place of the event can be changed now.")


def describe_blockers(sections: Iterable[Section]) -> list[str]:
    """What to do before the event can be changed, for each submitted or rated section."""
    return [_describe_blocker(section) for section in sections if section.stage in SUBMITTED_OR_RATED]


def _describe_blocker(section: Section) -> str:
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


def clean_optional_reason(reason: str, *, required: bool) -> str:
    """The reason as `clean_reason` returns it, if it is required or not blank; else empty."""
    return clean_reason(reason) if required or reason.strip() else ""


def clean_reason(reason: str) -> str:
    """The stripped reason. Raises `Refused` if it is blank or too long."""
    if not reason.strip():
        raise Refused(_("Say why: everybody who looks for the event reads it."))
    if len(reason.strip()) > LONGEST_NOTICE:
        raise Refused(
            _("Shorten the reason to %(most)s characters: it stands on the event's page.")
            % {"most": LONGEST_NOTICE}
        )
    return reason.strip()


# ---- Other days
Days = tuple[date, date]


def get_days(thing: Event | Section) -> Days:
    return thing.starts, thing.ends


def move_event(event: Event, sections: Iterable[Section], to: Days, reason: str, on: date) -> list[str]:
    """Give a locked event other days, and its open sections those of `compute_moved_days`; the caller saves
    the event and checks its sections. Returns the codes of moved sections.
    """
    before, moved = get_days(event), list[str]()
    _announce(event, reason, on)
    event.starts, event.ends = to
    for section in sections:
        if section.open_to_filing and (days := compute_moved_days(section, before, to)) != get_days(section):
            _announce(section, reason, on)
            move_section(section, *days)
            moved.append(section.code)
    return moved


def compute_moved_days(section: Section, before: Days, to: Days) -> Days:
    """A section's days once its event has others: the event's, if it had those; its own, if the event only
    gets longer or shorter around them; else they move as the event's first day does.
    """
    if get_days(section) == before:
        return to
    if (_lies_within(before, to) or _lies_within(to, before)) and _lies_within(get_days(section), to):
        return get_days(section)
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
    """Check those sections again that are open to filing."""
    for section in sections:
        if section.open_to_filing:
            recheck(section)


def move_announced_section(section: Section, to: Days, reason: str, on: date) -> Days | None:
    """Give a locked section other days, and its event the days from its first section's to its last one's.
    Returns the event's days before, or None if they stay.

    Raises `Refused` if the event would last longer while another section is submitted or rated.
    """
    event = section.event
    was = get_days(event)
    if not _lies_within(to, was):
        within = _("Days within those of the event, %(days)s, can be given now.")
        one_by_one = within % {"days": days_in_words(_as_text(was))}
        refuse_submitted_or_rated(lock_sections(event), alternative=one_by_one)
    _announce(section, reason, on)
    move_section(section, *to)
    if not update_event_days(event):
        return None
    if event.state == Event.State.PLANNED:
        event.first_starts, event.first_ends = event.first_starts or was[0], event.first_ends or was[1]
        event.announce(reason, on)
        event.save(update_fields=["first_starts", "first_ends", "notice", "notice_on"])
    return was


def _announce(thing: Event | Section, words: str, on: date) -> None:
    if thing.first_starts is None:
        thing.first_starts, thing.first_ends = get_days(thing)
    thing.announce(words, on)


def move_section(section: Section, starts: date, ends: date) -> None:
    """Give a locked section other days as a new version; its rounds' days move as its first day does."""
    by = starts - section.starts
    days = [date.fromisoformat(day) + by if day else None for day in section.round_dates]
    section.round_dates = [day.isoformat() if day and day <= ends else None for day in days]
    section.starts, section.ends = starts, ends
    section.version += 1
    section.save()


def update_event_days(event: Event) -> bool:
    """Set the event's days to those of its sections and check its open ones again, as deadlines depend on
    them; not while a section is submitted or rated. Returns whether the days changed.
    """
    if event.sections.filter(stage__in=SUBMITTED_OR_RATED).exists():
        return False
    played = event.sections.exclude(stage__in=CANCELLED_OR_WITHDRAWN)
    span = played.aggregate(starts=Min("starts"), ends=Max("ends"))
    if not span["starts"] or (span["starts"], span["ends"]) == get_days(event):
        return False
    event.starts, event.ends = span["starts"], span["ends"]
    event.version += 1
    event.save(update_fields=["starts", "ends", "version"])
    recheck_open(lock_sections(event))
    return True


def record_postponement(
    thing: Event | Section,
    by: User | None,
    on: date,
    reason: str,
    days_before: Days,
    event_days_before: Days | None = None,
    moved_codes: list[str] | None = None,
) -> None:
    """Record that an event or a section has other days than before, and why. `event_days_before`: the days
    that a moved section's event had, if they changed; `moved_codes`: the codes of sections that moved with an
    event.
    """
    event = thing if isinstance(thing, Event) else thing.event
    days = {"days_before": _as_text(days_before), "days_now": _as_text(get_days(thing))}
    if event_days_before:
        days |= {
            "event_days_before": _as_text(event_days_before),
            "event_days_now": _as_text(get_days(event)),
        }
    details: dict[str, Any] = {"reason": reason, **days}
    if moved_codes is not None:
        details["sections_moved"] = moved_codes
    record(thing, "postpone", by, on, **details)


def _as_text(days: Days) -> list[str]:
    return [day.isoformat() for day in days]


# ---- Cancellation and reinstatement
@transaction.atomic
def cancel_event(*, event: Event, by: User | None, on: date, version: int, reason: str) -> Event:
    """Cancel an event with all its open sections; it stays in the calendar, with the reason."""
    words = clean_reason(reason)
    locked = lock_event(event, version=version)
    sections = lock_sections(locked)
    refuse_submitted_or_rated(sections, alternative=_("Other sections can be cancelled one by one."))
    gone: list[str] = []
    for section in sections:
        if section.open_to_filing:
            gone += close_section(section, Stage.CANCELLED, words, on, with_event=True)
    _to_state(locked, Event.State.CANCELLED, words, on)
    record(locked, "cancel", by, on, reason=words, **players_gone(gone, sections))
    return locked


@transaction.atomic
def cancel_section(*, section: Section, by: User | None, on: date, version: int, reason: str) -> Section:
    """Cancel one section; its event's page shows the reason."""
    words = clean_reason(reason)
    locked = lock_section(section, version=version)
    gone = close_section(locked, Stage.CANCELLED, words, on)
    record(locked, "cancel", by, on, reason=words, **players_gone(gone))
    return locked


@transaction.atomic
def reinstate_event(*, event: Event, by: User | None, on: date, version: int) -> Event:
    """Reinstate a cancelled event with the sections that were cancelled with it."""
    locked = lock_event(event, version=version, states=(Event.State.CANCELLED,))
    for section in lock_sections(locked):
        if section.stage == Stage.CANCELLED and section.closed_with_event:
            reopen_section(section)
    _to_state(locked, Event.State.PLANNED, *get_postponement_notice(locked))
    record(locked, "reinstate", by, on)
    return locked


@transaction.atomic
def reinstate_section(*, section: Section, by: User | None, on: date, version: int) -> Section:
    """Reinstate a cancelled section, if its event is planned."""
    locked = lock_section(section, version=version, stages=(Stage.CANCELLED,))
    if locked.event.state != Event.State.PLANNED:
        raise Refused(_("The whole event was cancelled. Take the event up again; its sections come with it."))
    reopen_section(locked)
    record(locked, "reinstate", by, on)
    return locked


def close_section(
    section: Section, stage: Stage, reason: str, on: date, *, with_event: bool = False
) -> list[str]:
    """Cancel or withdraw a locked section, and remember its stage; return the numbers of the players who
    leave the register with it.
    """
    if section.uploads.waiting().exists():
        raise Refused(
            _("The file of section %(section)s is just being read. Try again in a minute.")
            % {"section": section.name}
        )
    section.announce(reason, on)
    before = section.stage if section.stage in OPEN_TO_FILING else section.stage_before
    more = {"notice": section.notice, "notice_on": section.notice_on}
    change_stage(section, stage, stage_before=before, closed_with_event=with_event, **more)
    return delete_unnamed_players(section)


def reopen_section(section: Section) -> None:
    """Return a locked section to its stage before the cancellation, and restore the notice of its days."""
    words, on = get_postponement_notice(section)
    fields = {"notice": words, "notice_on": on, "stage_before": "", "closed_with_event": False}
    change_stage(section, Stage(section.stage_before or Stage.REGISTERED), **fields)


def _to_state(event: Event, state: Event.State, words: str, on: date | None) -> None:
    event.state, event.notice, event.notice_on = state, words, on
    event.version += 1
    event.save(update_fields=["state", "notice", "notice_on", "version"])


# ---- Postponement
@transaction.atomic
def postpone_event(
    *, event: Event, by: User | None, on: date, version: int, starts: date, ends: date, reason: str
) -> Event:
    """Give an event other days, and its open sections with it."""
    words = clean_reason(reason)
    locked = lock_event(event, version=version)
    sections = lock_sections(locked)
    refuse_submitted_or_rated(sections, alternative=_("Other sections can be postponed one by one."))
    _refuse_same(locked, starts, ends)
    before = get_days(locked)
    moved = move_event(locked, sections, (starts, ends), words, on)
    locked.version += 1
    locked.save()
    recheck_open(sections)
    record_postponement(locked, by, on, words, before, moved_codes=moved)
    return locked


@transaction.atomic
def postpone_section(
    *, section: Section, by: User | None, on: date, version: int, starts: date, ends: date, reason: str
) -> Section:
    """Give a section other days, and its event the days from its first section's to its last one's."""
    words = clean_reason(reason)
    locked = lock_section(section, version=version)
    _refuse_same(locked, starts, ends)
    before = get_days(locked)
    of_event = move_announced_section(locked, (starts, ends), words, on)
    recheck(locked)
    record_postponement(locked, by, on, words, before, of_event)
    return locked


def _refuse_same(thing: Event | Section, starts: date, ends: date) -> None:
    if get_days(thing) == (starts, ends):
        raise Refused(_("These are the days it has already. Give the new ones."))


# ---- Another region
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
    """Give an event to another region, with its sections, their new players and all open cases; the reason is
    public. `in_journal`: the numbers of players in the journal, who stay.

    Raises `Refused` if the person may not act in both regions, if the event has that region already, or if a
    section is submitted or rated.
    """
    words = clean_reason(reason)
    locked = lock_event(event, version=version)
    giving = locked.region
    _refuse_region(rights, giving, region)
    sections = lock_sections(locked)
    refuse_submitted_or_rated(sections)
    locked.region = region
    locked.version += 1
    locked.save(update_fields=["region", "version"])
    # Raise the versions, so that open pages of the giving region are refused; without `submitted_by` letters
    # go to the taking region.
    for section in sections:
        section.submitted_by = None
        section.version += 1
        section.save(update_fields=["submitted_by", "version"])
    players = _take_new_players(sections, giving, region, in_journal)
    cases = Case.objects.filter(section__event=locked, region=giving).exclude(state=Case.State.CLOSED)
    confirmed = cases.exclude(state=Case.State.UNCONFIRMED)  # the others end without a decision
    also = [f"case {key}" for key in confirmed.values_list("pk", flat=True)]
    cases.update(region=region)
    recheck_open(sections)
    also += [f"player {number}" for number in players]
    details = {"region_before": giving.code, "region": region.code, "reason": words, "players": players}
    record(locked, "move-event", by, on, also=also, **details)
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
    """Move the players who are new with these sections and play in no other to the taking region (csa 14.1.5:
    they come under the host region, if no other was stated); return their numbers. Players in the journal
    stay, as it names their region; so do players with an open transfer.
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
