"""The questions of an imagined tournament of piškvorky."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ratings.equipment.what_if import SCORES, Answers, WhatIf
from ratings.law.translation_marks import gettext_noop as _


def particulars(answers: Answers) -> Mapping[str, Any]:
    """Give no particulars: the rules read none of a tournament."""
    return {}


WHAT_IF = WhatIf(
    particulars=particulars,
    results=tuple(SCORES),
    not_looked_at=(
        _("Whoever is known by rating alone is taken as established."),
        _("Games with players without an established rating count in founding tournaments alone."),
    ),
)
