"""The name of a new office, where whoever opens it gives none."""

from __future__ import annotations

from django.conf import settings
from django.utils.translation import gettext, override

from ratings.equipment.find_equipment import equipment_of
from ratings.law.ruleset import Ruleset


def name_of_office(ruleset: Ruleset) -> str:
    """The ruleset's name in the language that the office is to speak."""
    with override(settings.OFFICE_LANGUAGE or equipment_of(ruleset).office.language):
        return gettext(ruleset.name)
