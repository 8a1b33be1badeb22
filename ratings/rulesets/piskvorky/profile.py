"""The way of working of Czech piškvorky: its office, what it publishes, and imagined tournaments."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from ratings.rulesets.downloads import SEMICOLONS
from ratings.rulesets.facts import Choice
from ratings.rulesets.facts import gettext_noop as _
from ratings.rulesets.piskvorky.clauses import ENACTED
from ratings.rulesets.piskvorky.edition_undated import band_of
from ratings.rulesets.piskvorky.standing import PiskvorkyStanding
from ratings.rulesets.profile import SCORES, Answers, Office, Publication, Registration, WhatIf

MOVED = Decimal(32)
"""§7: the points of a row for a win of the higher and of the lower rated, together: the same in each row."""


def expected_score(own: PiskvorkyStanding, other: PiskvorkyStanding) -> Decimal | None:
    """The expected score in a game of two established players; None for novices, whom the table does not know
    (§3).
    """
    if own.rating is None or other.rating is None or not (own.established and other.established):
        return None
    of_lower = band_of(own.rating - other.rating).higher_wins / MOVED
    return 1 - of_lower if own.rating >= other.rating else of_lower


OFFICE = Office(
    time_zone="Europe/Prague",
    language="cs",
    regions=(Choice("CZ", _("Czech piškvorky")),),
    registration=Registration(asks=frozenset({"place"})),
)


PUBLICATION = Publication(
    decimals=0,  # D-PIS-2
    enacted=ENACTED,
    downloads=(SEMICOLONS,),
    expected_score=expected_score,  # §7
)


def particulars(answers: Answers) -> Mapping[str, Any]:
    """Give no particulars: the rules read none of a tournament."""
    return {}


WHAT_IF = WhatIf(
    particulars=particulars,
    results=tuple(SCORES),
    not_looked_at=(
        _("Whoever is known by rating alone is taken as established."),
        _("Games with players without an established rating count in founding tournaments alone."),
    ),
)
