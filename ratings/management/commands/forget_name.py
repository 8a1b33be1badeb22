from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from players.models import Federation, Player
from players.settings import today
from ratings.people import forget_name


class Command(BaseCommand):
    help = "Delete a player's name from the register and from beside the journal; ratings and proofs stay."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("federation", help="the code of the office")
        parser.add_argument("number", help="the player's number")

    def handle(self, *_: Any, federation: str, number: str, **__: Any) -> None:
        try:
            office = Federation.objects.get(code=federation)
            player = Player.objects.get(federation=office, number=number)
        except (Federation.DoesNotExist, Player.DoesNotExist):
            raise CommandError(f"There is no player {number} in an office “{federation}”.") from None
        forget_name(player=player, by=None, on=today(office))
        self.stdout.write(f"The name of {number} is deleted. Filed entries and files keep it.")
