"""Lists the demo offices that can be made."""

from __future__ import annotations

from players.office.models import Federation
from ratings.equipment.office_equipment import equipment_of
from ratings.law.ruleset import Ruleset
from ratings.rulesets import rulesets


def missing() -> list[Ruleset]:
    """The rulesets that bring a demo and have no office of their code in this house."""
    there = set(Federation.objects.values_list("code", flat=True))
    return [
        ruleset for ruleset in rulesets().values() if equipment_of(ruleset).demo and ruleset.slug not in there
    ]
