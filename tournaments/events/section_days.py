"""The days of a section: what was done when, and by which day something must be done.

Everything here is read from the section's own row and its event's, so that lists of sections can show it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import date
from enum import StrEnum
from typing import Any

from django.utils.translation import gettext as _

from players.office.settings_schema import settings_of
from ratings.law import facts
from ratings.law.filing_particulars import Filing
from ratings.law.rule_outputs import Deadline
from tournaments.events.finding_words import day_in_words
from tournaments.events.models import OPEN_TO_FILING, Event, Section, Stage
from tournaments.events.ruleset_fields import said_of
from tournaments.events.section_fact import particulars

FOLLOWED = (*OPEN_TO_FILING, Stage.SUBMITTED)
"""The stages of sections whose deadlines still matter to somebody."""


SOON = 7
"""Days before a last day from which pages mark it."""


class DeadlineState(StrEnum):
    """A deadline as it stands on a day."""

    IN_TIME = "in-time"
    LATE = "late"
    """Done, after the last day."""
    OPEN = "open"
    OVERDUE = "overdue"
    """Still to be done, and the last day is over."""


@dataclass(frozen=True, slots=True)
class SectionDeadline:
    """A deadline of a section, as pages show it on a day."""

    section: Section
    deadline: Deadline
    on: date

    @property
    def clause(self) -> str:
        return self.deadline.clause

    @property
    def last(self) -> date:
        return self.deadline.last

    @property
    def words(self) -> str:
        return _(self.section.event.federation.ruleset.words.messages[self.deadline.key])

    @property
    def state(self) -> DeadlineState:
        done, last = self.deadline.done, self.deadline.last
        if done is None:
            return DeadlineState.OVERDUE if self.on > last else DeadlineState.OPEN
        return DeadlineState.LATE if done > last else DeadlineState.IN_TIME

    @property
    def days_left(self) -> int:
        """Days until the last day; below 0, days since then."""
        return (self.last - self.on).days

    @property
    def days_over(self) -> int:
        """Days since the last day."""
        return -self.days_left

    @property
    def soon(self) -> bool:
        """Whether the last day comes within a week."""
        return 0 <= self.days_left <= SOON

    @property
    def is_late(self) -> bool:
        return self.state in (DeadlineState.OVERDUE, DeadlineState.LATE)

    @property
    def presses(self) -> bool:
        """Whether somebody has to do it yet: it is not done, and must be done at all."""
        return self.deadline.done is None and self.deadline.binding


def deadlines_of(section: Section, on: date) -> list[SectionDeadline]:
    """The deadlines of a section, the earliest first, as they stand on a day.

    Wants the section's event with its federation and region, and its `permission_requests`, loaded.
    """
    rules = section.event.federation.ruleset.sections
    if rules.deadlines is None:
        return []
    found = rules.deadlines(described(section), days_of(section))
    return [SectionDeadline(section, each, on) for each in sorted(found, key=lambda each: each.last)]


def pressing(section: Section, on: date, *, by_office: bool = False) -> SectionDeadline | None:
    """The next deadline that the region (or the office) has still to meet or has missed; None: there is
    none.
    """
    open_ones = (each for each in deadlines_of(section, on) if each.presses)
    return next((each for each in open_ones if each.deadline.by_office == by_office), None)


def due_of(section: Section, on: date) -> SectionDeadline | None:
    """The next deadline of a section that the region has to meet, for the public calendar; None: none any
    more, or it was called off, refused or rated.
    """
    return pressing(section, on) if section.stage in FOLLOWED else None


def next_due(event: Event, on: date) -> SectionDeadline | None:
    """The earliest deadline of an event's sections that the region has to meet; None: there is none.

    Wants the sections with their `permission_requests`, and the event's federation and region, loaded.
    """
    sections = list(event.sections.all())
    for section in sections:
        section.event = event
    found = [due for section in sections if (due := due_of(section, on))]
    return min(found, key=lambda due: due.last, default=None)


def late_or_pressing(section: Section, on: date) -> SectionDeadline | None:
    """The next deadline that the region has still to meet; of a section with the office, one it met late."""
    late = (each for each in deadlines_of(section, on) if each.state == DeadlineState.LATE)
    return pressing(section, on) or next((each for each in late if each.deadline.binding), None)


def office_due(section: Section, on: date) -> SectionDeadline | None:
    """The deadline that an official looks for: the next that is still to be met, by the office's decision
    before play too; else one that the region met late. None: there is none, or nobody follows it any more.
    """
    if section.stage not in FOLLOWED:
        return None
    by_office = pressing(section, on, by_office=True) if section.stage == Stage.REGISTERED else None
    both = [each for each in (late_or_pressing(section, on), by_office) if each]
    return min(both, key=lambda each: (not each.presses, each.last), default=None)


def described(section: Section) -> facts.Section:
    """A section's particulars and days alone: without entries, games and byes."""
    event = section.event
    return facts.Section(
        id=section.key,
        event=event.name,
        name=section.name,
        starts=section.starts,
        ends=section.ends,
        format=section.format,
        rounds=section.rounds or 0,
        entries=(),
        games=(),
        byes=(),
        country=event.country if event.country not in ("", event.federation.ruleset.country) else None,
        team=section.team,
        **particulars(section),
    )


def days_of(section: Section) -> Filing:
    """The days and answers of a section that deadlines are counted from."""
    event = section.event
    admitted = admitted_before_play(section)
    return Filing(
        registered=section.registered_on or event.registered_on,
        filed=section.filed_on,
        handed_in=handed_in(section),
        event_starts=event.starts,
        event_ends=event.ends,
        region=event.region.code,
        said=said_of(event.federation.ruleset, section.particulars),
        permissions=frozenset(allowed["clause"] for allowed in section.permissions if allowed["clause"]),
        asked=first_asked(section),
        declared_on=date.fromisoformat(admitted["on"]) if admitted else None,
        settings=asdict(settings_of(event.federation)),
    )


def handed_in(section: Section) -> date | None:
    """The day of the submission that holds: of the one that the office first rated, else of the newest; None
    while the region has a section in hand that was never rated.
    """
    with_the_region = section.stage in (Stage.REGISTERED, Stage.FILED, Stage.RETURNED)
    return section.first_rated_submission or (None if with_the_region else section.submitted_on)


def first_asked(section: Section) -> dict[str, date]:
    """The day on which the region first asked for each permission, by clause."""
    asked: dict[str, date] = {}
    for each in sorted(section.permission_requests.all(), key=lambda each: each.asked_on):
        asked.setdefault(each.clause, each.asked_on)
    return asked


def refused_before_play(section: Section) -> bool:
    """Whether the office refused the section before play, and not what was filed of it afterwards."""
    return section.stage == Stage.REFUSED and section.before_play.get("decision") == "refused"


def admitted_before_play(section: Section) -> Mapping[str, Any] | None:
    """The decision that admitted a section before play, if any: its day (`on`), what was `declared` then."""
    return next((each for each in reversed(section.permissions) if "declared" in each), None)


def upload_words(section: Section, day: date) -> str:
    """The words of a link to upload a section's file; before its first day, with that day."""
    if day < section.starts:
        return _("Upload the file, from %(day)s on") % {"day": day_in_words(section.starts)}
    return _("Upload the file")
