"""What readers of the mill see: a page."""

from __future__ import annotations

from ratings.equipment.publication import Page, Publication

PUBLICATION = Publication(
    sides=("light", "dark"),
    pages=(Page("thrift", "Thrift", "How many pins a game brought.", ("thrift",)),),
)
