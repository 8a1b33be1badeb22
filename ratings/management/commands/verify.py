"""Replay from the first fact and compare everything stored: changes, standings, lists, past days, files."""

from typing import Any

from django.core.management.base import CommandError

from players.commands import OfficesCommand
from players.models import Federation
from ratings.verify import Report, verify


class Command(OfficesCommand):
    help = __doc__ or ""

    def handle(self, *args: Any, federation: list[str], **options: Any) -> None:
        if sum(self._say(office, verify(office)) for office in self.get_offices(federation)):
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
