"""`manage.py doctor`: try what the installation must be able to do, and say what to do where it cannot."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from federation_site.doctor import count_wrong, examine, write_report


class Command(BaseCommand):
    help = "Try pages, files, rights, backup, mail and certificate; fail where anything is not in order."

    def handle(self, *args: Any, **options: Any) -> None:
        topics = examine(timezone.now())
        for line in write_report(topics):
            self.stdout.write(line)
        if wrong := count_wrong(topics):
            raise CommandError(f"Not in order: {wrong}. What to do stands below each.")
        self.stdout.write("All is in order.")
