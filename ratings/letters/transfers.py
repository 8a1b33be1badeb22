"""The transfer that a decision is about, and whoever hears of its answer."""

from __future__ import annotations

from django.db.models import Q

from players.office.models import Decision, Role
from players.people.models import Transfer
from ratings.letters.audiences import Audience, holders


def transfer_of(decision: Decision) -> Transfer | None:
    """The newest transfer of the player to the region that the decision names; None if it is about none."""
    what, _space, number = decision.about.partition(" ")
    region = decision.sealed_details.get("region")
    if what != "player" or not decision.kind.endswith("-transfer"):
        return None
    found = Transfer.objects.filter(
        federation=decision.federation_id, player__number=number, taking__code=region
    )
    return found.select_related("player", "giving", "taking").order_by("-pk").first()


def both_regions(decision: Decision) -> Audience:
    """The person who asked for the transfer, if they still work here, and both regions' administrators."""
    transfer = transfer_of(decision)
    if transfer is None:
        return holders(decision, Q(user=0))
    of_regions = Q(role=Role.REGIONAL, region__in=[transfer.taking_id, transfer.giving_id or 0])
    return holders(decision, of_regions | Q(user=transfer.asked_by_id or 0))
