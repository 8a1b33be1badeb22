"""The numbers that an office gives its players."""

from __future__ import annotations

from django.db.models import F

from players.office.models import Federation
from players.register.models import Player


def take_numbers(federation: Federation, count: int) -> int:
    """Take `count` consecutive unused numbers and return the first. The ledger's lock makes them ours."""
    first: int = Federation.objects.values_list("next_player_number", flat=True).get(pk=federation.pk)
    if count:
        numbers = [str(first + place) for place in range(count)]
        taken = Player.objects.of(federation).filter(number__in=numbers).values_list("number", flat=True)
        if taken:
            # Somebody entered these by hand: go on behind the last of them.
            Federation.objects.filter(pk=federation.pk).update(
                next_player_number=max(int(number) for number in taken) + 1
            )
            return take_numbers(federation, count)
        Federation.objects.filter(pk=federation.pk).update(next_player_number=F("next_player_number") + count)
    return first
