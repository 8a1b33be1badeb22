"""Make a new office from a journal, also from one of form 2 (0.1.0rc1), whose lines are taken as they are.

A malformed journal is refused whole, with line numbers.
"""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from players.record import Refused
from players.settings import today_for_ruleset
from ratings import tasks
from ratings.intake import import_journal
from ratings.recompute import recompute
from ratings.rulesets import journal, journal_lines

NO_END_LINE = (
    "this journal has {lines} lines and no end line, and no {beside} lies beside it: nobody can tell whether "
    "lines were cut off."
)


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, file: Path, **options: Any) -> None:
        try:
            record = journal.read_journal(journal_lines.file_and_end_lines(file), reads_former_form=True)
            if not record.ended:
                words = NO_END_LINE.format(
                    lines=len(record.lines), beside=journal_lines.end_line_path(file).name
                )
                self.stderr.write(f"{file}: {words}")
            office = import_journal(record, on=today_for_ruleset(record.federation.ruleset))
        except OSError as error:
            raise CommandError(f"{file}: {error.strerror}") from None
        except journal_lines.JournalError as error:
            raise CommandError("\n".join(map(str, error.problems))) from None
        except Refused as refused:
            raise CommandError(str(refused)) from None
        self.stdout.write(f"{len(record.lines)} facts taken in; computing the ratings …")
        recompute(office)
        tasks.sign(office)
        self.stdout.write(f"The office of {office.name} is at /{office.code}/.")
