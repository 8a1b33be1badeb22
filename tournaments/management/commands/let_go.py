"""Delete the bytes of filed files that are due, as each night: `--dry-run` only shows which."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from players.commands import OfficesCommand
from players.record import Refused
from players.settings import today
from tournaments.retention import iter_due_files, let_go


class Command(OfficesCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--dry-run", action="store_true", help="show what would go, and delete nothing")

    def handle(self, *args: Any, federation: list[str], dry_run: bool, **options: Any) -> None:
        for office in self.get_offices(federation):
            try:
                files = list((iter_due_files if dry_run else let_go)(office, today(office)))
            except Refused as refused:
                raise CommandError(f"{office.code}: {refused}") from refused
            for file in files:
                row, reason = file.row, file.reason.label
                self.stdout.write(
                    f"  {row.sha256[:12]} {row.name} ({row.size} bytes): kept until {file.until}; {reason}"
                )
            noun, done = "file" if len(files) == 1 else "files", "would be let go" if dry_run else "let go"
            self.stdout.write(f"{office.code}: {len(files)} {noun} {done}")
