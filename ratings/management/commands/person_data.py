"""Write out, for that person, everything that an office holds about a player, one of its staff, or
somebody who reported a mistake.
"""

import json
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from players.commands import OfficeCommand
from players.models import Appointment, Federation, Player, User
from players.settings import today
from players.writing import atomic_file
from ratings.personal_data import (
    record_and_get_player_data,
    record_and_get_reporter_data,
    record_and_get_staff_data,
)
from tournaments.models import Case


class Command(OfficeCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "person", help="the player's number; or the e-mail address of an account or report"
        )
        parser.add_argument("-o", "--output", type=Path, help="a file to write (default: standard output)")

    def handle_office(self, office: Federation, *, person: str, output: Path | None, **options: Any) -> None:
        try:
            text = json.dumps(_collect_data(office, person), ensure_ascii=False, indent=1) + "\n"
        except (Player.DoesNotExist, Case.DoesNotExist):
            raise CommandError(f"The office “{office.code}” holds nothing about “{person}”.") from None
        if output is None:
            sys.stdout.write(text)
            return
        try:
            with atomic_file(output) as file:
                file.write(text.encode())
        except OSError as error:
            raise CommandError(f"{output}: {error.strerror}") from None


def _collect_data(office: Federation, person: str) -> dict[str, Any]:
    if "@" in person:
        user = User.objects.filter(email=person.lower()).first()
        if user is None or not Appointment.objects.filter(federation=office, user=user).exists():
            return record_and_get_reporter_data(
                federation=office, email=person.lower(), by=None, on=today(office)
            )
        return record_and_get_staff_data(federation=office, user=user, by=None, on=today(office))
    player = Player.objects.get(federation=office, number=person)
    return record_and_get_player_data(player=player, by=None, on=today(office))
