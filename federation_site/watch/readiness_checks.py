"""Looks whether this web process can do its work, and whether the worker does its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, TypeVar

from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.cache import caches
from django.db import Error, connection, transaction
from django.db.models import Min
from django.utils import timezone

from federation_site.startup_checks.clock_check import seconds_behind
from federation_site.startup_checks.pending_migrations import migrations_pending
from federation_site.watch.signs_of_life import FILES, WORKER, WRITING, age, give
from players.importing.models import WORKING, RegisterImport
from players.office.models import Decision, Ledger, Letter
from ratings.recompute.models import RulesVersion
from ratings.recompute.office_rules import own_rules
from tournaments.events.file_models import Archive, Upload

WORKER_SILENT = 90
"""The seconds without a sign of the worker after which it is taken for dead: three sweeps."""
WORK_LATE = 120
"""The seconds that decided work may wait before something is wrong."""
LETTER_LATE = 15 * 60
"""The seconds that a letter may wait: four tries have failed then."""
_PATIENCE_MS = 1000
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Readiness:
    """The result of a look, part by part; `ready` is about this process alone, `working` about the worker."""

    schema: bool
    writes: bool
    pages: bool
    cache: bool
    pending: int | None
    """The offices with ratings to compute; None where the database does not answer."""
    oldest_work: float | None
    """The age of the oldest work that waits, in seconds: ratings, files, tables; None: nothing waits."""
    worker_seen: float | None
    """The seconds since the worker's last sign; None: never, or the database does not answer."""
    clock_behind: float | None = None
    """The seconds by which the clock is behind the record; None where the database does not answer."""
    new_rules_wait: list[str] | None = None
    """The offices that have to say whether new rules are applied; None where the database does not answer."""
    files_seen: float | None = None
    """The same of the worker of files."""
    oldest_letter: float | None = None
    """The age in seconds of the oldest letter that no mail server has taken; None: none waits."""

    @property
    def ready(self) -> bool:
        """Whether this process may be given requests."""
        return self.schema and self.writes and self.pages and self.cache

    @property
    def working(self) -> bool:
        """Whether both workers live, no work or letter has waited for too long or waits for somebody's word,
        and the clock is not behind the record.

        Where work waits, its age tells whether the worker of files lives: one that reads gives no sign.
        """
        seen = all(map(_lately, (self.worker_seen, self.files_seen if self.oldest_work is None else 0)))
        late = (self.oldest_work or 0) > WORK_LATE or (self.oldest_letter or 0) > LETTER_LATE
        return seen and not late and not self.new_rules_wait and not self.clock_behind

    def as_dict(self) -> dict[str, Any]:
        return {"ready": self.ready, "working": self.working, **asdict(self)}


def look() -> Readiness:
    """Look at each part of readiness once; one that fails is noted, not raised, and none waits for long."""
    schema = _holds(lambda: not migrations_pending())
    return Readiness(
        schema=schema,
        writes=schema and _holds(can_write),
        pages=_holds(has_pages),
        cache=_holds(cache_answers),
        pending=_figure(lambda: Ledger.objects.pending().count()) if schema else None,
        oldest_work=_figure(oldest_work) if schema else None,
        worker_seen=_figure(lambda: age(WORKER)) if schema else None,
        clock_behind=_figure(lambda: seconds_behind(timezone.now())) if schema else None,
        new_rules_wait=_figure(new_rules_wait) if schema else None,
        files_seen=_figure(lambda: age(FILES)) if schema else None,
        oldest_letter=_figure(oldest_letter) if schema else None,
    )


def can_write() -> bool:
    """Whether a row can be written now: the disk has room, and nobody holds the database for long."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            waits = cursor.execute("PRAGMA busy_timeout").fetchone()[0]
            cursor.execute(f"PRAGMA busy_timeout = {_PATIENCE_MS}")
            try:
                give(WRITING)
            finally:
                cursor.execute(f"PRAGMA busy_timeout = {waits}")
            return True
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT set_config('lock_timeout', %s, true)", [f"{_PATIENCE_MS}ms"])
        give(WRITING)
    return True


def has_pages() -> bool:
    """Whether style and scripts were collected for this version."""
    return staticfiles_storage.exists("staticfiles.json")


def cache_answers() -> bool:
    """Whether every cache answers: without the one that counts tries at sign-in nobody can sign in."""
    for name in caches:
        caches[name].get("is-anybody-there")
    return True


def oldest_work() -> float | None:
    """The age in seconds of the oldest work that waits, whoever is to do it; None where nothing waits."""
    waiting = [_oldest_ratings(), _oldest_of(Upload.objects.waiting()), _oldest_of(_waiting_archives())]
    waiting.append(_oldest_of(RegisterImport.objects.filter(state__in=WORKING)))
    since = min((at for at in waiting if at), default=None)
    return None if since is None else max(0.0, (timezone.now() - since).total_seconds())


def oldest_letter() -> float | None:
    """The age in seconds of the oldest letter that no mail server has taken; None: none waits."""
    at = _oldest_of(Letter.objects.all())
    return None if at is None else max(0.0, (timezone.now() - at).total_seconds())


def new_rules_wait() -> list[str]:
    """The codes of the offices whose ratings new rules would move, and that have not said anything yet."""
    rows = RulesVersion.objects.waiting().select_related("federation")
    return sorted({row.federation.code for row in rows if row.rules == own_rules(row.federation)})


def _waiting_archives() -> Any:
    return Archive.objects.filter(state__in=(Archive.State.WAITING, Archive.State.READING))


def _oldest_of(rows: Any) -> datetime | None:
    found: datetime | None = rows.aggregate(oldest=Min("at"))["oldest"]
    return found


def _oldest_ratings() -> datetime | None:
    """The time of the oldest decision of any office that its ratings do not have yet; None: there is none."""
    return min((at for row in Ledger.objects.pending() if (at := waiting_since(row))), default=None)


def waiting_since(ledger: Ledger) -> datetime | None:
    """The time of the oldest decision that the ratings of a pending office lack; None: there is none."""
    decided = Decision.objects.filter(federation=ledger.federation_id)
    if ledger.finished_at:
        decided = decided.filter(at__gt=ledger.finished_at)
    return _oldest_of(decided)


def _lately(seen: float | None) -> bool:
    return seen is not None and seen <= WORKER_SILENT


def _holds(question: Callable[[], bool]) -> bool:
    try:
        return question()
    except (Error, OSError, ValueError):  # ValueError: a manifest of static files without the entry
        return False


def _figure(question: Callable[[], T]) -> T | None:
    try:
        return question()
    except Error:
        return None
