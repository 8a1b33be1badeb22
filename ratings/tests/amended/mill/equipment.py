"""What the guild's office works with: a region, and what no program does, by either edition."""

from __future__ import annotations

from datetime import date

from ratings.equipment.office_equipment import Equipment
from ratings.law.enacted import Enacted, EnactedText
from ratings.law.ruleset import Choice

SOURCE = EnactedText("Rules of the Mill", "Guild of the Mill")
UNCOUNTED = "Nobody but the organizers can count the boards."

EQUIPMENT = Equipment(
    regions=(Choice("WEST", "The West"),),
    enacted=Enacted(
        SOURCE,
        partly_computed={"6": UNCOUNTED},
        earlier={date(1990, 1, 1): Enacted(SOURCE, partly_computed={"5": UNCOUNTED})},
    ),
)
