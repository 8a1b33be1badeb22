"""The answer that two entries which look alike are two persons: on record, and not asked again."""

from __future__ import annotations

from datetime import date

from django.db import transaction
from django.utils.translation import gettext as _

from players.office.decision_record import Refused, decide, lock_ledger
from players.office.models import User
from players.people.merging import refuse_pair
from players.people.models import PairOfTwo
from players.register.models import Player


@transaction.atomic
def tell_apart(*, player: Player, other: Player, by: User | None, on: date, reason: str) -> PairOfTwo:
    """Say that two entries are two persons; raise `Refused` without a reason, or where they were merged or
    somebody said so before.
    """
    lock_ledger(player.federation)
    for each in (player, other):
        each.refresh_from_db(fields=["merged_into"])
    if not reason.strip():
        raise Refused(_("Say how you know that they are two persons: the record keeps your words."))
    refuse_pair(player, other)
    one, second = sorted((player, other), key=lambda each: each.pk)
    pair, made = PairOfTwo.objects.get_or_create(one=one, other=second, defaults={"on": on})
    if not made:
        raise Refused(_("Somebody has said already that these are two persons."))
    about, told = f"player {player.number}", {"other": other.number, "reason": reason.strip()}
    decide(player.federation, kind="two-persons", by=by, on=on, about=about, **told)
    return pair
