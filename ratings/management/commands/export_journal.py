"""Write an office's whole record as open facts, one a line; with -o also FILE.end, which tells a cut."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from players.commands import OfficeCommand
from players.models import Federation
from players.writing import atomic_file
from ratings.journal import journal_lines
from ratings.rulesets.journal_lines import LinesAbove, end_line_path


class Command(OfficeCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("-o", "--output", type=Path, help="a file to write (default: standard output)")

    def handle_office(self, office: Federation, *, output: Path | None, **options: Any) -> None:
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
