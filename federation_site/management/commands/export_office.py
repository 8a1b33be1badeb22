"""Write everything that an office holds as open files into one archive, to move elsewhere with it."""

from __future__ import annotations

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from players.models import Federation
from players.record import Refused
from ratings.moving import export_office


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("federation", help="the office's code")
        parser.add_argument("-o", "--output", type=Path, required=True, help="the archive to write")

    def handle(self, *args: Any, federation: str, output: Path, **options: Any) -> None:
        office = Federation.objects.filter(code=federation).first()
        if office is None:
            raise CommandError(f"There is no office “{federation}” here.")
        try:
            manifest = export_office(office, output)
        except OSError as error:
            raise CommandError(f"{output}: {error.strerror}") from None
        except Refused as refused:
            raise CommandError(str(refused)) from None
        self.stdout.write(
            f"{output}: {len(manifest.members)} files, {manifest.lines} lines of the journal, "
            f"{manifest.decisions} decisions.\nIts folder “private” names people and births: keep it as you "
            "keep the database."
        )
