"""The works of no program that readers of the guild are told of, by either edition."""

from __future__ import annotations

from datetime import date

from ratings.equipment.publication_profile import Publication
from ratings.law.ruleset_helpers.source_and_omissions import Enacted, EnactedText

SOURCE = EnactedText("Rules of the Mill", "Guild of the Mill")
UNCOUNTED = "Nobody but the organizers can count the boards."

PUBLICATION = Publication(
    decimals=0,
    enacted=Enacted(
        SOURCE,
        partly_computed={"6": UNCOUNTED},
        earlier={date(1990, 1, 1): Enacted(SOURCE, partly_computed={"5": UNCOUNTED})},
    ),
)
