"""The deeds of region and office about a case: answering, noting inside, closing with an outcome."""

from __future__ import annotations

from datetime import date, datetime

from django.db import transaction
from django.utils.translation import gettext as _

from players.office.decision_record import Refused, decide, lock_ledger
from players.office.mail.letters import order_letter
from players.office.models import User
from tournaments.cases.case_letters import ANSWER, OUTCOME
from tournaments.cases.models import Case, CaseMessage

OUTCOMES = [each for each in Case.Outcome if each != Case.Outcome.LAPSED]
"""The outcomes that an official chooses from; the clock has one of its own."""


@transaction.atomic
def answer_case(
    *,
    case: Case,
    by: User | None,
    on: date,
    at: datetime,
    version: int,
    words: str,
    author: str = CaseMessage.Author.OFFICE,
) -> Case:
    """Answer a case: its reporter gets the words by a letter. Raises `Refused` without words, once the case
    is closed, or where it changed since the page was opened.
    """
    locked = _locked(case, version)
    message = _said(locked, by, at, words, author)
    locked.state = Case.State.ANSWERED
    _saved(locked)
    _on_record(locked, "answer-case", by, on)
    order_letter(locked.email, ANSWER, case=locked.pk, message=message.pk)
    return locked


@transaction.atomic
def note_in_case(
    *,
    case: Case,
    by: User | None,
    on: date,
    at: datetime,
    version: int,
    words: str,
    author: str = CaseMessage.Author.OFFICE,
) -> Case:
    """Note something in a case that region and office read, and its reporter never. Raises `Refused` as
    `answer_case` does.
    """
    locked = _locked(case, version)
    _said(locked, by, at, words, author, internal=True)
    _saved(locked)
    _on_record(locked, "note-in-case", by, on)
    return locked


@transaction.atomic
def close_case(
    *, case: Case, by: User | None, on: date, at: datetime, version: int, outcome: str, words: str
) -> Case:
    """Close a case with an outcome, which its reporter reads with the office's words. Raises `Refused` as
    `answer_case` does, and for an outcome that there is not.
    """
    locked = _locked(case, version)
    if outcome not in OUTCOMES:
        raise Refused(_("Choose how the case ended."))
    message = _said(locked, by, at, words, CaseMessage.Author.OFFICE)
    locked.state, locked.outcome, locked.closed_on = Case.State.CLOSED, outcome, on
    _saved(locked)
    _on_record(locked, "close-case", by, on, outcome=outcome)
    order_letter(locked.email, OUTCOME, case=locked.pk, message=message.pk)
    return locked


def _locked(case: Case, version: int) -> Case:
    lock_ledger(case.federation)
    locked = Case.objects.confirmed().select_related("federation", "region").get(pk=case.pk)
    if locked.state == Case.State.CLOSED:
        raise Refused(_("This case is closed already."))
    if locked.version != version:
        raise Refused(_("This case changed while your page was open. Read it as it is now, and try again."))
    return locked


def _said(
    case: Case, by: User | None, at: datetime, words: str, author: str, *, internal: bool = False
) -> CaseMessage:
    if not words.strip():
        raise Refused(_("Write a few words: without them nobody knows what you mean."))
    return CaseMessage.objects.create(
        case=case, author=author, by=by, at=at, words=words.strip(), internal=internal
    )


def _saved(case: Case) -> None:
    case.version += 1
    case.save(update_fields=["state", "version", "closed_on", "outcome"])


def _on_record(case: Case, kind: str, by: User | None, on: date, **told: object) -> None:
    """Put the deed on record, without the words: they are deleted with the case."""
    decide(case.federation, kind=kind, by=by, on=on, about=f"case {case.pk}", **told)
