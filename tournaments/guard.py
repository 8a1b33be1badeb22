"""How every service of this app begins: the office's lock first, then the section as it is now."""

from __future__ import annotations

from collections.abc import Collection

from django.utils.translation import gettext as _

from players.record import Refused, lock_ledger
from tournaments.models import OPEN_TO_FILING, Section, Stage


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
        raise Refused(
            _("This section is %(stage)s, so this cannot be done now.")
            % {"stage": locked.get_stage_display()}
        )
    if version is not None and locked.version != version:
        raise Refused(
            _("This section was changed while your page was open. Look at it as it is now, and try again.")
        )
    return locked
