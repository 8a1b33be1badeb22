"""The office of the Sevastopol Sports Dots Club: forms, and what it confirms."""

from __future__ import annotations

from ratings.equipment.office import Office, Statement
from ratings.law.fields import Choice
from ratings.law.translation_marks import gettext_noop as _
from ratings.rulesets.ssdc.forms import FILING_FIELDS

OFFICE = Office(
    time_zone="Europe/Simferopol",
    regions=(Choice("SSDC", _("Sevastopol Sports Dots Club")),),
    filing_fields=FILING_FIELDS,
    confirmations=(
        Statement(
            "4.2.2",
            _("It was played by regulations that the Club approved, and nothing was amended."),
        ),
        Statement("4.3", _("All games are here, in the order in which they were played.")),
    ),
)
