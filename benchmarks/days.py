"""Players' pages of past days in a large office, each asked for the first time.

    python -m benchmarks.days [--games 1000000] [--pages 40] [--more 1000]       SQLite
    DATABASE_URL=postgres://… python -m benchmarks.days                           a scratch database there

A generated office (csa) is computed; some sections are taken back, so that there is a past to keep. Prints
queries and milliseconds of processor of the players' pages, of random players on random days, and of those
who played most; then how much the database has grown when so many more days were asked for.
"""

from __future__ import annotations

import argparse
import os
import random
import statistics
import sys
import time
from datetime import date, timedelta
from typing import TYPE_CHECKING

from benchmarks.scratch import database, fill, peak_megabytes

if TYPE_CHECKING:
    from django.test import Client

    from players.models import Federation


def computed(games: int) -> Federation:
    """Compute a generated office and un-rate a few of its sections."""
    office = fill(games, None)
    from ratings import approval
    from ratings.models import Fact
    from ratings.recompute import recompute

    begun = time.perf_counter()
    recompute(office)
    print(f"computed in {time.perf_counter() - begun:.0f} s, peak {peak_megabytes():.0f} MB", flush=True)
    newest = Fact.objects.filter(on__isnull=False).latest("number").on
    assert newest is not None
    rated = Fact.objects.filter(kind="rated").select_related("section__event__federation")
    for fact in rated.order_by("-number")[10:60:10]:
        assert fact.section is not None
        approval.unrate(
            section=fact.section,
            by=None,
            on=newest,
            version=fact.section.version,
            reason="result",
            words="slip",
            after_list=True,
        )
    begun = time.perf_counter()
    recompute(office)
    print(f"five sections taken back in {time.perf_counter() - begun:.0f} s", flush=True)
    return office


def asked(client: Client, office: Federation, number: str, day: date) -> tuple[int, float]:
    """Ask for a player's page of a past day; return its number of queries and milliseconds of processor."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    address = f"/{office.code}/players/{number}/?on={day}"
    with CaptureQueriesContext(connection) as queries:
        assert client.get(address).status_code == 200, address
    made = len(queries)
    begun = time.process_time()
    # Asked again, since counting queries costs too; nothing of the first time is kept.
    client.get(address)
    return made, (time.process_time() - begun) * 1000


def measure(games: int, pages: int, more: int) -> None:
    office = computed(games)
    from django.conf import settings
    from django.test import Client, override_settings
    from django.test.utils import setup_test_environment

    setup_test_environment()
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    with override_settings(STORAGES={**settings.STORAGES, "staticfiles": plain}):
        look(office, Client(), pages, more)


def look(office: Federation, client: Client, pages: int, more: int) -> None:
    from django.db.models import Count

    from players.models import Player
    from ratings.models import Fact

    days = [on for on in Fact.objects.filter(on__isnull=False).values_list("on", flat=True).distinct() if on]
    first = min(days)  # the invented record goes on beyond today, pages do not
    span = (min(max(days), date.today() - timedelta(2)) - first).days
    dice = random.Random(1)
    played = (
        Player.objects.annotate(moves=Count("changes")).order_by("-moves").values_list("number", flat=True)
    )
    busiest = list(played[:20])
    anybody = list(played.filter(moves__gt=0))
    asked(client, office, busiest[0], first + timedelta(span))  # templates are read once
    for name, people in (("random players", anybody), ("the busiest", busiest)):
        found = [
            asked(client, office, dice.choice(people), first + timedelta(dice.randint(span // 2, span)))
            for _ in range(pages)
        ]
        tell(name, found)
    before = size()
    for _ in range(more):
        day = first + timedelta(dice.randint(0, span))
        client.get(f"/{office.code}/players/{dice.choice(anybody)}/?on={day}")
    print(f"{more} more days leave {(size() - before) / 1e6:.1f} MB; peak {peak_megabytes():.0f} MB")


def tell(name: str, found: list[tuple[int, float]]) -> None:
    queries, spent = [each for each, _ in found], sorted(each for _, each in found)
    print(
        f"{name:<15} {min(queries)}–{max(queries)} queries; processor: median "
        f"{statistics.median(spent):.0f} ms, most {spent[-1]:.0f} ms",
        flush=True,
    )


def size() -> int:
    """The size of the database in bytes."""
    from django.db import connection

    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_database_size(current_database())")
            return int(cursor.fetchone()[0])
    name = str(connection.settings_dict["NAME"])
    return sum(os.path.getsize(file) for file in (name, f"{name}-wal") if os.path.exists(file))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=int, default=1_000_000)
    parser.add_argument("--pages", type=int, default=40)
    parser.add_argument("--more", type=int, default=1_000)
    options = parser.parse_args()
    given = os.environ.get("DATABASE_URL", "")
    server = given if given.startswith("postgres") else None
    print("PostgreSQL" if server else "SQLite", flush=True)
    with database(server) as address:
        os.environ["DATABASE_URL"] = address
        measure(options.games, options.pages, options.more)
        if server:
            from django.db import connection

            connection.close()
    sys.exit()
