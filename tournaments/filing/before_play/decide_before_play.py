"""The first decision where it is not the admission: refused, put off, a question to the region, or that
nothing stands in the way.
"""

from __future__ import annotations

from datetime import date
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from players.office.decision_record import Refused, decide
from players.office.models import User
from tournaments.events.lock_section import lock_section
from tournaments.events.models import Section, Stage
from tournaments.events.section_days import refused_before_play
from tournaments.filing.before_play.first_decision import (
    ASKED,
    PUT_OFF,
    REFUSED,
    decides_before_play,
    declared_now,
    may_close_before_play,
    may_decide_before_play,
    question_to_region,
)
from tournaments.filing.change_stage import change_stage
from tournaments.filing.changes.notices import standing_notice
from tournaments.review.appeal_models import Appeal
from tournaments.review.take_back import REPLACED


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
    """The state that a refusal replaces, for `tournaments.review.take_back` to put back."""
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
