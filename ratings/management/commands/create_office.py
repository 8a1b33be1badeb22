"""`manage.py create_office csa --official nomsa@example.org`: makes an office to work in."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.core.validators import validate_email
from django.utils import timezone
from django.utils.translation import gettext as _

from players.appointments import create_office, password_link_path
from players.models import Federation, User
from players.record import Refused
from players.settings import initial_settings, today_for_ruleset
from ratings.signing import get_or_create_first_key


class Command(BaseCommand):
    help = "Make an office: its regions, its ledger, its first official and administrator."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("ruleset", help="the ruleset's name, say csa; the office's address is the same")
        parser.add_argument("--official", required=True, metavar="EMAIL", help="who approves and publishes")
        parser.add_argument(
            "--administrator", default="", metavar="EMAIL", help="who appoints; default: the official"
        )
        parser.add_argument("--name", default="", help="the office's name; default: the ruleset's")
        parser.add_argument(
            "--origin",
            default="",
            help="the name of the journal's log, for good; default: the site's host and /CODE/journal",
        )
        parser.add_argument(
            "--site", default=settings.SITE_ADDRESS, help="where the site stands, for the links"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            for email in filter(None, (options["official"], options["administrator"])):
                validate_email(email)
            office = create_office(
                ruleset_slug=options["ruleset"],
                official_email=options["official"],
                administrator_email=options["administrator"],
                name=options["name"],
                settings=initial_settings(production=settings.PRODUCTION),
                on=today_for_ruleset(options["ruleset"]),
            )
        except Refused as refused:
            raise CommandError(str(refused)) from refused
        except ValidationError as wrong:
            raise CommandError(_("That is not an e-mail address.")) from wrong
        if options["origin"]:
            office.settings["origin"] = options["origin"]
            office.save(update_fields=["settings"])
        get_or_create_first_key(office, at=timezone.now())
        self.report(office, options["site"].rstrip("/"))

    def report(self, office: Federation, site: str) -> None:
        self.stdout.write(
            _("%(office)s is at %(site)s/%(code)s/") % {"office": office, "site": site, "code": office.code}
        )
        self.stdout.write(
            _(
                "Each of these links works once, within three days; the person who opens it chooses a "
                "password:"
            )
        )
        people = User.objects.filter(appointments__federation=office).distinct()
        for user in people.order_by("email"):
            self.stdout.write(f"  {user.email}  {site}{password_link_path(user)}")
