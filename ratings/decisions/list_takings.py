"""“I publish this list”: an official takes the list of a day to come, or gives it back. All others may still
publish it.
"""

from __future__ import annotations

from datetime import date, datetime, timedelta

from django.db import transaction
from django.utils.translation import gettext as _

from players.drawing.days_in_words import day_in_words
from players.office.decision_record import Refused, decide, lock_ledger
from players.office.models import Federation, User
from ratings.lists.list_days import AHEAD
from ratings.lists.models import ListTaking
from ratings.recompute.revised_lists import list_line


@transaction.atomic
def take_list(
    *, federation: Federation, day: date, by: User, at: datetime, on: date, seen: int | None
) -> ListTaking:
    """Put an official's name to the list of a day, in place of any other. `seen`: the key of whoever stood
    there on the official's page.

    Raises `Refused` where the day is past, more than a year ahead or its list published, or where somebody
    else has taken it by now.
    """
    _refuse_if_other(federation, day, seen)
    if not on <= day <= on + timedelta(days=AHEAD):
        raise Refused(_("Choose a day from today on, at most a year ahead."))
    if list_line(federation, day) is not None:
        raise Refused(_("The list of %(day)s is published already.") % {"day": day_in_words(day)})
    taking, _new = ListTaking.objects.update_or_create(
        federation=federation, on=day, defaults={"official": by, "since": at}
    )
    decide(federation, kind="take-list", by=by, on=on, about=f"list {day}")
    return taking


@transaction.atomic
def give_back_list(*, federation: Federation, day: date, by: User, on: date, seen: int | None) -> None:
    """Take an official's own name off the list of a day. Raises `Refused` if it does not stand there."""
    _refuse_if_other(federation, day, seen)
    if seen != by.pk:
        raise Refused(_("Your name does not stand at this list, so there is nothing to give back."))
    ListTaking.objects.filter(federation=federation, on=day).delete()
    decide(federation, kind="give-back-list", by=by, on=on, about=f"list {day}")


def _refuse_if_other(federation: Federation, day: date, seen: int | None) -> None:
    """Wait for the office's lock, and refuse if another name stands at the list than the person saw."""
    lock_ledger(federation)
    now = ListTaking.objects.filter(federation=federation, on=day).select_related("official").first()
    if (now.official_id if now else None) == seen:
        return
    if now is None:
        raise Refused(_("This list was given back meanwhile. Look at the calendar again."))
    raise Refused(
        _("%(official)s has taken this list by now. Look at the calendar again.") % {"official": now.official}
    )
