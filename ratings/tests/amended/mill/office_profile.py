"""The region of the guild's office."""

from __future__ import annotations

from ratings.equipment.office_profile import Office
from ratings.law.fields import Choice

OFFICE = Office(time_zone="UTC", regions=(Choice("WEST", "The West"),))
