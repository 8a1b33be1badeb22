"""The answer that two entries which look alike are two persons: on record, not asked again, and told to who
would merge them.
"""

from __future__ import annotations

from datetime import date

from django.db import transaction
from django.utils.translation import gettext as _

from players.office.decision_record import Refused, decide, lock_ledger
from players.office.models import Decision, User
from players.people.merging import entries_of, refuse_pair
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


def said_to_be_two(player: Player, other: Player) -> Decision | None:
    """The newest decision by which two entries, or entries merged into them, are two persons: that told them
    apart, or parted them.
    """
    one, second = ({each.number for each in entries_of(whose)} for whose in (player, other))
    decisions = Decision.objects.filter(federation=player.federation_id, kind__in=("two-persons", "part"))
    for decision in decisions.filter(about__in=[f"player {n}" for n in one | second]).order_by("-number"):
        told = decision.details.get("other") or decision.details.get("out_of")
        named = decision.about.removeprefix("player ")
        if (named in one and told in second) or (named in second and told in one):
            return decision
    return None


def refuse_two_persons(player: Player, other: Player, *, all_the_same: bool) -> None:
    """Raise `Refused` where somebody said that two entries are two persons, unless that is known."""
    if not all_the_same and said_to_be_two(player, other) is not None:
        raise Refused(
            _(
                "Somebody said that %(one)s and %(other)s are two persons. Read why, and confirm that they "
                "are one all the same."
            )
            % {"one": player.number, "other": other.number}
        )
