"""Say what an office would read and find in event files, and who the players are by its register: one line of
JSON for each file. Nothing is kept.
"""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from players.commands import OfficeCommand
from players.models import Federation
from players.settings import today
from tournaments.box import WALL
from tournaments.file_checks import check_file
from tournaments.formats.sheet import dump
from tournaments.uploads import MOST_BYTES


class Command(OfficeCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("files", nargs="+", type=Path)

    def handle_office(self, office: Federation, *, files: list[Path], **options: Any) -> None:
        for path in files:
            with path.open("rb") as file:
                data = file.read(MOST_BYTES + 1)
            on = today(office)
            check = check_file(office, data, path.name, on=on, with_register=True, wall=WALL)
            self.stdout.write(dump(check))
