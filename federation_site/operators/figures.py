"""Figures of the site as a whole, for operators: work, checks and copies, room, versions."""

from __future__ import annotations

import platform
from datetime import datetime, timedelta

from django import get_version
from django.conf import settings
from django.db import connection
from django.template.defaultfilters import filesizeformat
from django.utils.translation import gettext as _

from federation_site.operators.queues import queues
from federation_site.operators.room import room
from federation_site.operators.watched import WatchedFigure, WatchedTopic, ago, lasting
from federation_site.startup_checks.clock_check import clock_behind
from federation_site.startup_checks.pending_migrations import known_migrations
from federation_site.watch.models import SignOfLife
from federation_site.watch.readiness_checks import LETTER_LATE, WORK_LATE, WORKER_SILENT, Readiness, look
from federation_site.watch.signs_of_life import BACKUP, FILES, LET_GO, START, VERIFY, WORKER
from players.office.models import Letter

DAILY = timedelta(hours=26)
"""The time after which what is done once a day is late: a day, and two hours to do it in."""


def figures_by_topic(now: datetime) -> list[WatchedTopic]:
    """All figures of the site as a whole, at this moment."""
    signs = {each.name: each for each in SignOfLife.objects.all()}
    found = look()
    nightly = [verified(signs, now), backed_up(signs, now), let_go(signs, now)]
    return [
        WatchedTopic(_("Work"), [*work(found, signs, now), *queues()]),
        WatchedTopic(_("Checked and kept"), [*nightly, clock(now)]),
        WatchedTopic(_("Room"), room(signs.get(BACKUP))),
        WatchedTopic(_("Versions"), [*versions(found), *starts(signs, now)]),
    ]


def work(found: Readiness, signs: dict[str, SignOfLife], now: datetime) -> list[WatchedFigure]:
    """This web process, the two kinds of worker, and the oldest work and letters that wait for them."""
    return [
        this_process(found),
        sweep(_("Last sweep: ratings"), signs.get(WORKER), now),
        sweep(_("Last sweep: files and tables"), signs.get(FILES), now),
        oldest(found.oldest_work),
        letters(found.oldest_letter),
    ]


def this_process(found: Readiness) -> WatchedFigure:
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
    late = (now - sign.at).total_seconds() > WORKER_SILENT
    return WatchedFigure(label, ago(sign.at, now), mend if late else "")


def oldest(seconds: float | None) -> WatchedFigure:
    label = _("Oldest work that waits")
    if seconds is None:
        return WatchedFigure(label, _("nothing waits"))
    mend = _("See the offices below; “manage.py recompute --pending” does a worker's work by hand.")
    return WatchedFigure(label, lasting(seconds), mend if seconds > WORK_LATE else "")


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
    late = oldest > LETTER_LATE
    return WatchedFigure(label, _("%(count)s, the oldest for %(time)s") % told, mend if late else "")


def verified(signs: dict[str, SignOfLife], now: datetime) -> WatchedFigure:
    """The last nightly verification of all offices; its differences stand with each office."""
    label, sign = _("Last verification"), signs.get(VERIFY)
    mend = _("It runs each night at 03:20 (UTC): see that “beat” (or “up”) and the worker of ratings run.")
    if sign is None:
        return WatchedFigure(label, _("not yet"), mend)
    return WatchedFigure(label, ago(sign.at, now), mend if now - sign.at > DAILY else "")


def let_go(signs: dict[str, SignOfLife], now: datetime) -> WatchedFigure:
    """The last night in which filed bytes were deleted by the rule of retention, and how many files' went."""
    label, sign = _("Last letting go of filed bytes"), signs.get(LET_GO)
    mend = _("It runs each night at 03:15 (UTC): see that “beat” (or “up”) and the worker of ratings run.")
    if sign is None:
        return WatchedFigure(label, _("not yet"), mend)
    told = {"ago": ago(sign.at, now), "files": sum(sign.details.values())}
    return WatchedFigure(label, _("%(ago)s: %(files)s files") % told, mend if now - sign.at > DAILY else "")


def backed_up(signs: dict[str, SignOfLife], now: datetime) -> WatchedFigure:
    """The last backup, which was read back whole when it was made."""
    label, sign = _("Last backup"), signs.get(BACKUP)
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
    mend = clock_behind(now)
    return WatchedFigure(_("This machine's clock"), f"{now:%Y-%m-%d %H:%M} (UTC)", mend)


def versions(found: Readiness) -> list[WatchedFigure]:
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
        WatchedFigure(_("Last start: %(program)s") % {"program": name.removeprefix(START)}, ago(sign.at, now))
        for name, sign in sorted(signs.items())
        if name.startswith(START)
    ]


def _newest_migrations() -> list[tuple[str, str]]:
    ours = ("players", "tournaments", "ratings", "federation_site")
    return [(app, max(name for of, name in known_migrations() if of == app)) for app in ours]


def _database() -> str:
    with connection.cursor() as cursor:
        asked = "sqlite_version()" if connection.vendor == "sqlite" else "current_setting('server_version')"
        cursor.execute(f"SELECT {asked}")
        return f"{connection.display_name} {cursor.fetchone()[0]}"
