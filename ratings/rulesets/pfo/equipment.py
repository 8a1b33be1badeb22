"""The equipment of the office of the Polish Othello Federation: forms, files, layouts, pages, its demo."""

from __future__ import annotations

from ratings.equipment.files import ELO, TRF
from ratings.equipment.office_equipment import Equipment, IdKind, Statement
from ratings.law.ruleset import Choice
from ratings.law.words import gettext_noop as _
from ratings.rulesets.pfo.demo import DEMO
from ratings.rulesets.pfo.downloads import DOWNLOADS
from ratings.rulesets.pfo.enacted import ENACTED
from ratings.rulesets.pfo.pages import PAGES

EQUIPMENT = Equipment(
    id_kinds=(IdKind("wof", _("Number at the World Othello Federation")),),
    files=(ELO, TRF),
    confirmations=(
        Statement(
            "15", _("If it is a Grand Prix tournament: it was open to everybody, and members organized it.")
        ),
    ),
    downloads=DOWNLOADS,
    regions=(Choice("POL", _("Poland")),),
    pages=PAGES,
    enacted=ENACTED,
    demo=DEMO,
)
