"""Write out, for that person, everything that an office holds about a player, one of its staff, or
somebody who reported a mistake.
"""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from players.models import Appointment, Federation, Player, User
from players.record import Refused
from players.settings import today
from players.storage import atomic_file
from ratings.personal_data import (
    record_and_get_player_data,
    record_and_get_reporter_data,
    record_and_get_staff_data,
)
from tournaments.models import Case


class Command(BaseCommand):
    help = __doc__ or ""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("federation", help="the office's code")
        parser.add_argument(
            "person", help="the player's number; or the e-mail address of an account or report"
        )
        parser.add_argument("-o", "--output", type=Path, help="a file to write (default: standard output)")

    def handle(self, *args: Any, federation: str, person: str, output: Path | None, **options: Any) -> None:
        try:
            text = json.dumps(_collect_data(federation, person), ensure_ascii=False, indent=1) + "\n"
        except Federation.DoesNotExist:
            raise CommandError(f"There is no office “{federation}” here.") from None
        except (Player.DoesNotExist, Case.DoesNotExist):
            raise CommandError(f"The office “{federation}” holds nothing about “{person}”.") from None
        except Refused as refused:
            raise CommandError(str(refused)) from None
        if output is None:
            sys.stdout.write(text)
            return
        try:
            with atomic_file(output) as file:
                file.write(text.encode())
        except OSError as error:
            raise CommandError(f"{output}: {error.strerror}") from None


def _collect_data(federation: str, person: str) -> dict[str, Any]:
    office = Federation.objects.get(code=federation)
    if "@" in person:
        user = User.objects.filter(email=person.lower()).first()
        if user is None or not Appointment.objects.filter(federation=office, user=user).exists():
            return record_and_get_reporter_data(
                federation=office, email=person.lower(), by=None, on=today(office)
            )
        return record_and_get_staff_data(federation=office, user=user, by=None, on=today(office))
    player = Player.objects.get(federation=office, number=person)
    return record_and_get_player_data(player=player, by=None, on=today(office))
