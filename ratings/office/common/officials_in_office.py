"""The officials to whom a section can be handed."""

from __future__ import annotations

from players.office.access import OfficeRequest
from players.office.models import Role, User
from players.office.settings_schema import today


def officials_of(request: OfficeRequest) -> dict[int, User]:
    """The officials in office today, by key."""
    held = request.office.appointments.on(today(request.office)).filter(role=Role.OFFICIAL)
    return {each.user_id: each.user for each in held.select_related("user").order_by("user__name")}
