"""Lists the demo offices that can be made."""

from __future__ import annotations

from players.office.models import Federation
from ratings.equipment.find_equipment import equipment_of
from ratings.law.ruleset import Ruleset
from ratings.rulesets import rulesets


def missing() -> list[Ruleset]:
    """The rulesets whose demo office can still be made: they bring a demo, and no office has their code."""
    there = set(Federation.objects.values_list("code", flat=True))
    return [
        ruleset for ruleset in rulesets().values() if equipment_of(ruleset).demo and ruleset.slug not in there
    ]
