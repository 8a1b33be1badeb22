"""The start of every change: lock the event as it is now, and refuse where a section stands in the way."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from django.utils.translation import gettext as _

from players.office.decision_record import Refused, lock_ledger
from tournaments.events.models import OPEN_TO_FILING, Event, Section, Stage

LONGEST_NOTICE = 1000
"""The most characters of a reason that everybody can read."""
BEFORE_RATING = (*OPEN_TO_FILING, Stage.CANCELLED)


def lock_event(
    event: Event, *, version: int, states: Collection[Event.State] = (Event.State.PLANNED,)
) -> Event:
    """Lock the event until the transaction ends; raise `Refused` if it is not what the person saw."""
    lock_ledger(event.federation)
    events = Event.objects.select_for_update(of=("self",)).select_related("federation", "region")
    locked = events.get(pk=event.pk)
    if locked.version != version:
        raise Refused(_("This event changed while your page was open. Check it as it is now, and try again."))
    if locked.state not in states:
        words = _("This event is %(state)s, so this cannot be done now.")
        raise Refused(words % {"state": locked.get_state_display()})
    return locked


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


def in_the_way(sections: Iterable[Section]) -> list[str]:
    """Say of each section that the office has, or rated, what to do before its event can be changed."""
    held = [section for section in sections if section.stage in (Stage.SUBMITTED, Stage.RATED)]
    return [_way_out(section) for section in held]


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
