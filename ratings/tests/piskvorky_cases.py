"""Piškvorky: each finding, provoked, and the nearest filing without it."""

from __future__ import annotations

from ratings.tests.findings import Case, Filed
from ratings.tests.piskvorky_record import section_of

CASES = {
    "no-games": Case(Filed(section_of("1 Adam +:- Bára")), Filed(section_of("1 Adam 1/2 Bára"))),
    "both-lost-filed": Case(
        Filed(section_of("1 Adam 1-0 Bára\n2 Adam 0-0 Bára")),
        Filed(section_of("1 Adam 1-0 Bára\n2 Adam -:- Bára")),
    ),
}
