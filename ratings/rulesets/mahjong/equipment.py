"""What the office of the Russian Mahjong Federation works with: forms, files, pages and its demo."""

from __future__ import annotations

from ratings.rulesets.downloads import SEMICOLONS
from ratings.rulesets.equipment import Equipment, IdKind
from ratings.rulesets.files import EMA, PORTAL
from ratings.rulesets.mahjong.demo import DEMO
from ratings.rulesets.mahjong.enacted import ENACTED
from ratings.rulesets.mahjong.forms import FILING_FIELDS
from ratings.rulesets.mahjong.pages import PAGES
from ratings.rulesets.ruleset import Choice
from ratings.rulesets.words import gettext_noop as _

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
