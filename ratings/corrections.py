"""Corrections by the office of sections that wait for review or are rated.

The filed file is not changed. Each correction is kept beside it with its reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

from django.db import transaction
from django.utils.translation import gettext as _

from players.models import User
from players.record import Refused, decide
from players.settings import get_settings
from ratings.approval import approve, refuse_listed, unrate
from ratings.models import Fact
from ratings.pre_ratings import BirthAnswer
from ratings.rulesets import facts
from ratings.rulesets.facts import PlayerId
from tournaments.corrections import (
    Change,
    apply_changes,
    describe_for_record,
    preview_changes,
    save_corrections,
)
from tournaments.models import Correction, Finding, MendingProposal, Section, Stage
from tournaments.sections import change_stage, lock_section


@transaction.atomic
def correct_section(
    *, section: Section, by: User | None, on: date, version: int, changes: Sequence[Change], reason: str
) -> list[Correction]:
    """Correct a submitted section; it keeps waiting for review, as a new version.

    Raises `Refused` without a reason, where a change cannot be made, where the section could not be accepted
    with it, or where somebody acted first.
    """
    locked = lock_section(section, version=version, stages=(Stage.SUBMITTED,))
    kept, _found = _mend(locked, by=by, written_by=by, on=on, changes=changes, reason=_clean(reason))
    change_stage(locked, Stage.SUBMITTED)
    return kept


@transaction.atomic
def correct_rated_section(
    *,
    section: Section,
    by: User | None,
    on: date,
    version: int,
    changes: Sequence[Change],
    reason: str,
    words: str,
    after_list: bool = False,
    births: Mapping[PlayerId, BirthAnswer] | None = None,
) -> Fact:
    """Un-rate a section, correct it and rate it again, in one transaction.

    `reason` and `words`: see `unrate`. Raises `Refused` wherever one of the steps does, and where the office
    wants four eyes: there one official proposes (`propose_correction`), another confirms.
    """
    if get_settings(section.event.federation).four_eyes and by is not None:
        raise Refused(
            _("In this office, a second official confirms a correction of a rated section: propose it.")
        )
    return _mend_rated(
        section, by, by, on, version, changes, reason, words, after_list=after_list, births=births
    )


@transaction.atomic
def propose_correction(
    *,
    section: Section,
    by: User,
    on: date,
    version: int,
    changes: Sequence[Change],
    reason: str,
    words: str,
    after_list: bool = False,
) -> MendingProposal:
    """Propose to correct a rated section, for another official to confirm. Nothing else is written.

    Raises `Refused` where it could not be done, or another proposal for the section is open.
    """
    locked = lock_section(section, version=version, stages=(Stage.RATED,))
    if reason not in facts.UNRATING_REASONS:
        raise Refused(_("Choose what was wrong: the journal shows the reason."))
    refuse_listed(locked.event.federation, locked, after_list=after_list)
    if MendingProposal.objects.open().filter(section=locked).exists():
        raise Refused(_("A correction of this section is proposed already. Confirm it or drop it first."))
    corrected = describe_for_record(preview_changes(locked, changes).corrected)
    MendingProposal.objects.filter(section=locked).delete()  # of an earlier version
    proposal = MendingProposal.objects.create(
        section=locked,
        version=version,
        changes=[dict(each) for each in changes],
        code=reason,
        words=_clean(words),
        after_list=after_list,
        by=by,
        on=on,
    )
    _record(locked, "propose-mend", by, on, corrections=corrected, reason=proposal.words)
    return proposal


@transaction.atomic
def confirm_correction(
    *,
    proposal: MendingProposal,
    by: User,
    on: date,
    after_list: bool = False,
    births: Mapping[PlayerId, BirthAnswer] | None = None,
) -> Fact:
    """Confirm another official's proposal: un-rate the section, correct it and rate it again.

    Raises `Refused` for the official who proposed it, where the section changed since, or where the proposal
    was settled.
    """
    section = proposal.section
    lock_section(section, stages=tuple(Stage))
    held = MendingProposal.objects.filter(pk=proposal.pk).first()
    if held is None:
        raise Refused(_("Somebody else acted first: this proposal was confirmed or dropped."))
    if held.by_id == by.pk:
        raise Refused(_("You proposed this correction yourself. Another official has to confirm it."))
    changes, version = held.changes, held.version
    held.delete()
    return _mend_rated(
        section,
        by,
        held.by,
        on,
        version,
        changes,
        held.code,
        held.words,
        after_list=held.after_list and after_list,
        births=births,
    )


@transaction.atomic
def drop_correction(*, proposal: MendingProposal, by: User, on: date) -> None:
    """Drop a proposal; the section stays as it is. Raises `Refused` if the proposal was settled meanwhile."""
    locked = lock_section(proposal.section, stages=tuple(Stage))
    if not MendingProposal.objects.filter(pk=proposal.pk).delete()[0]:
        raise Refused(_("Somebody else acted first: this proposal was confirmed or dropped."))
    _record(locked, "drop-mend", by, on)


def _mend_rated(
    section: Section,
    by: User | None,
    written_by: User | None,
    on: date,
    version: int,
    changes: Sequence[Change],
    reason: str,
    words: str,
    *,
    after_list: bool,
    births: Mapping[PlayerId, BirthAnswer] | None,
) -> Fact:
    unrate(section=section, by=by, on=on, version=version, reason=reason, words=words, after_list=after_list)
    locked = lock_section(section, stages=(Stage.UNRATED,))
    _kept, found = _mend(locked, by=by, written_by=written_by, on=on, changes=changes, reason=words.strip())
    change_stage(locked, Stage.SUBMITTED, remarks="")
    allowed = {each.pk: words.strip() for each in found if each.level == "waivable"}
    locked.refresh_from_db()
    return approve(section=locked, by=by, on=on, version=locked.version, reasons=allowed, births=births)


def _mend(
    section: Section,
    *,
    by: User | None,
    written_by: User | None,
    on: date,
    changes: Sequence[Change],
    reason: str,
) -> tuple[list[Correction], list[Finding]]:
    """Correct a locked section, on record; return the corrections, and the findings after them."""
    applied = apply_changes(section, changes)
    proposed = {"proposed_by": written_by.pk} if written_by and written_by != by else {}
    decision = decide(
        section.event.federation,
        kind="mend",
        by=by,
        on=on,
        about=f"section {section.key}",
        corrections=describe_for_record(applied.corrected),
        reason=reason,
        **proposed,
    )
    kept = save_corrections(section, applied.corrected, by=written_by, decision=decision)
    return kept, applied.found


def _clean(reason: str) -> str:
    if not reason.strip():
        raise Refused(_("Say why: the region reads it beside the correction."))
    return reason.strip()


def _record(section: Section, kind: str, by: User, on: date, **details: object) -> None:
    decide(section.event.federation, kind=kind, by=by, on=on, about=f"section {section.key}", **details)
