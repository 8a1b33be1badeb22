"""Everything held about somebody who works for an office: account, sign-ins, appointments, decisions."""

from __future__ import annotations

from datetime import date

from django.db import transaction

from players.office.decision_record import decide
from players.office.models import Appointment, Federation, User
from ratings.personal_data.rows_as_text import Told, rows_that_point_to, told_of
from tournaments.review.models import Remark

ABOUT = (
    "Everything that {office} holds about the account {email}, as of {day}: what other offices on this site "
    "hold is theirs to give. Passwords and second factors are kept in a form that nobody can read."
)
OF_ACCOUNT = frozenset({"EmailAddress", "Authenticator", "UserSession", "PastSignIn", "LetterSwitch"})
"""Tables of the account itself, which all offices share."""
OF_OTHERS = ("arbiters", "organizer", "sealed_details", "hash")
"""Columns that speak of other people, or of nobody."""
PATHS = {
    "Section": "event__federation",
    "Correction": "section__event__federation",
    "MendingProposal": "section__event__federation",
    "SectionTaking": "section__event__federation",
    "PermissionRequest": "section__event__federation",
    "Appeal": "section__event__federation",
    "Remark": "section__event__federation",
    "CaseMessage": "case__federation",
    "HistoryAnswer": "history__federation",
}
"""The path from a row to its office, where it is not `federation`."""


@transaction.atomic
def give_staff_data(*, federation: Federation, user: User, by: User | None, on: date) -> Told:
    """All data of somebody who was ever appointed here; the record keeps that they were given out.

    Raises `Appointment.DoesNotExist` for anybody else.
    """
    appointment = Appointment.objects.filter(federation=federation, user=user).latest("pk")
    decide(federation, kind="give-data", by=by, on=on, about=f"appointment {appointment.pk}")
    return data_of_staff(federation, user, on)


def data_of_staff(federation: Federation, user: User, on: date) -> Told:
    """All data of an account: itself, and the rows of each table that points to it, of this office alone."""
    told: Told = {
        "about": ABOUT.format(office=federation.name, email=user.email, day=on.isoformat()),
        "account": told_of(user, ("name",)),
    }
    for plural, field, rows in rows_that_point_to(user):
        if rows.model.__name__ not in OF_ACCOUNT:
            rows = rows.filter(**{PATHS.get(rows.model.__name__, "federation"): federation})
        told[f"{plural} ({field})"] = [
            told_of(row, (field, *OF_OTHERS)) | ({"words": row.words} if isinstance(row, Remark) else {})
            for row in rows
        ]
    return told
