"""The letter for a forgotten password: the worker writes it, so that asking takes as long for any address."""

from __future__ import annotations

from urllib.parse import urlsplit

import structlog
from allauth.account.forms import ResetPasswordForm
from celery import current_app
from django.core.mail import send_mail
from django.http import HttpRequest
from django.template.loader import render_to_string

from players.office.invitations import password_path
from players.office.models import User

log = structlog.get_logger("federation_site.sign_in")


class ForgottenPasswordForm(ResetPasswordForm):
    """The form for a forgotten password: takes any address; the worker finds out if it has an account."""

    def save(self, request: HttpRequest, **_: object) -> str:
        email: str = self.cleaned_data["email"].lower()
        order(email, request.build_absolute_uri("/").rstrip("/"))
        return email


def order(email: str, site: str) -> None:
    """Have the worker write the letter for a forgotten password; a broker that is away is only logged."""
    try:
        current_app.send_task("federation_site.tasks.send_password_letter", args=(email, site))
    except Exception as error:  # whatever the broker's fault
        log.error("a letter for a password could not be ordered", error=type(error).__name__)


def write_password_letter(email: str, site: str) -> None:
    """Write the letter for a forgotten password, if a person has that address.

    `site`: the address of the front page, without its last slash.
    """
    user = User.objects.filter(email=email, is_active=True).first()
    if user is None:
        return
    words = {
        "password_reset_url": site + password_path(user),
        "current_site": {"name": urlsplit(site).netloc},
    }
    subject = render_to_string("account/email/password_reset_key_subject.txt", words).strip()
    text = render_to_string("account/email/password_reset_key_message.txt", words)
    send_mail(subject, text, None, [user.email])
