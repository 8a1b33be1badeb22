"""`manage.py withdraw_words csa 1204`: delete the words of a decision; the chain of hashes still holds."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.utils.translation import gettext as _

from players.commands import OfficeCommand
from players.models import Decision, Federation
from players.record import withdraw_words
from players.settings import today


class Command(OfficeCommand):
    help = "Delete the words of one decision, for good. The decision stays, and that they were withdrawn."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("number", type=int, help="the decision's number in the record")

    def handle_office(self, office: Federation, *, number: int, **options: Any) -> None:
        decision = Decision.objects.filter(federation=office, number=number).first()
        if decision is None:
            raise CommandError(
                _("The record of “%(code)s” has no decision %(number)s.")
                % {"code": office.code, "number": number}
            )
        withdraw_words(decision=decision, by=None, on=today(office))
        self.stdout.write(_("The words of decision %(number)s are withdrawn.") % {"number": number})
