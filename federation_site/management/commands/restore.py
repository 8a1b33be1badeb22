"""`manage.py restore FILE`: restore a backup, while the office is closed."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from federation_site import backup
from federation_site.database import as_owner
from players.models import Ledger


class Command(BaseCommand):
    help = "Put database and keys back from a backup that is checked first, migrate up, and verify."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", type=Path, help="a file that `backup` wrote")
        parser.add_argument("--replace", action="store_true", help="in place of the office that is here")
        parser.add_argument("--check", action="store_true", help="only read the file, and say what is in it")

    def handle(self, *args: Any, file: Path, replace: bool, check: bool, **options: Any) -> None:
        try:
            if check:
                manifest = backup.verify_backup(file)
            else:
                with as_owner():
                    manifest = backup.restore(
                        file, replace=replace, now=timezone.now(), say=self.stdout.write
                    )
        except (backup.CannotCopy, backup.CannotRestore, backup.DamagedBackup) as error:
            raise CommandError(str(error)) from None
        except OSError as error:
            raise CommandError(f"{error.filename or file}: {error.strerror}") from None
        did = "Whole: the office" if check else "Restored: the office"
        self.stdout.write(f"{did} as of {manifest.made:%Y-%m-%d %H:%M} UTC, by version {manifest.version}.")
        for office in manifest.offices:
            self.stdout.write(f"  {backup.describe_office_state(office)}")
        if not check:
            self.print_next_steps()
            call_command("recompute", pending=True, stdout=self.stdout)
            call_command("verify", stdout=self.stdout, stderr=self.stderr)
            self.stdout.write(
                "Then start the office, and run manage.py doctor (deploy/install.py does both)."
            )

    def print_next_steps(self) -> None:
        held = list(Ledger.objects.filter(held=True).values_list("federation__code", flat=True))
        if not held:
            return
        self.stdout.write(
            f"Nothing is decided or signed by {', '.join(sorted(held))} until you say what was signed since "
            "(docs/operating.md). With the newest checkpoint that anybody has, for each office:\n"
            "  manage.py log CODE resume CHECKPOINT                       where no line is missing\n"
            "  manage.py take_lines CODE JOURNAL --checkpoint CHECKPOINT  lines since, from a public copy\n"
            "  manage.py log CODE new-origin --reason WHY                 where they are lost"
        )
