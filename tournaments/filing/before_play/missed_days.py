"""Days before play that a section has missed: told at once, with the clause and what can be done."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from django.utils.formats import date_format
from django.utils.translation import gettext as _

from players.office.settings_schema import settings_of
from tournaments.events.models import Section
from tournaments.events.permission_models import PermissionRequest
from tournaments.events.section_days import FOLLOWED, SectionDeadline, deadlines_of

NOTED, PERMIT, ASKED, REFUSED, TO_WEIGH = "noted", "permit", "asked", "refused", "to-weigh"
"""Ways to go on from a missed day: the office takes note alone; it can permit it; it was asked; it refused;
or no permission is known, and it weighs the region's reason when it decides.
"""


@dataclass(frozen=True, slots=True)
class MissedDay:
    """A day before play that the region missed, and what follows."""

    due: SectionDeadline
    follows: str

    @property
    def clause(self) -> str:
        return self.due.clause

    def words(self) -> str:
        """The deed, its last day, and the day on which it was done."""
        told = {
            "what": self.due.words,
            "clause": self.clause,
            "last": date_format(self.due.last, "DATE_FORMAT"),
        }
        if done := self.due.deadline.done:
            words = _("%(what)s (§%(clause)s): the last day was %(last)s, and it was done on %(done)s.")
            return words % {**told, "done": date_format(done, "DATE_FORMAT")}
        return _("%(what)s (§%(clause)s): the last day was %(last)s, and it is not done yet.") % told

    def for_region(self) -> str:
        """The words on the next step of the region."""
        words = {
            NOTED: _("This office only takes note of it: there is nothing to do."),
            PERMIT: _("Ask the office to permit it, under “Days and permissions”."),
            ASKED: _("The office was asked to permit it and has not answered yet."),
            REFUSED: _(
                "The office refused to permit it. Give your reason again when you submit the section."
            ),
            TO_WEIGH: _(
                "The clause knows no permission. Tell the office why: it weighs that when it decides."
            ),
        }
        return words[self.follows]

    def for_office(self) -> str:
        """The words on the next step of an official."""
        words = {
            NOTED: _("This office only takes note of it: it stands in no way."),
            PERMIT: _(
                "The region can ask for permission, and has not. Without it, approving needs a reason."
            ),
            ASKED: _("The region asks for permission: answer it under “Days and permissions”."),
            REFUSED: _("You refused to permit it: approving needs a reason all the same."),
            TO_WEIGH: _(
                "The clause knows no permission: what admits or approves the section needs a reason."
            ),
        }
        return words[self.follows]


def missed_before_play(section: Section, on: date) -> list[MissedDay]:
    """The days before play that a section's region has missed by a day, without what the office permitted.

    Wants the same loaded as `deadlines_of`.
    """
    if section.stage not in FOLLOWED:
        return []
    missed = [
        each
        for each in deadlines_of(section, on)
        if each.is_late
        and each.deadline.binding
        and not each.deadline.by_office
        and each.last < section.starts
    ]
    found = [(each, _follows(section, each)) for each in missed]
    return [MissedDay(each, follows) for each, follows in found if follows]


def _follows(section: Section, due: SectionDeadline) -> str:
    """The way in which it goes on from a missed day; empty: the office permitted it."""
    office = section.event.federation
    permits = {each.clause for each in office.equipment.office.powers.permits}
    clause = next(
        (each for each in permits if due.clause in (each,) or due.clause.startswith(f"{each}.")), ""
    )
    states = PermissionRequest.State
    asked = {each.state for each in section.permission_requests.all() if each.clause == clause}
    if states.GRANTED in asked or (clause and clause in {each["clause"] for each in section.permissions}):
        return ""
    if not settings_of(office).deadlines:
        return NOTED
    if not clause:
        return TO_WEIGH
    return ASKED if states.ASKED in asked else REFUSED if states.REFUSED in asked else PERMIT
