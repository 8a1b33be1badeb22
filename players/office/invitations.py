"""The letter that comes with an appointment."""

from __future__ import annotations

from allauth.account.forms import default_token_generator
from allauth.account.utils import user_pk_to_url_str
from django.core.mail import send_mail
from django.template.loader import render_to_string
from django.urls import reverse

from players.office.models import Appointment, User


def password_path(user: User) -> str:
    """The address path where a person chooses a password: good once, for `PASSWORD_RESET_TIMEOUT`."""
    key = default_token_generator.make_token(user)
    return reverse("account_reset_password_from_key", kwargs={"uidb36": user_pk_to_url_str(user), "key": key})


def invite(appointment: Appointment, site: str) -> None:
    """Write to the person appointed. `site`: the address of the front page, without the last slash.

    Raises the mail server's errors: the appointment stands without the letter.
    """
    user = appointment.user
    words = {
        "appointment": appointment,
        "office": appointment.federation,
        "desk": f"{site}{appointment.federation.get_absolute_url()}desk/",
        "password": None if user.has_usable_password() else site + password_path(user),
    }
    subject = render_to_string("players/invitation_subject.txt", words).strip()
    send_mail(subject, render_to_string("players/invitation.txt", words), None, [user.email])
