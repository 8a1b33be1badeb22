"""Write an office's whole record as open facts, one a line; with -o also FILE.end, which tells a cut."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from players.models import Federation
from players.storage import atomic_file
from ratings.journal import journal_lines
from ratings.rulesets.journal_lines import LinesAbove, end_line_path


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("federation", help="the office's code")
        parser.add_argument("-o", "--output", type=Path, help="a file to write (default: standard output)")

    def handle(self, *args: Any, federation: str, output: Path | None, **options: Any) -> None:
        try:
            office = Federation.objects.get(code=federation)
        except Federation.DoesNotExist:
            raise CommandError(f"There is no office “{federation}” here.") from None
        if output is None:
            sys.stdout.buffer.writelines(f"{line}\n".encode() for line in journal_lines(office))
            return
        try:
            above = LinesAbove()
            with atomic_file(end_line_path(output)) as end, atomic_file(output) as file:
                for line in journal_lines(office):
                    above.add(line)
                    file.write(f"{line}\n".encode())
                end.write(f"{above.end}\n".encode())
        except OSError as error:
            raise CommandError(f"{output}: {error.strerror}") from None
