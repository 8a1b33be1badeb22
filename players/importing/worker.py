"""The worker's part: the dry run of a table, and its writing. The row is the job, and a message only wakes.

Before anything is written the dry run is made once more, with no lock held; only if it gives what was
confirmed, and nobody decided anything since, does the one transaction begin. Killed anywhere, nothing is
half-written.
"""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import IO, Any

import structlog
from django.db import connection, transaction
from django.db.models import Case, CharField, Value, When

from players.importing.compare_table import (
    PART,
    ColumnsUnnamed,
    OnProgress,
    TableComparison,
    TableRefused,
    shown_head,
)
from players.importing.models import WORKING, RegisterImport, RegisterLine, State
from players.importing.openings import OpeningTerms, TakenOpening, openings_of, write_openings
from players.importing.problem_messages import RowProblem
from players.importing.row_effects import Digest, Planned
from players.importing.services import ABOUT
from players.importing.writing import RegisterChange, RegisterWriter
from players.office import job_lease
from players.office.decision_record import Refused, decide, lock_ledger
from players.office.models import Federation, Ledger
from players.office.stored_bytes import NoRoom, refuse_beyond_room
from players.office.wake_worker import wake
from players.register.models import BirthDate, Identifier, NameWord, Player
from ratings.journal.models import Fact
from ratings.storage.bulk_writing import MANY, NULL, Spool, escaped, take_stock
from tournaments.box.run_box import BoxDied, table_boxed

log = structlog.get_logger("players.importing")
MOST_ROUNDS = 5
"""The number of times a dry run is made anew because somebody decided something meanwhile."""
BEFORE = {State.READING: State.WAITING, State.WRITING: State.CONFIRMED}
GIVEN_UP = {State.READING: State.REFUSED, State.WRITING: State.PLANNED}
CRASHED = {State.READING: "box-crash", State.WRITING: "not-written"}
"""The reason given where workers died at it, or failed for no reason of the table's own."""
STARTED = Case(
    *(When(state__in=(before, state), then=Value(state)) for state, before in BEFORE.items()),
    output_field=CharField(),
)
JOBS = (
    RegisterImport.objects.filter(state__in=WORKING)
    .exclude(federation__in=Federation.objects.filter(ledger__held=True))
    .defer("content", "reading")
    .select_related("federation")
)
"""The tables to work on; those of an office put back from a backup wait until it goes on."""
COLUMNS = (
    *("register_import_id", "line", "kind", "player_id", "number", "name", "changes", "problems"),
    "opening",
)


def run(key: int) -> None:
    """Do the work that a table waits for, if nobody else does: its dry run, or its writing."""
    job = claim(key)
    if job is None:
        return
    work = dry_run if job.state == State.READING else write
    try:
        work(job)
    except ColumnsUnnamed as unnamed:
        reason = unnamed.problem.as_dict()
        job_lease.release(job, state=State.UNNAMED, reason=reason, progress=100, head=unnamed.head)
    except TableRefused as refused:
        problem = {**refused.problem.as_dict(), "line": refused.line}
        job_lease.release(job, state=State.REFUSED, reason=problem, progress=100)
    except BoxDied as died:
        log.warning("the box died", table=job.pk, attempt=job.attempts, reason=died.reason)
        _fail(job, died.reason)
    except job_lease.DATABASE_TROUBLE:  # the sweep comes back for the job
        job_lease.give_back(job, state=BEFORE[State(job.state)], progress=0)
    except Exception:
        log.exception("a table could not be worked on", table=job.pk, attempt=job.attempts)
        _fail(job, CRASHED[State(job.state)])


def sweep() -> None:
    """Do the work of tables that no message announced or a dead worker left behind."""
    for key in job_lease.free(JOBS).values_list("pk", flat=True):
        run(key)


def claim(key: int) -> RegisterImport | None:
    """Lease a table to this worker. None where it needs no work, another worker has it, or it is given up
    here because too many workers died at it.
    """
    job = job_lease.claim(JOBS, key, state=STARTED, progress=1)
    if job is not None and job.attempts > job_lease.MOST_ATTEMPTS:
        _give_up(job, CRASHED[State(job.state)])
        return None
    return job


def _fail(job: RegisterImport, reason: str) -> None:
    """Try a table once more after a failure, or give it up for `reason` after the last attempt."""
    if job.attempts >= job_lease.MOST_ATTEMPTS:
        _give_up(job, reason)
    else:
        job_lease.release(job, state=BEFORE[State(job.state)], progress=0)
        run(job.pk)


def _give_up(job: RegisterImport, reason: str) -> None:
    state = GIVEN_UP[State(job.state)]
    job_lease.release(job, state=state, reason=RowProblem(reason).as_dict(), progress=100)


# ---------------------------------------------------------------- the dry run


def dry_run(job: RegisterImport) -> None:
    """Work out and store what each row of a table would do to the register, which is not touched."""
    reading = _reading(job, _progress(job, 0, 40))
    spool = Spool(RegisterLine, COLUMNS)
    try:
        table = TableComparison(job, reading, openings_of)
        digest, counts = _into(spool, job, table.planned(_progress(job, 40, 90)))
        with transaction.atomic():
            if job_lease.hold(job):
                _keep(job, spool, table, digest=str(digest), counts=counts)
    finally:
        spool.close()


def _keep(job: RegisterImport, spool: Spool, table: TableComparison, **fields: Any) -> None:
    """Store this dry run in place of the earlier one, and end the job; the caller holds the transaction."""
    job.lines.all().delete()
    spool.write()
    told = {"head": shown_head(table.head), "notices": table.notices, "coming_list": table.coming_list}
    job_lease.release(job, state=State.PLANNED, progress=100, reason={}, **told, **fields)


def _into(spool: Spool, job: RegisterImport, planned: Iterator[Planned]) -> tuple[Digest, dict[str, int]]:
    digest, counts = Digest(), Counter(dict.fromkeys(RegisterLine.Kind.values, 0))
    for each in planned:
        digest.add(each)
        counts[each.kind] += 1
        if each.opening:
            counts["openings"] += 1
        spool.add(
            str(job.pk),
            str(each.line),
            str(each.kind),
            str(each.player.pk) if each.player else NULL,
            escaped(each.number),
            escaped(each.name),
            escaped(each.changes_json),
            escaped(each.problems_json),
            escaped(json.dumps(each.opening)),
        )
    return digest, dict(counts)


def _reading(job: RegisterImport, beat: OnProgress) -> bytes:
    """The table as the box read it, compressed. It is stored, so that the box opens the table only once."""
    row = RegisterImport.objects.filter(pk=job.pk)
    reading = row.values_list("reading", flat=True).get()
    if reading is not None:
        return bytes(reading)
    content = row.values_list("content", flat=True).get() or b""
    # The duration is not known, so the bar only creeps.
    with table_boxed(bytes(content), job.name, on_progress=lambda s: beat(s / (s + 15))) as output:
        made = _compressed(output)
    _keep_reading(job, made)
    return made


@transaction.atomic
def _keep_reading(job: RegisterImport, made: bytes) -> None:
    lock_ledger(job.federation)
    try:
        refuse_beyond_room(len(made), job.federation)
    except NoRoom as refused:
        raise TableRefused(RowProblem("no-room", params=refused.params)) from None
    job_lease.beat(job, reading=made)


def _compressed(output: IO[bytes]) -> bytes:
    packer = zlib.compressobj(1)
    parts = [packer.compress(part) for part in iter(lambda: output.read(PART), b"")]
    return b"".join([*parts, packer.flush()])


# ---------------------------------------------------------------- the writing


def write(job: RegisterImport) -> None:
    """Write a confirmed table if a new dry run gives the same; else store the new one, to be confirmed."""
    for _round in range(MOST_ROUNDS):
        if _written(job):
            return
    _fail(job, CRASHED[State.WRITING])


def _written(job: RegisterImport) -> bool:
    """Try once to write what was confirmed; return whether the job ended: written, or a new dry run stored.

    False: somebody decided something meanwhile, so that it has to be tried again.
    """
    seen = Ledger.objects.get(federation=job.federation).decisions
    spool = Spool(RegisterLine, COLUMNS)
    try:
        table = TableComparison(job, _reading(job, _progress(job, 0, 5)), openings_of)
        digest, counts = _into(spool, job, table.planned(_progress(job, 5, 60)))
        with transaction.atomic():
            ledger = lock_ledger(job.federation)
            if not job_lease.hold(job):
                return True
            job.refresh_from_db(fields=["digest", "counts", "confirmed_by", "confirmed_on", "leave_out"])
            if str(digest) != job.digest:
                _keep(job, spool, table, digest=str(digest), counts=counts, stale=True)
                return True
            if ledger.decisions != seen:
                return False
            _write_now(job, ledger)
    finally:
        spool.close()
    if job.counts["new"] + job.counts["changed"] > MANY:
        take_stock(Player, NameWord, BirthDate, Identifier, Fact)
    return True


def _write_now(job: RegisterImport, ledger: Ledger) -> None:
    """Write a confirmed dry run to register, journal and record, and end the job, under the ledger's lock."""
    if job.confirmed_on is None:
        raise LookupError("nobody confirmed this table")
    register = RegisterWriter(job.federation, ledger, job.confirmed_on)
    register.write(_changes(job))
    if register.entered:
        _tell_whom(register.entered)
    told = {name: job.counts[name] for name in ("new", "changed")}
    if job.opening:
        told |= {"openings": _write_openings(job, ledger), "day": job.opening["on"]}
        told |= {name: job.opening[name] for name in ("track", "source")}
    decide(
        job.federation,
        kind="import-register",
        by=job.confirmed_by,
        on=job.confirmed_on,
        about=ABOUT,
        **told,
        left_out=job.counts["problem"],
        sha256=job.sha256,
    )
    if register.close() or job.opening:
        wake("ratings.tasks.recompute", job.federation_id)
    job.lines.filter(kind=RegisterLine.Kind.UNCHANGED).delete()
    job_lease.release(job, state=State.WRITTEN, progress=100, reading=None, stale=False, reason={})


def _write_openings(job: RegisterImport, ledger: Ledger) -> int:
    """Add the openings of a table to the journal, and return their number; the players are entered by now."""
    rows = job.lines.exclude(opening={}).exclude(kind=RegisterLine.Kind.PROBLEM)
    openings = {
        player: TakenOpening(told["rating"], told["games"])
        for player, told in rows.values_list("player_id", "opening")
    }
    try:
        write_openings(job.federation, ledger, OpeningTerms(**job.opening), openings)
    except Refused as refused:
        raise TableRefused(RowProblem("openings-refused", params={"why": str(refused)})) from None
    return len(openings)


def _changes(job: RegisterImport) -> Iterator[RegisterChange]:
    """Yield a dry run's changes: of known players, of new ones with numbers, of new ones who get free
    numbers.
    """
    new = job.lines.filter(kind=RegisterLine.Kind.NEW)
    changed = job.lines.filter(kind=RegisterLine.Kind.CHANGED)
    for lines in (changed, new.exclude(number=""), new.filter(number="")):
        rows = lines.values_list("changes", "player_id", "number", "pk")
        for changes, player, number, line in rows.iterator(chunk_size=2_000):
            yield RegisterChange(changes, player, number, line)


def _tell_whom(entered: Sequence[tuple[int, str, int | None]]) -> None:
    """Write on the dry run's rows whom they entered. `entered`: player's key, number, key of the row."""
    table = connection.ops.quote_name(RegisterLine._meta.db_table)
    with connection.cursor() as cursor:
        cursor.executemany(f"UPDATE {table} SET player_id = %s, number = %s WHERE id = %s", entered)


def _progress(job: RegisterImport, first: int, last: int) -> OnProgress:
    """Make a function that reports a share of work done as progress from `first` to `last` per cent; a report
    is the worker's sign of life too.
    """
    pulse = job_lease.Pulse(job)

    def beat(share: float) -> None:
        pulse.beat(progress=first + int((last - first) * min(share, 1)))

    return beat
