"""Replay from the first fact and compare everything stored: changes, standings, lists, past days, files."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from players.models import Federation
from ratings.verify import Report, verify


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("federation", nargs="*", help="codes of offices (default: all)")

    def handle(self, *args: Any, federation: list[str], **options: Any) -> None:
        offices = Federation.objects.filter(code__in=federation) if federation else Federation.objects.all()
        if missing := set(federation) - set(offices.values_list("code", flat=True)):
            raise CommandError(f"There is no office {', '.join(sorted(missing))} here.")
        if sum(self._say(office, verify(office)) for office in offices):
            raise CommandError("What is stored is not what a replay gives.")

    def _say(self, office: Federation, report: Report) -> int:
        found = len(report.differences) + report.more
        differences = "1 difference" if found == 1 else f"{found or 'no'} differences"
        self.stdout.write(
            f"{office.code}: {report.facts} facts, {report.changes} changes, {report.standings} standings, "
            f"{report.lists} lists, {report.days} past days, {report.files} files: {differences}"
        )
        for program, lists in sorted(report.proved_by_program.items()):
            count = "1 list goes" if lists == 1 else f"{lists} lists go"
            self.stdout.write(f"  {count} by the rules of then: {program} gives its bytes")
        for words in report.notices:
            self.stdout.write(f"  {words}")
        for words in report.differences:
            self.stderr.write(f"  {words}")
        if report.more:
            self.stderr.write(f"  and {report.more} more")
        return found
