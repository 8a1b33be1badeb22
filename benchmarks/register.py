"""Taking a register in: the dry run of a table and its writing, against a bare parse and a bare bulk write.

    python -m benchmarks.register [ROWS …]                         SQLite; default: 1000 10000 100000
    DATABASE_URL=postgres://… python -m benchmarks.register

For each size, in one process of its own: a CSV of new players is compared and written into an empty office;
then the same players with another first name and title, so that every row changes. Beside them, in the same
run: `csv.reader` over the same bytes, and Django's `bulk_create` of the same players into another office.
"""

from __future__ import annotations

import argparse
import csv
import io
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from benchmarks.scratch import database, peak_megabytes

if TYPE_CHECKING:
    from players.models import Federation

HEAD = ("number", "surname", "first_name", "sex", "birth", "nation", "region", "title", "fide_id")
SURNAMES = 5_000


def table(rows: int, *, again: bool) -> bytes:
    """Invented players, each with birth and FIDE id; `again`: with other first names and titles."""
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(HEAD)
    for n in range(rows):
        birth = f"{1950 + n % 60}-{1 + n % 12:02}-{1 + n % 28:02}"
        name = (f"Invented{n % SURNAMES}", f"{'Other' if again else 'Person'} {n}")
        particulars = ("mf"[n % 2], birth, "RSA", "GAU", "CM" if again else "")
        writer.writerow((101000001 + n, *name, *particulars, 14000000 + n))
    return file.getvalue().encode()


def seconds(deed: Callable[[], Any]) -> float:
    begun = time.perf_counter()
    deed()
    return time.perf_counter() - begun


def measure(rows: int) -> Iterator[float]:
    """Yield seconds of dry run and writing, of new players and then of changed ones; the peak in megabytes
    until then; seconds of the bare parse and of the bare write.
    """
    office, other = prepare("csa"), prepare("other")
    new, changed = table(rows, again=False), table(rows, again=True)
    for data, takes_numbers in ((new, True), (changed, False)):
        yield from imported(office, data, takes_numbers)
    yield peak_megabytes()
    yield seconds(lambda: parse(new))
    yield seconds(lambda: bare_write(other, new))


def prepare(code: str) -> Federation:
    from django.utils import timezone

    from players.appointments import create_office

    return create_office(
        ruleset_slug="csa", code=code, official_email="nomsa@example.org", on=timezone.localdate()
    )


def parse(data: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode())))


def bare_write(office: Federation, data: bytes) -> None:
    """Write the table's players with as little as Django can do: no look-up, no check, no decision."""
    from django.db import transaction

    from players.models import BirthDate, Identifier, Player

    region = office.regions.get(code="GAU")
    rows = parse(data)[1:]
    with transaction.atomic():
        players = Player.objects.bulk_create(
            (
                Player(
                    federation=office,
                    number=number,
                    surname=surname,
                    first_name=first_name,
                    sex=sex,
                    born=int(birth[:4]),
                    nation=nation,
                    region=region,
                    title=title,
                    name_key=surname.lower(),
                )
                for number, surname, first_name, sex, birth, nation, _region, title, _fide in rows
            ),
            batch_size=1_000,
        )
        births = (BirthDate(player=player, day=row[4]) for player, row in zip(players, rows, strict=True))
        BirthDate.objects.bulk_create(births, batch_size=1_000)
        ids = (
            Identifier(federation=office, player=player, kind="fide", value=row[8])
            for player, row in zip(players, rows, strict=True)
        )
        Identifier.objects.bulk_create(ids, batch_size=1_000)


def imported(office: Federation, data: bytes, takes_numbers: bool) -> Iterator[float]:
    from django.utils import timezone

    from players import jobs
    from ratings import register_import

    day = timezone.localdate()
    job = register_import.receive_register(
        federation=office,
        by=None,
        at=timezone.now(),
        on=day,
        name="register.csv",
        data=data,
        takes_numbers=takes_numbers,
    )
    yield seconds(lambda: jobs.run("tables", job.pk))
    job.refresh_from_db()
    if job.state != "planned" or job.counts["problem"] or job.counts["unchanged"]:
        raise SystemExit(f"the dry run went wrong: {job.state} {job.counts} {job.reason}")
    register_import.confirm_register(
        register_import=job, by=None, on=day, seen_digest=job.digest, leave_out_problems=False
    )
    yield seconds(lambda: jobs.run("tables", job.pk))
    job.refresh_from_db()
    if job.state != "written":
        raise SystemExit(f"the writing went wrong: {job.state} {job.reason}")


def run(rows: int, server: str | None) -> None:
    """Run `measure` in a process of its own, as sizes must not share memory, and print its figures."""
    with database(server) as address:
        os.environ["DATABASE_URL"] = address
        command = [sys.executable, "-m", "benchmarks.register", "--measure", str(rows)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    dry, write, dry_again, write_again, peak, parsed, bare = map(float, done.stdout.split())
    print(f"{rows:>7,} rows: bare parse {parsed:6.2f} s, bare write {bare:6.2f} s, peak {peak:4.0f} MB")
    for words, looked, wrote in (("new", dry, write), ("changed", dry_again, write_again)):
        print(
            f"        {words:>8}: dry run {looked:6.2f} s ({looked / parsed:4.0f} × the parse), "
            f"writing {wrote:6.2f} s ({wrote / bare:4.1f} × the bare write)",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("rows", type=int, nargs="*", default=[1_000, 10_000, 100_000])
    parser.add_argument("--measure", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        import django
        from django.core.management import call_command

        django.setup()
        call_command("migrate", verbosity=0)
        print(*measure(options.measure))
        return
    given = os.environ.get("DATABASE_URL", "")
    server = given if given.startswith("postgres") else None
    print("PostgreSQL" if server else "SQLite")
    for size in options.rows:
        run(size, server)


if __name__ == "__main__":
    main()
