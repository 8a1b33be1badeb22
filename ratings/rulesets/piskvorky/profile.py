"""The office of Czech piškvorky, what it publishes, and its what-if form."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from ratings.rulesets.downloads import SEMICOLONS
from ratings.rulesets.facts import Choice, gettext_noop as _
from ratings.rulesets.piskvorky.clauses import ENACTED
from ratings.rulesets.piskvorky.standing import PiskvorkyStanding
from ratings.rulesets.profile import SCORES, Answers, Office, Publication, Registration, WhatIf

ROW_SUM = Decimal(32)
"""§7: the sum of the points for a win of the higher and of the lower rated, the same in each row."""


def expected_score(rules: Any, own: PiskvorkyStanding, other: PiskvorkyStanding) -> Decimal | None:
    """The expected score in a game of two established players; None with a novice (§3)."""
    if own.rating is None or other.rating is None or not (own.established and other.established):
        return None
    lower_expected: Decimal = rules.band_of(own.rating - other.rating).higher_wins / ROW_SUM
    return 1 - lower_expected if own.rating >= other.rating else lower_expected


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


def what_if_particulars(answers: Answers) -> Mapping[str, Any]:
    """No particulars, as the rules read none."""
    return {}


WHAT_IF = WhatIf(
    particulars=what_if_particulars,
    results=tuple(SCORES),
    not_looked_at=(
        _("Whoever is known by rating alone is taken as established."),
        _("Games with players without an established rating count in founding tournaments alone."),
    ),
)
