"""The fields of a competition that its form asks for and the journal holds."""

from __future__ import annotations

from ratings.law.fields import Choice, Field
from ratings.law.translation_marks import gettext_noop as _
from ratings.rulesets.mahjong.edition_undated import SPECIAL_WEIGHTS

_MEANING = {1: _("1, as a championship of a city"), 2: _("2, as a championship of a region")}
"""§4: the status that weighs the same, by the coefficient of a special tournament."""

FIELDS = (
    Field(
        name="status",
        label=_("Status"),
        kind="choice",
        clause="1.1",
        help=_("The status decides the requirements, and how much the results weigh."),
        choices=(
            Choice("city", _("Championship of a city")),
            Choice("region", _("Championship of a region")),
            Choice("national", _("Championship of Russia")),
            Choice("special", _("Special tournament")),
            Choice("foreign", _("Foreign or international tournament")),
            Choice("european", _("Championship of Europe")),
            Choice("world", _("Championship of the world")),
        ),
    ),
    Field(
        name="coefficient",
        label=_("Coefficient"),
        kind="whole",
        clause="4",
        help=_("For a special tournament, as the Presidium decided."),
        choices=tuple(Choice(str(value), _MEANING[value]) for value in SPECIAL_WEIGHTS),
        only_with=("status", "special"),
    ),
)
