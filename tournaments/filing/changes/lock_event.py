"""The start of every change: lock the event as it is now, and refuse where a section stands in the way."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from django.utils.translation import gettext as _

from players.office.decision_record import Refused, lock_ledger
from tournaments.events.models import OPEN_TO_FILING, WITH_THE_OFFICE, Event, Section, Stage

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
