"""What the office of the Sevastopol Sports Dots Club works with: forms, layouts, pages and its demo."""

from __future__ import annotations

from ratings.rulesets.downloads import SEMICOLONS
from ratings.rulesets.equipment import Confirmation, Equipment
from ratings.rulesets.ruleset import Choice
from ratings.rulesets.ssdc.demo import DEMO
from ratings.rulesets.ssdc.enacted import ENACTED
from ratings.rulesets.ssdc.forms import FILING_FIELDS
from ratings.rulesets.ssdc.pages import PAGES
from ratings.rulesets.words import gettext_noop as _

EQUIPMENT = Equipment(
    filing_fields=FILING_FIELDS,
    confirmations=(
        Confirmation(
            "4.2.2",
            _("It was played by regulations that the Club approved, and nothing was amended."),
        ),
        Confirmation("4.3", _("All games are here, in the order in which they were played.")),
    ),
    downloads=(SEMICOLONS,),
    regions=(Choice("SSDC", _("Sevastopol Sports Dots Club")),),
    pages=PAGES,
    enacted=ENACTED,
    demo=DEMO,
)
