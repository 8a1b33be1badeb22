"""`manage.py end_sessions EMAIL`: sign a person out everywhere; with `--all`, everybody."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db.models import F
from django.utils.translation import gettext as _, ngettext

from players.models import User


class Command(BaseCommand):
    help = "End every session of a person, or of everybody; passwords and second factors stay."

    def add_arguments(self, parser: ArgumentParser) -> None:
        who = parser.add_mutually_exclusive_group(required=True)
        who.add_argument("email", nargs="?", help="the address of the account")
        who.add_argument("--all", action="store_true", help="everybody's, after a break-in say")

    def handle(self, *_args: Any, email: str | None, **_options: Any) -> None:
        users = User.objects.filter(email=email.lower()) if email else User.objects.all()
        ended = users.update(session_number=F("session_number") + 1)
        if email and not ended:
            raise CommandError(_("There is no account of that address."))
        words = ngettext(
            "%d person signs in anew at the next click.",
            "%d people sign in anew at their next click.",
            ended,
        )
        self.stdout.write(words % ended)
