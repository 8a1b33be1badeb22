"""What public pages cost in an office of 10,000 listed players, and in one of 100,000.

    python -m benchmarks.pages [--players 10000 100000] [--pages 40]      SQLite
    DATABASE_URL=postgres://… python -m benchmarks.pages                   a scratch database there

A generated office (csa, ten games a player) is computed, and its two newest lists are drawn up. Each kind of
page is asked for many times by a visitor without a cookie, at another address each time, so that no kept page
answers. Prints queries, milliseconds of the process's own processor (with SQLite's work in them, without that
of PostgreSQL) and by the clock, and how much they grow from the first office to the last.

A busy machine makes all of it slower, and not on all days alike. After each page a loop is timed that is
the same always: a page's *loops* are its own processor time divided by that of the loop, the same in any run.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

from benchmarks.scratch import database, fill

if TYPE_CHECKING:
    from django.test import Client

    from players.models import Federation

PLAYERS_A_ROW = 2.15
"""Players of a generated office for each one who is on its newest list: many play too little, or not yet."""
GAMES_A_PLAYER = 10
PLAYERS, ROUNDS = 200, 9
"""The size of the section whose page is asked for."""
ENCODINGS = "br, gzip"
WARM = 5
"""Pages of each kind that are asked for before any is measured: templates and settings are read once."""


@dataclass(frozen=True, slots=True)
class Figures:
    """What pages of one kind cost in one office: queries at most, milliseconds."""

    queries: int
    processor: float
    loops: float
    """The median's processor time, in reference loops timed in turn with the pages."""
    median: float
    ninety_nine: float


def computed(listed: int) -> Federation:
    """Make an office of about so many listed players, and draw up its two newest lists alone."""
    players = round(listed * PLAYERS_A_ROW)
    office = fill(players * GAMES_A_PLAYER, players, date.today() - timedelta(62))
    from ratings.recompute import recompute

    recompute(office)
    _tell_of_people(office)
    _analyze()
    return office


def _tell_of_people(office: Federation) -> None:
    """Give the register what no journal tells: years of birth, sex and region, by the number."""
    from django.db.models import Case, F, IntegerField, Value, When
    from django.db.models.functions import Cast, Mod

    digits = Cast(F("number"), IntegerField())
    regions = list(office.regions.order_by("code"))
    whens = [When(tail=place, then=Value(region.pk)) for place, region in enumerate(regions)]
    people = office.players.annotate(tail=Mod(digits, Value(len(regions)))) if regions else office.players
    people.update(
        born=Value(1950) + Mod(digits, Value(50)),
        sex=Case(When(number__regex="[05]$", then=Value("f")), default=Value("m")),
        **({"region": Case(*whens)} if regions else {}),
    )


def _analyze() -> None:
    """Have the database count its tables: PostgreSQL does it by itself, on SQLite the night does."""
    from django.db import connection

    from players.writing import renew_sqlite_statistics

    renew_sqlite_statistics()
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")


def addresses(office: Federation, dice: random.Random) -> Mapping[str, Callable[[], str]]:
    """The kinds of pages by name, each with a function that gives an address never given before."""
    from ratings.models import Change, RatingList

    newest = RatingList.objects.of(office).without_content().order_by("-on", "-players").first()
    assert newest is not None, "no list was drawn up"
    print(f"{office.players.count()} players, {newest.players} of them on the list", flush=True)
    at = f"{newest.get_absolute_url()}?"
    deep = iter(dice.sample(range(newest.players), min(newest.players, 5000)))
    groups = [group.code for group in office.publication.age_groups]
    regions = list(office.regions.values_list("code", flat=True))
    rated = office.players.filter(pk__in=Change.objects.values("player"))
    played = list(rated.order_by().values_list("number", flat=True))
    numbers = iter(dice.sample(played, min(len(played), 2000)))
    return {
        "list, a page": lambda: f"{at}after={next(deep)}",
        "list, women": lambda: f"{at}sex=f&after={next(deep)}",
        "list, an age": lambda: f"{at}age={dice.choice(groups)}&after={next(deep)}",
        "list, a region": lambda: f"{at}region={dice.choice(regions)}&after={next(deep)}",
        "list, gained": lambda: f"{at}only=up&after={next(deep)}",
        "list, new": lambda: f"{at}only=new&after={next(deep)}",
        "list, by name": lambda: f"{at}sort=player&after={next(deep)}",
        "list, by games": lambda: f"{at}sort=-games&after={next(deep)}",
        "list, by change": lambda: f"{at}sort=-moved&after={next(deep)}",
        "list, a name": lambda: f"{at}q=Player{dice.randrange(10000):04}",
        "search": lambda: f"/{office.code}/players/?q=Player{dice.randrange(100000):05}",
        "a player": lambda: f"/{office.code}/players/{next(numbers)}/",
    }


def sections_of(office: Federation, pages: int) -> Iterator[str]:
    """File and rate sections of 200 players and give their addresses, each once."""
    from players.models import Player
    from ratings import approval
    from ratings.models import Fact
    from ratings.recompute import recompute
    from ratings.tests.office import submitted

    newest = Fact.objects.filter(on__isnull=False).latest("number").on
    assert newest is not None
    keys = list(office.players.values_list("pk", flat=True))
    for number in range(2 * WARM + pages):
        dice = random.Random(number)
        people = list(Player.objects.filter(pk__in=dice.sample(keys, PLAYERS)))
        day = newest + timedelta(days=1)
        filed = f"{day.year}-9{number:04}"
        section = submitted(office, people, number=filed, ends=day, rounds=ROUNDS, seed=number)
        approval.approve(section=section, by=None, on=day, version=section.version)
        recompute(office)
        yield section.get_absolute_url()


def measured(client: Client, address: Callable[[], str], pages: int) -> Figures:
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    from federation_site.gateway import freeze_loaded_objects

    for _ in range(WARM):
        look(client, address())
    made = []
    for _ in range(WARM):
        with CaptureQueriesContext(connection) as queries:
            look(client, address())
        made.append(len(queries))
    freeze_loaded_objects()
    found, loops = [], []
    for _ in range(pages):
        found.append(look(client, address()))
        loops.append(reference_loop())
    clock = sorted(each for _, each in found)
    processor = statistics.median(each for each, _ in found)
    return Figures(
        max(made),
        processor,
        processor / statistics.median(loops),
        statistics.median(clock),
        clock[min(len(clock) - 1, len(clock) * 99 // 100)],
    )


def reference_loop() -> float:
    """Do a little of what pages do, always the same: make texts, look them up, escape them. Return the
    milliseconds of processor.
    """
    from django.utils.html import escape

    spent = time.process_time()
    known = {f"name {number}": str(number) for number in range(2_000)}
    "".join([escape(f"<{key}> {known[key]}") for key in known])
    return (time.process_time() - spent) * 1000


def look(client: Client, address: str) -> tuple[float, float]:
    """Ask for a page, as a web process does; return milliseconds of processor and by the clock."""

    spent, begun = time.process_time(), time.perf_counter()
    answer = client.get(address)
    figures = (time.process_time() - spent) * 1000, (time.perf_counter() - begun) * 1000
    assert answer.status_code == 200, (address, answer.status_code)
    return figures


def office_figures(server: str | None, players: int, pages: int) -> dict[str, Figures]:
    """Make one office in a database of its own, and measure its pages in a process that made nothing, as a
    web process is: after a large fold pages take a quarter longer.
    """
    with database(server) as address:
        os.environ["DATABASE_URL"] = address
        with multiprocessing.get_context("spawn").Pool(1) as made:
            sections = made.apply(_make, (players, pages))
        with multiprocessing.get_context("spawn").Pool(1) as asked:
            return asked.apply(_measure, (sections, pages))


def _make(players: int, pages: int) -> list[str]:
    """Make the office, and return the addresses of its sections of 200."""
    return list(sections_of(computed(players), pages))


def _measure(sections: Sequence[str], pages: int) -> dict[str, Figures]:
    import django

    django.setup()
    from django.conf import settings
    from django.test import Client, override_settings

    from federation_site.gateway import configure_web_process
    from players.models import Federation

    configure_web_process()
    plain = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
    client = Client(headers={"host": "localhost", "accept-encoding": ENCODINGS})
    found = {}
    with override_settings(STORAGES={**settings.STORAGES, "staticfiles": plain}):
        kinds = dict(addresses(Federation.objects.get(), random.Random(1)))
        kinds["a section of 200"] = iter(sections).__next__
        for kind, each in kinds.items():
            found[kind] = measured(client, each, pages)
            tell(kind, found[kind])
    return found


def tell(kind: str, found: Figures, first: Figures | None = None) -> None:
    grown = f"; {found.loops / first.loops:.1f} times the first office's loops" if first else ""
    print(
        f"{kind:<18} {found.queries:>3} queries; "
        f"processor {found.processor:>6.1f} ms, {found.loops:>5.1f} loops; "
        f"clock: median {found.median:>6.1f}, p99 {found.ninety_nine:>6.1f} ms{grown}",
        flush=True,
    )


def main(sizes: Sequence[int], pages: int) -> None:
    given = os.environ.get("DATABASE_URL", "")
    server = given if given.startswith("postgres") else None
    print("PostgreSQL" if server else "SQLite", flush=True)
    found = []
    for size in sizes:
        found.append(office_figures(server, size, pages))
    for kind, first in found[0].items() if len(found) > 1 else ():
        tell(kind, found[-1][kind], first)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--players", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--pages", type=int, default=40)
    options = parser.parse_args()
    main(options.players, options.pages)
    sys.exit()
