"""What the mill's office works with: a form, a region and a page."""

from __future__ import annotations

from ratings.equipment.office_equipment import Equipment, Page
from ratings.law.ruleset import Choice, Field

EQUIPMENT = Equipment(
    filing_fields=(Field(name="boards", label="Boards laid out", kind="whole", clause="5", required=False),),
    regions=(Choice("WEST", "The West"),),
    pages=(Page("thrift", "Thrift", "How many pins a game brought.", ("thrift",)),),
)
