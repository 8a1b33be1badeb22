"""`manage.py demo`: makes the demo offices of all federations that bring one."""

import time
from argparse import ArgumentParser
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _

from players.models import Federation
from ratings import tasks
from ratings.demo.office import demo_rulesets_without_office, introduction, make_office
from ratings.demo.story import SEED
from ratings.rulesets.profile import equipment_of
from ratings.rulesets.ruleset import Ruleset


class Command(BaseCommand):
    help = "Make the demo offices: invented players, seasons of events in every stage, lists, files."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("offices", nargs="*", help="of these federations alone")
        parser.add_argument("--today", type=date.fromisoformat, help="the day on which the offices stand")
        parser.add_argument("--seed", type=int, default=SEED, help="another seed, other offices")
        parser.add_argument("--scale", type=float, default=1.0, help="of whole offices' players and events")

    def handle(
        self, *args: Any, offices: list[str], today: date | None, seed: int, scale: float, **options: Any
    ) -> None:
        if settings.PRODUCTION:
            raise CommandError(_("A demo’s accounts are for one machine alone: there is none in production."))
        began = time.monotonic()
        made = [self.make(ruleset, today, seed, scale) for ruleset in self.select_rulesets(offices)]
        words = _("Demo offices made: %(count)s (%(seconds)s s).")
        self.say(words % {"count": len(made), "seconds": round(time.monotonic() - began)})
        for line in ["", *introduction(list(Federation.objects.filter(demo=True)))]:
            self.say(line)

    def select_rulesets(self, codes: list[str]) -> list[Ruleset]:
        available = demo_rulesets_without_office()
        if not codes and available:
            return available
        found = [ruleset for ruleset in available if ruleset.slug in codes]
        if len(found) < max(1, len(codes)):
            words = _("There is an office already, or no demo, of “%(codes)s”. To be made: %(missing)s")
            left = ", ".join(ruleset.slug for ruleset in available) or "—"
            raise CommandError(words % {"codes": ", ".join(codes) or "*", "missing": left})
        return found

    def make(self, ruleset: Ruleset, today: date | None, seed: int, scale: float) -> Federation:
        began = time.monotonic()
        self.say(_("%(office)s …") % {"office": ruleset.name})
        day = today or datetime.now(ZoneInfo(equipment_of(ruleset).office.time_zone)).date()
        federation = make_office(ruleset, today=day, seed=seed, scale=scale, say=self.say)
        tasks.sign(federation)
        self.say(_("  ready in %(seconds).1f s") % {"seconds": time.monotonic() - began})
        return federation

    def say(self, words: str) -> None:
        self.stdout.write(words)
        self.stdout.flush()
