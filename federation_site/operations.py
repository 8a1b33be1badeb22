"""The page of operations: figures of the site and of each office, for operators.

Operators are the addresses of OPERATORS with an account and a second factor.
"""

import platform
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import wraps
from pathlib import Path
from typing import Any

from allauth.mfa.utils import is_mfa_enabled
from celery import current_app as app
from django import get_version
from django.conf import settings
from django.contrib import messages
from django.db import connection
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.template.defaultfilters import filesizeformat
from django.utils import timezone
from django.utils.translation import gettext as _, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from kombu.exceptions import ChannelError

from federation_site import watch
from federation_site.database import known_migrations
from federation_site.models import SignOfLife
from players.access import redirect_to_sign_in
from players.files import office_room_use
from players.models import WORKING_STATES, Federation, Ledger, Letter, RegisterImport
from players.settings import today
from ratings.models import RulesVersion
from ratings.recompute import get_own_rules_hash
from ratings.witnesses import find_signature, list_witnesses
from tournaments.models import Archive, Upload

# ---- Access
Page = Callable[[HttpRequest], HttpResponse]


def operator_addresses() -> frozenset[str]:
    return frozenset(address.strip().lower() for _name, address in settings.ADMINS)


def is_operator(user: Any) -> bool:
    return bool(user.is_authenticated and user.email in operator_addresses())


def operators_only(page: Page) -> Callable[[HttpRequest], HttpResponseBase]:
    """Mark a page for operators: others get 404, and operators without a second factor add one first."""

    @wraps(page)
    def inner(request: HttpRequest) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return redirect_to_sign_in(request)
        if not is_operator(request.user):
            raise Http404
        if not is_mfa_enabled(request.user):
            messages.warning(request, _("The page of operations asks for a second factor: add one here."))
            return redirect("mfa_index")
        return page(request)

    inner.permission = "operators"  # type: ignore[attr-defined]
    return inner


def operator_context(request: HttpRequest) -> dict[str, bool]:
    """Template context: whether the user is an `operator`, for the account menu."""
    return {"operator": hasattr(request, "user") and is_operator(request.user)}


# ---- Figures
_UNITS = ((86400, "day"), (3600, "hour"), (60, "minute"), (1, "second"))


@dataclass(frozen=True, slots=True)
class WatchedFigure:
    """A figure, with advice if it is not in order."""

    label: str
    value: str
    mend: str = ""
    """What to do; empty: it is in order."""


WatchedTopic = tuple[str, list[WatchedFigure]]
"""A title, and the figures below it."""


def format_age(at: datetime, now: datetime) -> str:
    """The time since a moment: “3 minutes ago”."""
    return _("%(time)s ago") % {"time": format_duration((now - at).total_seconds())}


def format_duration(seconds: float) -> str:
    """A duration in its largest unit: “3 minutes”, “2 days”."""
    whole = max(0, round(seconds))
    size, unit = next((each for each in _UNITS if whole >= each[0]), _UNITS[-1])
    count = whole // size
    words = {
        "day": ngettext("%d day", "%d days", count),
        "hour": ngettext("%d hour", "%d hours", count),
        "minute": ngettext("%d minute", "%d minutes", count),
        "second": ngettext("%d second", "%d seconds", count),
    }
    return words[unit] % count


# ---- Queues of the broker
LONG_QUEUE = 100
"""The messages beyond which a queue is too long: a worker takes them in milliseconds, and sweeps expire."""


def queue_figures() -> list[WatchedFigure]:
    """The length of each queue; one figure if the broker does not answer."""
    connection = app.connection_for_read()
    try:
        with connection:
            lengths = queue_lengths(connection)
    except tuple(connection.connection_errors) as error:
        mend = _("Start the broker (CELERY_BROKER_URL). No work is lost: sweeps do it half a minute later.")
        return [WatchedFigure(_("Queues"), _("no answer (%s)") % type(error).__name__, mend)]
    return [queue_figure(name, length) for name, length in lengths.items()]


def queue_figure(name: str, length: int) -> WatchedFigure:
    label = _("Wakes in the queue “%(name)s”") % {"name": name}
    mend = _("See that a worker of this queue runs: wakes are taken as fast as they come.")
    return WatchedFigure(label, str(length), mend if length > LONG_QUEUE else "")


def queue_lengths(connection: Any) -> dict[str, int]:
    """The number of messages in each queue.

    Raises one of the connection's `connection_errors` if the broker does not answer.
    """
    channel = connection.channel()
    lengths = {}
    for each in settings.CELERY_TASK_QUEUES:
        try:
            lengths[each.name] = int(channel.queue_declare(each.name, passive=True).message_count)
        except ChannelError:  # in Redis an empty queue does not exist
            lengths[each.name] = 0
    return lengths


# ---- Disks
LEAST_FREE_BYTES = 1024**3
"""The bytes that must be free on a disk, whatever the database's size."""


def list_sizes_and_room(backup: SignOfLife | None) -> list[WatchedFigure]:
    """The sizes of database and files, and the room on disks."""
    database = database_bytes()
    files = sum(office_room_use(office).used for office in Federation.objects.all())
    figures = [
        WatchedFigure(_("Database"), filesizeformat(database)),
        WatchedFigure(_("Files of events and tables, in the database"), filesizeformat(files)),
    ]
    if connection.vendor == "sqlite":  # PostgreSQL's disk is its server's
        figures.append(disk_figure(_("Disk of the database"), settings.VAR, database))
    if settings.BACKUP_DIR is not None:
        figures.append(disk_figure(_("Disk of backups"), settings.BACKUP_DIR, database, backup))
    return figures


def database_bytes() -> int:
    """The bytes of the database, with SQLite's write-ahead log."""
    name = str(connection.settings_dict["NAME"])
    if connection.vendor == "sqlite":
        return sum(file.stat().st_size for file in (Path(name), Path(f"{name}-wal")) if file.exists())
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        return int(cursor.fetchone()[0])


def disk_figure(label: str, folder: Path, database: int, backup: SignOfLife | None = None) -> WatchedFigure:
    """The room on a folder's disk: a backup needs a gigabyte, and twice the size of the database.

    `backup`: the sign of the last backup, which has the figures if the folder is on another machine.
    """
    try:
        usage = shutil.disk_usage(folder)
        free, total = usage.free, usage.total
    except OSError:
        if backup is None or "free" not in backup.details:
            return WatchedFigure(label, _("not seen from this machine"))
        free, total = backup.details["free"], backup.details["total"]
    value = _("%(free)s free of %(all)s") % {"free": filesizeformat(free), "all": filesizeformat(total)}
    needed = max(LEAST_FREE_BYTES, 2 * database)
    if free >= needed:
        return WatchedFigure(label, value)
    mend = _("Make room in %(folder)s, or take a larger disk: a backup may need %(needed)s.")
    return WatchedFigure(label, value, mend % {"folder": folder, "needed": filesizeformat(needed)})


# ---- Figures of the site
DAILY_TASK_LATE = timedelta(hours=26)
"""The time after which a daily task is late: a day, and two hours to do it."""


def figures_by_topic(now: datetime) -> list[WatchedTopic]:
    signs = {each.name: each for each in SignOfLife.objects.all()}
    readiness = watch.look()
    work = [
        process_figure(readiness),
        sweep_figure(_("Last sweep: ratings"), signs.get(watch.WORKER), now),
        sweep_figure(_("Last sweep: files and tables"), signs.get(watch.FILES), now),
        oldest_work_figure(readiness.oldest_work),
        waiting_letters_figure(readiness.oldest_letter),
        *queue_figures(),
    ]
    clock = f"{now:%Y-%m-%d %H:%M} (UTC)"
    checked = [
        last_verification_figure(signs, now),
        last_backup_figure(signs, now),
        last_deletion_figure(signs, now),
        WatchedFigure(_("This machine's clock"), clock, watch.clock_warning(now)),
    ]
    return [
        (_("Work"), work),
        (_("Checked and kept"), checked),
        (_("Room"), list_sizes_and_room(signs.get(watch.BACKUP))),
        (_("Versions"), [*version_figures(readiness), *start_figures(signs, now)]),
    ]


def process_figure(readiness: watch.Readiness) -> WatchedFigure:
    label = _("This web process")
    lacking = [part for part in ("schema", "writes", "pages", "cache") if part in readiness.failed]
    if readiness.ready:
        return WatchedFigure(label, _("ready"))
    mend = _("See docs/operating.md, “When something waits”: /readyz says the same to machines.")
    return WatchedFigure(label, _("not ready: %(parts)s") % {"parts": ", ".join(lacking)}, mend)


def sweep_figure(label: str, sign: SignOfLife | None, now: datetime) -> WatchedFigure:
    mend = _("Start the worker, or look into its log: what is decided and filed waits for it.")
    if sign is None:
        return WatchedFigure(label, _("never"), mend)
    late = (now - sign.at).total_seconds() > watch.WORKER_SILENT
    return WatchedFigure(label, format_age(sign.at, now), mend if late else "")


def oldest_work_figure(seconds: float | None) -> WatchedFigure:
    label = _("Oldest work that waits")
    if seconds is None:
        return WatchedFigure(label, _("nothing waits"))
    mend = _("See the offices below; “manage.py recompute --pending” does a worker's work by hand.")
    return WatchedFigure(label, format_duration(seconds), mend if seconds > watch.WORK_LATE else "")


def waiting_letters_figure(oldest: float | None) -> WatchedFigure:
    label = _("Letters that wait")
    if oldest is None:
        return WatchedFigure(label, _("none waits"))
    value = _("%(count)s, the oldest for %(time)s")
    value %= {"count": Letter.objects.count(), "time": format_duration(oldest)}
    mend = _(
        "See that the mail server of EMAIL_URL takes letters: the log of the workers says what it answers."
        " An address that it refuses is tried for three days."
    )
    return WatchedFigure(label, value, mend if oldest > watch.LETTER_LATE else "")


def _first_is_late(signs: dict[str, SignOfLife], task: str, now: datetime) -> bool:
    """Whether a daily task that was never done should have been: the clock has run for a day and more."""
    begun = signs.get(watch.BEGUN_PREFIX + task)
    return begun is None or now - begun.at > DAILY_TASK_LATE


def last_verification_figure(signs: dict[str, SignOfLife], now: datetime) -> WatchedFigure:
    label, sign = _("Last verification"), signs.get(watch.VERIFY)
    mend = _("It runs each night at 03:20 (UTC): see that the worker of ratings runs.")
    if sign is None:
        return WatchedFigure(
            label, _("not yet"), mend if _first_is_late(signs, "verify_offices", now) else ""
        )
    return WatchedFigure(label, format_age(sign.at, now), mend if now - sign.at > DAILY_TASK_LATE else "")


def last_deletion_figure(signs: dict[str, SignOfLife], now: datetime) -> WatchedFigure:
    """The last deletion of files that need not be kept any longer."""
    label, sign = _("Last letting go of filed bytes"), signs.get(watch.LET_GO)
    mend = _("It runs each night at 03:15 (UTC): see that the worker of ratings runs.")
    if sign is None:
        return WatchedFigure(label, _("not yet"), mend if _first_is_late(signs, "let_go_files", now) else "")
    value = _("%(ago)s: %(files)s files")
    value %= {"ago": format_age(sign.at, now), "files": sum(sign.details.values())}
    return WatchedFigure(label, value, mend if now - sign.at > DAILY_TASK_LATE else "")


def last_backup_figure(signs: dict[str, SignOfLife], now: datetime) -> WatchedFigure:
    label, sign = _("Last backup"), signs.get(watch.BACKUP)
    mend = _("See docs/operating.md; the log of the worker of ratings says why none was made.")
    if settings.BACKUP_DIR is None:
        mend = _("Set BACKUP_DIR to a folder on another disk: the worker then makes one a day.")
    if sign is None:
        return WatchedFigure(label, _("never"), mend)
    value = _("%(ago)s: %(file)s, %(size)s, read back whole") % {
        "ago": format_age(sign.at, now),
        "file": sign.details.get("file", "?"),
        "size": filesizeformat(sign.details.get("size", 0)),
    }
    return WatchedFigure(label, value, mend if now - sign.at > DAILY_TASK_LATE else "")


def version_figures(readiness: watch.Readiness) -> list[WatchedFigure]:
    apps = ("players", "tournaments", "ratings", "federation_site")
    newest = {app: max(name for owner, name in known_migrations() if owner == app) for app in apps}
    migrations = ", ".join(f"{app} {name[:4]}" for app, name in newest.items())
    mend = _("Code and database differ in version, so nothing is written: docs/operating.md.")
    with connection.cursor() as cursor:
        query = "sqlite_version()" if connection.vendor == "sqlite" else "current_setting('server_version')"
        cursor.execute(f"SELECT {query}")
        database = f"{connection.display_name} {cursor.fetchone()[0]}"
    runs_on = f"Python {platform.python_version()}, Django {get_version()}, {database}"
    return [
        WatchedFigure(_("Release"), settings.VERSION),
        WatchedFigure(_("Form of the database"), migrations, "" if readiness.schema else mend),
        WatchedFigure(_("Runs on"), runs_on),
    ]


def start_figures(signs: dict[str, SignOfLife], now: datetime) -> list[WatchedFigure]:
    """The last start of each program."""
    label = _("Last start: %(program)s")
    return [
        WatchedFigure(label % {"program": name.removeprefix(watch.START_PREFIX)}, format_age(sign.at, now))
        for name, sign in sorted(signs.items())
        if name.startswith(watch.START_PREFIX)
    ]


def tried_by_doctor(now: datetime) -> list[WatchedTopic]:
    """What the doctor found when it was last run (`federation_site.doctor`); nothing before."""
    sign = SignOfLife.objects.filter(name=watch.DOCTOR).first()
    if sign is None:
        return []
    title = _("Tried by the doctor, %(ago)s") % {"ago": format_age(sign.at, now)}
    return [(title, [WatchedFigure(*each) for each in sign.details["tried"]])]


# ---- Figures of each office
def figures_by_office(now: datetime) -> list[WatchedTopic]:
    """The figures of each office, which are the same and in the same order for all."""
    sign = SignOfLife.objects.filter(name=watch.VERIFY).first()
    ledgers = Ledger.objects.select_related("federation").order_by("federation__name")
    return [(each.federation.name, office_figures(each, sign, now)) for each in ledgers]


def office_figures(ledger: Ledger, sign: SignOfLife | None, now: datetime) -> list[WatchedFigure]:
    office = ledger.federation
    unreadable = Upload.objects.filter(federation=office, state=Upload.State.UNREADABLE).count()
    return [
        rules_figure(office),
        WatchedFigure(_("Lines, decisions"), f"{ledger.facts}, {ledger.decisions}"),
        ratings_figure(ledger, now),
        waiting_files_figure(office, now),
        WatchedFigure(_("Files that could not be read"), str(unreadable)),
        verification_figure(office, sign),
        witness_figure(office, now),
        storage_figure(office),
    ]


def rules_figure(office: Federation) -> WatchedFigure:
    """The edition in force, and whether the office has to confirm new rules."""
    try:
        edition = office.ruleset.edition_on(today(office)).name
    except LookupError:
        edition = _("none in force yet")
    mend = _("New rules wait for the office's word, on its desk: docs/new-federation.md, “Step by step”.")
    waits = RulesVersion.objects.waiting_in(office, get_own_rules_hash(office)) is not None
    return WatchedFigure(_("Rules"), f"{office.ruleset_slug}: {edition}", mend if waits else "")


def ratings_figure(ledger: Ledger, now: datetime) -> WatchedFigure:
    label, since = _("Ratings"), watch.waiting_since(ledger) if ledger.pending else None
    if ledger.held:
        mend = _("Say what was signed since, or nothing can be decided: docs/operating.md, “One history”.")
        return WatchedFigure(label, _("restored, and waiting for your word"), mend)
    if ledger.last_error:
        mend = _(
            "%(error)s — see the office's desk: it names the section; un-rating it sets the office free."
        )
        value = _("%(tries)d attempts failed") % {"tries": ledger.attempts}
        return WatchedFigure(label, value, mend % {"error": ledger.last_error.splitlines()[-1]})
    if since is None:
        return WatchedFigure(label, _("up to date"))
    return _waiting(label, _("decided, not computed yet"), since, now)


def waiting_files_figure(office: Federation, now: datetime) -> WatchedFigure:
    working = (Archive.State.WAITING, Archive.State.READING)
    waiting: list[datetime] = [
        at
        for rows in (
            Upload.objects.waiting().filter(federation=office),
            Archive.objects.filter(federation=office, state__in=working),
            RegisterImport.objects.filter(federation=office, state__in=WORKING_STATES),
        )
        for at in rows.values_list("at", flat=True)
    ]
    label = _("Files and tables")
    if not waiting:
        return WatchedFigure(label, _("none waits"))
    return _waiting(label, ngettext("%d file", "%d files", len(waiting)) % len(waiting), min(waiting), now)


def verification_figure(office: Federation, sign: SignOfLife | None) -> WatchedFigure:
    label = _("Verification")
    count: Any = sign.details.get(office.code) if sign else None
    if count is None:
        return WatchedFigure(label, _("not yet"))
    if not count:
        return WatchedFigure(label, _("no differences"))
    value = ngettext("%d difference", "%d differences", count) % count
    mend = _(
        "What is stored is not what the journal gives. Publish nothing; keep a copy of the database, run "
        "“manage.py verify %(code)s”, and read docs/operating.md."
    )
    return WatchedFigure(label, value, mend % {"code": office.code})


def witness_figure(office: Federation, now: datetime) -> WatchedFigure:
    """How many of the office's witnesses have signed its newest checkpoint, with advice after a day."""
    label, named = _("Witnesses"), list_witnesses(office)
    newest = office.checkpoints.newest_first().select_related("key").first()
    if not named or newest is None:
        return WatchedFigure(label, _("none named") if not named else _("nothing to sign yet"))
    signed = [
        each
        for each in named
        if find_signature(office, each.vkey, origin=newest.key.origin, line=newest.size) is not None
    ]
    value = _("%(signed)d of %(named)d signed the newest checkpoint")
    value %= {"signed": len(signed), "named": len(named)}
    silent = ", ".join(each.name for each in named if each not in signed)
    mend = _("Ask those who run %(names)s why it does not sign.") % {"names": silent}
    return WatchedFigure(label, value, mend if silent and now - newest.at > DAILY_TASK_LATE else "")


def storage_figure(office: Federation) -> WatchedFigure:
    """The bytes of the office's files, with advice from nine tenths of the limit on."""
    use = office_room_use(office)
    mend = _("Soon no file can be uploaded: an administrator of the office can raise the limit.")
    return WatchedFigure(_("Files kept"), str(use), mend if use.used > 0.9 * use.most else "")


def _waiting(label: str, what: str, since: datetime, now: datetime) -> WatchedFigure:
    seconds = (now - since).total_seconds()
    value = _("%(what)s, waiting for %(time)s") % {"what": what, "time": format_duration(seconds)}
    late = seconds > watch.WORK_LATE
    return WatchedFigure(label, value, _("See that a worker runs, and its log.") if late else "")


@operators_only
@never_cache
@require_safe
def operations(request: HttpRequest) -> HttpResponse:
    now = timezone.now()
    topics, rows = [*figures_by_topic(now), *tried_by_doctor(now)], figures_by_office(now)
    late = [(title, each) for title, figures in (*rows, *topics) for each in figures if each.mend]
    return render(request, "operations.html", {"topics": topics, "offices": rows, "late": late, "now": now})
