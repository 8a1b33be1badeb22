"""The equipment of the office of the Russian Mahjong Federation: forms, files, pages and its demo."""

from __future__ import annotations

from ratings.equipment.downloads import SEMICOLONS
from ratings.equipment.files import EMA, PORTAL
from ratings.equipment.office_equipment import Equipment, IdKind
from ratings.law.ruleset import Choice
from ratings.law.words import gettext_noop as _
from ratings.rulesets.mahjong.demo import DEMO
from ratings.rulesets.mahjong.enacted import ENACTED
from ratings.rulesets.mahjong.forms import FILING_FIELDS
from ratings.rulesets.mahjong.pages import PAGES

EQUIPMENT = Equipment(
    id_kinds=(IdKind("ema", _("EMA number")), IdKind("pantheon", _("Pantheon id"))),
    files=(EMA, PORTAL),
    filing_fields=FILING_FIELDS,
    downloads=(SEMICOLONS,),
    regions=(Choice("RUS", _("Russia")),),
    pages=PAGES,
    enacted=ENACTED,
    demo=DEMO,
)
