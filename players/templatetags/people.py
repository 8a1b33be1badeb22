"""People as an office knows them."""

from __future__ import annotations

from django import template

from players.office.models import Federation, User

register = template.Library()


@register.filter
def known_in(user: User, office: Federation) -> str:
    """The name under which the office appointed a person; their own pages may call them otherwise."""
    return office.appointments.filter(user=user).names().get(user.pk, "")
