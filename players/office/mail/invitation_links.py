"""Links of an invitation: each is its appointment's own, and opens nothing once that is void or has ended.

One account may serve two offices: what one of them makes void leaves the other's link alone.
"""

from __future__ import annotations

from typing import Any

from allauth.account.forms import (
    EmailAwarePasswordResetTokenGenerator,
    UserTokenForm,
    default_token_generator,
)
from allauth.account.utils import user_pk_to_url_str
from django.urls import reverse

from players.office.models import Appointment, User
from players.office.settings_schema import today

INVITED = "invited"
"""The first word of the key in an invitation's link; any other key comes of a forgotten password."""


class InvitationTokens(EmailAwarePasswordResetTokenGenerator):
    """A maker of tokens of an appointment's newest invitation: good once, for `PASSWORD_RESET_TIMEOUT`."""

    key_salt = "players.office.mail.invitation_links"

    def __init__(self, appointment: Appointment) -> None:
        super().__init__()
        self.appointment = appointment

    def _make_hash_value(self, user: Any, timestamp: int) -> str:
        invited = self.appointment.invited_at
        assert invited
        return f"{super()._make_hash_value(user, timestamp)}|{self.appointment.pk}|{invited.timestamp()}"


class InvitationOrPasswordTokens:
    """A checker of keys: of invitations, and of letters for a forgotten password."""

    def check_token(self, user: User, key: str) -> bool:
        word, _dash, rest = key.partition("-")
        if word != INVITED:
            return bool(default_token_generator.check_token(user, key))
        number, _dash, token = rest.partition("-")
        appointment = _open_invitation(user, number)
        return appointment is not None and InvitationTokens(appointment).check_token(user, token)


class LinkForm(UserTokenForm):
    """The form behind a link to choose a password: says whose it is, if it still opens."""

    token_generator = InvitationOrPasswordTokens()


def password_path(user: User) -> str:
    """The address path where a person chooses a password: good once, for `PASSWORD_RESET_TIMEOUT`."""
    return _path(user, default_token_generator.make_token(user))


def invitation_path(appointment: Appointment) -> str:
    """The same, of an open invitation: good until it is void, sent again, or the appointment has ended."""
    token = InvitationTokens(appointment).make_token(appointment.user)
    return _path(appointment.user, f"{INVITED}-{appointment.pk}-{token}")


def _path(user: User, key: str) -> str:
    return reverse("account_reset_password_from_key", kwargs={"uidb36": user_pk_to_url_str(user), "key": key})


def _open_invitation(user: User, number: str) -> Appointment | None:
    """The person's appointment of that number, if its invitation is open and it has not ended."""
    if not (number.isascii() and number.isdigit() and len(number) < 19):
        return None
    held = user.appointments.filter(pk=int(number), invited_at__isnull=False).select_related("federation")
    appointment = held.first()
    if appointment is None or (appointment.ends and appointment.ends < today(appointment.federation)):
        return None
    return appointment
