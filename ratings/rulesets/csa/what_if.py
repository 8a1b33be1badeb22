"""The questions of an imagined section of chess."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from ratings.equipment.what_if import Answers, Further, WhatIf
from ratings.law.facts import Bye, Entry, TimeControl
from ratings.law.fields import Choice, Field, flag
from ratings.law.translation_marks import gettext_noop as _

LEADER = "*leader"
"""The made-up id of an entrant with all points, ahead of a player who does not come first (§68)."""


def particulars(answers: Answers) -> Mapping[str, Any]:
    """§19 §24 §49: time control, platform and whether teams play."""
    minutes = Decimal(answers.get("minutes") or 0)
    return {
        "time_controls": (TimeControl((minutes,)),),
        "platform": answers.get("platform"),
        "team": bool(answers.get("team")),
    }


def further(answers: Answers, rounds: int) -> Further:
    """§68: somebody with full points from byes, unless the player is to come first."""
    if answers.get("first"):
        return Further()
    byes = (Bye(number, LEADER, "full") for number in range(1, rounds + 1))
    return Further((Entry(LEADER),), tuple(byes))


WHAT_IF = WhatIf(
    particulars=particulars,
    fields=(
        Field(
            name="minutes",
            label=_("Minutes a player has for 60 moves"),
            kind="whole",
            clause="19",
            help=_("Seconds a move count as that many minutes: 90 minutes and 30 seconds a move are 120."),
            default="90",
        ),
        Field(
            name="platform",
            label=_("Played"),
            kind="choice",
            clause="24",
            choices=(
                Choice("otb", _("Over the board")),
                Choice("online", _("Online")),
                Choice("mixed", _("Mixed")),
            ),
            default="otb",
        ),
        Field(
            name="rounds",
            label=_("Scheduled rounds"),
            kind="whole",
            clause="47",
            help=_("Leave this empty if every round has a row below. A gain needs four fifths of them."),
            required=False,
        ),
        flag("team", _("Team event"), "49"),
        flag("first", _("The player comes first, alone or shared"), "68"),
    ),
    further=further,
    by_side=True,
    not_looked_at=(
        _("Games are measured at today's official ratings, without points that wait for the next list."),
        _("It is taken as held in South Africa and rated on its last day."),
        _(
            "Age and sex are not looked at: who has no rating is taken at the pre-rating that you write "
            "in the row."
        ),
    ),
)
