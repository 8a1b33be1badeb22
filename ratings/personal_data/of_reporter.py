"""Everything held about somebody without an account who reported mistakes: the cases of a mail address."""

from __future__ import annotations

from datetime import date

from django.db import transaction

from players.office.decision_record import decide
from players.office.models import Federation, User
from ratings.personal_data.rows_as_text import Told, told_of
from tournaments.cases.models import Case

ABOUT = "Everything that {office} holds about whoever reported mistakes as {email}, as of {day}."


@transaction.atomic
def give_reporter_data(*, federation: Federation, email: str, by: User | None, on: date) -> Told:
    """All cases of a mail address; the record keeps that they were given out, by the newest case.

    Raises `Case.DoesNotExist` where there is none.
    """
    newest = Case.objects.filter(federation=federation, email=email).latest("pk")
    decide(federation, kind="give-data", by=by, on=on, about=f"case {newest.pk}")
    return data_of_reporter(federation, email, on)


def data_of_reporter(federation: Federation, email: str, on: date) -> Told:
    """All cases of a mail address, each with its messages as its reporter may read them."""
    cases = Case.objects.filter(federation=federation, email=email).order_by("pk")
    return {
        "about": ABOUT.format(office=federation.name, email=email, day=on.isoformat()),
        "reports of mistakes": [
            told_of(case, ("player",))
            | {"messages": [told_of(each, ("by", "case")) for each in case.messages.filter(internal=False)]}
            for case in cases
        ],
    }
