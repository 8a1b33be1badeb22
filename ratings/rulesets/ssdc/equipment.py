"""The equipment of the office of the Sevastopol Sports Dots Club: forms, layouts, pages and its demo."""

from __future__ import annotations

from ratings.equipment.downloads import SEMICOLONS
from ratings.equipment.office_equipment import Equipment, Statement
from ratings.law.ruleset import Choice
from ratings.law.words import gettext_noop as _
from ratings.rulesets.ssdc.demo import DEMO
from ratings.rulesets.ssdc.enacted import ENACTED
from ratings.rulesets.ssdc.forms import FILING_FIELDS
from ratings.rulesets.ssdc.pages import PAGES

EQUIPMENT = Equipment(
    filing_fields=FILING_FIELDS,
    confirmations=(
        Statement(
            "4.2.2",
            _("It was played by regulations that the Club approved, and nothing was amended."),
        ),
        Statement("4.3", _("All games are here, in the order in which they were played.")),
    ),
    downloads=(SEMICOLONS,),
    regions=(Choice("SSDC", _("Sevastopol Sports Dots Club")),),
    pages=PAGES,
    enacted=ENACTED,
    demo=DEMO,
)
