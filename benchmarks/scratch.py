"""Scratch offices for the benchmarks: a database of its own, filled from a generated journal."""

from __future__ import annotations

import os
import resource
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from players.models import Federation

from benchmarks.generate import journal_lines


@contextmanager
def database(server: str | None) -> Iterator[str]:
    """Yield the address of a new PostgreSQL database on `server`, or of a new SQLite file; then remove it."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["VAR_DIR"] = folder
        os.environ["DJANGO_SETTINGS_MODULE"] = "federation_site.settings"
        os.environ["LOG_LEVEL"] = "ERROR"
        if server is None:
            yield f"sqlite:///{folder}/db.sqlite3"
            return
        import psycopg

        name = f"bench_{os.getpid()}"
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
            try:
                yield urlsplit(server)._replace(path=f"/{name}").geturl()
            finally:
                connection.execute(f"DROP DATABASE {name} WITH (FORCE)")


def fill(games: int, players: int | None, since: date = date.max) -> Federation:
    """Fill an office from a generated journal, not computed yet. This process draws up no lists but those
    from `since` to today.

    A re-rate never touches a published list, so freezing a hundred of them is not what is measured.
    """
    import django
    from django.core.management import call_command
    from django.utils import timezone

    django.setup()
    call_command("migrate", verbosity=0)
    from ratings.intake import import_journal
    from ratings.recompute import Work
    from ratings.rulesets import journal

    draw_up = Work.draw_up

    def draw_up_newest(work: Work, fact: Any, row: Any) -> None:
        if since <= row.on <= date.today():
            draw_up(work, fact, row)

    Work.draw_up = draw_up_newest  # type: ignore[method-assign,assignment]
    record = journal.read_journal(journal_lines(games, players=players))
    return import_journal(record, on=timezone.localdate())


def peak_megabytes() -> float:
    """Peak memory of this process so far, in megabytes of 2²⁰ bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1 << 20 if sys.platform == "darwin" else 1 << 10)
