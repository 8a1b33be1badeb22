"""The page of operations: figures of the site and of each office, for those who run the site.

It shows work that waits, checks and backups, queues of the broker, room on disks, and versions. Only people
named in OPERATORS who have an account and a second factor may open it.
"""

from __future__ import annotations

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
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe
from kombu.exceptions import ChannelError

from federation_site import watch
from federation_site.database import known_migrations
from federation_site.models import SignOfLife
from players.access import sign_in_first
from players.files import use_of_office
from players.models import WORKING, Federation, Ledger, Letter, RegisterImport
from players.settings import today
from ratings.models import RulesVersion
from ratings.recompute import own_rules
from tournaments.models import Archive, Upload

# ---- Access for those who run the site: addresses of OPERATORS that have an account and a second factor.
Page = Callable[[HttpRequest], HttpResponse]


def operator_addresses() -> frozenset[str]:
    """The addresses of OPERATORS, in lower case, as accounts have theirs."""
    return frozenset(address.strip().lower() for _name, address in settings.ADMINS)


def is_operator(user: Any) -> bool:
    return bool(user.is_authenticated and user.email in operator_addresses())


def operators_only(page: Page) -> Callable[[HttpRequest], HttpResponseBase]:
    """Mark a page for operators. Whoever is signed out signs in first, an operator without second factor adds
    one first; for everybody else there is no such page.
    """

    @wraps(page)
    def inner(request: HttpRequest) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return sign_in_first(request)
        if not is_operator(request.user):
            raise Http404
        if not is_mfa_enabled(request.user):
            messages.warning(request, _("The page of operations asks for a second factor: add one here."))
            return redirect("mfa_index")
        return page(request)

    inner.permission = "operators"  # type: ignore[attr-defined]
    return inner


def operator_context(request: HttpRequest) -> dict[str, bool]:
    """Template context: `operator`, whether the account's menu leads to the page of operations."""
    return {"operator": hasattr(request, "user") and is_operator(request.user)}


# ---- The lines of the page of operations, and how long and how much they say.
_UNITS = ((86400, "day"), (3600, "hour"), (60, "minute"), (1, "second"))


@dataclass(frozen=True, slots=True)
class WatchedFigure:
    """One thing that is watched: how it stands, and what to do where it is not in order."""

    label: str
    value: str
    mend: str = ""
    """Words on what to do; empty: it is in order."""


@dataclass(frozen=True, slots=True)
class WatchedTopic:
    """Figures of one kind, under their heading."""

    title: str
    figures: list[WatchedFigure]


def ago(at: datetime, now: datetime) -> str:
    """The time since a moment, in words: “3 minutes ago”; a moment ahead of the clock is just now."""
    return _("%(time)s ago") % {"time": lasting((now - at).total_seconds())}


def lasting(seconds: float) -> str:
    """A duration in its largest whole unit: “3 minutes”, “2 days”."""
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


# ---- The number of wakes that wait in each queue of the broker.
LONG = 100
"""The wakes beyond which a queue is long: a worker takes them in milliseconds, and sweeps expire."""


def queues() -> list[WatchedFigure]:
    """The length of each queue; one figure where the broker does not answer."""
    connection = app.connection_for_read()
    try:
        with connection:
            lengths = queue_lengths(connection)
    except tuple(connection.connection_errors) as error:
        mend = _("Start the broker (CELERY_BROKER_URL). No work is lost: sweeps do it half a minute later.")
        return [WatchedFigure(_("Queues"), _("no answer (%s)") % type(error).__name__, mend)]
    return [queue(name, length) for name, length in lengths.items()]


def queue(name: str, length: int) -> WatchedFigure:
    label = _("Wakes in the queue “%(name)s”") % {"name": name}
    mend = _("See that a worker of this queue runs: wakes are taken as fast as they come.")
    return WatchedFigure(label, str(length), mend if length > LONG else "")


def queue_lengths(connection: Any) -> dict[str, int]:
    """The number of messages in each queue.

    Raises one of the connection's `connection_errors` where the broker does not answer.
    """
    channel = connection.channel()
    return {each.name: _length(channel, each.name) for each in settings.CELERY_TASK_QUEUES}


def _length(channel: Any, name: str) -> int:
    try:
        return int(channel.queue_declare(name, passive=True).message_count)
    except ChannelError:  # Redis knows no queue in which nothing lies
        return 0


# ---- The bytes that the site's database and files take, and those left on its disks.
LEAST_FREE = 1024**3
"""The bytes that must be free on a disk whatever the database's size."""


def room(backup: SignOfLife | None) -> list[WatchedFigure]:
    """Sizes of database and files, and each disk that is seen: by this machine, or by who made the backup."""
    database = database_bytes()
    files = sum(use_of_office(office).used for office in Federation.objects.all())
    figures = [
        WatchedFigure(_("Database"), filesizeformat(database)),
        WatchedFigure(_("Files of events and tables, in the database"), filesizeformat(files)),
    ]
    if connection.vendor == "sqlite":  # PostgreSQL's disk is its server's; the folder then holds copies alone
        figures.append(disk(_("Disk of the database"), settings.VAR, database))
    if settings.BACKUP_DIR is not None:
        figures.append(disk(_("Disk of backups"), settings.BACKUP_DIR, database, backup))
    return figures


def database_bytes() -> int:
    """The bytes of the database, with what SQLite has not merged into its file yet."""
    name = str(connection.settings_dict["NAME"])
    if connection.vendor == "sqlite":
        return sum(file.stat().st_size for file in (Path(name), Path(f"{name}-wal")) if file.exists())
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        return int(cursor.fetchone()[0])


def disk(label: str, folder: Path, database: int, told: SignOfLife | None = None) -> WatchedFigure:
    """The room on a folder's disk: a backup needs a gigabyte, and the database twice over.

    `told`: the sign of whoever looked at that disk, for a folder that another machine has.
    """
    try:
        found = shutil.disk_usage(folder)
        free, total = found.free, found.total
    except OSError:
        if told is None or "free" not in told.details:
            return WatchedFigure(label, _("not seen from this machine"))
        free, total = told.details["free"], told.details["total"]
    value = _("%(free)s free of %(all)s") % {"free": filesizeformat(free), "all": filesizeformat(total)}
    needed = max(LEAST_FREE, 2 * database)
    if free >= needed:
        return WatchedFigure(label, value)
    mend = _("Make room in %(folder)s, or take a larger disk: a backup may need %(needed)s.")
    return WatchedFigure(label, value, mend % {"folder": folder, "needed": filesizeformat(needed)})


# ---- Figures of the site as a whole.
DAILY = timedelta(hours=26)
"""The time after which what is done once a day is late: a day, and two hours to do it in."""


def figures_by_topic(now: datetime) -> list[WatchedTopic]:
    """All figures of the site as a whole, at this moment."""
    signs = {each.name: each for each in SignOfLife.objects.all()}
    found = watch.look()
    nightly = [verified(signs, now), backed_up(signs, now), let_go(signs, now)]
    return [
        WatchedTopic(_("Work"), [*work(found, signs, now), *queues()]),
        WatchedTopic(_("Checked and kept"), [*nightly, clock(now)]),
        WatchedTopic(_("Room"), room(signs.get(watch.BACKUP))),
        WatchedTopic(_("Versions"), [*versions(found), *starts(signs, now)]),
    ]


def work(found: watch.Readiness, signs: dict[str, SignOfLife], now: datetime) -> list[WatchedFigure]:
    """This web process, the two kinds of worker, and the oldest work and letters that wait for them."""
    return [
        this_process(found),
        sweep(_("Last sweep: ratings"), signs.get(watch.WORKER), now),
        sweep(_("Last sweep: files and tables"), signs.get(watch.FILES), now),
        oldest(found.oldest_work),
        letters(found.oldest_letter),
    ]


def this_process(found: watch.Readiness) -> WatchedFigure:
    label, parts = _("This web process"), found.as_dict()
    lacking = [part for part in ("schema", "writes", "pages", "cache") if not parts[part]]
    if found.ready:
        return WatchedFigure(label, _("ready"))
    mend = _("See docs/operations.md, “When something waits”: /readyz says the same to machines.")
    return WatchedFigure(label, _("not ready: %(parts)s") % {"parts": ", ".join(lacking)}, mend)


def sweep(label: str, sign: SignOfLife | None, now: datetime) -> WatchedFigure:
    """A worker's last sweep; late after three that did not come."""
    mend = _("Start the worker, or look into its log: what is decided and filed waits for it.")
    if sign is None:
        return WatchedFigure(label, _("never"), mend)
    late = (now - sign.at).total_seconds() > watch.WORKER_SILENT
    return WatchedFigure(label, ago(sign.at, now), mend if late else "")


def oldest(seconds: float | None) -> WatchedFigure:
    label = _("Oldest work that waits")
    if seconds is None:
        return WatchedFigure(label, _("nothing waits"))
    mend = _("See the offices below; “manage.py recompute --pending” does a worker's work by hand.")
    return WatchedFigure(label, lasting(seconds), mend if seconds > watch.WORK_LATE else "")


def letters(oldest: float | None) -> WatchedFigure:
    """The letters that no mail server has taken yet."""
    label = _("Letters that wait")
    if oldest is None:
        return WatchedFigure(label, _("none waits"))
    told = {"count": Letter.objects.count(), "time": lasting(oldest)}
    mend = _(
        "See that the mail server of EMAIL_URL takes letters: the log of the workers says what it answers."
        " An address that it refuses is tried for three days."
    )
    late = oldest > watch.LETTER_LATE
    return WatchedFigure(label, _("%(count)s, the oldest for %(time)s") % told, mend if late else "")


def verified(signs: dict[str, SignOfLife], now: datetime) -> WatchedFigure:
    """The last nightly verification of all offices; its differences stand with each office."""
    label, sign = _("Last verification"), signs.get(watch.VERIFY)
    mend = _("It runs each night at 03:20 (UTC): see that “beat” (or “up”) and the worker of ratings run.")
    if sign is None:
        return WatchedFigure(label, _("not yet"), mend)
    return WatchedFigure(label, ago(sign.at, now), mend if now - sign.at > DAILY else "")


def let_go(signs: dict[str, SignOfLife], now: datetime) -> WatchedFigure:
    """The last night in which filed bytes were deleted by the rule of retention, and how many files' went."""
    label, sign = _("Last letting go of filed bytes"), signs.get(watch.LET_GO)
    mend = _("It runs each night at 03:15 (UTC): see that “beat” (or “up”) and the worker of ratings run.")
    if sign is None:
        return WatchedFigure(label, _("not yet"), mend)
    told = {"ago": ago(sign.at, now), "files": sum(sign.details.values())}
    return WatchedFigure(label, _("%(ago)s: %(files)s files") % told, mend if now - sign.at > DAILY else "")


def backed_up(signs: dict[str, SignOfLife], now: datetime) -> WatchedFigure:
    """The last backup, which was read back whole when it was made."""
    label, sign = _("Last backup"), signs.get(watch.BACKUP)
    mend = _("See docs/backup.md; the log of the worker of ratings says why none was made.")
    if settings.BACKUP_DIR is None:
        mend = _("Set BACKUP_DIR to a folder on another disk: the worker then makes one a day.")
    if sign is None:
        return WatchedFigure(label, _("never"), mend)
    value = _("%(ago)s: %(file)s, %(size)s, read back whole") % {
        "ago": ago(sign.at, now),
        "file": sign.details.get("file", "?"),
        "size": filesizeformat(sign.details.get("size", 0)),
    }
    return WatchedFigure(label, value, mend if now - sign.at > DAILY else "")


def clock(now: datetime) -> WatchedFigure:
    mend = watch.clock_behind(now)
    return WatchedFigure(_("This machine's clock"), f"{now:%Y-%m-%d %H:%M} (UTC)", mend)


def versions(found: watch.Readiness) -> list[WatchedFigure]:
    """The release, the database's form and what both run on."""
    newest = ", ".join(f"{app} {name[:4]}" for app, name in _newest_migrations())
    mend = _("Code and database differ in version, so nothing is written: docs/upgrading.md.")
    runs_on = f"Python {platform.python_version()}, Django {get_version()}, {_database()}"
    return [
        WatchedFigure(_("Release"), settings.VERSION),
        WatchedFigure(_("Form of the database"), newest, "" if found.schema else mend),
        WatchedFigure(_("Runs on"), runs_on),
    ]


def starts(signs: dict[str, SignOfLife], now: datetime) -> list[WatchedFigure]:
    """The last start of each program, as far as any was noted."""
    return [
        WatchedFigure(
            _("Last start: %(program)s") % {"program": name.removeprefix(watch.START)}, ago(sign.at, now)
        )
        for name, sign in sorted(signs.items())
        if name.startswith(watch.START)
    ]


def _newest_migrations() -> list[tuple[str, str]]:
    ours = ("players", "tournaments", "ratings", "federation_site")
    return [(app, max(name for of, name in known_migrations() if of == app)) for app in ours]


def _database() -> str:
    with connection.cursor() as cursor:
        asked = "sqlite_version()" if connection.vendor == "sqlite" else "current_setting('server_version')"
        cursor.execute(f"SELECT {asked}")
        return f"{connection.display_name} {cursor.fetchone()[0]}"


# ---- Figures of each office, for operators: its rules, its work that waits, its verification, its files.
def offices(now: datetime) -> list[WatchedTopic]:
    """Every office with its figures, by name; all have the same figures, in the same order."""
    sign = SignOfLife.objects.filter(name=watch.VERIFY).first()
    ledgers = Ledger.objects.select_related("federation").order_by("federation__name")
    return [WatchedTopic(each.federation.name, figures_of(each, sign, now)) for each in ledgers]


def figures_of(ledger: Ledger, sign: SignOfLife | None, now: datetime) -> list[WatchedFigure]:
    office = ledger.federation
    return [
        rules(office),
        WatchedFigure(_("Lines, decisions"), f"{ledger.facts}, {ledger.decisions}"),
        ratings(ledger, now),
        waiting_files(office, now),
        unreadable(office),
        verification(office, sign),
        kept(office),
    ]


def rules(office: Federation) -> WatchedFigure:
    """The ruleset, the edition in force on the office's day, and whether new rules wait for its word."""
    try:
        edition = office.ruleset.edition_on(today(office)).name
    except LookupError:
        edition = _("none in force yet")
    mend = _("New rules wait for the office's word, on its desk: docs/amendments.md, “Step by step”.")
    waits = RulesVersion.objects.waiting_in(office, own_rules(office)) is not None
    return WatchedFigure(_("Rules"), f"{office.ruleset_slug}: {edition}", mend if waits else "")


def ratings(ledger: Ledger, now: datetime) -> WatchedFigure:
    """Decisions that wait for their ratings, why the last recompute failed, and whether a restore waits."""
    label, since = _("Ratings"), watch.waiting_since(ledger) if ledger.pending else None
    if ledger.held:
        mend = _("Say what was signed since, or nothing can be decided: docs/backup.md, “One history”.")
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


def waiting_files(office: Federation, now: datetime) -> WatchedFigure:
    """Event files, archives and tables of the register that wait to be read."""
    working = (Archive.State.WAITING, Archive.State.READING)
    waiting: list[datetime] = [
        at
        for rows in (
            Upload.objects.waiting().filter(federation=office),
            Archive.objects.filter(federation=office, state__in=working),
            RegisterImport.objects.filter(federation=office, state__in=WORKING),
        )
        for at in rows.values_list("at", flat=True)
    ]
    label = _("Files and tables")
    if not waiting:
        return WatchedFigure(label, _("none waits"))
    return _waiting(label, ngettext("%d file", "%d files", len(waiting)) % len(waiting), min(waiting), now)


def unreadable(office: Federation) -> WatchedFigure:
    """Files that ended their reader twice: a fault of the program, if the file is whole."""
    count = Upload.objects.filter(federation=office, state=Upload.State.UNREADABLE).count()
    return WatchedFigure(_("Files that could not be read"), str(count))


def verification(office: Federation, sign: SignOfLife | None) -> WatchedFigure:
    """The result of the last night's verification, for this office."""
    label = _("Verification")
    found: Any = sign.details.get(office.code) if sign else None
    if found is None:
        return WatchedFigure(label, _("not yet"))
    if not found:
        return WatchedFigure(label, _("no differences"))
    value = ngettext("%d difference", "%d differences", found) % found
    mend = _(
        "What is stored is not what the journal gives. Publish nothing; keep a copy of the database, run "
        "“manage.py verify %(code)s”, and read docs/operations.md."
    )
    return WatchedFigure(label, value, mend % {"code": office.code})


def kept(office: Federation) -> WatchedFigure:
    """The bytes of the office's files, late where nine tenths of what it may keep are in use."""
    use = use_of_office(office)
    mend = _("Soon no file can be uploaded: an administrator of the office can raise the limit.")
    return WatchedFigure(_("Files kept"), str(use), mend if use.used > 0.9 * use.most else "")


def _waiting(label: str, what: str, since: datetime, now: datetime) -> WatchedFigure:
    seconds = (now - since).total_seconds()
    value = _("%(what)s, waiting for %(time)s") % {"what": what, "time": lasting(seconds)}
    late = seconds > watch.WORK_LATE
    return WatchedFigure(label, value, _("See that a worker runs, and its log.") if late else "")


@operators_only
@never_cache
@require_safe
def operations(request: HttpRequest) -> HttpResponse:
    now = timezone.now()
    topics, rows = figures_by_topic(now), offices(now)
    late = [(part.title, each) for part in (*rows, *topics) for each in part.figures if each.mend]
    return render(request, "operations.html", {"topics": topics, "offices": rows, "late": late, "now": now})
