"""The findings page of the largest files that an office takes, beside that of a small one.

    python -m benchmarks.findings                              SQLite
    DATABASE_URL=postgres://… python -m benchmarks.findings    a scratch database on that server

Three files of nearly 2 MB: 19,000 lines with an invisible character each; as many players as fit, each
with a date that nobody can read; and as many without an opponent's line. Prints, for each, seconds of this
process for the page of findings and for that of submission, and how many times the small file's they are.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from benchmarks.reading import DAY, uploaded
from benchmarks.scratch import database

if TYPE_CHECKING:
    from django.test import Client

    from tournaments.models import Section

MOST = 2 * 1024 * 1024 - 4_096  # bytes
RUNS = 3
HEAD = "012 Benchmark\n042 2026/03/06\n052 2026/03/11\n062 4\n142 3\n"


def line_of(number: int, birth: str = "1990/01/01", rounds: str = "") -> str:
    name = f"Invented{number}, Somebody"
    known = f"001 {number:>4} m    {name:<33} {'':>4} RSA {'':>11} {birth:<10}"
    return f"{known} {0.0:>4} {number:>4}{rounds}"


def small() -> bytes:
    return (HEAD + "\n".join(map(line_of, range(1, 5)))).encode()


def odd_characters() -> bytes:
    lines = [f"### a comment of line {number} with \u200b in it{' ' * 55}" for number in range(19_000)]
    return (HEAD + "\n".join([*map(line_of, range(1, 5)), *lines])).encode()[:MOST]


def players(birth: str, rounds: str = "") -> bytes:
    lines, length = [HEAD], 0
    for number in range(1, 9_999):
        line = line_of(number, birth, rounds)
        length += len(line) + 1
        if length > MOST:
            break
        lines.append(line)
    return "\n".join(lines).encode()


def unread_births() -> bytes:
    return players("19x0/01/01")


def opponents_missing() -> bytes:
    return players("1990/01/01", "  9999 w 1" * 10)


FILES: tuple[Callable[[], bytes], ...] = (small, odd_characters, unread_births, opponents_missing)


def measure() -> None:
    import django
    from django.core.management import call_command
    from django.test import Client

    django.setup()
    call_command("migrate", verbosity=0)
    from django.conf import settings

    from players import jobs
    from players.appointments import create_office
    from players.models import User
    from tournaments.models import Section

    settings.ALLOWED_HOSTS = ["testserver"]
    office = create_office(ruleset_slug="csa", official_email="nomsa@example.org", on=DAY)
    client = Client()
    client.force_login(User.objects.get())
    least: dict[str, float] = {}
    for make in FILES:
        data = make()
        upload = uploaded(office, data)
        jobs.run("uploads", upload.pk)
        section = Section.objects.get(pk=upload.section_id)
        told = f"{make.__name__:<18} {len(data) / 1024:5.0f} kB, {section.findings.count():>5} findings"
        for step, seconds in pages_of(client, section).items():
            ratio = seconds / least.setdefault(step, seconds)
            told += f", {step} {seconds:.2f} s ({ratio:.1f} times)"
        print(told, flush=True)


def pages_of(client: Client, section: Section) -> dict[str, float]:
    """Seconds of this process for each page that shows a section's findings."""
    return {step: spent_on(client, section, step) for step in ("findings", "submit")}


def spent_on(client: Client, section: Section, step: str) -> float:
    from tournaments.findings import filing_url

    spent = []
    for _run in range(RUNS):
        begun = time.process_time()
        answer = client.get(filing_url(step, section))
        spent.append(time.process_time() - begun)
        assert answer.status_code == 200, answer.status_code
    return statistics.median(spent)


if __name__ == "__main__":
    argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    ).parse_args()
    given = os.environ.get("DATABASE_URL", "")
    server = given if given.startswith("postgres") else None
    print("PostgreSQL" if server else "SQLite", flush=True)
    with database(server) as address:
        os.environ["DATABASE_URL"] = address
        measure()
        if server:
            from django.db import connection

            connection.close()
    sys.exit()
