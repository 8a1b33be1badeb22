"""Write everything that an office holds as open files into one archive, to move elsewhere with it."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from players.commands import OfficeCommand
from players.models import Federation
from ratings.moving import export_office


class Command(OfficeCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("-o", "--output", type=Path, required=True, help="the archive to write")

    def handle_office(self, office: Federation, *, output: Path, **options: Any) -> None:
        try:
            manifest = export_office(office, output)
        except OSError as error:
            raise CommandError(f"{output}: {error.strerror}") from None
        self.stdout.write(
            f"{output}: {len(manifest.members)} files, {manifest.lines} lines of the journal, "
            f"{manifest.decisions} decisions.\nIts folder “private” names people and births: keep it as you "
            "keep the database."
        )
