"""`manage.py invite_operator EMAIL`: create an operator's account, and print a link to set a password."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import gettext as _

from federation_site.operations import operator_addresses
from players.appointments import password_link_path
from players.models import User


class Command(BaseCommand):
    help = "Print a link with which an operator (an address of OPERATORS) sets a password, for /operations/."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email", help="an address of OPERATORS")
        parser.add_argument(
            "--site", default=settings.SITE_ADDRESS, help="where the site stands, for the link"
        )

    def handle(self, *_args: Any, email: str, site: str, **_options: Any) -> None:
        if email.lower() not in operator_addresses():
            raise CommandError(
                _("%(email)s is not in OPERATORS: set OPERATORS=%(email)s, and start the site with it.")
                % {"email": email}
            )
        user = User.objects.filter(email=email.lower()).first() or User.objects.create_user(email)
        words = _("This link works once, for three days; whoever opens it chooses a password:")
        self.stdout.write(f"{words}\n  {user.email}  {site.rstrip('/')}{password_link_path(user)}")
        self.stdout.write(_("Then add a second factor; /operations/ asks for one."))
