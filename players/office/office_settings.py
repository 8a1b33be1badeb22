"""What an office has set for itself, and what day it is there."""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import date
from zoneinfo import ZoneInfo

from django.utils import timezone

from players.office.models import Federation


@dataclass(frozen=True, slots=True)
class Settings:
    """An office's own switches. Every default lets a newcomer walk through."""

    four_eyes: bool = False
    """Whoever submitted a section does not approve it."""
    successor_first: bool = False
    """A region's last administrator stays until another is appointed."""
    deadlines: bool = False
    """What is late needs a reason that the office accepts; otherwise it is only told."""
    particulars: bool = False
    """What is not said in full, or not by whom it should be, needs such a reason; else it is only told."""
    membership: str = ""
    """The day (ISO) on which membership in the federation was introduced; empty: there is none."""
    births: str = "year"
    """What the public may know of an adult's birth: `none`, `group` (lists cut by age), `year`."""
    minors: bool = False
    """Lists can be cut by the age and sex of children too."""


def settings_of(federation: Federation) -> Settings:
    known = {field.name for field in fields(Settings)}
    return Settings(**{name: value for name, value in federation.settings.items() if name in known})


def today(federation: Federation) -> date:
    """The day in the office's own calendar."""
    return timezone.localdate(timezone=ZoneInfo(federation.ruleset.time_zone))
