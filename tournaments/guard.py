"""How every service of this app begins: the office's lock first, then the section as it is now."""

from __future__ import annotations

from collections.abc import Collection

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from players.record import Refused, lock_ledger
from tournaments.models import OPEN_TO_FILING, Section, Stage

ADVICE = {
    Stage.SUBMITTED: gettext_lazy("Until an official decides you can take it back and change it."),
    Stage.RATED: gettext_lazy("If something is wrong with it, write to the office: it can un-rate it."),
    Stage.REFUSED: gettext_lazy("The office refused it: its page says why."),
}
"""What whoever files can do about a stage that is in the way."""


def lock_section(
    section: Section, *, version: int | None = None, stages: Collection[Stage] = OPEN_TO_FILING
) -> Section:
    """The section, locked till the transaction ends; `Refused` where it is not what the person saw."""
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
            _("This section was changed while your page was open. Look at it as it is now, and try again.")
        )
    return locked
