"""Appoint a person from the command line, as in an imported office or if nobody can sign in any more.

manage.py appoint csa --administrator thandi@example.org
manage.py appoint csa --regional amahle@example.org --region GAU
"""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.management.base import CommandError
from django.core.validators import validate_email
from django.utils.translation import gettext as _

from players.access import ROLES
from players.appointments import appoint, password_link_path, record_password_link
from players.commands import OfficeCommand
from players.models import Federation, Region, User
from players.record import Refused
from players.settings import today


class Command(OfficeCommand):
    help = "Appoint somebody, or let somebody in who is appointed, and print a link to set a password."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        who = parser.add_mutually_exclusive_group(required=True)
        for role, terms in ROLES.items():
            who.add_argument(f"--{role}", metavar="EMAIL", help=str(terms.description))
        parser.add_argument("--region", default="", help="the region's code, for a role in one region")
        parser.add_argument(
            "--site", default=settings.SITE_ADDRESS, help="where the site stands, for the link"
        )

    def handle_office(self, office: Federation, *, region: str, site: str, **options: Any) -> None:
        role, email = next((role, options[role]) for role in ROLES if options.get(role))
        try:
            validate_email(email)
            user = self.user(office, role, email, _region(office, region))
        except ValidationError:
            raise CommandError(_("That is not an e-mail address.")) from None
        self.stdout.write(
            _("This link works once, for three days; whoever opens it chooses a password:")
            + f"\n  {user.email}  {site.rstrip('/')}{password_link_path(user)}"
        )

    def user(self, office: Federation, role: str, email: str, region: Region | None) -> User:
        """Appoint a person from today on, or let in one who is appointed already; return the user."""
        on = today(office)
        if user := record_password_link(
            federation=office, email=email, role=role, region=region, by=None, on=on
        ):
            self.stdout.write(_("%(person)s holds this appointment already.") % {"person": user})
            return user
        appointment = appoint(
            federation=office, email=email, role=role, region=region, starts=on, by=None, on=on
        )
        self.stdout.write(f"{appointment} ({office})")
        return appointment.user


def _region(office: Federation, code: str) -> Region | None:
    if not code:
        return None
    found = office.regions.filter(code__iexact=code).first()
    if found is None:
        there = ", ".join(sorted(code for code, _name in office.region_names))
        raise Refused(
            _("There is no region “%(code)s” in this office. There are: %(there)s.")
            % {"code": code, "there": there}
        )
    return found
