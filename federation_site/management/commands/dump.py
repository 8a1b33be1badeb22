"""Draw up an office's dump for the public at once, as the worker does after a publication."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from players.models import Federation
from ratings.dumps import build_dump, get_dump_folder, get_dump_path


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("federation", help="the office's code")

    def handle(self, *args: Any, federation: str, **options: Any) -> None:
        try:
            office = Federation.objects.get(code=federation)
        except Federation.DoesNotExist:
            raise CommandError(f"There is no office “{federation}” here.") from None
        try:
            dump = build_dump(office, timezone.now())
        except OSError as error:
            raise CommandError(f"{get_dump_folder(office)}: {error.strerror}") from None
        if dump is None:
            raise CommandError(
                f"The dump of {federation} is being drawn up already, or its ratings are being computed: "
                "try again in a minute."
            )
        self.stdout.write(f"{dump.sha256}  {get_dump_path(office, dump)}")
