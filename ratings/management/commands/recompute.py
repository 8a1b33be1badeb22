"""Do what the ledgers want, here and now: what the sweep does, by hand."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from players.office.models import Federation, Ledger
from ratings import tasks
from ratings.recompute.fold import FoldFailed
from ratings.recompute.ledger import recompute


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: ArgumentParser) -> None:
        which = parser.add_mutually_exclusive_group(required=True)
        which.add_argument("--pending", action="store_true", help="every office with something pending")
        which.add_argument("federation", nargs="?", help="one office's code")

    def handle(self, *args: Any, federation: str | None, **options: Any) -> None:
        offices = Federation.objects.filter(ledger__in=Ledger.objects.pending())
        if federation:
            if not Federation.objects.filter(code=federation).exists():
                raise CommandError(f"There is no office “{federation}” here.")
            offices = offices.filter(code=federation)
        for office in offices:
            try:
                while recompute(office):
                    self.stdout.write(f"{office.code}: done")
                tasks.sign(office)
            except FoldFailed as failure:
                raise CommandError(f"{office.code}: the rules failed at {failure}") from failure
            except DatabaseError:
                raise
            except Exception as failure:
                said = f"{type(failure).__name__}: {failure}"
                raise CommandError(f"{office.code} could not be recomputed: {said}") from failure
        left = Ledger.objects.pending().count()
        self.stdout.write(f"{left} pending")
