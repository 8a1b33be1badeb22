"""After a restore: take the lines since the backup back from a public copy of the journal."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from django.utils import timezone
from django.utils.translation import gettext as _

from players.commands import OfficeCommand
from players.models import Federation
from players.settings import today
from ratings import tasks
from ratings.intake import append_missing_lines
from ratings.recompute import recompute
from ratings.rules_change import bring_rules_into_force, why_rules_not_in_force
from ratings.rulesets import journal, journal_lines
from ratings.signing import load_checkpoint_text


class Command(OfficeCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", type=Path, help="a copy of its journal, as newest as there is")
        parser.add_argument(
            "--checkpoint",
            type=Path,
            required=True,
            help="the newest checkpoint that anybody has, or a list.json: lines that it signs are taken",
        )

    def handle_office(self, office: Federation, *, file: Path, checkpoint: Path, **options: Any) -> None:
        try:
            with file.open("rb") as lines:
                copy = journal.read_journal(lines)
            first, last = append_missing_lines(
                federation=office,
                journal_copy=copy,
                checkpoint_note=load_checkpoint_text(checkpoint),
                on=today(office),
                at=timezone.now(),
            )
        except journal_lines.JournalError as error:
            raise CommandError("\n".join(map(str, error.problems))) from None
        self.stdout.write(_("Lines %(first)s to %(last)s taken back.") % {"first": first, "last": last})
        if unsigned := len(copy.lines) - last:
            self.stdout.write(
                _("%(count)s lines below them were not signed yet: decide them again.") % {"count": unsigned}
            )
        if bring_rules_into_force(office):
            recompute(office)
        else:
            self.stdout.write(f"{office.code}: {why_rules_not_in_force(office)}")
        tasks.sign(office)
