"""The office's record: one `Decision` for each thing done, numbered under the ledger's lock."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _

from players.office import chain
from players.office.models import Decision, DecisionWords, Federation, Ledger, User


class Refused(Exception):
    """A service's refusal, with the words for the person who asked. Nothing was written."""


def lock_ledger(federation: Federation) -> Ledger:
    """Return the ledger row, locked until the transaction ends: an office's decisions queue here.

    On SQLite every transaction holds the write lock from its start, and `FOR UPDATE` does nothing.
    """
    return Ledger.objects.select_for_update().get(federation=federation)


@transaction.atomic
def decide(
    federation: Federation, *, kind: str, by: User | None, on: date, about: str, **details: Any
) -> Decision:
    """Add a row to the record, in the same transaction as the thing decided.

    Details whose key is one of `chain.WORDS`, and values in `chain.SealedWords`, are sealed: the row keeps
    a salted digest of them, and the words stand apart, where they can be withdrawn.
    """
    ledger = lock_ledger(federation)
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


def write_decisions(federation: Federation, told: Iterable[tuple[Decision, Mapping[str, Any]]]) -> None:
    """Chain and save new rows, numbered on from the ledger's count; the caller holds the ledger's lock."""
    previous = newest_hash(federation)
    decisions, openings = [], []
    for decision, details in told:
        decision.sealed_details, opened = chain.sealed(details)
        previous = decision.hash = chain.hash_of(decision, previous)
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
    """The hash of the newest row, empty if there is none."""
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
