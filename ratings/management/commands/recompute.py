"""Do what the ledgers want, here and now: what the sweep does, by hand. With --all, fold an office's whole
journal anew by the rules of this program, and put it on record; published lists stay. With --all --preview,
say what that would move, and write nothing.
"""

from argparse import ArgumentParser
from collections.abc import Callable
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from players.models import Federation, Ledger
from players.record import Refused
from players.settings import today
from ratings import rules_change, tasks
from ratings.recompute import FoldFailed, get_own_rules_hash, recompute
from ratings.rules_change import (
    bring_rules_into_force,
    compare_with_replay,
    describe_effects,
    lease_and_save_effects,
    why_rules_not_in_force,
)


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: ArgumentParser) -> None:
        which = parser.add_mutually_exclusive_group(required=True)
        which.add_argument("--pending", action="store_true", help="every office with something pending")
        which.add_argument("federation", nargs="?", help="one office's code")
        parser.add_argument("--all", action="store_true", help="the whole journal, by this program's rules")
        parser.add_argument(
            "--preview", action="store_true", help="with --all: say what would move, and write nothing"
        )

    def handle(self, *args: Any, federation: str | None, **options: Any) -> None:
        whole, preview = options["all"], options["preview"]
        if (whole or preview) and not (whole and federation):
            raise CommandError("Name the office: recompute CODE --all, with or without --preview.")
        offices = Federation.objects.filter(code=federation) if federation else Federation.objects.all()
        if federation and not offices:
            raise CommandError(f"There is no office “{federation}” here.")
        work = self._preview if preview else self._all if whole else self._pending
        refused = [words for office in offices if (words := self._do(office, work))]
        self.stdout.write(f"{Ledger.objects.pending().count()} pending")
        if refused:
            raise CommandError("\n".join(refused))

    def _do(self, office: Federation, work: Callable[[Federation], str]) -> str:
        """Do an office's work and return why it was refused, else an empty text; other failures end the
        command.
        """
        try:
            return work(office)
        except FoldFailed as failure:
            raise CommandError(f"{office.code}: the rules failed at {failure}") from failure
        except Refused as refused:
            return f"{office.code}: {refused}"
        except DatabaseError:
            raise
        except Exception as failure:
            words = f"{type(failure).__name__}: {failure}"
            raise CommandError(f"{office.code} could not be recomputed: {words}") from failure

    def _pending(self, office: Federation) -> str:
        if not bring_rules_into_force(office):
            return f"{office.code}: {why_rules_not_in_force(office)}"
        worked = False
        while recompute(office):
            worked = True
            self.stdout.write(f"{office.code}: done")
        if worked:
            tasks.sign(office)
        return ""

    def _preview(self, office: Federation) -> str:
        effects = compare_with_replay(office, Ledger.objects.get(federation=office).line)
        for words in describe_effects(effects):
            self.stdout.write(f"{office.code}: {words}")
        return ""

    def _all(self, office: Federation) -> str:
        for words in describe_effects(lease_and_save_effects(office)):
            self.stdout.write(f"{office.code}: {words}")
        rules_change.decide_to_apply_rules(
            federation=office, by=None, on=today(office), rules=get_own_rules_hash(office)
        )
        if refused := self._pending(office):
            return refused
        self.stdout.write(f"{office.code}: everything is folded anew by the rules of this program")
        tasks.sign(office)
        return ""
