"""What the commands of `manage.py` on one office, or on several, have in common."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from players.models import Federation
from players.record import Refused


class OfficesCommand(BaseCommand):
    """A command on the offices whose codes are its arguments, by default on all."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("federation", nargs="*", help="codes of offices (default: all)")

    def get_offices(self, codes: list[str]) -> QuerySet[Federation]:
        offices = Federation.objects.filter(code__in=codes) if codes else Federation.objects.all()
        if missing := set(codes) - set(offices.values_list("code", flat=True)):
            raise CommandError(f"There is no office {', '.join(sorted(missing))} here.")
        return offices


class OfficeCommand(BaseCommand):
    """A command whose first argument is an office's code; refusals and faults of files are sentences."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("federation", help="the office's code")

    def handle(self, *args: Any, federation: str, **options: Any) -> None:
        office = Federation.objects.filter(code=federation).first()
        if office is None:
            raise CommandError(_("There is no office “%(code)s” here.") % {"code": federation})
        try:
            self.handle_office(office, **options)
        except Refused as refused:
            raise CommandError(str(refused)) from None
        except OSError as error:
            raise CommandError(f"{error.filename}: {error.strerror}") from None

    def handle_office(self, office: Federation, *args: Any, **options: Any) -> None:
        """Do the command's work for an office."""
        raise NotImplementedError
