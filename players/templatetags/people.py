"""People as an office knows them."""

from __future__ import annotations

from zoneinfo import ZoneInfo

from django import template
from django.template.context import Context

from players.office.models import Federation, User
from players.office.settings_schema import zone_of

register = template.Library()


@register.filter
def known_in(user: User, office: Federation) -> str:
    """The name under which the office appointed a person; their own pages may call them otherwise."""
    return office.appointments.filter(user=user).names().get(user.pk, "")


@register.simple_tag(takes_context=True)
def own_zone(context: Context) -> ZoneInfo:
    """The time zone in which the reader's own pages tell times: that of their office."""
    return zone_of(context["request"].user)
