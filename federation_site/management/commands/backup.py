"""`manage.py backup [FOLDER]`: write a backup and verify it."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from federation_site import backup


class Command(BaseCommand):
    help = "Write database, keys and secret key into one file, read it back, and delete old ones by a rule."

    def add_arguments(self, parser: ArgumentParser) -> None:
        folder = settings.BACKUP_DIR or settings.VAR / "backups"
        parser.add_argument(
            "folder", nargs="?", type=Path, default=folder, help=f"where it is kept (default: {folder})"
        )
        parser.add_argument("--without-secrets", action="store_true", help="leave the keys out")
        parser.add_argument(
            "--keep",
            metavar="RULE",
            help="then delete all backups in the folder but the newest of each of so many days, weeks, "
            "months or years: “7 daily, 4 weekly” (default: delete none)",
        )

    def handle(
        self, *args: Any, folder: Path, without_secrets: bool, keep: str | None, **options: Any
    ) -> None:
        now = timezone.now()
        try:
            rule = backup.parse_rule(keep) if keep else None
            made = backup.make_backup(folder, secrets=not without_secrets, now=now)
        except (backup.BadRule, backup.CannotCopy, backup.DamagedBackup) as error:
            raise CommandError(str(error)) from None
        except OSError as error:
            raise CommandError(f"{error.filename or folder}: {error.strerror}") from None
        backup.note_backup(made)
        self.stdout.write(f"{made.path}: {made.size / 1e6:.1f} MB, written and read back")
        for office in made.manifest.offices:
            self.stdout.write(f"  {backup.describe_office_state(office)}")
        self.stdout.write(backup.describe_secrets(made.manifest))
        for path in backup.delete_old(folder, rule) if rule else ():
            self.stdout.write(f"Deleted by the rule: {path.name}")
