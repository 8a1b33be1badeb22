"""The list before play: what acceptance asks of a section by clause, as far as it can be told today."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from django.utils.translation import gettext as _

from ratings.equipment.find_equipment import form_fields
from ratings.law.ruleset_hooks import Requirement
from tournaments.events.finding_words import words_of
from tournaments.events.models import Finding, Section
from tournaments.filing.open_questions import findings_before_play, rule_findings


class Check(StrEnum):
    """The outcome of looking at a requirement."""

    PASS = "pass"
    ALLOWED = "allowed"
    """Broken, and permitted by the office."""
    NOTED = "noted"
    """Told, and in nobody's way: the office does not insist."""
    FAIL = "fail"
    UNKNOWN = "unknown"
    """Only games or players will tell."""
    UNSTATED = "unstated"
    """Impossible to tell, since nobody stated what it is about."""


@dataclass(frozen=True, slots=True)
class CheckedRequirement:
    """A requirement with its clause in our words, what can be told of it, and the findings that say so."""

    clause: str
    words: str
    check: Check
    found: tuple[str, ...] = ()


def preflight(section: Section) -> list[CheckedRequirement]:
    """Check a section against its ruleset's requirements, as it stands now: registered, or with its file."""
    ruleset = section.event.federation.ruleset
    played = section.entries.exists()
    first = ruleset.sections.admission is not None and not played
    found = findings_before_play(section) if first else rule_findings(section)
    return [_checked(section, each, found, played) for each in ruleset.sections.requirements]


def _checked(
    section: Section, requirement: Requirement, found: list[Finding], played: bool
) -> CheckedRequirement:
    ruleset = section.event.federation.ruleset
    clause = requirement.clauses[0]
    words = _(ruleset.words.clauses.get(clause, ""))
    if not (played or requirement.before_play):
        return CheckedRequirement(clause, words, Check.UNKNOWN)
    against = [each for each in found if each.clause in requirement.clauses]
    if not against and (labels := _not_stated(section, requirement)):
        return CheckedRequirement(clause, words, Check.UNSTATED, labels)
    told = tuple(words_of(each, ruleset) for each in against)
    return CheckedRequirement(clause, words, _weigh(section, against), told)


def _not_stated(section: Section, requirement: Requirement) -> tuple[str, ...]:
    """The labels of the particulars without which nothing can be told of a requirement, if none is given."""
    fields = form_fields(section.event.federation.ruleset)
    wanted = [field for field in fields if field.name in requirement.reads]
    if any(section.particulars.get(field.name) not in (None, "", []) for field in wanted):
        return ()
    return tuple(_(field.label) for field in wanted)


def _weigh(section: Section, against: list[Finding]) -> Check:
    if not against:
        return Check.PASS
    if all(each.level == "notice" for each in against):
        return Check.NOTED
    permits = section.event.federation.equipment.office.powers.permits
    granted = {each["clause"] for each in section.permissions if each["clause"]}
    waived = {key for permit in permits if permit.clause in granted for key in permit.waives}
    return (
        Check.ALLOWED if all(each.key in waived for each in against if each.level != "notice") else Check.FAIL
    )
