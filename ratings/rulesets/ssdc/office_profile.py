"""The office of the Sevastopol Sports Dots Club: forms, and what it confirms."""

from __future__ import annotations

from ratings.equipment.office_profile import FormStep, Office, Registration, Statement
from ratings.law.fields import Choice
from ratings.law.translation_marks import gettext_noop as _
from ratings.rulesets.ssdc.filing_fields import FILING_FIELDS

OFFICE = Office(
    time_zone="Europe/Simferopol",
    language="ru",
    regions=(Choice("SSDC", _("Sevastopol Sports Dots Club")),),
    filing_fields=FILING_FIELDS,
    registration=Registration(
        asks=frozenset({"place", "country", "organizer", "days"}),
        steps=(
            FormStep(_("Time and category"), ("time_class", "category")),
            FormStep(_("Who holds it"), ("held_by", "sent_on", "entry_from")),
            FormStep(
                _("Who may play"),
                ("highest_rating", "highest_rank", "division", "one_gender", "ages", "territory"),
            ),
            FormStep(
                _("How it is played"),
                ("by_correspondence", "guaranteed_places", "for_a_challenger", "for_a_title"),
            ),
        ),
        decided_before_play=True,  # an approved tournament has its category
    ),
    confirmations=(
        Statement(
            "4.2.2",
            _("It was played by regulations that the Club approved, and nothing was amended."),
        ),
        Statement("4.3", _("All games are here, in the order in which they were played.")),
    ),
)
