"""The office and the pages of the invented guild of the mill: its region and time zone, and the clauses of
each edition that no program works out, with what readers are told instead.
"""

from __future__ import annotations

from datetime import date

from ratings.rulesets.facts import Choice
from ratings.rulesets.profile import Office, Publication
from ratings.rulesets.readings import Enacted, EnactedText

OFFICE = Office(time_zone="UTC", regions=(Choice("WEST", "The West"),))


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
