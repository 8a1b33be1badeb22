"""Make an office of an archive that `export_office` wrote. Whatever does not fit is refused, whole."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from players.models import Ledger
from ratings.moving import ArchiveRefused, import_office


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, file: Path, **options: Any) -> None:
        try:
            office, manifest, report = import_office(file, at=timezone.now())
        except OSError as error:
            raise CommandError(f"{file}: {error.strerror}") from None
        except ArchiveRefused as refused:
            raise CommandError(f"{refused}\nNothing was written.") from None
        self.stdout.write(
            f"The office of {office.name} is at /{office.code}/: {manifest.lines} lines, {report.standings} "
            f"ratings, {report.lists} lists, {manifest.decisions} decisions, {report.files} files. A replay "
            "gives all of it, and its own archive would be this one."
        )
        if Ledger.objects.get(federation=office).held:
            self.stdout.write(
                "It decides and signs nothing until you say what was signed last:\n"
                f"  manage.py log {office.code} resume CHECKPOINT          with the old office's key file\n"
                f"  manage.py log {office.code} new-origin --reason WHY    without it"
            )
        self.stdout.write(
            "Nobody can sign in yet; accounts stay behind:\n"
            f"  manage.py appoint {office.code} --administrator EMAIL"
        )
