"""Officials' decisions on the register as a whole; each is one transaction, and the record keeps it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from datetime import date, datetime

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from players.importing.compare_table import purpose_of
from players.importing.models import NAMEABLE, WORKING, RegisterImport, State
from players.importing.named_columns import Naming, remember
from players.importing.openings import OpeningTerms, refuse_openings
from players.office.decision_record import Refused, decide, keep_mark, lock_ledger, made_before
from players.office.models import Federation, Region, User
from players.office.stored_bytes import refuse_beyond_room
from players.office.wake_worker import wake
from tournaments.box.displayed_file_name import plain_name

MOST_BYTES = 30 * 1024 * 1024
MOST_ROWS = 150_000
TOO_BIG = gettext_lazy("The file is larger than 30 MB, the most that a register may have.")
IMPORT_REGISTER = "players.tasks.import_register"
ABOUT = "register"


@transaction.atomic
def receive_register(
    *,
    federation: Federation,
    by: User | None,
    at: datetime,
    on: date,
    name: str,
    data: bytes,
    takes_numbers: bool = False,
    opening: OpeningTerms | None = None,
    mark: str = "",
) -> RegisterImport:
    """Store a table for the worker, who shows what it would change. A table that awaits confirmation is
    discarded. `opening`: the list whose ratings the table brings, if any. `mark`: of the form; sent again, it
    returns the table that it stored.

    Raises `Refused` where the table is empty or too large, the office has no room or cannot take over
    ratings, or another table is being worked on.
    """
    lock_ledger(federation)
    if key := made_before(federation, mark):
        return federation.register_imports.get(pk=key)
    _refuse_table(federation, data, opening, on)
    for earlier in federation.register_imports.filter(state__in=NAMEABLE):
        _let_go(earlier)
    refuse_beyond_room(len(data), federation)
    sha256 = hashlib.sha256(data).hexdigest()
    received = RegisterImport.objects.create(
        federation=federation,
        by=by,
        at=at,
        on=on,
        name=plain_name(name),
        size=len(data),
        sha256=sha256,
        content=data,
        takes_numbers=takes_numbers,
        opening=opening.as_dict() if opening else {},
    )
    keep_mark(federation, mark, received.pk)
    decide(federation, kind="receive-register", by=by, on=on, about=ABOUT, sha256=sha256)
    wake(IMPORT_REGISTER, received.pk)
    return received


def _refuse_table(federation: Federation, data: bytes, opening: OpeningTerms | None, on: date) -> None:
    if opening is not None:
        refuse_openings(federation, opening, on)
    if not data:
        raise Refused(_("The file is empty. Choose the table again."))
    if len(data) > MOST_BYTES:
        raise Refused(str(TOO_BIG))
    if federation.register_imports.filter(state__in=WORKING).exists():
        raise Refused(_("The office is working on another table. Wait until that is finished."))


@transaction.atomic
def name_columns(*, register_import: RegisterImport, naming: Naming, digest: str) -> None:
    """Take a person's word on what a table's columns hold, remember it for tables with these headings, and
    let the worker compare the table anew. `digest`: of the dry run that the person saw; empty: there was
    none.

    Raises `Refused` where the table waits for nobody, or is not as the person saw it.
    """
    lock_ledger(register_import.federation)
    register_import.refresh_from_db()
    if not register_import.nameable or register_import.digest != digest:
        raise Refused(_("Somebody else acted first. Look at the table again."))
    remember(
        register_import.federation, register_import.head["headings"], purpose_of(register_import), naming
    )
    register_import.lines.all().delete()
    RegisterImport.objects.filter(pk=register_import.pk).update(
        state=State.WAITING,
        naming=naming.as_dict(),
        attempts=0,
        progress=0,
        digest="",
        counts={},
        notices=[],
        reason={},
        stale=False,
    )
    wake(IMPORT_REGISTER, register_import.pk)


@transaction.atomic
def confirm_register(
    *, register_import: RegisterImport, by: User | None, on: date, digest: str, leave_out: bool
) -> None:
    """Let the worker write the table whose dry run has this digest; the writing records the decision.

    Raises `Refused` where the dry run is no longer this one, nothing would change, or rows have problems and
    nobody chose to leave them out.
    """
    lock_ledger(register_import.federation)
    register_import.refresh_from_db()
    if register_import.state != State.PLANNED or register_import.digest != digest:
        raise Refused(
            _("Somebody else acted first, or the register changed. Check what the table would change now.")
        )
    counts = register_import.counts
    if counts["problem"] and not leave_out:
        raise Refused(_("Some rows have problems. Correct the table, or choose to go on without those rows."))
    if not counts["new"] + counts["changed"]:
        raise Refused(_("The table would change nothing."))
    RegisterImport.objects.filter(pk=register_import.pk).update(
        state=State.CONFIRMED,
        leave_out=leave_out,
        confirmed_by=by,
        confirmed_on=on,
        attempts=0,
        progress=0,
        stale=False,
        reason={},
    )
    wake(IMPORT_REGISTER, register_import.pk)


@transaction.atomic
def discard_register(*, register_import: RegisterImport, by: User | None, on: date) -> None:
    """Discard a table that is not written, with its bytes and its dry run."""
    federation = register_import.federation
    lock_ledger(federation)
    register_import.refresh_from_db(fields=["state"])
    if not register_import.discardable:
        raise Refused(_("It is too late: the worker has started, or has finished. Open the table again."))
    _let_go(register_import)
    sha256 = register_import.sha256
    decide(federation, kind="discard", by=by, on=on, about=ABOUT, sha256=sha256)


def _let_go(register_import: RegisterImport) -> None:
    register_import.lines.all().delete()
    RegisterImport.objects.filter(pk=register_import.pk).update(
        state=State.DISCARDED, content=None, reading=None
    )


def export_register(
    *,
    federation: Federation,
    by: User | None,
    on: date,
    layout: str,
    births: str,
    players: int,
    regions: Iterable[Region] | None = None,
) -> None:
    """Record that somebody exported the register; `births`: how much of them (`day`, `year`).

    `regions`: those whose players were exported; None: all.
    """
    decide(
        federation,
        kind="export-register",
        by=by,
        on=on,
        about=ABOUT,
        layout=layout,
        births=births,
        players=players,
        region=None if regions is None else sorted(region.code for region in regions),
    )
