"""`manage.py withdraw_words csa 1204`: delete the words of a decision; the chain of hashes still holds."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _

from players.models import Decision
from players.record import Refused, withdraw_words
from players.settings import today


class Command(BaseCommand):
    help = "Delete the words of one decision, for good. The decision stays, and that they were withdrawn."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("federation", help="the office's code")
        parser.add_argument("number", type=int, help="the decision's number in the record")

    def handle(self, *args: Any, federation: str, number: int, **options: Any) -> None:
        decision = Decision.objects.filter(federation__code=federation, number=number).first()
        if decision is None:
            raise CommandError(
                _("The record of “%(code)s” has no decision %(number)s.")
                % {"code": federation, "number": number}
            )
        try:
            withdraw_words(decision=decision, by=None, on=today(decision.federation))
        except Refused as refused:
            raise CommandError(str(refused)) from None
        self.stdout.write(_("The words of decision %(number)s are withdrawn.") % {"number": number})
