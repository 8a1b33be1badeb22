"""The letter that comes with an appointment."""

from __future__ import annotations

from allauth.account.forms import default_token_generator
from allauth.account.utils import user_pk_to_url_str
from django.db import transaction
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone

from players.office.mail.letters import COMPOSERS, order_letter
from players.office.models import Appointment, Letter, User

KIND = "invitation"


def password_path(user: User) -> str:
    """The address path where a person chooses a password: good once, for `PASSWORD_RESET_TIMEOUT`."""
    key = default_token_generator.make_token(user)
    return reverse("account_reset_password_from_key", kwargs={"uidb36": user_pk_to_url_str(user), "key": key})


@transaction.atomic
def invite(appointment: Appointment, site: str) -> None:
    """Have a letter go to the person appointed. `site`: the front page's address, without its last slash."""
    Appointment.objects.filter(pk=appointment.pk).update(invited_at=timezone.now())
    order_letter(appointment.user.email, KIND, appointment=appointment.pk, site=site)


def compose(letter: Letter) -> tuple[str, str] | None:
    """The subject and text of an invitation; None if it was made void, or the appointment is no more."""
    found = Appointment.objects.filter(pk=letter.particulars["appointment"], invited_at__isnull=False)
    appointment = found.select_related("user", "federation").first()
    if appointment is None:
        return None
    user, site = appointment.user, letter.particulars["site"]
    words = {
        "appointment": appointment,
        "office": appointment.federation,
        "desk": f"{site}{appointment.federation.get_absolute_url()}desk/",
        "password": None if user.has_usable_password() else site + password_path(user),
    }
    subject = render_to_string("players/invitation_subject.txt", words).strip()
    return subject, render_to_string("players/invitation.txt", words)


COMPOSERS[KIND] = compose
