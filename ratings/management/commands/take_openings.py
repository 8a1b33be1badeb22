"""Begin an office with the ratings of a list: shows who is who and the list that would come out.

Nothing is written without --write. What a column holds is said by its heading, or with --column.
"""

import time
from argparse import ArgumentParser
from datetime import date
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from django.utils import timezone

from players import jobs
from players.commands import OfficeCommand
from players.models import Federation, RegisterImport, State
from players.register_table import (
    GAMES,
    Naming,
    OpeningTerms,
    describe_problem,
    label,
)
from players.settings import today
from ratings.recompute import recompute
from ratings.register_import import confirm_register, name_columns, receive_register

MOST_SHOWN = 20


class Command(OfficeCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("table", type=Path)
        parser.add_argument("--track", required=True, help="the rating that the list is of")
        parser.add_argument("--on", required=True, type=date.fromisoformat, help="the list's day, YYYY-MM-DD")
        parser.add_argument("--source", default="", help="how the list is called; default: list of its day")
        parser.add_argument("--games", type=int, help="games counted before, where the list tells none")
        parser.add_argument(
            "--column",
            action="append",
            default=[],
            metavar="HEADING=NAME",
            help="what a column holds: number, surname, rating, games, fide_id …; again for each",
        )
        parser.add_argument("--write", action="store_true", help="write, if no row has a problem")
        parser.add_argument("--leave-out", action="store_true", help="write without rows that have problems")

    def handle_office(self, office: Federation, *, table: Path, **options: Any) -> None:
        job = self._compare(office, table, options)
        self._show(job)
        if options["write"] or options["leave_out"]:
            self._write(office, job, leave_out=options["leave_out"])

    def _compare(self, office: Federation, table: Path, options: dict[str, Any]) -> RegisterImport:
        on: date = options["on"]
        source = options["source"] or f"list of {on}"
        job = receive_register(
            federation=office,
            by=None,
            at=timezone.now(),
            on=today(office),
            name=table.name,
            data=table.read_bytes(),
            takes_numbers=True,
            opening=OpeningTerms(options["track"], on.isoformat(), source),
        )
        run_import(job)
        if job.nameable and (options["column"] or options["games"] is not None):
            headings = [text.casefold() for text in job.head["headings"]]
            before = Naming.of(job.head["used"]) if job.head["used"] else Naming()
            places = dict(before.places)
            for column in options["column"]:
                heading, _is, name = column.rpartition("=")
                if heading.casefold() not in headings:
                    raise CommandError(f"the table has no column “{heading}”; it has: {', '.join(headings)}")
                places = {at: held for at, held in places.items() if held != name}
                places[headings.index(heading.casefold())] = name
            games = {} if options["games"] is None else {GAMES: str(options["games"])}
            name_columns(
                register_import=job,
                naming=Naming(places, {**before.defaults, **games}),
                seen_digest=job.digest,
            )
            run_import(job)
        if job.state != State.PLANNED:
            raise CommandError(describe_problem(job.reason))
        return job

    def _show(self, job: RegisterImport) -> None:
        counts = job.counts
        for notice in job.notices:
            self.stdout.write(describe_problem(notice))
        for line in job.lines.filter(kind="problem")[:MOST_SHOWN]:
            words = "; ".join(f"{label(each['column'])}: {describe_problem(each)}" for each in line.problems)
            self.stdout.write(f"row {line.line}: {words}")
        for rank, number, name, rating, games in job.coming_list[:MOST_SHOWN]:
            self.stdout.write(f"{rank:>5}  {rating:>8}  {games:>5}  {name} {number}")
        self.stdout.write(
            f"{counts.get('openings', 0)} opening ratings, {counts['new']} new players, "
            f"{counts['problem']} rows with problems"
        )

    def _write(self, office: Federation, job: RegisterImport, *, leave_out: bool) -> None:
        confirm_register(
            register_import=job,
            by=None,
            on=today(office),
            seen_digest=job.digest,
            leave_out_problems=leave_out,
        )
        run_import(job)
        if job.state != State.WRITTEN:
            raise CommandError(
                describe_problem(job.reason) if job.reason else "nothing was written; try again"
            )
        recompute(office)
        self.stdout.write(f"written into the register and the journal of {office}")


def run_import(job: RegisterImport) -> None:
    jobs.run("tables", job.pk)
    job.refresh_from_db()
    while job.working:
        time.sleep(0.5)
        job.refresh_from_db()
