"""The letter for a forgotten password: a worker writes it, so that asking takes as long for any address."""

from __future__ import annotations

from urllib.parse import urlsplit

from allauth.account.forms import ResetPasswordForm
from django.conf import settings
from django.http import HttpRequest
from django.http.request import validate_host
from django.template.loader import render_to_string

from players.office.mail.invitation_links import password_path
from players.office.mail.letters import (
    COMPOSERS,
    Composed,
    in_language,
    language_of_reader,
    order_letter,
    unframed,
)
from players.office.models import Letter, User

KIND = "password"


class ForgottenPasswordForm(ResetPasswordForm):
    """The form for a forgotten password: takes any address; the worker finds out if it has an account."""

    def save(self, request: HttpRequest, **_: object) -> str:
        email: str = self.cleaned_data["email"].lower()
        order_letter(email, KIND, site=request.build_absolute_uri("/").rstrip("/"))
        return email


def order_as_asked_by_message(email: str, site: str) -> None:
    """Order the letter that a former version asked for by a message. Its link leads to this site or is not
    sent: whoever writes to the broker could name another.
    """
    if validate_host(urlsplit(site).hostname or "", settings.ALLOWED_HOSTS):
        order_letter(email, KIND, site=site)


def compose(letter: Letter) -> Composed | None:
    """The words of the letter for a forgotten password; None if nobody has that address."""
    user, site = User.objects.filter(email=letter.email, is_active=True).first(), letter.particulars["site"]
    if user is None:
        return None
    words = {
        "password_reset_url": site + password_path(user),
        "current_site": {"name": urlsplit(site).netloc},
    }
    with in_language(language_of_reader(user)):
        subject = render_to_string("account/email/password_reset_key_subject.txt", words).strip()
        return unframed(subject, render_to_string("account/email/password_reset_key_message.txt", words))


COMPOSERS[KIND] = compose
