"""The letter that comes with an appointment; the deed that makes the appointment orders it."""

from __future__ import annotations

from django.template.loader import render_to_string

from players.office.appointments import INVITATION
from players.office.mail.invitation_links import invitation_path
from players.office.mail.letters import (
    COMPOSERS,
    GOOD_FOR,
    Composed,
    in_language,
    language_of_reader,
    unframed,
)
from players.office.models import Appointment, Letter
from players.office.settings_schema import today


def compose(letter: Letter) -> Composed | None:
    """The words of an invitation; None if it was made void, or the appointment has ended."""
    found = Appointment.objects.filter(pk=letter.particulars["appointment"], invited_at__isnull=False)
    appointment = found.select_related("user", "federation", "region").first()
    if appointment is None or (appointment.ends and appointment.ends < today(appointment.federation)):
        return None
    with in_language(language_of_reader(appointment.user, appointment.federation)):
        return _words(appointment, letter.particulars["site"])


def _words(appointment: Appointment, site: str) -> Composed:
    password = None if appointment.user.has_usable_password() else site + invitation_path(appointment)
    words = {
        "appointment": appointment,
        "office": appointment.federation,
        "desk": f"{site}{appointment.federation.get_absolute_url()}desk/",
        "password": password,
        "days": GOOD_FOR.days,
    }
    subject = render_to_string("players/invitation_subject.txt", words).strip()
    return unframed(subject, render_to_string("players/invitation.txt", words))


COMPOSERS[INVITATION] = compose
