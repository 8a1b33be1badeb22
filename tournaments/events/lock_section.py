"""The start of every service of this app: lock the office, then the section as it is now."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime, timedelta

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from players.office.decision_record import Refused, lock_ledger
from players.office.models import Decision, User
from tournaments.events.models import OPEN_TO_FILING, Section, Stage

ADVICE = {
    Stage.SUBMITTED: gettext_lazy("Until an official decides, you can withdraw it and change it."),
    Stage.RATED: gettext_lazy(
        "If something is wrong, tell the office on the section's page of remarks: it can correct it or "
        "un-rate it."
    ),
    Stage.CANCELLED: gettext_lazy("It was called off. On its event's page you can take it up again."),
    Stage.WITHDRAWN: gettext_lazy("It was registered by mistake. If it is played after all, add a section."),
    Stage.REFUSED: gettext_lazy(
        "The office refused it: its page gives the reason, and until when the region can appeal."
    ),
}
"""Advice to the person filing about a stage that is in the way."""

MOST_AN_HOUR = 200
"""Files that one person may send in an hour, and forms that register: more than any event has."""
HOUR = timedelta(hours=1)


FLOODS = {
    "file": gettext_lazy(
        "You sent %(most)s files within an hour, which is the most that one person may send. Try again in an"
        " hour."
    ),
    "register": gettext_lazy(
        "You registered events or sections %(most)s times within an hour, which is the most that one person "
        "may do. Try again in an hour."
    ),
}
"""The words for too many decisions of a kind."""


def refuse_flood(by: User, at: datetime, kind: str = "file") -> None:
    """Raise `Refused` if the person did a thing of `FLOODS` more often within the hour than people do, in all
    offices together.
    """
    if Decision.objects.filter(by=by, kind=kind, at__gt=at - HOUR).count() >= MOST_AN_HOUR:
        raise Refused(FLOODS[kind] % {"most": MOST_AN_HOUR})


def lock_section(
    section: Section, *, version: int | None = None, stages: Collection[Stage] = OPEN_TO_FILING
) -> Section:
    """Lock the section until the transaction ends; raise `Refused` if it is not what the person saw."""
    lock_ledger(section.event.federation)
    locked = (
        Section.objects.select_for_update(of=("self",))
        .select_related("event__federation", "event__region")
        .get(pk=section.pk)
    )
    if locked.stage not in stages:
        words = _("This section is %(stage)s, so this cannot be done now.")
        advice = str(ADVICE.get(Stage(locked.stage), ""))
        raise Refused(f"{words % {'stage': locked.get_stage_display()}} {advice}".strip())
    if version is not None and locked.version != version:
        raise Refused(
            _("This section changed while your page was open. Check it as it is now, and try again.")
        )
    return locked
