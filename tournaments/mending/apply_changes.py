"""Corrects a locked section, checks it anew, and keeps each correction beside the file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from players.office.decision_record import Refused
from players.office.models import Decision, User
from tournaments.events.finding_words import words_of as words_of_finding
from tournaments.events.models import Finding, Section, Stage
from tournaments.events.section_fact import rows_in_memory
from tournaments.filing.open_questions import findings_anew, mark_of, replace_findings
from tournaments.mending.change_rows import Change, RowCorrected, change_rows, save_rows
from tournaments.mending.models import Correction


@dataclass(frozen=True, slots=True)
class Applied:
    """Corrections that were made, and what the rules find in the section that they did not find before."""

    corrected: list[RowCorrected]
    found: list[Finding]
    findings: list[Finding]
    """All that is found in the section from now on, beside what the reader of its file found."""


def apply_changes(section: Section, changes: Sequence[Change]) -> Applied:
    """Correct a locked section's rows and check it anew.

    Of a rated section only what a correction brings is added to its findings: it was accepted as it stood.
    Raises `Refused` where a change cannot be made, or the section could not be accepted with it.
    """
    with rows_in_memory(section):
        applied = work_out_changes(section, changes)
    save_rows(section, applied.corrected)
    replace_findings(section, applied.findings)
    return applied


def work_out_changes(section: Section, changes: Sequence[Change]) -> Applied:
    """Correct a section's rows in memory (`rows_in_memory`) and check them anew, as `apply_changes` does;
    nothing is written.
    """
    noted = list(section.findings.all())
    of_file = [each for each in noted if each.source == "file"]
    held = findings_anew(section, noted, section.submitted_on)
    before = {mark_of(each) for each in (*of_file, *held)}
    asked = {(each.key, each.where) for each in (*of_file, *held) if each.level == "asks"}
    corrected = change_rows(section, changes)
    after = findings_anew(section, [*of_file, *held], section.submitted_on)
    found = [each for each in after if mark_of(each) not in before]
    _refuse_blocked(section, [each for each in found if (each.key, each.where) not in asked])
    if section.stage != Stage.SUBMITTED:
        kept = {mark_of(each) for each in noted}
        after = [each for each in after if mark_of(each) not in before or mark_of(each) in kept]
    return Applied(corrected, found, after)


def keep_corrections(
    section: Section, corrected: Sequence[RowCorrected], *, by: User | None, decision: Decision
) -> list[Correction]:
    """Keep what was corrected by a decision, beside the file that the section holds."""
    reason = decision.words.filter(key="reason").first()
    upload = section.uploads.held()
    kept = []
    for each in corrected:
        one = Correction.objects.create(
            section=section,
            what=each.what,
            where=each.where,
            before=each.before,
            after=each.after,
            by=by,
            decision=decision,
            reason=reason,
            upload=upload,
        )
        one.players.set(each.players)
        kept.append(one)
    return kept


def _refuse_blocked(section: Section, found: Sequence[Finding]) -> None:
    blocking = [each for each in found if each.level in ("blocks", "asks")]
    if blocking:
        ruleset = section.event.federation.ruleset
        words = "\n".join(words_of_finding(each, ruleset) for each in blocking)
        raise Refused(_("With this correction the section could not be accepted:") + f"\n{words}")


def try_changes(section: Section, changes: Sequence[Change]) -> Applied:
    """The corrections as `apply_changes` would make them; nothing is written."""
    copy = Section.objects.select_related("event__federation").get(pk=section.pk)
    with rows_in_memory(copy):
        return work_out_changes(copy, changes)
