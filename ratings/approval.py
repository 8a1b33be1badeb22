"""Decisions on sections: approve, return, refuse or un-rate; each is one transaction.

Each changes the stage and is recorded; approving and un-rating also append to the journal and ask for a
recompute.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _

from players.display import day_in_words
from players.jobs import wake_recompute
from players.models import Decision, Federation, Ledger, Player, User
from players.record import Refused, decide, lock_ledger
from players.register import player_fact
from players.settings import get_settings
from ratings.hints import record_open_hints
from ratings.journal import JournalWriter
from ratings.models import Fact, Hint, HintsSearch
from ratings.pre_ratings import (
    BirthAnswer,
    apply_birth_answer,
    compute_pre_ratings,
    get_birth_questions,
    is_possible_birth,
)
from ratings.results import find_rated_fact, get_list_days_with_section
from ratings.rulesets import facts, journal_lines
from ratings.rulesets.facts import PlayerId
from tournaments.acceptance import find_permit
from tournaments.entries import refuse_merged_or_twice, save_resolved_merged_players
from tournaments.findings import describe_finding
from tournaments.models import Correction, PermissionRequest, Remark, Section, Stage
from tournaments.review import TiedWords, delete_section_taking, save_remark, save_remarks, serialize_remarks
from tournaments.sections import IncompleteSection, section_fact


@transaction.atomic
def approve(
    *,
    section: Section,
    by: User | None,
    on: date,
    version: int,
    reasons: Mapping[int, str] | None = None,
    births: Mapping[PlayerId, BirthAnswer] | None = None,
    despite_hints: str = "",
) -> Fact:
    """Rate a submitted section: append its lines to the journal, and wake the worker.

    `reasons`: by a waivable finding's key, why the office waives it; by default, as its region asked.
    `births`: by number, what an official says of players whose pre-rating is to be stated and whose birth the
    register does not know; it enters the register. `despite_hints`: why hints are left unanswered. Raises
    `Refused` where a finding, such a player or open hints are left without an answer, a player was merged or
    is entered twice, the stage or the version is not what was seen, the rules cannot rate the section, or the
    federation wants four eyes and these two are the same.
    """
    federation, ledger = _enter(section)
    _refuse_own_submission(section, federation, by)
    if section.version == version:
        record_open_hints(section, by, on, despite_hints)
    _move(section, version, seen=Stage.SUBMITTED, to=Stage.RATED)
    waived = _waive(section, reasons or {}, by, on)
    refuse_merged_or_twice(section)
    entries = section.entries.select_related("player__federation", "player__region")
    players = [entry.player for entry in entries if entry.player]
    record, asked = _section_with_pres(section, players, births or {})
    _validate(record, federation)
    _refuse_before_openings(record, federation)
    writer = JournalWriter(federation, ledger)
    day = writer.day(on)
    particulars = writer.write_players([player_fact(player) for player in players])
    line = writer.write(record, section_id=section.pk)
    fact = writer.write(
        facts.Rated(record.id, day), takes=line, particulars="\n".join(particulars), section_id=section.pk
    )
    _leave_open_lists_alone(federation, fact)
    writer.ask_for_recompute()
    Section.objects.filter(pk=section.pk).update(rated_on=day, remarks="")
    delete_section_taking(section)
    also = [f"player {number}" for number in asked.get("births", ())]
    _record(section, "approve", by, day, also=also, fact=fact.number, waived=waived, **asked)
    return fact


class ApprovedTogether(NamedTuple):
    """What came of approving several sections."""

    approved: list[Section]
    stopped: Section | None = None
    """The section at which it stopped; those behind it were not tried."""
    refused: str = ""
    """Why it stopped there."""


def approve_together(
    *, sections: Sequence[Section], versions: Sequence[int], by: User, on: date
) -> ApprovedTogether:
    """Approve sections in this order, each in a transaction of its own, and stop at the first that is not as
    it was seen (`versions`) or has to be looked at by itself; those before it stay approved.
    """
    approved: list[Section] = []
    for section, version in zip(sections, versions, strict=True):
        try:
            section.refresh_from_db(fields=["stage", "version", "submitted_by", "permissions"])
            if section.version == version and (words := find_reason_to_look(section, by)):
                raise Refused(words)
            approve(section=section, by=by, on=on, version=version)
        except Refused as refused:
            return ApprovedTogether(approved, section, str(refused))
        approved.append(section)
    return ApprovedTogether(approved)


def find_reason_to_look(section: Section, by: User) -> str:
    """Why an official has to look at a waiting section by itself before approving it, in words; empty if it
    can be approved together with others.
    """
    if section.stage != Stage.SUBMITTED:
        return _("This section is now “%(stage)s”.") % {"stage": section.get_stage_display()}
    try:
        _refuse_own_submission(section, section.event.federation, by)
        _validate(section_fact(section), section.event.federation)
    except (IncompleteSection, LookupError) as missing:
        return _("It cannot be rated as it is: %(missing)s.") % {"missing": missing}
    except Refused as refused:
        return str(refused)
    if section.findings.filter(level="waivable").exists():
        return _("The region asks for an exception.")
    if Hint.objects.open().filter(section=section).exists():
        return _("Hints are not answered.")
    if not HintsSearch.objects.filter(section=section, version=section.version).exists():
        return _("Hints are still being looked for.")
    return _("A date of birth is missing.") if get_birth_questions(section) else ""


@transaction.atomic
def return_section(
    *,
    section: Section,
    by: User | None,
    on: date,
    version: int,
    reason: str,
    remarks: Sequence[TiedWords] = (),
) -> None:
    """Return a submitted section to its region; `remarks`: further words, each on one thing of it."""
    _enter(section)
    _move(
        section, version, seen=Stage.SUBMITTED, to=Stage.RETURNED, remarks=_clean(reason), notice_read_at=None
    )
    further: dict[str, Any] = {"held_file": section.uploads.held_sha256()}
    further |= {"remarks": serialize_remarks(remarks)} if remarks else {}
    decision = _record(section, "return", by, on, reason=reason, **further)
    save_remark(section, decision, Remark.Kind.RETURN, "reason")
    save_remarks(section, decision, Remark.Kind.RETURN, remarks)


@transaction.atomic
def record_refusal(*, section: Section, by: User | None, on: date, version: int, reason: str) -> None:
    """Refuse to rate a submitted section."""
    _enter(section)
    _move(
        section, version, seen=Stage.SUBMITTED, to=Stage.REFUSED, remarks=_clean(reason), notice_read_at=None
    )
    delete_section_taking(section)
    decision = _record(section, "refuse", by, on, reason=reason, held_file=section.uploads.held_sha256())
    save_remark(section, decision, Remark.Kind.REFUSE, "reason")


@transaction.atomic
def unrate(
    *,
    section: Section,
    by: User | None,
    on: date,
    version: int,
    reason: str,
    words: str = "",
    after_list: bool = False,
) -> Fact:
    """Take a section out of the journal: the ratings become those without it (D-2), published lists stay.

    `reason`: one of `facts.REASONS`, for the journal; `words`: for the region and the public erratum;
    `after_list`: whether the office itself decided so although the section stands in a published list.
    Raises `Refused` where reason or words are missing, a clause wants that decision and there is none, or the
    stage or the version is not what was seen.
    """
    federation, ledger = _enter(section)
    if reason not in facts.UNRATING_REASONS:
        raise Refused(_("Choose why the rating is taken back: the journal shows the reason."))
    refuse_listed(federation, section, after_list=after_list)
    _move(section, version, seen=Stage.RATED, to=Stage.UNRATED, remarks=_clean(words))
    writer = JournalWriter(federation, ledger)
    day = writer.day(on)
    fact = writer.write(facts.Unrated(section.key, day, reason), section_id=section.pk)
    rated = section.facts.filter(kind="rated").in_force().get()
    _leave_open_lists_alone(federation, rated)
    Fact.objects.filter(pk=rated.pk).update(taken_back=fact.number)
    writer.ask_for_recompute()
    first = Coalesce("first_rated_submission", "submitted_on")
    Section.objects.filter(pk=section.pk).update(rated_on=None, first_rated_submission=first)
    save_resolved_merged_players(section)
    told: dict[str, Any] = {"reason": reason, "words": words.strip(), "fact": fact.number}
    told["held_file"] = section.uploads.held_sha256()
    decision = _record(section, "unrate", by, day, **told)
    save_remark(section, decision, Remark.Kind.UNRATE, "words")
    return fact


def _enter(section: Section) -> tuple[Federation, Ledger]:
    """Lock the office's ledger for a decision, then read the section's stage and version as they are now."""
    federation = section.event.federation
    ledger = lock_ledger(federation)
    section.refresh_from_db(fields=["stage", "version", "submitted_by", "permissions"])
    return federation, ledger


def _move(section: Section, version: int, *, seen: Stage, to: Stage, **fields: Any) -> None:
    """Move a section from the stage and version that the official saw to another; else raise `Refused`."""
    rows = Section.objects.filter(pk=section.pk, stage=seen, version=version)
    if not rows.update(stage=to, version=version + 1, **fields):
        words = (
            _("%(who)s acted first: this section was changed, and still waits. Look at it again.")
            if section.stage == seen == Stage.SUBMITTED
            else _(
                "%(who)s acted first: this section is now “%(stage)s”. Look at it again before you decide."
            )
        )
        raise Refused(words % {"who": _name_last_person(section), "stage": section.get_stage_display()})
    section.stage, section.version = to, version + 1


def _name_last_person(section: Section) -> str:
    decisions = Decision.objects.filter(
        federation=section.event.federation, about=f"section {section.key}", by__isnull=False
    )
    newest = decisions.order_by("-number").select_related("by").first()
    return str(newest.by) if newest else _("Somebody else")


def _section_with_pres(
    section: Section, players: Sequence[Player], births: Mapping[PlayerId, BirthAnswer]
) -> tuple[facts.Section, dict[str, list[PlayerId]]]:
    """Return the section as a fact with its pre-ratings stated (§58), and whose births were answered."""
    federation = section.event.federation
    record = section_fact(section)
    _stated, unknown = compute_pre_ratings(federation, record, players)
    if silent := [player for player in unknown if player.number not in births]:
        names = "; ".join(f"{player.shown_name} ({player.number})" for player in silent)
        raise Refused(
            _(
                "The register does not know when these players were born, and their pre-rating follows from "
                "it: %(players)s. Give the year, or say that it is not known."
            )
            % {"players": names}
        )
    answers = {player.number: births[player.number] for player in unknown}
    for player in unknown:
        _learn_birth(player, answers[player.number], section)
    record, _unknown = compute_pre_ratings(federation, record, players)
    asked = {
        "births": [number for number, answer in answers.items() if answer.born is not None],
        "births_not_known": [number for number, answer in answers.items() if answer.born is None],
    }
    return record, {name: numbers for name, numbers in asked.items() if numbers}


def _learn_birth(player: Player, answer: BirthAnswer, section: Section) -> None:
    if answer.born is not None and not is_possible_birth(section, answer.born):
        raise Refused(
            _("%(player)s: nobody of this section was born in %(year)s. Write a year such as 1998.")
            % {"player": player.shown_name, "year": answer.born}
        )
    apply_birth_answer(player, answer)
    player.save(update_fields=["born", "sex"])


def _validate(record: facts.Section, federation: Federation) -> None:
    """Raise `Refused` if the journal does not take the section or the rules cannot rate it."""
    ruleset = federation.ruleset
    try:
        journal_lines.parse_line(journal_lines.write_line(record, ruleset), ruleset)
    except journal_lines.JournalError as error:
        faults = "; ".join(f"{problem.where}: {problem.message}" for problem in error.problems)
        raise Refused(_("The journal does not take this section: %(faults)s") % {"faults": faults}) from None
    if finding := ruleset.sections.find_unrateable_reason(record):
        words = ruleset.words.messages[finding.key].format(**finding.params)
        raise Refused(_("Clause %(clause)s: %(words)s") % {"clause": finding.clause, "words": words})


def _refuse_before_openings(record: facts.Section, federation: Federation) -> None:
    """Raise `Refused` if the office's first section began before the ratings with which the office begins."""
    opening = Fact.objects.newest_of(federation, "opening")
    if opening is None or opening.on is None or record.starts > opening.on:
        return
    if not Fact.objects.filter(federation=federation, kind="section").exists():
        words = _("The opening ratings are of %(day)s: the first section must begin after that day.")
        raise Refused(words % {"day": day_in_words(opening.on)})


def _leave_open_lists_alone(federation: Federation, fact: Fact) -> None:
    """Raise `Refused` before a list being drawn up, which shows what was known when it was published."""
    line = Ledger.objects.values_list("line", flat=True).get(federation=federation)
    closings = Fact.objects.filter(federation=federation, kind="list", number__gt=line, order__gt=fact.order)
    if closing := closings.first():
        raise Refused(
            _("The list of %(day)s is just being drawn up. Decide this when it is there; it is seconds.")
            % {"day": day_in_words(closing.on or "")}
        )


def _waive(section: Section, reasons: Mapping[int, str], by: User | None, on: date) -> list[dict[str, str]]:
    """Waive the section's waivable findings, each with the office's reason (by the finding's key) or else the
    region's, and grant the permissions asked for; return them for the record. `Section.permissions` keeps the
    reasons by clause.
    """
    waivable = list(section.findings.filter(level="waivable"))
    for finding in waivable:
        finding.waived_because = reasons.get(finding.pk, finding.waived_because).strip()
        if not finding.waived_because:
            words = describe_finding(finding, section.event.federation.ruleset)
            raise Refused(_("Say why you allow this, or return the section: %(words)s") % {"words": words})
    section.findings.bulk_update(waivable, ["waived_because"])
    waived = {each.clause: each.waived_because for each in waivable if each.clause}
    section.permissions = [
        *(each for each in section.permissions if each["clause"] not in waived),
        *({"clause": clause, "reason": because} for clause, because in waived.items()),
    ]
    Section.objects.filter(pk=section.pk).update(permissions=section.permissions)
    for finding in waivable:
        if permit := find_permit(section, finding.key):
            section.permission_requests.open().filter(clause=permit.clause).update(
                state=PermissionRequest.State.GRANTED,
                answered_by=by,
                answered_on=on,
                answer=finding.waived_because,
            )
    return [{"clause": f.clause, "key": f.key, "waived_because": f.waived_because} for f in waivable]


def refuse_listed(federation: Federation, section: Section, *, after_list: bool) -> None:
    """Raise `Refused` if a clause leaves un-rating a listed section to the office (`after_list`)."""
    clause = federation.equipment.office.powers.listed_clause
    rated = find_rated_fact(section)
    if after_list or not clause or rated is None or not get_list_days_with_section(federation, rated):
        return
    raise Refused(
        _(
            "This section stands in a published list. By clause %(clause)s nothing in it is changed unless "
            "the office itself decides so: confirm that it did."
        )
        % {"clause": clause}
    )


def _clean(reason: str) -> str:
    if not reason.strip():
        raise Refused(_("Say why: the region reads it and acts on it."))
    return reason.strip()


def _record(section: Section, kind: str, by: User | None, on: date, **details: Any) -> Decision:
    federation = section.event.federation
    decision = decide(federation, kind=kind, by=by, on=on, about=f"section {section.key}", **details)
    if kind in ("approve", "unrate"):
        wake_recompute(federation)
    return decision


def _refuse_own_submission(section: Section, federation: Federation, by: User | None) -> None:
    """Raise `Refused` where the office wants four eyes and `by` submitted or corrected the section."""
    if by is None or not get_settings(federation).four_eyes:
        return
    if section.submitted_by_id == by.pk:
        raise Refused(
            _(
                "In this office, you cannot approve a section that you submitted. Another official "
                "has to approve it."
            )
        )
    if Correction.objects.standing(section).filter(by=by).exists():
        raise Refused(
            _(
                "In this office, you cannot approve a section that you corrected. Another official has "
                "to approve it."
            )
        )
