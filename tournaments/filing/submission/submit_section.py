"""Submits a section to the office, and withdraws a submission, each as one decision."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import date

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from players.office.decision_record import Refused, decide
from players.office.models import User
from players.office.wake_worker import wake
from tournaments.events.finding_words import equal_ones, words_of
from tournaments.events.lock_section import lock_section
from tournaments.events.models import Section, Stage
from tournaments.filing.change_stage import change_stage
from tournaments.filing.decide_entries import keep_ids, register_new_players
from tournaments.filing.open_questions import add_findings_of, recheck
from tournaments.filing.submission.notices import refuse_unseen
from tournaments.filing.submission.submission_summary import adjusted

FIGURES = "ratings.tasks.figures"
"""The task that works out what a section would move, for the official's queue."""


@transaction.atomic
def submit(
    *,
    section: Section,
    by: User | None,
    on: date,
    version: int,
    reasons: Mapping[int, str] | None = None,
    shown: Collection[str] | None = None,
) -> Section:
    """Submit a section: the region says that all is correct. `reasons`: for waivers, by a finding's key;
    `shown`: the marks of the notices that the person saw, where a page showed them.

    New players get their numbers here. Raises `Refused` with all that still stands in the way; nothing is
    written then.
    """
    stages = (Stage.FILED, Stage.RETURNED, Stage.UNRATED)
    locked = lock_section(section, version=version, stages=stages)
    if not locked.entries.exists() or locked.uploads.waiting().exists():
        raise Refused(_("The section has no readable file. Upload the section's file first."))
    for key, reason in (reasons or {}).items():
        locked.findings.filter(pk=key, level="waivable").update(waived_because=reason.strip())
    recheck(locked, on)
    _refuse_blocked(locked)
    if shown is not None:
        refuse_unseen(locked, shown)
    new = register_new_players(locked, on=on)
    with_ids = keep_ids(locked)
    change_stage(locked, Stage.SUBMITTED, submitted_by=by, submitted_on=on, remarks="")
    waived = list(locked.findings.exclude(waived_because="").values("clause", "key", "waived_because"))
    decide(
        locked.event.federation,
        kind="submit",
        by=by,
        on=on,
        about=f"section {locked.key}",
        new_players=[player.number for player in new],
        ids_kept=with_ids,
        adjustments=len(adjusted(locked)),
        waived=waived,
        confirmed=[said.clause for said in locked.event.federation.equipment.office.confirmations],
    )
    wake(FIGURES, locked.event.federation_id)
    return locked


@transaction.atomic
def note_what_is_late(*, section: Section, on: date, version: int) -> None:
    """Note what a submission on that day finds: a deadline may have passed since the section's file came, and
    its page then asks for a reason.
    """
    locked = lock_section(section, version=version)
    if locked.entries.exists():
        add_findings_of(locked, on)


@transaction.atomic
def withdraw_submission(*, section: Section, by: User | None, on: date, version: int) -> Section:
    """Take a submission back while nobody has decided on it."""
    locked = lock_section(section, version=version, stages=(Stage.SUBMITTED,))
    change_stage(locked, Stage.FILED, submitted_by=None, submitted_on=None)
    decide(locked.event.federation, kind="withdraw", by=by, on=on, about=f"section {locked.key}")
    return locked


def _refuse_blocked(section: Section) -> None:
    blocking = list(section.findings.blocking())
    if not blocking:
        return
    ruleset = section.event.federation.ruleset
    told = [words_of(equal[0], ruleset) for equal in equal_ones(blocking)]
    head = ngettext(
        "One problem prevents submission:",
        "%(count)s problems prevent submission:",
        len(told),
    ) % {"count": len(told)}
    raise Refused("\n".join([head, *told]))
