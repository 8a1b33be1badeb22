"""Make a new office from a journal. A malformed journal is refused whole, with line numbers."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from players.office.record import Refused
from ratings import tasks
from ratings.intake.services import import_journal
from ratings.law import journal
from ratings.recompute.ledger import recompute

UNENDED = (
    "this journal has {lines} lines and no end line, so it may have been cut short. Nothing was imported. "
    "If you know that it is whole, say --without-end."
)


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)
        parser.add_argument(
            "--without-end",
            action="store_true",
            help="take a journal that has no end line, by which one sees that nothing was cut off",
        )

    def handle(self, *args: Any, file: Path, without_end: bool, **options: Any) -> None:
        try:
            with file.open("rb") as lines:
                record = journal.read_journal(lines)
            if not (record.ended or without_end):
                raise CommandError(f"{file}: {UNENDED.format(lines=len(record.lines))}")
            office = import_journal(record, on=timezone.localdate())
        except OSError as error:
            raise CommandError(f"{file}: {error.strerror}") from None
        except journal.JournalError as error:
            raise CommandError("\n".join(map(str, error.problems))) from None
        except Refused as refused:
            raise CommandError(str(refused)) from None
        self.stdout.write(f"{len(record.lines)} facts taken in; computing the ratings …")
        recompute(office)
        tasks.sign(office)
        self.stdout.write(f"The office of {office.name} is at /{office.code}/.")
