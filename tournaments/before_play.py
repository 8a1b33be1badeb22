"""A section before it is played: missed days, requirements, permissions, and the office's first decision.

The decision is an admission, a refusal, a day to which it is put off, a question to the region, or word that
nothing stands in the way. The section's row keeps the last one; the record of decisions has them all.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from players.models import Decision, Federation, User
from players.record import Refused, decide
from players.settings import settings_of
from ratings.rulesets.profile import form_fields
from ratings.rulesets.ruleset import Requirement
from tournaments.acceptance import findings_before_play, recheck, rule_findings
from tournaments.announcements import standing_notice
from tournaments.findings import day_in_words, words_of
from tournaments.models import OPEN_TO_FILING, Appeal, Finding, PermissionRequest, Section, Stage
from tournaments.review import REPLACED, was_taken_back
from tournaments.sections import (
    FOLLOWED,
    SectionDeadline,
    admitted_before_play,
    change_stage,
    deadlines_of,
    lock_section,
    refused_before_play,
)

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


# ---- Days before play that a section has missed: told at once, with the clause and what can be done.
NOTED, PERMIT, ASKED_DAYS, REFUSED_DAYS, TO_WEIGH = "noted", "permit", "asked", "refused", "to-weigh"
"""Ways to go on from a missed day: the office takes note alone; it can permit it; it was asked; it refused;
or no permission is known, and it weighs the region's reason when it decides.
"""


@dataclass(frozen=True, slots=True)
class MissedDay:
    """A day before play that the region missed, and what follows."""

    due: SectionDeadline
    follows: str

    @property
    def clause(self) -> str:
        return self.due.clause

    def words(self) -> str:
        """The deed, its last day, and the day on which it was done."""
        told = {
            "what": self.due.words,
            "clause": self.clause,
            "last": date_format(self.due.last, "DATE_FORMAT"),
        }
        if done := self.due.deadline.done:
            words = _("%(what)s (§%(clause)s): the last day was %(last)s, and it was done on %(done)s.")
            return words % {**told, "done": date_format(done, "DATE_FORMAT")}
        return _("%(what)s (§%(clause)s): the last day was %(last)s, and it is not done yet.") % told

    def for_region(self) -> str:
        """The words on the next step of the region."""
        words = {
            NOTED: _("This office only takes note of it: there is nothing to do."),
            PERMIT: _("Ask the office to permit it, under “Days and permissions”."),
            ASKED_DAYS: _("The office was asked to permit it and has not answered yet."),
            REFUSED_DAYS: _(
                "The office refused to permit it. Give your reason again when you submit the section."
            ),
            TO_WEIGH: _(
                "The clause knows no permission. Tell the office why: it weighs that when it decides."
            ),
        }
        return words[self.follows]

    def for_office(self) -> str:
        """The words on the next step of an official."""
        words = {
            NOTED: _("This office only takes note of it: it stands in no way."),
            PERMIT: _(
                "The region can ask for permission, and has not. Without it, approving needs a reason."
            ),
            ASKED_DAYS: _("The region asks for permission: answer it under “Days and permissions”."),
            REFUSED_DAYS: _("You refused to permit it: approving needs a reason all the same."),
            TO_WEIGH: _(
                "The clause knows no permission: what admits or approves the section needs a reason."
            ),
        }
        return words[self.follows]


def missed_before_play(section: Section, on: date) -> list[MissedDay]:
    """The days before play that a section's region has missed by a day, without what the office permitted.

    Wants the same loaded as `deadlines_of`.
    """
    if section.stage not in FOLLOWED:
        return []
    missed = [
        each
        for each in deadlines_of(section, on)
        if each.is_late
        and each.deadline.binding
        and not each.deadline.by_office
        and each.last < section.starts
    ]
    found = [(each, _follows(section, each)) for each in missed]
    return [MissedDay(each, follows) for each, follows in found if follows]


def _follows(section: Section, due: SectionDeadline) -> str:
    """The way in which it goes on from a missed day; empty: the office permitted it."""
    office = section.event.federation
    permits = {each.clause for each in office.equipment.office.powers.permits}
    clause = next(
        (each for each in permits if due.clause in (each,) or due.clause.startswith(f"{each}.")), ""
    )
    states = PermissionRequest.State
    asked = {each.state for each in section.permission_requests.all() if each.clause == clause}
    if states.GRANTED in asked or (clause and clause in {each["clause"] for each in section.permissions}):
        return ""
    if not settings_of(office).deadlines:
        return NOTED
    if not clause:
        return TO_WEIGH
    return ASKED_DAYS if states.ASKED in asked else REFUSED_DAYS if states.REFUSED in asked else PERMIT


# ---- The first decision on a section, before play, as its row keeps it.
ASKED, PUT_OFF, REFUSED = "asked", "put-off", "refused"
"""Decisions that an official can make beside admitting: ask the region, put the decision off, refuse."""
ADMITTED = "admitted"


def decides_before_play(federation: Federation) -> bool:
    """Whether an official decides on this federation's sections before they are played."""
    ruleset = federation.ruleset
    return bool(ruleset.sections.admission or federation.equipment.office.registration.decided_before_play)


def refusable_before_play(federation: Federation) -> str:
    """The clause by which an official can refuse a section before play although none waits for a decision
    (csa §11); empty: all wait for one, or the regulations know none.
    """
    clause = federation.equipment.office.registration.refusable_before_play
    return "" if decides_before_play(federation) else clause


def may_decide_before_play(federation: Federation) -> bool:
    """Whether an official can decide on a section of this federation before it is played."""
    return decides_before_play(federation) or bool(refusable_before_play(federation))


def first_decision(section: Section) -> str:
    """The last decision before play: `asked`, `put-off`, `refused` or `admitted`; empty: nothing yet."""
    return section.before_play.get("decision", "") or (ADMITTED if admitted_before_play(section) else "")


def declared_now(section: Section) -> dict[str, Any]:
    """The region's declaration of a section: an admission holds for that and for nothing else."""
    return {"format": section.format, "rounds": section.rounds, "particulars": {**section.particulars}}


def question_to_region(section: Section) -> str:
    """The office's question that the region has not answered yet; empty: there is none."""
    said = section.before_play
    open_ = section.stage == Stage.REGISTERED and said.get("decision") == ASKED and not said.get("answer")
    return str(said["words"]) if open_ else ""


def may_close_before_play(section: Section, on: date) -> bool:
    """Whether an official can say that nothing stands in the way of a registered section: where none has to
    wait for a decision (csa §11), one that the region was asked about, or that waits.
    """
    if section.stage != Stage.REGISTERED or not refusable_before_play(section.event.federation):
        return False
    return first_decision(section) == ASKED or waits_for_first_decision(section, on)


def waits_for_first_decision(section: Section, on: date) -> bool:
    """Whether a registered section stands before an official on a day: undecided, answered, due again, or
    declared otherwise since it was admitted.
    """
    said = section.before_play
    match first_decision(section):
        case "asked":
            return bool(said.get("answer"))
        case "put-off":
            return date.fromisoformat(said["until"]) <= on
        case "admitted":
            admitted = admitted_before_play(section)
            return admitted is not None and admitted["declared"] != declared_now(section)
        case "refused":
            return False
        case _undecided:
            return decides_before_play(section.event.federation)


def told_before_play(section: Section) -> str:
    """Say in a sentence to the region where a registered section stands before play; empty: nothing."""
    if section.stage != Stage.REGISTERED:
        return ""
    said, admitted = section.before_play, admitted_before_play(section)
    match first_decision(section):
        case "asked" if said.get("answer"):
            words, day = (
                _("You answered the office’s question on %(day)s; it decides now."),
                said["answered_on"],
            )
        case "asked":
            words, day = _("The office asked on %(day)s: %(words)s"), said["on"]
        case "put-off":
            words, day = _("The office put its decision off until %(day)s: %(words)s"), said["until"]
        case "admitted" if admitted and admitted["declared"] != declared_now(section):
            words = _("Decided on %(day)s, and changed since: the office looks at it again.")
            day = admitted["on"]
        case "admitted" if admitted:
            decides = decides_before_play(section.event.federation)
            words = _("Admitted on %(day)s.") if decides else _("Nothing stands in its way, since %(day)s.")
            day = admitted["on"]
        case "" if decides_before_play(section.event.federation):
            return _("The office has not decided on it yet.")
        case _other:
            return ""
    return words % {"day": day_in_words(date.fromisoformat(day)), "words": said.get("words", "")}


# ---- The deeds of the first decision, the admission last.
@transaction.atomic
def refuse_before_play(*, section: Section, by: User | None, on: date, version: int, reason: str) -> Section:
    """Refuse a section before it is played; everybody can read the reason. A new decision replaces this."""
    locked = lock_for_first_decision(section, version)
    words = _given(reason)
    said = {"decision": REFUSED, "words": words, "on": on.isoformat(), REPLACED: _as_it_stood(locked)}
    without = [each for each in locked.permissions if "declared" not in each]
    locked.announce(words, on)
    more = {
        "notice": words,
        "notice_on": on,
        "remarks": words,
        "permissions": without,
        "notice_read_at": None,
    }
    change_stage(locked, Stage.REFUSED, before_play=said, **more)
    _record(locked, "refuse-before-play", by, on, reason=words)
    return locked


def _as_it_stood(section: Section) -> dict[str, Any]:
    """The state that a refusal replaces, for `tournaments.review` to put back."""
    return {
        "stage": section.stage,
        "remarks": section.remarks,
        "notice": section.notice,
        "notice_on": section.notice_on.isoformat() if section.notice_on else None,
        "notice_read_at": section.notice_read_at.isoformat() if section.notice_read_at else None,
        "permissions": section.permissions,
        "before_play": {name: said for name, said in section.before_play.items() if name != REPLACED},
    }


@transaction.atomic
def put_off(
    *, section: Section, by: User | None, on: date, version: int, reason: str, until: date | None
) -> Section:
    """Put the first decision off to a day, on which the section stands before the officials again."""
    locked = lock_for_first_decision(section, version)
    if not decides_before_play(locked.event.federation):
        raise Refused(
            _("No section has to wait for a decision before play here, so there is none to put off.")
        )
    words = _given(reason)
    if until is None or until <= on:
        raise Refused(_("Give a later day than today: on that day the section comes back to this desk."))
    if until >= locked.starts:
        raise Refused(_("Give a day before the first day of play: the decision comes before it."))
    said = {"decision": PUT_OFF, "words": words, "on": on.isoformat(), "until": until.isoformat()}
    _to_registered(locked, said)
    _record(locked, "put-off", by, on, reason=words, until=until.isoformat())
    return locked


@transaction.atomic
def ask_before_play(*, section: Section, by: User | None, on: date, version: int, reason: str) -> Section:
    """Ask the region something before deciding; its answer brings the section back."""
    locked = lock_for_first_decision(section, version)
    words = _given(reason)
    _to_registered(locked, {"decision": ASKED, "words": words, "on": on.isoformat()})
    _record(locked, "ask-before-play", by, on, words=words)
    return locked


@transaction.atomic
def answer_before_play(*, section: Section, by: User | None, on: date, version: int, answer: str) -> Section:
    """Answer the office's question about a section; raise `Refused` where none is open."""
    locked = lock_section(section, version=version, stages=(Stage.REGISTERED,))
    if not question_to_region(locked):
        raise Refused(_("The office has no open question about this section."))
    words = answer.strip()
    if not words:
        raise Refused(_("Write an answer: the office decides by it."))
    said = {**locked.before_play, "answer": words, "answered_on": on.isoformat()}
    change_stage(locked, Stage.REGISTERED, before_play=said)
    _record(locked, "answer-before-play", by, on, words=words)
    return locked


@transaction.atomic
def close_before_play(*, section: Section, by: User | None, on: date, version: int, reason: str) -> Section:
    """Say that nothing stands in the way of a section, where none has to wait for a decision (csa §11): its
    question needs no answer any more, or what the region answered or declared anew suits the office.

    Raises `Refused` where the office asked nothing and nothing waits.
    """
    locked = lock_for_first_decision(section, version)
    if not may_close_before_play(locked, on):
        raise Refused(_("Nothing about this section waits for the office before play."))
    now = {"declared": declared_now(locked), "on": on.isoformat()}
    permissions = [each | now if "declared" in each else each for each in locked.permissions]
    change_stage(locked, Stage.REGISTERED, before_play={}, permissions=permissions)
    _record(locked, "close-before-play", by, on, reason=reason.strip())
    return locked


def lock_for_first_decision(section: Section, version: int) -> Section:
    """Lock a section that an official can decide on before play: registered, or refused before play."""
    stages = (Stage.REGISTERED, Stage.REFUSED)
    locked = lock_section(section, version=version, stages=stages)
    if not may_decide_before_play(locked.event.federation):
        raise Refused(_("These regulations have no decision before play."))
    if locked.stage == Stage.REFUSED and not refused_before_play(locked):
        raise Refused(_("This section was refused after play. The first decision cannot change that."))
    if locked.stage == Stage.REFUSED and locked.appeals.filter(state=Appeal.State.OPEN).exists():
        raise Refused(_("The region appealed against the refusal. Decide on the appeal."))
    return locked


def _to_registered(section: Section, said: dict[str, Any]) -> None:
    """Keep a decision that leaves the section open; an earlier refusal or admission is replaced by it."""
    without = [each for each in section.permissions if "declared" not in each]
    notice = dict(zip(("notice", "notice_on"), standing_notice(section), strict=True))
    reopened = notice if section.stage == Stage.REFUSED else {}
    change_stage(section, Stage.REGISTERED, before_play=said, permissions=without, remarks="", **reopened)


def _given(reason: str) -> str:
    if not reason.strip():
        raise Refused(_("Say why: the region reads it and acts on it."))
    return reason.strip()


def _record(section: Section, kind: str, by: User | None, on: date, **details: Any) -> None:
    decide(section.event.federation, kind=kind, by=by, on=on, about=f"section {section.key}", **details)


@transaction.atomic
def admit_before_play(*, section: Section, by: User | None, on: date, version: int, reason: str) -> Section:
    """Admit a section as it is declared now; where none waits for that (csa §11), let one be played that was
    refused. A finding that may be waived needs a reason.

    Raises `Refused` if the regulations have no such decision, or a declared value breaks them.
    """
    locked = lock_for_first_decision(section, version)
    ruleset = locked.event.federation.ruleset
    if not decides_before_play(locked.event.federation) and not refused_before_play(locked):
        raise Refused(
            _("No section has to wait for a decision before play here: it can be played and filed.")
        )
    found = findings_before_play(locked)
    blocking = [words_of(each, ruleset) for each in found if each.level == "blocks"]
    if blocking:
        raise Refused("\n".join([_("The competition cannot be admitted as declared:"), *blocking]))
    waived = [{"clause": each.clause, "key": each.key} for each in found if each.level == "waivable"]
    if waived and not reason.strip():
        raise Refused(_("Something is late or missing: say why the office still admits the competition."))
    declared = declared_now(locked)
    if refused_before_play(locked):  # this decision replaces that one
        locked.stage, locked.remarks = Stage.REGISTERED, ""
        locked.notice, locked.notice_on = standing_notice(locked)
    locked.before_play = {}
    locked.permissions = [
        *(each for each in locked.permissions if "declared" not in each),
        {"clause": "", "reason": reason.strip(), "on": on.isoformat(), "declared": declared},
    ]
    locked.version += 1
    locked.save()
    recheck(locked)
    decided: dict[str, Any] = {"reason": reason.strip()}
    if decides_before_play(locked.event.federation):
        decided |= {"kind": "admit", "declared": declared, "waived": waived}
    else:  # nobody admits a section here: the refusal is taken away again
        decided["kind"] = "close-before-play"
    decide(locked.event.federation, by=by, on=on, about=f"section {locked.key}", **decided)
    return locked


# ---- The whole thread of a section before play: questions, answers and decisions, as the record has them.
TALK: Mapping[str, StrOrPromise] = {
    "ask-before-play": gettext_lazy("The office asked."),
    "answer-before-play": gettext_lazy("The region answered."),
    "put-off": gettext_lazy("The office put its decision off."),
}
"""Headings of what region and office said to each other, by the kind of the decision."""
DECIDED: Mapping[str, StrOrPromise] = {
    "admit": gettext_lazy("The office admitted it as declared."),
    "refuse-before-play": gettext_lazy("The office refused it before play."),
    "close-before-play": gettext_lazy("The office found nothing in the way."),
}
"""Headings of decisions of the office."""


@dataclass(frozen=True, slots=True)
class SaidBeforePlay:
    """A thing that was said of a section before play: when, what, in which words, and until when."""

    on: date
    heading: str
    words: str
    """Empty where none were given, or where they were withdrawn from the record."""
    until: date | None = None


def said_before_play(section: Section, *, decisions: bool) -> list[SaidBeforePlay]:
    """All that was said of a section before play, the oldest first; `decisions`: with what was decided, but
    for refusals that were taken back.
    """
    headings = {**TALK, **(DECIDED if decisions else {})}
    found = Decision.objects.filter(
        federation=section.event.federation_id, about=section.named_on_record, kind__in=list(headings)
    )
    told = found.prefetch_related("words").order_by("number")
    return [_said(each, str(headings[each.kind])) for each in told if not was_taken_back(each)]


def _said(decision: Decision, heading: str) -> SaidBeforePlay:
    details = decision.details
    words = details.get("words") or details.get("reason") or ""
    until = details.get("until")
    return SaidBeforePlay(decision.on, heading, words, date.fromisoformat(until) if until else None)


# ---- Permissions that the regulations let the office give: asked for by the region, then answered.
ANSWERABLE = (*OPEN_TO_FILING, Stage.SUBMITTED)
"""The stages of a section for which a permission can still make a difference."""


@transaction.atomic
def ask_permission(
    *, section: Section, by: User | None, on: date, version: int, clause: str, reason: str
) -> PermissionRequest:
    """Ask the office to permit what a clause lets it permit, before play or after (csa: §18, D-CSA-16).

    Raises `Refused` where the regulations know no such permission, it is asked for or granted already, or
    the reason is missing.
    """
    locked = lock_section(section, version=version, stages=ANSWERABLE)
    if clause not in {permit.clause for permit in locked.event.federation.equipment.office.powers.permits}:
        raise Refused(_("The office gives no permission under clause %(clause)s.") % {"clause": clause})
    if not reason.strip():
        raise Refused(_("Say why the office should permit it: an official decides on your words."))
    standing = locked.permission_requests.filter(clause=clause)
    if standing.open().exists():
        raise Refused(_("This permission was asked for already, and the office has not answered yet."))
    if standing.filter(state=PermissionRequest.State.GRANTED).exists():
        raise Refused(_("This permission was granted already."))
    request = locked.permission_requests.create(
        clause=clause, reason=reason.strip(), asked_by=by, asked_on=on
    )
    _next_version(locked)
    decide(
        locked.event.federation,
        kind="ask-permission",
        by=by,
        on=on,
        about=f"section {locked.key}",
        clause=clause,
        reason=reason.strip(),
    )
    return request


@transaction.atomic
def answer_permission(
    *, request: PermissionRequest, by: User | None, on: date, version: int, granted: bool, reason: str
) -> PermissionRequest:
    """Grant what a region asked for, or refuse it with a reason; what is granted is waived from then on.

    `version`: of the section, as the official saw it. Raises `Refused` where somebody answered already, or
    a refusal has no reason.
    """
    lock_section(request.section, stages=tuple(Stage))
    request = PermissionRequest.objects.select_related("section__event__federation").get(pk=request.pk)
    if request.state != PermissionRequest.State.ASKED:
        raise Refused(_("Somebody answered this request already. Look at it again."))
    section = lock_section(request.section, version=version, stages=ANSWERABLE)
    if not granted and not reason.strip():
        raise Refused(_("Say why you refuse: the region reads it."))
    states = PermissionRequest.State
    request.state = states.GRANTED if granted else states.REFUSED
    request.answered_by, request.answered_on, request.answer = by, on, reason.strip()
    request.save(update_fields=["state", "answered_by", "answered_on", "answer"])
    if granted:
        section.permissions = [
            *section.permissions,
            {"clause": request.clause, "reason": reason.strip() or request.reason},
        ]
    _next_version(section)
    recheck(section)
    decide(
        section.event.federation,
        kind="grant-permission" if granted else "refuse-permission",
        by=by,
        on=on,
        about=f"section {section.key}",
        clause=request.clause,
        reason=reason.strip(),
    )
    return request


def _next_version(section: Section) -> None:
    section.version += 1
    section.save(update_fields=["version", "permissions"])


# ---- What acceptance asks of a section by clause, as far as it can be told before play.
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
