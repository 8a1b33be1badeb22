"""The office of the Russian Mahjong Federation: forms, files and ids."""

from __future__ import annotations

from ratings.equipment.office_profile import FormStep, IdKind, Office, Registration
from ratings.law.fields import Choice
from ratings.law.translation_marks import gettext_noop as _
from ratings.rulesets.mahjong.filing_fields import FILING_FIELDS

NAME = _("Russian Mahjong Federation")
"""The ruleset's name, marked here for translation: a new office is called so in its own language."""

OFFICE = Office(
    time_zone="Europe/Moscow",
    language="ru",
    regions=(Choice("RUS", _("Russia")),),
    files=("ema", "portal"),
    id_kinds=(IdKind("ema", _("EMA number"), digits=8), IdKind("pantheon", _("Pantheon id"))),
    wants_of_new=frozenset({"nation"}),  # §2
    filing_fields=FILING_FIELDS,
    registration=Registration(
        asks=frozenset({"place", "country", "organizer", "days"}),
        steps=(
            FormStep(_("Status"), ("status", "coefficient")),
            FormStep(_("Who plays"), ("entry", "expected", "members", "representing")),
            FormStep(_("Rules and announcement"), ("played_by", "announced_on")),
        ),
    ),
)
