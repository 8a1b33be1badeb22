"""The way the mill's office works: a form and a region."""

from __future__ import annotations

from ratings.equipment.office_profile import Office
from ratings.law.fields import Choice, Field

OFFICE = Office(
    time_zone="Europe/Dublin",
    regions=(Choice("WEST", "The West"),),
    filing_fields=(Field(name="boards", label="Boards laid out", kind="whole", clause="5", required=False),),
)
