"""`manage.py forget_factors EMAIL`: for people who lost their second factor and recovery codes."""

from argparse import ArgumentParser
from typing import Any

from allauth.mfa.models import Authenticator
from django.core.management.base import BaseCommand, CommandError
from django.db import transaction
from django.db.models import F
from django.template.loader import render_to_string
from django.utils.translation import gettext as _

from players.mail import language_of_reader, order_letter, override_language
from players.models import User


class Command(BaseCommand):
    help = "Take away a person's second factor and recovery codes; their password stays, their sessions end."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("email", help="the address of the account")

    def handle(self, *_args: Any, email: str, **_options: Any) -> None:
        user = User.objects.filter(email=email.lower()).first()
        if user is None:
            raise CommandError(_("There is no account of that address."))
        forget_factors(user)
        self.stdout.write(
            _("%(email)s signs in with the password alone until a factor is added.") % {"email": user.email}
        )


@transaction.atomic
def forget_factors(user: User) -> None:
    """Delete a person's second factors, end their sessions, and notify them."""
    Authenticator.objects.filter(user=user).delete()
    User.objects.filter(pk=user.pk).update(session_number=F("session_number") + 1)
    language = language_of_reader(user)
    with override_language(language):
        subject = _("Your second factor was taken away")
        text = render_to_string("account/email/factors_forgotten.txt")
    order_letter(user.email, subject=subject, text=text, language=language)
