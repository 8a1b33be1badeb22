"""Signs of life: given by whoever does the thing, read by whoever watches."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from typing import Any

import structlog
from django.db import Error, connection
from django.utils import timezone

from federation_site.watch.models import SignOfLife

log = structlog.get_logger("federation_site.watch")

WORKER, VERIFY, BACKUP, WRITING = "worker", "verify", "backup", "writing"
LET_GO, LET_GO_PUT_OFF = "let-go", "let-go put off"
FILES = "worker of files"
NIGHT = "begun: "
"""The beginning of the name of a sign that something of each night began; its name follows."""
START = "start of "
"""The beginning of the name of a sign of a program's start; the program's name follows."""


def give(name: str, **details: Any) -> None:
    """Note that a thing (`worker`, `verify`, `backup` …) was done just now, with details of its outcome."""
    SignOfLife.objects.update_or_create(name=name, defaults={"at": timezone.now(), "details": details})


def forget(name: str) -> bool:
    """Delete a sign; return whether there was one."""
    return bool(SignOfLife.objects.filter(name=name).delete()[0])


def begin_nightly(name: str, at: time) -> bool:
    """Note that a thing of each night begins now, if its hour (UTC) has come since it last began; return
    whether it did: of several who ask, one is told so. A thing that never began waits for the next night.
    """
    now = timezone.now()
    hour = datetime.combine(now.date(), at, UTC)
    signs = SignOfLife.objects.filter(name=NIGHT + name)
    if signs.filter(at__lt=hour if hour <= now else hour - timedelta(days=1)).update(at=now):
        return True
    signs.filter(at__gt=now).update(at=now)  # of a clock that was set back
    if not signs.exists():
        SignOfLife.objects.get_or_create(name=NIGHT + name, defaults={"at": now})
    return False


def age(name: str) -> float | None:
    """The seconds since a thing was last done; None: never. A time ahead of the clock counts as just now."""
    at = SignOfLife.objects.filter(name=name).values_list("at", flat=True).first()
    return None if at is None else max(0.0, (timezone.now() - at).total_seconds())


def note_web_start() -> None:
    """Note that a process of the web server started, in a thread of its own; warn where the database does not
    take it.
    """
    try:
        give(START + "web server")
    except Error as error:
        log.warning("the start could not be noted", error=type(error).__name__)
    finally:
        connection.close()
