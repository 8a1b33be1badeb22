"""`manage.py demo`: an invented federation's office, alive on the day on which it is made."""

from __future__ import annotations

import time
from argparse import ArgumentParser
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from players.models import Federation
from ratings.demo.history import SEED
from ratings.demo.offers import folder, offered
from ratings.demo.office import CODE, make_office
from ratings.demo.staff import PASSWORD, SIGN_INS, email_of
from ratings.rulesets import rulesets

STEPS = (
    gettext_noop(
        "Sign in as %(amahle)s. At the foot of the desk is the file of “%(event)s”, which waits to be filed:"
        "\n     download it (it lies here too: %(file)s)"
    ),
    gettext_noop("Open that event from the desk, upload the file, answer what it leaves open, submit it."),
    gettext_noop("Sign in as %(nomsa)s, look at who would gain and lose, approve it, and publish a list."),
)


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
        self.introduce(federation)

    def say(self, words: str) -> None:
        self.stdout.write(words)
        self.stdout.flush()

    def introduce(self, federation: Federation) -> None:
        self.say("\n" + _("Sign in with the password %(password)s as") % {"password": PASSWORD})
        regions = {region.code: region.name for region in federation.regions.all()}
        for name, role, region in SIGN_INS:
            what = f"{role.label}, {regions[region]}" if region else role.label
            self.say(f"  {email_of(name):24} {what}")
        self.say("\n" + _("What to try first:"))
        event, name = next((event, name) for event, name in offered(federation) if event.region.code == "GAU")
        words = {"event": event.name, "file": folder() / name}
        words |= {person: email_of(person) for person in ("amahle", "nomsa")}
        for number, step in enumerate(STEPS, start=1):
            self.say(f"  {number}. " + _(step) % words)
        self.say("")
