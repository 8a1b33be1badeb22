"""The office's record: one `Decision` a deed, numbered under the ledger's lock."""

from __future__ import annotations

from datetime import date
from typing import Any

from django.db import transaction
from django.utils import timezone

from players.models import Decision, Federation, Ledger, User


class Refused(Exception):
    """A service does not do what it was asked, with the words for whoever asked. Nothing was written."""


def lock_ledger(federation: Federation) -> Ledger:
    """The federation's ledger row, locked until the transaction ends: decisions of one office queue here.

    On SQLite every transaction holds the write lock from its start, and `FOR UPDATE` is nothing.
    """
    return Ledger.objects.select_for_update().get(federation=federation)


@transaction.atomic
def decide(
    federation: Federation, *, kind: str, by: User | None, on: date, about: str, **details: Any
) -> Decision:
    """Add a row to the record, in the transaction of the deed itself."""
    ledger = lock_ledger(federation)
    ledger.decisions += 1
    ledger.save(update_fields=["decisions"])
    return Decision.objects.create(
        federation=federation,
        number=ledger.decisions,
        kind=kind,
        by=by,
        at=timezone.now(),
        on=on,
        about=about,
        details=details,
    )
