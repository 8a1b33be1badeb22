"""Facts on a section's page beside its table: its field in figures, its way to the ratings, its waivers.

Who acted is told by office and region: the names of people who file and approve stand in no public page.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop as later

from players.office.models import Federation
from players.office.settings_schema import today
from ratings.journal.days_taken_over import DaysTakenOver
from ratings.journal.models import Fact
from ratings.lists.list_days import next_day
from ratings.lists.models import RatingList
from ratings.public.common.worded_errata import errata_of
from ratings.public.events.cross_tables import CrossTable
from tournaments.events.models import OPEN_TO_FILING, Section, Stage

STILL_TO_COME = {
    Stage.REGISTERED: later("To be played and filed"),
    Stage.FILED: later("With the region, to be submitted"),
    Stage.SUBMITTED: later("With the office, to be decided"),
    Stage.RETURNED: later("Returned to the region for correction"),
    Stage.UNRATED: later("Un-rated; to be filed again"),
}
"""The next step in words, by a section's stage."""


class OfficeRecord(NamedTuple):
    """Parts of an office's record that the pages of all its sections tell, looked up once."""

    due: date | None
    """The day of the next list; None: none is planned."""
    taken_over: DaysTakenOver
    corrected: frozenset[int]
    """The keys of the sections that errata concern."""


@dataclass(frozen=True, slots=True)
class FieldInFigures:
    """The entrants of a section in figures, in one track."""

    players: int
    rated: int
    """The number of entrants with a rating before the section."""
    average: Decimal | None
    """The mean of those ratings; None: nobody had one."""


@dataclass(frozen=True, slots=True)
class RecordStep:
    """One step of a section on its way to the ratings."""

    words: str
    day: date | None = None
    url: str = ""
    done: bool = True


def field_of(table: CrossTable) -> FieldInFigures:
    """Count a section's entrants, and average the ratings that they had before it."""
    ratings = [row.rating for row in table.rows if row.rating is not None]
    average = sum(ratings, Decimal(0)) / len(ratings) if ratings else None
    return FieldInFigures(len(table.rows), len(ratings), average)


def record_of(office: Federation) -> OfficeRecord:
    # None is dropped here: asked of the database, SQLite would look through the journals of all offices.
    keys = {key for key in errata_of(office).order_by().values_list("fact__section", flat=True) if key}
    return OfficeRecord(next_day(office, today(office)), DaysTakenOver(office), frozenset(keys))


def steps_of(section: Section, rated: Fact | None, record: OfficeRecord) -> Iterator[RecordStep]:
    """Yield the steps of a section, from its registration to the first list on which it counts; of those to
    come the next one.
    """
    event, office = section.event, section.event.federation
    over = record.taken_over.of_line(rated.number) if rated else None
    if rated is not None and over is not None:
        yield RecordStep(_("Rated, by the past that was taken over"), section.rated_on)
        yield _counted(section, rated, record.due)
        yield RecordStep(_("Taken over by %(office)s") % {"office": office.name}, over)
        return
    yield RecordStep(_("Registered"), section.registered_on or event.registered_on)
    by_region = {"region": str(event.region)}
    if section.filed_on:
        words = _("Filed by %(region)s") % by_region if office.regional else _("Filed")
        yield RecordStep(words, section.filed_on)
    if section.submitted_on and section.stage not in OPEN_TO_FILING:
        yield RecordStep(_("Submitted to the office"), section.submitted_on)
    if section.stage == Stage.RATED:
        approved = _("Approved and rated by %(office)s") % {"office": office.name}
        yield RecordStep(approved, section.rated_on)
        yield _counted(section, rated, record.due)
    elif section.stage in STILL_TO_COME:
        yield RecordStep(_(STILL_TO_COME[Stage(section.stage)]), done=False)


def _counted(section: Section, rated: Fact | None, due: date | None) -> RecordStep:
    """The step at which a section counts on a list: the first published since it was rated, or the next,
    which is due on that day.
    """
    office = section.event.federation
    if found := rated and first_list(section, rated):
        found.federation = office
        words = _("Counts for the first time on the list of this day")
        return RecordStep(words, found.on, found.get_absolute_url())
    if due is None:
        return RecordStep(_("Counts on the next list"), done=False)
    return RecordStep(_("Counts on the next list, due on this day"), due, done=False)


def first_list(section: Section, rated: Fact) -> RatingList | None:
    """The first list published after a section was first rated (D-2), in a track that it moves.

    None: there is none yet. Revisions of lists of earlier days are none of them.
    """
    lists = RatingList.objects.of(section.event.federation).without_content()
    later = lists.filter(fact__number__gt=rated.first.number, on__gte=section.ends, revision=1)
    moved = later.filter(track__in=rated.changes.order_by().values("track"))
    return moved.order_by("fact__number", "pk").first()


def waived_clauses(section: Section) -> list[str]:
    """The clauses that the office waived or permitted for a section, each once. Reasons are left out: they
    may speak of people.
    """
    granted = [each["clause"] for each in section.permissions if each.get("clause")]
    waived = section.findings.exclude(waived_because="").order_by("clause")
    return list(
        dict.fromkeys([*granted, *(each for each in waived.values_list("clause", flat=True) if each)])
    )
