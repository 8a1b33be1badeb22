"""Compare a register with FIDE's list of players (TXT or XML, or its ZIP), and take over what FIDE decides.

Nothing is written without --write. Titles are taken over, and sex and year of birth where the register has
none; other names, years and sexes are told, for a person to look at. Ratings are never taken in.
"""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from players.commands import OfficeCommand
from players.fide_list import FideComparison, NotAList, compare_with_fide_list, read_list
from players.models import Federation
from players.settings import today
from ratings.register_import import write_fide_changes

MOST_SHOWN = 20
DIFFERENCE_WORDS = {
    "title": "another title",
    "sex": "another sex",
    "born": "another year of birth",
    "name": "another name",
    "link": "without a FIDE id here, with one player of that name and year there",
}


class Command(OfficeCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", type=Path)
        parser.add_argument("--write", action="store_true", help="take over what can be taken over")
        parser.add_argument(
            "--link",
            action="store_true",
            help="give FIDE ids by name and year of birth, where one alone fits",
        )
        parser.add_argument(
            "--show", type=int, default=MOST_SHOWN, metavar="N", help="how many differences to list"
        )

    def handle_office(
        self, office: Federation, *, file: Path, write: bool, link: bool, show: int, **options: Any
    ) -> None:
        try:
            found = compare_with_fide_list(
                office,
                read_list(file),
                on=today(office),
                link_by_name=link,
                on_progress=self.report_progress,
            )
        except NotAList as error:
            raise CommandError(f"{file} is no list of FIDE's: {error}.") from None
        self.report(found, show)
        if not write:
            self.stdout.write("Nothing was written. Write what is taken over with --write.")
        elif found.taken:
            write_fide_changes(
                federation=office, comparison=found, source=file.name, by=None, on=today(office)
            )
            self.stdout.write(f"{len(found.taken)} changes were written.")
        else:
            self.stdout.write("There is nothing to write.")

    def report_progress(self, people: int) -> None:
        self.stdout.write(f"{people:,} people read …")
        self.stdout.flush()

    def report(self, found: FideComparison, show: int) -> None:
        self.stdout.write(
            f"{found.people:,} people on the list; of the players with a FIDE id {found.known:,} are on it, "
            f"{found.missing:,} are not."
        )
        for (what, taken), count in sorted(found.counts.items()):
            outcome = "taken over" if taken else "reported only"
            self.stdout.write(f"{count:>8,}  {DIFFERENCE_WORDS[what]}: {outcome}")
        for number, what, before, after, taken in found.differences[: max(show, 0)]:
            self.stdout.write(f"  {'+' if taken else '?'} {number}  {what}: {before or '–'} → {after}")
        if (more := len(found.differences) - show) > 0:
            self.stdout.write(f"  and {more:,} more; list them with --show {len(found.differences)}")
