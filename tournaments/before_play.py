"""A section before it is played: missed days, requirements, permissions, and the office's first decision.

The decision is an admission, a refusal, a deferral, a question to the region, or a notice that nothing stands
in the way. The section's row has the last one; the record of decisions has them all.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils.formats import date_format
from django.utils.translation import gettext as _, gettext_lazy

from players.display import day_in_words
from players.models import Decision, Federation, User
from players.record import Refused
from players.settings import get_settings
from ratings.rulesets.profile import form_fields
from ratings.rulesets.ruleset import Requirement
from tournaments import sections
from tournaments.acceptance import compute_admission_findings, get_permission_waivers, recheck, rule_findings
from tournaments.announcements import Notice, get_postponement_notice
from tournaments.findings import describe_finding
from tournaments.models import OPEN_TO_FILING, Appeal, Finding, PermissionRequest, Section, Stage
from tournaments.review import REPLACED_STATE, was_taken_back

if TYPE_CHECKING:
    from django_stubs_ext import StrOrPromise


# ---- Missed days before play
NOTED, PERMIT, ASKED_DAYS, REFUSED_DAYS, WEIGHED = "noted", "permit", "asked", "refused", "to-weigh"
"""What follows from a missed day: the office only notes it; it can permit it; it was asked; it refused; or,
without a permission in the regulations, it weighs the region's reason when it decides.
"""


@dataclass(frozen=True, slots=True)
class MissedDay:
    """A day before play that the region missed, and what follows."""

    due: sections.SectionDeadline
    follows: str
    permit: str = ""
    """The clause of the permission that the region can ask for."""

    @property
    def clause(self) -> str:
        return self.due.clause

    def words(self) -> str:
        """What was due, its last day, and the day on which it was done."""
        last = date_format(self.due.last, "DATE_FORMAT")
        params = {"what": self.due.words, "clause": self.clause, "last": last}
        if done := self.due.deadline.done:
            words = _("%(what)s (§%(clause)s): the last day was %(last)s, and it was done on %(done)s.")
            return words % {**params, "done": date_format(done, "DATE_FORMAT")}
        return _("%(what)s (§%(clause)s): the last day was %(last)s, and it is not done yet.") % params

    def for_region(self) -> str:
        """What the region can do; empty if nothing."""
        words = {
            PERMIT: _("The office may permit it."),
            REFUSED_DAYS: _(
                "The office refused to permit it. Give your reason again when you submit the section."
            ),
            WEIGHED: _(
                "The clause knows no permission. Tell the office why: it weighs that when it decides."
            ),
        }
        return words.get(self.follows, "")

    def for_office(self) -> str:
        """What an official can do; empty if nothing."""
        words = {
            PERMIT: _(
                "The region can ask for permission, and has not. Without it, approving needs a reason."
            ),
            ASKED_DAYS: _("The region asks for permission: answer it under “Days and permissions”."),
            REFUSED_DAYS: _("You refused to permit it: approving needs a reason all the same."),
            WEIGHED: _("The clause knows no permission: what admits or approves the section needs a reason."),
        }
        return words.get(self.follows, "")


def list_missed_days(section: Section, on: date) -> list[MissedDay]:
    """The days before play that the region has missed, without those that the office permitted. Needs the
    same related objects as `list_deadlines`.
    """
    if section.stage not in sections.FOLLOWED_STAGES:
        return []
    missed = [
        each
        for each in sections.list_deadlines(section, on)
        if each.is_late
        and each.deadline.binding
        and not each.deadline.by_office
        and each.last < section.starts
    ]
    found = [(each, *_follows(section, each)) for each in missed]
    return [MissedDay(each, follows, clause) for each, follows, clause in found if follows]


def list_missed_days_to_act_on(section: Section, on: date, *, by_office: bool = False) -> list[MissedDay]:
    """The missed days about which the region, or an official, can do something now."""
    missed = list_missed_days(section, on)
    return [each for each in missed if (each.for_office() if by_office else each.for_region())]


def group_missed_days(
    sections_of_event: Iterable[Section], on: date, *, by_office: bool = False
) -> list[tuple[MissedDay, list[Section], str]]:
    """The missed days of an event about which its region, or an official, can do something, each once with
    its sections and their names.
    """
    found: dict[tuple[str, str], tuple[MissedDay, list[Section]]] = {}
    for section in sections_of_event:
        for missed in list_missed_days_to_act_on(section, on, by_office=by_office):
            found.setdefault((missed.words(), missed.follows), (missed, []))[1].append(section)
    return [(missed, those, ", ".join(each.name for each in those)) for missed, those in found.values()]


def _follows(section: Section, due: sections.SectionDeadline) -> tuple[str, str]:
    """What follows from a missed day, empty if the office permitted it; and the clause of its permission."""
    office = section.event.federation
    permits = {each.clause for each in office.equipment.office.powers.permits}
    clause = next(
        (each for each in permits if due.clause in (each,) or due.clause.startswith(f"{each}.")), ""
    )
    states = PermissionRequest.State
    asked = {each.state for each in section.permission_requests.all() if each.clause == clause}
    if states.GRANTED in asked or (clause and clause in {each["clause"] for each in section.permissions}):
        return "", clause
    if not get_settings(office).deadlines:
        return NOTED, clause
    if not clause:
        return WEIGHED, clause
    follows = ASKED_DAYS if states.ASKED in asked else REFUSED_DAYS if states.REFUSED in asked else PERMIT
    return follows, clause


# ---- The state of the first decision
ASKED, PUT_OFF, REFUSED = "asked", "put-off", "refused"
"""An official's decisions other than admitting."""
ADMITTED = "admitted"


def needs_decision_before_play(federation: Federation) -> bool:
    """Whether an official decides on this federation's sections before play."""
    ruleset = federation.ruleset
    return bool(ruleset.sections.admission or federation.equipment.office.registration.decided_before_play)


def get_early_refusal_clause(federation: Federation) -> str:
    """The clause, as csa §11, by which an official can refuse a section before play although none needs a
    decision; empty if all need one or there is no such clause.
    """
    clause = federation.equipment.office.registration.refusable_before_play
    return "" if needs_decision_before_play(federation) else clause


def can_decide_before_play(federation: Federation) -> bool:
    """Whether an official can decide on this federation's sections before play."""
    return needs_decision_before_play(federation) or bool(get_early_refusal_clause(federation))


def get_decision_before_play(section: Section) -> str:
    """The last decision before play: `asked`, `put-off`, `refused` or `admitted`; empty if there is none."""
    return section.before_play.get("decision", "") or (
        ADMITTED if sections.find_admission_before_play(section) else ""
    )


def current_declaration(section: Section) -> dict[str, Any]:
    """What the region declares of a section; an admission is valid for that alone."""
    return {"format": section.format, "rounds": section.rounds, "particulars": {**section.particulars}}


def get_open_region_question(section: Section) -> str:
    """The office's unanswered question; empty if there is none."""
    last = section.before_play
    open_ = section.stage == Stage.REGISTERED and last.get("decision") == ASKED and not last.get("answer")
    return str(last["words"]) if open_ else ""


def can_record_no_objection(section: Section, on: date) -> bool:
    """Whether an official can say that nothing stands in the way of a registered section that needs no
    decision (csa §11): if the region was asked, or the section waits.
    """
    if section.stage != Stage.REGISTERED or not get_early_refusal_clause(section.event.federation):
        return False
    return get_decision_before_play(section) == ASKED or waits_for_first_decision(section, on)


def waits_for_first_decision(section: Section, on: date) -> bool:
    """Whether a registered section waits for an official on a day: undecided, answered, put off until then,
    or declared otherwise since it was admitted.
    """
    last = section.before_play
    match get_decision_before_play(section):
        case "asked":
            return bool(last.get("answer"))
        case "put-off":
            return date.fromisoformat(last["until"]) <= on
        case "admitted":
            admitted = sections.find_admission_before_play(section)
            return admitted is not None and admitted["declared"] != current_declaration(section)
        case "refused":
            return False
        case _undecided:
            return needs_decision_before_play(section.event.federation)


def describe_state_before_play(section: Section) -> str:
    """A sentence for the region on the state of a section before play; empty if there is none."""
    if section.stage != Stage.REGISTERED:
        return ""
    last, admitted = section.before_play, sections.find_admission_before_play(section)
    match get_decision_before_play(section):
        case "asked" if last.get("answer"):
            words = _("You answered the office’s question on %(day)s; it decides now.")
            day = last["answered_on"]
        case "asked":
            words, day = _("The office asked on %(day)s: %(words)s"), last["on"]
        case "put-off":
            words, day = _("The office put its decision off until %(day)s: %(words)s"), last["until"]
        case "admitted" if admitted and admitted["declared"] != current_declaration(section):
            words = _("Decided on %(day)s, and changed since: the office looks at it again.")
            day = admitted["on"]
        case "admitted" if admitted:
            decides = needs_decision_before_play(section.event.federation)
            words = _("Admitted on %(day)s.") if decides else _("Nothing stands in its way, since %(day)s.")
            day = admitted["on"]
        case "" if needs_decision_before_play(section.event.federation):
            return _("The office has not decided on it yet.")
        case _other:
            return ""
    return words % {"day": day_in_words(date.fromisoformat(day)), "words": last.get("words", "")}


# ---- Making the first decision
@transaction.atomic
def refuse_before_play(*, section: Section, by: User | None, on: date, version: int, reason: str) -> Section:
    """Refuse a section before it is played; the reason is public. A later decision replaces this one."""
    locked = lock_for_first_decision(section, version)
    words = _given(reason)
    # `tournaments.review` restores the state that a refusal replaces.
    decision = {
        "decision": REFUSED,
        "words": words,
        "on": on.isoformat(),
        REPLACED_STATE: {
            "stage": locked.stage,
            "remarks": locked.remarks,
            "notice": locked.notice,
            "notice_on": locked.notice_on.isoformat() if locked.notice_on else None,
            "notice_read_at": locked.notice_read_at.isoformat() if locked.notice_read_at else None,
            "permissions": locked.permissions,
            "before_play": {
                name: value for name, value in locked.before_play.items() if name != REPLACED_STATE
            },
        },
    }
    locked.announce(words, on)
    changes = {
        "notice": words,
        "notice_on": on,
        "remarks": words,
        "permissions": _without_admission(locked),
        "notice_read_at": None,
    }
    sections.change_stage(locked, Stage.REFUSED, before_play=decision, **changes)
    sections.record(locked, "refuse-before-play", by, on, reason=words)
    return locked


def _without_admission(section: Section) -> list[dict[str, Any]]:
    return [each for each in section.permissions if "declared" not in each]


@transaction.atomic
def defer_decision(
    *, section: Section, by: User | None, on: date, version: int, reason: str, until: date | None
) -> Section:
    """Put the first decision off to a day, on which the section waits for an official again."""
    locked = lock_for_first_decision(section, version)
    if not needs_decision_before_play(locked.event.federation):
        raise Refused(
            _("No section has to wait for a decision before play here, so there is none to put off.")
        )
    words = _given(reason)
    if until is None or until <= on:
        raise Refused(_("Give a later day than today: on that day the section comes back to this desk."))
    if until >= locked.starts:
        raise Refused(_("Give a day before the first day of play: the decision comes before it."))
    decision = {"decision": PUT_OFF, "words": words, "on": on.isoformat(), "until": until.isoformat()}
    _keep_open(locked, decision)
    sections.record(locked, "put-off", by, on, reason=words, until=until.isoformat())
    return locked


@transaction.atomic
def ask_before_play(*, section: Section, by: User | None, on: date, version: int, reason: str) -> Section:
    """Ask the region something before deciding; its answer brings the section back."""
    locked = lock_for_first_decision(section, version)
    words = _given(reason)
    _keep_open(locked, {"decision": ASKED, "words": words, "on": on.isoformat()})
    sections.record(locked, "ask-before-play", by, on, words=words)
    return locked


@transaction.atomic
def answer_before_play(*, section: Section, by: User | None, on: date, version: int, answer: str) -> Section:
    """Answer the office's question about a section. Raises `Refused` if there is none."""
    locked = sections.lock_section(section, version=version, stages=(Stage.REGISTERED,))
    if not get_open_region_question(locked):
        raise Refused(_("The office has no open question about this section."))
    words = answer.strip()
    if not words:
        raise Refused(_("Write an answer: the office decides by it."))
    answered = {**locked.before_play, "answer": words, "answered_on": on.isoformat()}
    sections.change_stage(locked, Stage.REGISTERED, before_play=answered)
    sections.record(locked, "answer-before-play", by, on, words=words)
    return locked


@transaction.atomic
def record_no_objection(*, section: Section, by: User | None, on: date, version: int, reason: str) -> Section:
    """Say that nothing stands in the way of a section that needs no decision (csa §11): its question needs no
    answer, or the answer or new declaration is fine.

    Raises `Refused` if the office asked nothing and nothing waits.
    """
    locked = lock_for_first_decision(section, version)
    if not can_record_no_objection(locked, on):
        raise Refused(_("Nothing about this section waits for the office before play."))
    now = {"declared": current_declaration(locked), "on": on.isoformat()}
    permissions = [each | now if "declared" in each else each for each in locked.permissions]
    sections.change_stage(locked, Stage.REGISTERED, before_play={}, permissions=permissions)
    sections.record(locked, "close-before-play", by, on, reason=reason.strip())
    return locked


def lock_for_first_decision(section: Section, version: int) -> Section:
    """Lock a section on which an official can decide before play: registered, or refused before play."""
    locked = sections.lock_section(section, version=version, stages=(Stage.REGISTERED, Stage.REFUSED))
    if not can_decide_before_play(locked.event.federation):
        raise Refused(_("These regulations have no decision before play."))
    if locked.stage == Stage.REFUSED and not sections.is_refused_before_play(locked):
        raise Refused(_("This section was refused after play. The first decision cannot change that."))
    if locked.stage == Stage.REFUSED and locked.appeals.filter(state=Appeal.State.OPEN).exists():
        raise Refused(_("The region appealed against the refusal. Decide on the appeal."))
    return locked


def _keep_open(section: Section, decision: dict[str, Any]) -> None:
    """Store a decision that leaves the section open; it replaces an earlier refusal or admission."""
    notice = dict(zip(("notice", "notice_on"), get_postponement_notice(section), strict=True))
    changes: dict[str, Any] = {"permissions": _without_admission(section), "remarks": ""}
    changes |= notice if section.stage == Stage.REFUSED else {}
    sections.change_stage(section, Stage.REGISTERED, before_play=decision, **changes)


def _given(reason: str) -> str:
    if not reason.strip():
        raise Refused(_("Say why: the region reads it and acts on it."))
    return reason.strip()


@transaction.atomic
def admit_before_play(*, section: Section, by: User | None, on: date, version: int, reason: str) -> Section:
    """Admit a section as it is declared now; if none needs that (csa §11), revoke a refusal. A waivable
    finding needs a reason.

    Raises `Refused` if the regulations have no such decision, or a finding blocks it.
    """
    locked = lock_for_first_decision(section, version)
    ruleset = locked.event.federation.ruleset
    if not needs_decision_before_play(locked.event.federation) and not sections.is_refused_before_play(
        locked
    ):
        raise Refused(
            _("No section has to wait for a decision before play here: it can be played and filed.")
        )
    found = compute_admission_findings(locked)
    blocking = [describe_finding(each, ruleset) for each in found if each.level == "blocks"]
    if blocking:
        raise Refused("\n".join([_("The competition cannot be admitted as declared:"), *blocking]))
    waived = [{"clause": each.clause, "key": each.key} for each in found if each.level == "waivable"]
    if waived and not reason.strip():
        raise Refused(_("Something is late or missing: say why the office still admits the competition."))
    declared = current_declaration(locked)
    if sections.is_refused_before_play(locked):  # this decision replaces that one
        locked.stage, locked.remarks = Stage.REGISTERED, ""
        locked.notice, locked.notice_on = get_postponement_notice(locked)
    locked.before_play = {}
    admission = {"clause": "", "reason": reason.strip(), "on": on.isoformat(), "declared": declared}
    locked.permissions = [*_without_admission(locked), admission]
    locked.version += 1
    locked.save()
    recheck(locked)
    if needs_decision_before_play(locked.event.federation):
        details = {"reason": reason.strip(), "declared": declared, "waived": waived}
        sections.record(locked, "admit", by, on, **details)
    else:  # sections are not admitted here: the refusal is revoked
        sections.record(locked, "close-before-play", by, on, reason=reason.strip())
    return locked


# ---- Questions, answers and decisions before play, as the record has them
MESSAGE_HEADINGS: Mapping[str, StrOrPromise] = {
    "ask-before-play": gettext_lazy("The office asked."),
    "answer-before-play": gettext_lazy("The region answered."),
    "put-off": gettext_lazy("The office put its decision off."),
}
"""Headings of messages between region and office, by the kind of decision."""
DECISION_HEADINGS: Mapping[str, StrOrPromise] = {
    "admit": gettext_lazy("The office admitted it as declared."),
    "refuse-before-play": gettext_lazy("The office refused it before play."),
    "close-before-play": gettext_lazy("The office found nothing in the way."),
}
"""Headings of the office's decisions."""


def list_before_play_messages(section: Section, *, with_decisions: bool) -> list[Notice]:
    """The messages on a section before play, the oldest first; `with_decisions`: with decisions, except
    refusals that were taken back.
    """
    headings = {**MESSAGE_HEADINGS, **(DECISION_HEADINGS if with_decisions else {})}
    found = Decision.objects.filter(
        federation=section.event.federation_id, about=section.named_on_record, kind__in=list(headings)
    )
    messages = []
    for decision in found.prefetch_related("words").order_by("number"):
        if not was_taken_back(decision):
            details, heading = decision.details, str(headings[decision.kind])
            words = details.get("words") or details.get("reason") or ""
            until = date.fromisoformat(details["until"]) if details.get("until") else None
            messages.append(Notice(decision.number, decision.kind, decision.on, heading, words, until=until))
    return messages


# ---- Permissions of the office
PERMISSION_STAGES = (*OPEN_TO_FILING, Stage.SUBMITTED)
"""The stages of a section in which a permission can make a difference."""


@transaction.atomic
def ask_permission(
    *, section: Section, by: User | None, on: date, version: int, clause: str, reason: str
) -> PermissionRequest:
    """Ask the office for a permission under a clause, before play or after (csa: §18, D-CSA-16).

    Raises `Refused` if there is no such permission, it was requested or granted already, or the reason is
    blank.
    """
    locked = sections.lock_section(section, version=version, stages=PERMISSION_STAGES)
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
    sections.record(locked, "ask-permission", by, on, clause=clause, reason=reason.strip())
    return request


@transaction.atomic
def ask_permission_for_several(
    *,
    section: Section,
    by: User | None,
    on: date,
    version: int,
    clause: str,
    reason: str,
    others: Iterable[Section] = (),
) -> None:
    """Ask for a permission for a section and, in the same words, for others of its event."""
    ask_permission(section=section, by=by, on=on, version=version, clause=clause, reason=reason)
    for other in others:
        ask_permission(section=other, by=by, on=on, version=other.version, clause=clause, reason=reason)


@transaction.atomic
def answer_permission(
    *, request: PermissionRequest, by: User | None, on: date, version: int, granted: bool, reason: str
) -> PermissionRequest:
    """Grant or refuse a region's request; granted findings are waived from then on. `version`: of the
    section.

    Raises `Refused` if the request was answered already, or a refusal has no reason.
    """
    sections.lock_section(request.section, stages=tuple(Stage))
    request = PermissionRequest.objects.select_related("section__event__federation").get(pk=request.pk)
    if request.state != PermissionRequest.State.ASKED:
        raise Refused(_("Somebody answered this request already. Look at it again."))
    section = sections.lock_section(request.section, version=version, stages=PERMISSION_STAGES)
    if not granted and not reason.strip():
        raise Refused(_("Say why you refuse: the region reads it."))
    states = PermissionRequest.State
    request.state = states.GRANTED if granted else states.REFUSED
    request.answered_by, request.answered_on, request.answer = by, on, reason.strip()
    request.save(update_fields=["state", "answered_by", "answered_on", "answer"])
    if granted:
        permission = {"clause": request.clause, "reason": reason.strip() or request.reason}
        section.permissions = [*section.permissions, permission]
    _next_version(section)
    recheck(section)
    kind = "grant-permission" if granted else "refuse-permission"
    sections.record(section, kind, by, on, clause=request.clause, reason=reason.strip())
    return request


def _next_version(section: Section) -> None:
    section.version += 1
    section.save(update_fields=["version", "permissions"])


# ---- Requirements by clause
class CheckResult(StrEnum):
    """The result of checking a requirement."""

    PASS = "pass"
    ALLOWED = "allowed"
    """Not met, and permitted by the office."""
    NOTED = "noted"
    """Not met, and the office does not insist."""
    FAIL = "fail"
    UNKNOWN = "unknown"
    """Known only after play."""
    UNSTATED = "unstated"
    """Unknown because the particulars that it reads are missing."""


def check_requirements(section: Section) -> list[dict[str, Any]]:
    """Check a section against its ruleset's requirements, before play or with its file: for each the clause,
    its words, the result (`check`), and what was `found` against it or is not stated.
    """
    ruleset = section.event.federation.ruleset
    played = section.entries.exists()
    first = ruleset.sections.admission is not None and not played
    found = compute_admission_findings(section) if first else rule_findings(section)
    return [_checked(section, each, found, played) for each in ruleset.sections.requirements]


def _checked(
    section: Section, requirement: Requirement, found: list[Finding], played: bool
) -> dict[str, Any]:
    ruleset = section.event.federation.ruleset
    clause = requirement.clauses[0]
    checked: dict[str, Any] = {"clause": clause, "words": _(ruleset.words.clauses.get(clause, ""))}
    if not (played or requirement.before_play):
        return {**checked, "check": CheckResult.UNKNOWN, "found": ()}
    against = [each for each in found if each.clause in requirement.clauses]
    if not against and (labels := _not_stated(section, requirement)):
        return {**checked, "check": CheckResult.UNSTATED, "found": labels}
    found_words = tuple(describe_finding(each, ruleset) for each in against)
    return {**checked, "check": _weigh(section, against), "found": found_words}


def _not_stated(section: Section, requirement: Requirement) -> tuple[str, ...]:
    """The labels of the particulars that a requirement reads, if none of them is given."""
    fields = form_fields(section.event.federation.ruleset)
    wanted = [field for field in fields if field.name in requirement.reads]
    if any(section.particulars.get(field.name) not in (None, "", []) for field in wanted):
        return ()
    return tuple(_(field.label) for field in wanted)


def _weigh(section: Section, against: list[Finding]) -> CheckResult:
    if not against:
        return CheckResult.PASS
    broken = [each for each in against if each.level != "notice"]
    if not broken:
        return CheckResult.NOTED
    permitted = get_permission_waivers(section)
    return CheckResult.ALLOWED if all(each.key in permitted for each in broken) else CheckResult.FAIL
