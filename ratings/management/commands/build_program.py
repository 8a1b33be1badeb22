"""Make `ratings.pyz`, the program with which anybody checks a list: the same sources give the same bytes."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from ratings.program import get_current_program


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "-o", "--output", type=Path, default=Path("ratings.pyz"), help="default: ratings.pyz"
        )

    def handle(self, *args: Any, output: Path, **options: Any) -> None:
        program = get_current_program()
        output.write_bytes(program.content)
        self.stdout.write(f"{program.sha256}  {output}")
