"""What the office of Czech piškvorky works with: its layouts and its demo."""

from __future__ import annotations

from ratings.rulesets.downloads import SEMICOLONS
from ratings.rulesets.equipment import Equipment
from ratings.rulesets.piskvorky.demo import DEMO
from ratings.rulesets.piskvorky.enacted import ENACTED
from ratings.rulesets.ruleset import Choice
from ratings.rulesets.words import gettext_noop as _

EQUIPMENT = Equipment(
    downloads=(SEMICOLONS,),
    regions=(Choice("CZ", _("Czech piškvorky")),),
    enacted=ENACTED,
    demo=DEMO,
)
