"""`manage.py demo`: an invented federation's office, alive on the day on which it is made."""

from __future__ import annotations

import time
from argparse import ArgumentParser
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _

from players.models import Federation
from ratings.demo.history import SEED
from ratings.demo.introduction import introduction
from ratings.demo.office import CODE, make_office
from ratings.rulesets import rulesets


class Command(BaseCommand):
    help = "Make the demo office: invented players, seasons of events in every stage, a list for every month."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--today", type=date.fromisoformat, help="the day on which the office stands")
        parser.add_argument("--seed", type=int, default=SEED, help="another seed, another office")
        parser.add_argument("--scale", type=float, default=1.0, help="of a whole office's players and events")

    def handle(self, *args: Any, today: date | None, seed: int, scale: float, **options: Any) -> None:
        if Federation.objects.filter(code=CODE).exists():
            words = _("There is an office “%(code)s” already. The demo is made in a house without one.")
            raise CommandError(words % {"code": CODE})
        began = time.monotonic()
        day = today or datetime.now(ZoneInfo(rulesets()[CODE].time_zone)).date()
        federation = make_office(today=day, seed=seed, scale=scale, say=self.say)
        self.say(_("The demo office is made (%(seconds)s s).") % {"seconds": round(time.monotonic() - began)})
        for line in ["", *introduction(federation)]:
            self.say(line)

    def say(self, words: str) -> None:
        self.stdout.write(words)
        self.stdout.flush()
