"""Where readers find what else the rules yield: how everybody performed, for the Grand Prix."""

from __future__ import annotations

from ratings.rulesets.csa import edition_2020
from ratings.rulesets.ruleset import Page
from ratings.rulesets.words import gettext_noop as _

PAGES = (
    Page(
        code="performances",
        name=_("Performances"),
        about=_("How everybody performed in each event, and whether it counts for the Grand Prix."),
        of_section=edition_2020.section_performances,
    ),
)

WORDS = {
    "performances": _("Performances"),
    "performances-about": _(
        "A performance counts for the Grand Prix with games in four fifths of the scheduled rounds, in team "
        "sections in half of them, always rounded up. The others are shown, and count for nothing."
    ),
    "player": _("Player"),
    "section": _("Event"),
    "performed": _("Performance"),
    "games-played": _("Games played"),
    "games-needed": _("Games needed"),
    "rounds-scheduled": _("Rounds"),
    "for-the-grand-prix": _("Grand Prix"),
    "counts-yes": _("Counts"),
    "counts-no": _("Does not count"),
    "clause": _("Clause"),
    "counts": _("What counts"),
    "line": _("Event"),
    "ended": _("Last day"),
    "kind-of-games": _("Games"),
    "standard": _("Standard"),
    "rapid": _("Rapid"),
    "blitz": _("Blitz"),
    "days-ago": _("Days ago"),
    "age-factor": _("Age factor A"),
}
"""Of its tables."""
