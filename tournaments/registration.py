"""Registers events and sections, edits them until they are submitted, and withdraws those made by mistake.

Each of these is recorded as one decision.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import count, product
from string import ascii_uppercase
from typing import Any

from django.db import transaction
from django.db.models import IntegerField, Max
from django.db.models.functions import Cast, Substr
from django.utils.translation import gettext as _, gettext_lazy

from players.access import Permission, Rights
from players.models import Federation, Region, User
from players.record import Refused, find_form_result, lock_ledger, save_form_result
from tournaments import announcements
from tournaments.acceptance import recheck
from tournaments.entries import players_gone
from tournaments.models import CANCELLED_OR_WITHDRAWN, Event, Section, Stage
from tournaments.sections import get_own_initial, lock_section, record

REGISTRATIONS_FLOOD = gettext_lazy(
    "You registered events or sections %(most)s times within an hour, which is the most that one person "
    "may do. Try again in an hour."
)


@dataclass(frozen=True, slots=True)
class SectionParticulars:
    """The particulars of a section to be registered, or after an edit. Days that are None are the event's, or
    unchanged by the edit, as is `team`.
    """

    name: str
    format: str
    code: str = ""
    """Empty: the next free letter."""
    rounds: int | None = None
    team: bool | None = None
    starts: date | None = None
    ends: date | None = None
    particulars: Mapping[str, Any] = field(default_factory=dict)
    reason: str = ""
    """The published reason for changed days and other public particulars."""


class AlreadyRegistered(Refused):
    """Raised for a second registration of the same event; `event` is the first."""

    def __init__(self, event: Event) -> None:
        words = _("%(event)s is registered already for these days, as %(number)s.")
        super().__init__(words % {"event": event.name, "number": event.number})
        self.event = event


def find_registered_event(region: Region, name: str, starts: date, ends: date) -> Event | None:
    """The event of this name and these days in a region, unless it was withdrawn."""
    events = Event.objects.filter(region=region, name__iexact=name.strip(), starts=starts, ends=ends)
    return events.not_withdrawn().select_related("federation").first()


@transaction.atomic
def find_event_by_form_mark(federation: Federation, mark: str) -> Event | None:
    """The event that was already registered by the form with this mark, if any."""
    lock_ledger(federation)
    number = find_form_result(federation, mark)
    return Event.objects.get(federation=federation, number=number) if number else None


@transaction.atomic
def register_event(
    *,
    rights: Rights,
    by: User | None,
    on: date,
    name: str,
    region: Region,
    starts: date,
    ends: date,
    sections: Sequence[SectionParticulars],
    place: str = "",
    country: str = "",
    organizer: str = "",
    mark: str = "",
    another: bool = False,
) -> Event:
    """Register an event with its sections; its number is `YYYY-NNN`, by the year of its first day.

    `mark`: of the form; a form that is sent again returns the event that it made. `another`: register it even
    if an event of the same name and days exists, for which `AlreadyRegistered` is raised otherwise.
    """
    federation = rights.federation
    if not rights.regions(Permission.EVENTS_REGISTER).filter(pk=region.pk).exists():
        raise Refused(_("You do not file for %(region)s. Choose one of your regions.") % {"region": region})
    lock_ledger(federation)
    if number := find_form_result(federation, mark):
        return Event.objects.get(federation=federation, number=number)
    if not another and (same := find_registered_event(region, name, starts, ends)) is not None:
        raise AlreadyRegistered(same)
    same_year = Event.objects.filter(federation=federation, number__startswith=f"{starts.year}-")
    newest = same_year.aggregate(last=Max(Cast(Substr("number", 6), IntegerField())))
    event = Event.objects.create(
        federation=federation,
        number=f"{starts.year}-{(newest['last'] or 0) + 1:03}",
        name=name,
        place=place,
        region=region,
        country="" if country == federation.ruleset.country else country,
        starts=starts,
        ends=ends,
        organizer=organizer,
        registered_on=on,
        registered_by=by,
    )
    _create_sections(event, sections, on)
    save_form_result(federation, mark, event.number)
    record(event, "register", by, on)
    return event


@transaction.atomic
def add_sections(
    *, event: Event, by: User | None, on: date, sections: Sequence[SectionParticulars], mark: str = ""
) -> list[Section]:
    """Add sections to a registered event. `mark`: of the form; sent again, it returns the same sections."""
    lock_ledger(event.federation)
    event.refresh_from_db(fields=["starts", "ends", "state"])
    if event.state != Event.State.PLANNED:
        words = _("This event is %(state)s: no section can be added.")
        raise Refused(words % {"state": event.get_state_display()})
    if made := find_form_result(event.federation, mark):
        return list(event.sections.filter(code__in=made.split()))
    created = _create_sections(event, sections, on)
    codes = [section.code for section in created]
    save_form_result(event.federation, mark, " ".join(codes))
    record(event, "register", by, on, sections=codes)
    return created


def _create_sections(event: Event, sections: Sequence[SectionParticulars], on: date) -> list[Section]:
    taken = set(event.sections.values_list("code", flat=True)) | {s.code for s in sections if s.code}
    free = free_codes(taken)
    return [
        Section.objects.create(
            event=event,
            code=new.code or next(free),
            name=new.name,
            format=new.format,
            rounds=new.rounds,
            team=bool(new.team),
            particulars=dict(new.particulars),
            starts=new.starts or event.starts,
            ends=new.ends or event.ends,
            registered_on=on,
        )
        for new in sections
    ]


def free_codes(taken: Collection[str]) -> Iterator[str]:
    """Yield codes for further sections of an event, without end: A to Z, AA to ZZ, AAA and so on."""
    letters = ("".join(each) for length in count(1) for each in product(ascii_uppercase, repeat=length))
    return (code for code in letters if code not in taken)


# ---- Editing until the submission
CODE_PATTERN = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]{0,19}")
RESERVED_CODES = frozenset({"sections"})
"""Codes whose addresses belong to other pages."""


@dataclass(frozen=True, slots=True)
class EventParticulars:
    """The particulars of an event after an edit; None: unchanged."""

    name: str
    starts: date
    ends: date
    place: str | None = None
    country: str | None = None
    organizer: str | None = None
    arbiters: Sequence[Mapping[str, str]] | None = None
    """`{"name", "title", "id"}`, in order of appointment."""
    reason: str = ""
    """The published reason for changed days, name or place."""


@transaction.atomic
def edit_event(*, event: Event, by: User | None, on: date, version: int, said: EventParticulars) -> Event:
    """Change an event's particulars. Changed days are announced with the reason, like a postponement.

    Raises `Refused` if a section is rated; if one is submitted and more changes than is allowed in review; or
    if public particulars change without a reason.
    """
    locked = announcements.lock_event(event, version=version)
    sections = announcements.lock_sections(locked)
    was, to = announcements.get_days(locked), (said.starts, said.ends)
    before = announcements.event_fields_in_words(locked)
    locked.name = said.name
    for name in ("place", "organizer"):
        if (value := getattr(said, name)) is not None:
            setattr(locked, name, value)
    if said.country is not None:
        locked.country = "" if said.country == locked.federation.ruleset.country else said.country
    if said.arbiters is not None:
        locked.arbiters = [dict(arbiter) for arbiter in said.arbiters]
    locked.version += 1
    changed = announcements.changes(before, announcements.event_fields_in_words(locked))
    announcements.refuse_reviewed_changes(sections, [*changed, *(["days"] if to != was else [])])
    words = announcements.clean_optional_reason(
        said.reason, required=to != was or bool(announcements.public_changes(changed))
    )
    moved = announcements.move_event(locked, sections, to, words, on) if to != was else []
    locked.save()
    announcements.recheck_open(sections)
    announcements.increment_submitted_versions(sections)
    if to != was:
        announcements.record_postponement(locked, by, on, words, was, moved_codes=moved)
    if changed or to == was:
        announcements.record_edit(locked, by, on, changed, words)
    return locked


@transaction.atomic
def edit_section(
    *, section: Section, by: User | None, on: date, version: int, said: SectionParticulars
) -> Section:
    """Change a section's particulars. Changed days are announced with the reason, like a postponement.

    Raises `Refused` if it is not open, if public particulars change without a reason, or if the code changes
    after something was filed.
    """
    locked = lock_section(section, version=version)
    locked.event = Event.objects.select_related("federation", "region").get(pk=locked.event_id)
    before, was = announcements.section_fields_in_words(locked), announcements.get_days(locked)
    also = [locked.named_on_record] if said.code != locked.code else []
    to = (said.starts or locked.starts, said.ends or locked.ends)
    if said.code != locked.code:
        if not can_change_code(locked):
            raise Refused(
                _("The record names this section by its code %(code)s already: the code stays.")
                % {"code": locked.code}
            )
        if not CODE_PATTERN.fullmatch(said.code) or said.code in RESERVED_CODES:
            raise Refused(_("A code has letters of A to Z, digits and hyphens, such as A or U16."))
        if locked.event.sections.exclude(pk=locked.pk).filter(code=said.code).exists():
            raise Refused(_("Another section of this event has the code %(code)s.") % {"code": said.code})
    set_section_fields(locked, said)
    changed = announcements.changes(before, announcements.section_fields_in_words(locked))
    words = announcements.clean_optional_reason(
        said.reason, required=to != was or bool(announcements.public_changes(changed))
    )
    if to != was:
        event_days = announcements.move_announced_section(locked, to, words, on)
        announcements.record_postponement(locked, by, on, words, was, event_days)
    else:
        announcements.move_section(locked, *to)
    recheck(locked)
    if changed or to == was:
        announcements.record_edit(locked, by, on, changed, words, also)
    return locked


def set_section_fields(section: Section, new_particulars: SectionParticulars) -> None:
    """Set a section's fields, except its days, to those of an edit, without saving it."""
    section.code, section.name, section.format = (
        new_particulars.code,
        new_particulars.name,
        new_particulars.format,
    )
    section.team = section.team if new_particulars.team is None else new_particulars.team
    section.rounds, section.particulars = new_particulars.rounds, dict(new_particulars.particulars)
    section.round_dates = (
        section.round_dates[: new_particulars.rounds] if new_particulars.rounds else section.round_dates
    )


def can_change_code(section: Section) -> bool:
    """Whether nothing refers to the section by its code yet: no file and no decision."""
    about = section.event.federation.decisions.filter(about=f"section {section.key}")
    named = section.filed_on or section.uploads.exists() or section.permissions or section.before_play
    return section.stage == Stage.REGISTERED and not named and not about.exists()


# ---- Withdrawal of events and sections registered by mistake
@transaction.atomic
def withdraw_event(*, event: Event, by: User | None, on: date, version: int, reason: str) -> Event:
    """Withdraw an event with all its sections; their rows are kept."""
    words = announcements.clean_reason(reason)
    states = (Event.State.PLANNED, Event.State.CANCELLED)
    locked = announcements.lock_event(event, version=version, states=states)
    sections = announcements.lock_sections(locked)
    announcements.refuse_submitted_or_rated(
        sections, alternative=_("Other sections can be withdrawn one by one.")
    )
    gone: list[str] = []
    for section in sections:
        if section.stage in announcements.UNSUBMITTED_STAGES:
            gone += announcements.close_section(section, Stage.WITHDRAWN, words, on, with_event=True)
    locked.state = Event.State.WITHDRAWN
    locked.announce(words, on)
    locked.version += 1
    locked.save(update_fields=["state", "notice", "notice_on", "version"])
    record(locked, "withdraw-event", by, on, reason=words, **players_gone(gone, sections))
    return locked


@transaction.atomic
def withdraw_section(*, section: Section, by: User | None, on: date, version: int, reason: str) -> Section:
    """Withdraw a section from its event; its code stays taken."""
    words = announcements.clean_reason(reason)
    locked = lock_section(section, version=version, stages=announcements.UNSUBMITTED_STAGES)
    gone = announcements.close_section(locked, Stage.WITHDRAWN, words, on)
    announcements.update_event_days(locked.event)
    record(locked, "withdraw-section", by, on, reason=words, **players_gone(gone))
    return locked


# ---- Copies of sections and of earlier events, as initial values of the form
WEEK = 7
YEAR_PATTERN = re.compile(r"(?<!\d)(\d{4})(?:([/–-])(\d{4}|\d{2}))?(?!\d)|(?<=['’])(\d{2})(?!\d)")
"""A year in a name, by itself (2026, ’26) or with the next (2026/27)."""


def build_section_copy_row(
    section: Section, *, day_shift: timedelta = timedelta(0), copy_name: bool = False
) -> dict[str, Any]:
    """The form's row to copy a section; `day_shift`: how far its days move; `copy_name`: the name too."""
    event = section.event
    row: dict[str, Any] = {"format": section.format, "rounds": section.rounds, "team": section.team}
    own_days = (section.starts, section.ends) != (event.starts, event.ends)
    if own_days:
        row |= {"starts": section.starts + day_shift, "ends": section.ends + day_shift}
    particulars = {name: _move_day(value, day_shift) for name, value in section.particulars.items()}
    row |= get_own_initial(event.federation.ruleset, particulars, section.format)
    return row | ({"name": section.name} if copy_name else {})


def _move_day(value: Any, later: timedelta) -> Any:
    """Move a particular that is a day; others stay as they are."""
    try:
        return (date.fromisoformat(value) + later).isoformat() if isinstance(value, str) else value
    except ValueError:
        return value


def build_event_copy_values(event: Event, on: date) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The form's values to register an event and its sections again, a year later on the same weekday."""
    later = get_next_weekday_anniversary(event.starts, on) - event.starts
    by = (event.starts + later).year - event.starts.year
    of_event = {event.starts.year, event.ends.year}
    kept = {name: getattr(event, name) for name in ("place", "organizer", "region")}
    kept["name"] = shift_years(event.name, of_event, by)
    country = {"country": event.country} if event.country else {}
    days = {"starts": event.starts + later, "ends": event.ends + later}
    copied = (
        event.sections.exclude(stage__in=CANCELLED_OR_WITHDRAWN)
        if event.state == "planned"
        else event.sections
    )
    rows = [
        build_section_copy_row(section, day_shift=later, copy_name=True)
        for section in copied.select_related("event")
    ]
    for row in rows:
        row["name"] = shift_years(row["name"], of_event, by)
    return kept | country | days, rows


def shift_years(name: str, years: Set[int], offset: int) -> str:
    """A name in which these years, and pairs of years with one of them, are `offset` years later."""

    def moved(found: re.Match[str]) -> str:
        if short := found[4]:
            year = 2000 + int(short)
            return f"{year + offset}"[2:] if year in years else short
        year, sign, second = int(found[1]), found[2] or "", found[3] or ""
        if second and int(second) == (year + 1) % 10 ** len(second) and {year, year + 1} & years:
            return f"{year + offset}{sign}{str(year + 1 + offset)[-len(second) :]}"
        return f"{year + offset if year in years else year}{sign}{second}"

    return YEAR_PATTERN.sub(moved, name)


def get_next_weekday_anniversary(day: date, after: date) -> date:
    """The day of this weekday that is nearest to the next anniversary of `day` after the day `after`."""
    year = day.year + 1
    while (found := _nearest_weekday(day, year)) <= after:
        year += 1
    return found


def _nearest_weekday(day: date, year: int) -> date:
    last_of_february = (day.month, day.day) == (2, 29)
    anniversary = date(year, 2, 28) if last_of_february else day.replace(year=year)
    ahead = (day.weekday() - anniversary.weekday()) % WEEK
    return anniversary + timedelta(days=ahead if ahead <= WEEK // 2 else ahead - WEEK)
