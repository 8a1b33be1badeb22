"""An office's own settings, and today's date there."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import date
from zoneinfo import ZoneInfo

from django.utils import timezone

from players.office.models import Federation


@dataclass(frozen=True, slots=True)
class Settings:
    """An office's own switches. The defaults let a newcomer walk through."""

    four_eyes: bool = False
    """The person who submitted a section does not approve it."""
    second_factor: bool = False
    """The rule that people who work here have a second factor beside the password."""
    successor_first: bool = False
    """A region's last administrator stays until another is appointed."""
    deadlines: bool = False
    """Anything late needs a reason that the office accepts; otherwise it is only noted."""
    particulars: bool = False
    """Missing particulars, or ones from the wrong person, need a reason or block; otherwise only noted."""
    membership: str = ""
    """The day (ISO) on which membership in the federation was introduced; empty: there is none."""
    births: str = "year"
    """The part of an adult's birth that the public may know: `none`, `group` (lists cut by age), `year`."""
    minors: bool = False
    """Lists can be cut by the age and sex of children too."""


def settings_of(federation: Federation) -> Settings:
    known = {field.name for field in fields(Settings)}
    return Settings(**{name: value for name, value in federation.settings.items() if name in known})


def today(federation: Federation) -> date:
    """The day in the office's own calendar."""
    return timezone.localdate(timezone=ZoneInfo(federation.equipment.office.time_zone))
