"""The equipment of the office of Czech piškvorky: its layouts and its demo."""

from __future__ import annotations

from ratings.equipment.downloads import SEMICOLONS
from ratings.equipment.office_equipment import Equipment
from ratings.law.ruleset import Choice
from ratings.law.words import gettext_noop as _
from ratings.rulesets.piskvorky.demo import DEMO
from ratings.rulesets.piskvorky.enacted import ENACTED

EQUIPMENT = Equipment(
    downloads=(SEMICOLONS,),
    regions=(Choice("CZ", _("Czech piškvorky")),),
    enacted=ENACTED,
    demo=DEMO,
)
