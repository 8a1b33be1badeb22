"""Write an office's whole record as open facts, one a line."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from players.office.models import Federation
from ratings.journal.export import journal_lines


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
        lines = (f"{line}\n".encode() for line in journal_lines(office))
        if output is None:
            sys.stdout.buffer.writelines(lines)
            return
        with output.open("wb") as file:
            file.writelines(lines)
