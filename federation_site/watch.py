"""Monitoring: signs of life, the clock, readiness, metrics for Prometheus, and probes."""

import hmac
import ipaddress
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from threading import Lock
from time import monotonic
from typing import Any, TypeVar

import structlog
from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.cache import caches
from django.db import Error, connection, transaction
from django.db.models import Max, Min
from django.http import HttpRequest, HttpResponse, HttpResponseForbidden, JsonResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from prometheus_client import CONTENT_TYPE_LATEST, CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.metrics_core import GaugeMetricFamily, Metric
from prometheus_client.multiprocess import MultiProcessCollector
from prometheus_client.registry import Collector

from federation_site.database import migrations_pending, patience_of
from federation_site.models import SignOfLife
from players.models import WORKING_STATES, Decision, Federation, Ledger, Letter, RegisterImport
from ratings.models import RulesVersion
from ratings.recompute import get_own_rules_hash
from tournaments.models import Archive, Upload

SECONDS_BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)
REQUEST_COUNTER = Counter("office_requests", "Requests answered, by lane and status.", ["lane", "status"])
REFUSAL_COUNTER = Counter(
    "office_refusals", "Requests refused before a page was asked, by status.", ["status"]
)
REQUEST_SECONDS = Histogram(
    "office_request_seconds", "From a whole request to a whole answer.", ["lane"], buckets=SECONDS_BUCKETS
)


# ---- Signs of life
log = structlog.get_logger("federation_site.watch")

WORKER, VERIFY, BACKUP, WRITING = "worker", "verify", "backup", "writing"
LET_GO, LET_GO_PUT_OFF = "let-go", "let-go put off"
FILES, DOCTOR = "worker of files", "doctor"
BEGUN_PREFIX = "begun: "
"""The prefix of signs that a task of the clock began; the task's name follows."""
START_PREFIX = "start of "
"""The prefix of signs that a program started; the program's name follows."""


def give(name: str, **details: Any) -> None:
    """Store that something (`worker`, `verify`, `backup` …) was done now, with details of its outcome."""
    SignOfLife.objects.update_or_create(name=name, defaults={"at": timezone.now(), "details": details})


def delete_sign(name: str) -> bool:
    """Delete a sign; return whether there was one."""
    return bool(SignOfLife.objects.filter(name=name).delete()[0])


def begin(name: str, due: datetime) -> bool:
    """Store that a task of the clock begins now if it last began before `due`.

    Return whether it did, to one of several callers. A task that never began waits for the next time.
    """
    now = timezone.now()
    signs = SignOfLife.objects.filter(name=BEGUN_PREFIX + name)
    if signs.filter(at__lt=due).update(at=now):
        return True
    # Another machine may be some seconds ahead; further on the clock was set back.
    signs.filter(at__gt=now + timedelta(hours=1)).update(at=now)
    if not signs.exists():
        SignOfLife.objects.get_or_create(name=BEGUN_PREFIX + name, defaults={"at": now})
    return False


def seconds_since_sign(name: str) -> float | None:
    """The seconds since something was last done; None: never. A time in the future counts as now."""
    at = SignOfLife.objects.filter(name=name).values_list("at", flat=True).first()
    return _age_of(at)


def note_web_start() -> None:
    """Store that a web process started; it runs in a thread of its own."""
    try:
        give(START_PREFIX + "web server")
    except Error as error:
        log.warning("the start could not be noted", error=type(error).__name__)
    finally:
        connection.close()


# ---- The machine's clock, compared with the record and with a monotonic clock
CLOCK_SLACK = timedelta(minutes=1)


def clock_warning(now: datetime) -> str:
    """A message if this machine's clock is behind the newest decision, else empty."""
    newest = newest_decision_time()
    if newest is None or newest <= now + CLOCK_SLACK:
        return ""
    return (
        f"This machine's clock says {now:%Y-%m-%d %H:%M} (UTC), but the newest decision of the record is of "
        f"{newest:%Y-%m-%d %H:%M}. Set the clock: until then what is done gets days that are past."
    )


def clock_seconds_behind(now: datetime) -> float:
    """The seconds by which this machine's clock is behind the newest decision, or 0."""
    newest = newest_decision_time()
    behind = timedelta() if newest is None else newest - now
    return behind.total_seconds() if behind > CLOCK_SLACK else 0.0


def newest_decision_time() -> datetime | None:
    newest: datetime | None = Decision.objects.aggregate(newest=Max("at"))["newest"]
    return newest


class LeapWatch:
    """Compares the machine's clock with a monotonic one that also runs while a laptop sleeps."""

    def __init__(self) -> None:
        self._ahead = self._difference()

    def leap_message(self) -> str:
        """A message if the clock was set by more than a minute since the last call, else empty."""
        before, self._ahead = self._ahead, self._difference()
        leapt = timedelta(seconds=round(self._ahead - before))
        if abs(leapt) <= CLOCK_SLACK:
            return ""
        direction = "forward" if leapt > timedelta() else "back"
        return (
            f"This machine's clock leapt {direction} by {abs(leapt)}. If it is wrong now, set it before "
            "anything is decided: decisions and lines of the journal keep the days that it gives them."
        )

    @staticmethod
    def _difference() -> float:
        has_boot_time = hasattr(time, "CLOCK_BOOTTIME")
        return time.time() - (time.clock_gettime(time.CLOCK_BOOTTIME) if has_boot_time else time.monotonic())


# ---- Readiness
WORKER_SILENT = 90
"""The seconds without a sign after which a worker is considered dead: three sweeps."""
WORK_LATE = 120
"""The seconds that work may wait before something is wrong."""
LETTER_LATE = 15 * 60
"""The seconds that a letter may wait: four attempts have failed then."""
_PATIENCE = 3.0
"""The seconds for which a check waits for a database that hangs."""
_LOCK_PATIENCE_MS = 1000
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Readiness:
    """The state of this process (`ready`) and of the workers (`working`)."""

    schema: bool
    writes: bool
    pages: bool
    cache: bool
    pending: int | None
    """The offices with ratings to compute. Here and below, None also if the database does not answer."""
    oldest_work: float | None
    """The age in seconds of the oldest waiting work (ratings, files, tables); None: none."""
    worker_seen: float | None
    """The seconds since the last sign of the worker of ratings; None: never."""
    clock_behind: float | None = None
    """The seconds by which the clock is behind the record."""
    new_rules_wait: list[str] | None = None
    """The offices that have to decide whether new rules are applied."""
    files_seen: float | None = None
    """The seconds since the last sign of the worker of files; None: never."""
    oldest_letter: float | None = None
    """The age in seconds of the oldest letter that is not sent; None: none."""

    @property
    def failed(self) -> list[str]:
        """The names of the parts that are not in order.

        If work waits, only its age counts for the worker of files, which gives no sign while it parses.
        """
        files_seen = self.files_seen if self.oldest_work is None else 0
        fine = {
            **{part: getattr(self, part) for part in ("schema", "writes", "pages", "cache")},
            "oldest_work": (self.oldest_work or 0) <= WORK_LATE,
            "worker_seen": self.worker_seen is not None and self.worker_seen <= WORKER_SILENT,
            "clock_behind": not self.clock_behind,
            "new_rules_wait": not self.new_rules_wait,
            "files_seen": files_seen is not None and files_seen <= WORKER_SILENT,
            "oldest_letter": (self.oldest_letter or 0) <= LETTER_LATE,
        }
        return [part for part, holds in fine.items() if not holds]

    @property
    def ready(self) -> bool:
        """Whether this process may be given requests."""
        return self.schema and self.writes and self.pages and self.cache

    @property
    def working(self) -> bool:
        """Whether both workers live, no work, letter or decision on rules waits, and the clock is right."""
        return not set(self.failed) - {"schema", "writes", "pages", "cache"}

    def as_dict(self) -> dict[str, Any]:
        return {"ready": self.ready, "working": self.working, "failed": self.failed, **asdict(self)}


def look() -> Readiness:
    """Check each part of readiness; failures are returned, not raised, and no check waits for long."""
    with patience_of(_PATIENCE):
        return _look()


def _look() -> Readiness:
    schema = _holds(lambda: not migrations_pending())
    if not schema and not _holds(database_answers):  # not each check is to wait for it
        return Readiness(
            schema=False,
            writes=False,
            pages=_holds(has_pages),
            cache=False,
            pending=None,
            oldest_work=None,
            worker_seen=None,
        )
    return Readiness(
        schema=schema,
        writes=schema and _holds(can_write),
        pages=_holds(has_pages),
        cache=_holds(cache_answers),
        pending=_figure(lambda: Ledger.objects.pending().count()) if schema else None,
        oldest_work=_figure(oldest_work) if schema else None,
        worker_seen=_figure(lambda: seconds_since_sign(WORKER)) if schema else None,
        clock_behind=_figure(lambda: clock_seconds_behind(timezone.now())) if schema else None,
        new_rules_wait=_figure(offices_with_new_rules) if schema else None,
        files_seen=_figure(lambda: seconds_since_sign(FILES)) if schema else None,
        oldest_letter=_figure(lambda: _age_of(_oldest_of(Letter.objects.all()))) if schema else None,
    )


def database_answers() -> bool:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return True


def can_write() -> bool:
    """Whether a row can be written now: the disk has room, and the database is not locked."""
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            waits = cursor.execute("PRAGMA busy_timeout").fetchone()[0]
            cursor.execute(f"PRAGMA busy_timeout = {_LOCK_PATIENCE_MS}")
            try:
                give(WRITING)
            finally:
                cursor.execute(f"PRAGMA busy_timeout = {waits}")
            return True
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT set_config('lock_timeout', %s, true)", [f"{_LOCK_PATIENCE_MS}ms"])
        give(WRITING)
    return True


def has_pages() -> bool:
    """Whether static files were collected."""
    return staticfiles_storage.exists("staticfiles.json")


def cache_answers() -> bool:
    """Whether every cache answers: nobody can sign in without the one for rate limits."""
    for name in caches:
        caches[name].get("is-anybody-there")
    return True


def oldest_work() -> float | None:
    """The age in seconds of the oldest waiting work of any worker; None: none."""
    waiting = [
        *(waiting_since(ledger) for ledger in Ledger.objects.pending()),
        _oldest_of(Upload.objects.waiting()),
        _oldest_of(Archive.objects.filter(state__in=(Archive.State.WAITING, Archive.State.READING))),
        _oldest_of(RegisterImport.objects.filter(state__in=WORKING_STATES)),
    ]
    return _age_of(min((at for at in waiting if at), default=None))


def _age_of(at: datetime | None) -> float | None:
    return None if at is None else max(0.0, (timezone.now() - at).total_seconds())


def offices_with_new_rules() -> list[str]:
    """The codes of the offices that have to decide whether new rules are applied."""
    rows = RulesVersion.objects.waiting().select_related("federation")
    return sorted({row.federation.code for row in rows if row.rules == get_own_rules_hash(row.federation)})


def _oldest_of(rows: Any) -> datetime | None:
    oldest: datetime | None = rows.aggregate(oldest=Min("at"))["oldest"]
    return oldest


def waiting_since(ledger: Ledger) -> datetime | None:
    """The time of the oldest decision that is not in the ratings of a pending office yet; None: none."""
    decided = Decision.objects.filter(federation=ledger.federation_id)
    if ledger.finished_at:
        decided = decided.filter(at__gt=ledger.finished_at)
    return _oldest_of(decided)


def _holds(check: Callable[[], bool]) -> bool:
    try:
        return check()
    except (Error, OSError, ValueError):  # ValueError: a manifest of static files without the entry
        return False


def _figure(query: Callable[[], T]) -> T | None:
    try:
        return query()
    except Error:
        return None


# ---- Metrics
def render_metrics() -> bytes:
    """All metrics in Prometheus' text format; those of the database are left out if it does not answer."""
    registry = CollectorRegistry()
    if os.environ.get("PROMETHEUS_MULTIPROC_DIR"):
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    registry.register(OfficeCollector())
    return generate_latest(registry)


class OfficeCollector(Collector):
    def collect(self) -> Iterator[Metric]:
        found = look()
        yield gauge("office_ready", "1 where a web process may be given requests.", found.ready)
        yield gauge("office_working", "1 where the worker lives and no work is late.", found.working)
        if found.pending is not None:
            yield gauge("office_pending", "Offices whose ratings wait to be computed.", found.pending)
            yield gauge(
                "office_oldest_work_seconds", "Age of the oldest work that waits.", found.oldest_work or 0
            )
        if found.worker_seen is not None:
            yield gauge(
                "office_worker_seen_seconds", "Seconds since the worker's last sign.", found.worker_seen
            )
        if found.files_seen is not None:
            words = "Seconds since the last sign of the worker of files, which gives none while it reads."
            yield gauge("office_files_worker_seen_seconds", words, found.files_seen)
        words = "Age of the oldest letter that no mail server has taken."
        yield gauge("office_oldest_letter_seconds", words, found.oldest_letter or 0)
        try:
            yield from list(collect_office_metrics())
        except Error:
            return


def collect_office_metrics() -> Iterator[Metric]:
    ledgers = Ledger.objects.select_related("federation")
    counts = {
        "office_journal_lines": ("Lines in the journal.", "facts"),
        "office_decisions": ("Decisions on record.", "decisions"),
        "office_failed_attempts": ("Attempts at the present recompute that failed.", "attempts"),
    }
    for name, (words, field) in counts.items():
        family = GaugeMetricFamily(name, words, labels=["office"])
        for ledger in ledgers:
            family.add_metric([ledger.federation.code], getattr(ledger, field))
        yield family
    rules = GaugeMetricFamily(
        "office_new_rules_wait", "1 where new rules wait for the office's word.", labels=["office"]
    )
    waiting = offices_with_new_rules()
    for code in Federation.objects.values_list("code", flat=True):
        rules.add_metric([code], code in waiting)
    yield rules
    unreadable = Upload.objects.filter(state=Upload.State.UNREADABLE).count()
    yield gauge("office_files_unreadable", "Event files that could not be read.", unreadable)
    refused_tables = RegisterImport.objects.filter(state=RegisterImport.State.REFUSED).count()
    yield gauge("office_tables_refused", "Tables of the register that were refused.", refused_tables)
    times = GaugeMetricFamily("office_last_done_timestamp", "When a thing was last done.", labels=["what"])
    differences = GaugeMetricFamily(
        "office_differences", "What the last verification found.", labels=["office"]
    )
    for sign in SignOfLife.objects.all():
        times.add_metric([sign.name], sign.at.timestamp())
        if sign.name == "verify":
            for office, found in sign.details.items():
                differences.add_metric([office], found)
    yield times
    yield differences


def gauge(name: str, words: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, words, value=float(value))


# ---- Probes
GetResponse = Callable[[HttpRequest], HttpResponse]
FRESH = 1.0
"""The seconds for which a result is reused."""


class _Looks:
    """Limits looks to one a second in this process, because each writes to the database."""

    def __init__(self) -> None:
        self._lock, self._time = Lock(), 0.0
        self._result: Readiness | None = None

    def newest(self) -> Readiness:
        with self._lock:
            if self._result is None or monotonic() - self._time >= FRESH:
                self._result, self._time = look(), monotonic()
            return self._result


_looks = _Looks()


@never_cache
def healthz(request: HttpRequest) -> HttpResponse:
    return HttpResponse("ok", content_type="text/plain; charset=utf-8")


@never_cache
def readyz(request: HttpRequest) -> HttpResponse:
    """Readiness as JSON: status 200 if this process may get requests, else 503.

    With `?all`, for alarms, it is also 503 if a worker is silent or work is late.
    """
    readiness = _looks.newest()
    fit = readiness.ready and (readiness.working or "all" not in request.GET)
    return JsonResponse(readiness.as_dict(), status=200 if fit else 503)


@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """Metrics, for private addresses or with METRICS_TOKEN."""
    if not can_read_metrics(request):
        return HttpResponseForbidden("Ask from this machine, or with the token of METRICS_TOKEN.\n")
    return HttpResponse(render_metrics(), content_type=CONTENT_TYPE_LATEST)


def can_read_metrics(request: HttpRequest) -> bool:
    """Whether a request has METRICS_TOKEN or, if that is not set, a private address and no proxy."""
    token = settings.METRICS_TOKEN
    given = request.headers.get("Authorization", "").removeprefix("Bearer ")
    if token:
        return hmac.compare_digest(given.encode(), token.encode())
    if "X-Forwarded-For" in request.headers:
        return False
    try:
        return ipaddress.ip_address(request.META.get("REMOTE_ADDR", "")).is_private
    except ValueError:
        return False


PROBES: dict[str, Callable[[HttpRequest], HttpResponse]] = {
    "/healthz": healthz,
    "/readyz": readyz,
    "/metrics": metrics,
}


def answer_probes(get_response: GetResponse) -> GetResponse:
    """Answer probes before the host name is checked, because they have none."""

    def middleware(request: HttpRequest) -> HttpResponse:
        probe = PROBES.get(request.path)
        return probe(request) if probe else get_response(request)

    return middleware
