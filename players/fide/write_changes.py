"""Takes over particulars from FIDE's list."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from django.db import transaction

from players.importing.services import ABOUT
from players.importing.writing import RegisterChange, RegisterWriter
from players.office.decision_record import decide, lock_ledger
from players.office.models import Federation, User
from players.office.wake_worker import wake


@transaction.atomic
def take_fide(
    *, federation: Federation, changes: Sequence[RegisterChange], source: str, by: User | None, on: date
) -> None:
    """Write the changes found by a comparison with FIDE's list, all or none. `source`: the file's name."""
    ledger = lock_ledger(federation)
    register = RegisterWriter(federation, ledger, on)
    register.write(iter(changes))
    wanted = register.close()
    decide(federation, kind="take-fide", by=by, on=on, about=ABOUT, changed=len(changes), source=source[:100])
    if wanted:
        wake("ratings.tasks.recompute", federation.pk)
