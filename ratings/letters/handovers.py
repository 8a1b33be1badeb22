"""The handover that a decision is about, and the two whom it concerns."""

from __future__ import annotations

from players.office.models import Decision, Handover, User
from ratings.letters.audiences import Audience


def handover_of(decision: Decision) -> Handover | None:
    """The newest handover of the appointment that the decision is about; None if it is about none."""
    what, _space, key = decision.about.partition(" ")
    if what != "appointment" or not key.isdigit():
        return None
    found = Handover.objects.filter(appointment=int(key), federation=decision.federation_id)
    return found.select_related("appointment__region", "to").order_by("-pk").first()


def both_sides(decision: Decision) -> Audience:
    """The person who hands over, and whoever follows."""
    handover = handover_of(decision)
    if handover is None:
        return User.objects.none()
    return User.objects.filter(is_active=True, pk__in=[handover.appointment.user_id, handover.to.user_id])
