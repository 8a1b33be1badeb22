from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from players.commands import OfficeCommand
from players.models import Federation, Player
from players.settings import today
from ratings.people import forget_name


class Command(OfficeCommand):
    help = "Delete a player's name from the register and from beside the journal; ratings and proofs stay."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("number", help="the player's number")

    def handle_office(self, office: Federation, *, number: str, **options: Any) -> None:
        player = Player.objects.filter(federation=office, number=number).first()
        if player is None:
            raise CommandError(f"There is no player {number} in an office “{office.code}”.")
        forget_name(player=player, by=None, on=today(office))
        self.stdout.write(f"The name of {number} is deleted. Filed entries and files keep it.")
