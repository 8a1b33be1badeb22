"""Corrections by the office: of a section that waits for review, and of a rated one in one go.

The file stays as it came. Each correction is kept beside it with its reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date

from django.db import transaction
from django.utils.translation import gettext as _

from players.models import User
from players.record import Refused, decide
from players.settings import settings_of
from ratings.approval import approve, refuse_listed, unrate
from ratings.models import Fact
from ratings.pre_ratings import BirthAnswer
from ratings.rulesets import facts
from ratings.rulesets.facts import PlayerId
from tournaments.corrections import Change, apply_changes, in_short, keep_corrections, try_changes
from tournaments.models import Correction, Finding, MendingProposal, Section, Stage
from tournaments.sections import change_stage, lock_section


@transaction.atomic
def mend(
    *,
    section: Section,
    by: User | None,
    on: date,
    version: int,
    changes: Sequence[Change],
    reason: str,
) -> list[Correction]:
    """Correct a submitted section; it goes on waiting for review, as a new version.

    Raises `Refused` without a reason, where a change cannot be made, where the section could not be accepted
    with it, or where somebody acted first.
    """
    locked = lock_section(section, version=version, stages=(Stage.SUBMITTED,))
    kept, _found = _mend(locked, by=by, written_by=by, on=on, changes=changes, reason=_given(reason))
    change_stage(locked, Stage.SUBMITTED)
    return kept


@transaction.atomic
def mend_rated(
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
    """Un-rate a section, correct it and rate it anew: all of it or nothing.

    `reason` and `words` are those of un-rating. Raises `Refused` wherever one of the steps does, and where
    the office wants four eyes: there one official proposes (`propose_mend`), another confirms.
    """
    if settings_of(section.event.federation).four_eyes and by is not None:
        raise Refused(
            _("In this office, a second official confirms a correction of a rated section: propose it.")
        )
    return _mend_rated(
        section, by, by, on, version, changes, reason, words, after_list=after_list, births=births
    )


@transaction.atomic
def propose_mend(
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
    if reason not in facts.REASONS:
        raise Refused(_("Choose what was wrong: the journal shows the reason."))
    refuse_listed(locked.event.federation, locked, after_list=after_list)
    if MendingProposal.objects.open().filter(section=locked).exists():
        raise Refused(_("A correction of this section is proposed already. Confirm it or drop it first."))
    corrected = in_short(try_changes(locked, changes).corrected)
    MendingProposal.objects.filter(section=locked).delete()  # one that came too late
    proposal = MendingProposal.objects.create(
        section=locked,
        version=version,
        changes=[dict(each) for each in changes],
        code=reason,
        words=_given(words),
        after_list=after_list,
        by=by,
        on=on,
    )
    _record(locked, "propose-mend", by, on, corrections=corrected, reason=proposal.words)
    return proposal


@transaction.atomic
def confirm_mend(
    *,
    proposal: MendingProposal,
    by: User,
    on: date,
    after_list: bool = False,
    births: Mapping[PlayerId, BirthAnswer] | None = None,
) -> Fact:
    """Confirm another official's proposal: the section is un-rated, corrected and rated anew.

    Raises `Refused` for whoever proposed it, where the section changed since, or where it was settled.
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
def drop_mend(*, proposal: MendingProposal, by: User, on: date) -> None:
    """Drop a proposal: the section stays rated as it is. Raises `Refused` if it was settled meanwhile."""
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
    unrate(
        section=section,
        by=by,
        on=on,
        version=version,
        reason=reason,
        words=words,
        after_list=after_list,
    )
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
    """Correct a locked section, on record; return the corrections, and what is found in it since."""
    applied = apply_changes(section, changes)
    federation, about = section.event.federation, f"section {section.key}"
    proposed = {"proposed_by": written_by.pk} if written_by and written_by != by else {}
    decision = decide(
        federation,
        kind="mend",
        by=by,
        on=on,
        about=about,
        corrections=in_short(applied.corrected),
        reason=reason,
        **proposed,
    )
    kept = keep_corrections(section, applied.corrected, by=written_by, decision=decision)
    return kept, applied.found


def _given(reason: str) -> str:
    if not reason.strip():
        raise Refused(_("Say why: the region reads it beside the correction."))
    return reason.strip()


def _record(section: Section, kind: str, by: User, on: date, **details: object) -> None:
    decide(section.event.federation, kind=kind, by=by, on=on, about=f"section {section.key}", **details)
