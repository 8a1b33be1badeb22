"""The office and the pages of the invented federation of Nine Men's Morris: its region, time zone and
fields for files, the page of its further table, and the marks in which its scores are written.
"""

from __future__ import annotations

from ratings.rulesets.facts import Choice, Field
from ratings.rulesets.profile import RESULT_MARKS, Notation, Office, Page, Publication

OFFICE = Office(
    time_zone="Europe/Dublin",
    regions=(Choice("WEST", "The West"),),
    filing_fields=(Field(name="boards", label="Boards laid out", kind="whole", clause="5", required=False),),
)


PUBLICATION = Publication(
    decimals=0,
    sides=("light", "dark"),
    pages=(Page("thrift", "Thrift", "How many pins a game brought.", ("thrift",)),),
    notation=Notation(
        marks={**RESULT_MARKS, "1-0": ("W", "L"), "0-1": ("L", "W"), "1/2": ("=", "=")},
        byes=dict.fromkeys(("pairing", "full", "half", "zero"), "sits"),
        score=lambda points: f"{points} p",
    ),
)
