"""Write an office's whole record as open facts, one a line, and below them how many there are."""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from players.office.models import Federation
from ratings.journal.export import journal_lines
from ratings.law.journal import with_end
from ratings.storage.whole_file import whole_file


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
        lines = with_end(journal_lines(office))
        if output is None:
            sys.stdout.buffer.writelines(lines)
            return
        try:
            with whole_file(output) as file:
                file.writelines(lines)
        except OSError as error:
            raise CommandError(f"{output}: {error.strerror}") from None
