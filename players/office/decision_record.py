"""The office's record: one `Decision` for each thing done, numbered under the ledger's lock."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from players.office import record_chain_and_sealed_words
from players.office.models import Decision, DecisionWords, Federation, Ledger, SentForm, User


class Refused(Exception):
    """A service's refusal of a decision, with words for the person who asked. Nothing was written."""


def lock_ledger(federation: Federation) -> Ledger:
    """Return the ledger row, locked until the transaction ends: an office's decisions queue here.

    On SQLite every transaction holds the write lock from its start, and `FOR UPDATE` does nothing.
    """
    return Ledger.objects.select_for_update().get(federation=federation)


def made_before(federation: Federation, mark: str) -> str:
    """Return what a form of this mark made, as `keep_mark` was told; empty if it has made nothing yet.

    The caller holds the ledger's lock, so that of two that come at once the second finds what the first made.
    """
    sent = SentForm.objects.filter(federation=federation, mark=mark) if mark else SentForm.objects.none()
    return sent.values_list("made", flat=True).first() or ""


def keep_mark(federation: Federation, mark: str, made: object) -> None:
    """Keep what a form of this mark made, in the transaction that made it."""
    if mark:
        SentForm.objects.create(federation=federation, mark=mark, made=str(made))


SETTLING = frozenset({"resume", "take-lines", "begin-origin"})
"""Decisions that say what was signed since a backup, and so end an office's hold."""


@transaction.atomic
def decide(
    federation: Federation, *, kind: str, by: User | None, on: date, about: str, **details: Any
) -> Decision:
    """Add a row to the record, in the same transaction as the thing decided.

    Details whose key is one of `WORDS`, and values in `SealedWords`, are sealed: it keeps a salted digest
    of them, and the words stand apart, where they can be withdrawn (`record_chain_and_sealed_words`).
    """
    ledger = lock_ledger(federation)
    if ledger.held and kind not in SETTLING:
        raise Refused(
            _(
                "This office was put back from a backup. Nothing can be decided until its operator has said "
                "what was signed since."
            )
        )
    decision = Decision(
        federation=federation,
        number=ledger.decisions + 1,
        kind=kind,
        by=by,
        at=timezone.now(),
        on=on,
        about=about,
    )
    write_decisions(federation, [(decision, details)])
    return decision


@transaction.atomic
def bridge(
    federation: Federation, *, kind: str, on: date, about: str, lost: tuple[int, str], **details: Any
) -> Decision:
    """Add a row after decisions that a backup did not have, chained to the hash of the last of them.

    `lost`: the number and hash of the newest decision that was signed. What is between is named in the row.
    """
    ledger = lock_ledger(federation)
    number, hash_ = lost
    gap = [ledger.decisions + 1, number]
    decision = Decision(
        federation=federation, number=number + 1, kind=kind, at=timezone.now(), on=on, about=about
    )
    Ledger.objects.filter(pk=ledger.pk).update(decisions=number)
    write_decisions(federation, [(decision, {**details, LOST: gap, HEAD: hash_})], previous=hash_)
    return decision


LOST, HEAD = "lost", "head"
"""Details of a row that bridges lost decisions: the first and last number, and the hash of the last."""


def write_decisions(
    federation: Federation,
    told: Iterable[tuple[Decision, Mapping[str, Any]]],
    previous: str | None = None,
) -> None:
    """Chain and save new rows, numbered on from the ledger's count; the caller holds the ledger's lock.

    `previous`: the hash before the first of them, where it is not that of the newest row.
    """
    previous = newest_hash(federation) if previous is None else previous
    decisions, openings = [], []
    for decision, details in told:
        decision.sealed_details, opened = record_chain_and_sealed_words.sealed(details)
        previous = decision.hash = record_chain_and_sealed_words.hash_of(decision, previous)
        decisions.append(decision)
        openings += [(decision, opening) for opening in opened]
    Decision.objects.bulk_create(decisions, batch_size=2_000)
    DecisionWords.objects.bulk_create(
        (
            DecisionWords(decision=decision, key=opening.key, salt=opening.salt, value=opening.value)
            for decision, opening in openings
        ),
        batch_size=2_000,
    )
    Ledger.objects.filter(federation=federation).update(decisions=F("decisions") + len(decisions))


def newest_hash(federation: Federation) -> str:
    """The hash of the newest decision of an office; empty if there is none."""
    newest = Decision.objects.filter(federation=federation).values_list("hash", flat=True)
    return newest.order_by("-number").first() or ""


@transaction.atomic
def withdraw_words(*, decision: Decision, by: User | None, on: date) -> None:
    """Delete the words written into a decision, with their salt; the row and its digest stay.

    Raises `Refused` if there are no words any more.
    """
    lock_ledger(decision.federation)
    gone, _rows = decision.words.all().delete()
    if not gone:
        raise Refused(_("Decision %(number)s has no words to withdraw.") % {"number": decision.number})
    decide(decision.federation, kind="withdraw-words", by=by, on=on, about=f"decision {decision.number}")
