"""What a form asks of a competition: what the journal holds, and on what the decisions on admission rest."""

from __future__ import annotations

from ratings.rulesets.mahjong.edition import SPECIAL_WEIGHTS
from ratings.rulesets.ruleset import Choice, Field
from ratings.rulesets.words import gettext_noop as _

FIELDS = (
    Field(
        name="status",
        label=_("Status"),
        kind="choice",
        clause="1.1",
        help=_("Decides what is asked of the competition, and how much its results weigh."),
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
        help=_("Of a special tournament, as the Presidium decided."),
        choices=tuple(Choice(str(value), str(value)) for value in SPECIAL_WEIGHTS),
        only_with=("status", "special"),
    ),
)

FILING_FIELDS = (
    Field(
        name="entry",
        label=_("Entry"),
        kind="choice",
        clause="1.1",
        help=_("Open: players may enter wherever they live, and whatever their citizenship."),
        choices=(Choice("open", _("Open to everybody")), Choice("closed", _("Not open to everybody"))),
        required=False,
    ),
    Field(
        name="expected",
        label=_("Players expected"),
        kind="whole",
        clause="1.2",
        help=_("Before play, for the first decision; afterwards those who took part are counted."),
        required=False,
    ),
    Field(
        name="members",
        label=_("Members of the federation among them"),
        kind="whole",
        clause="1.3",
        required=False,
    ),
    Field(
        name="representing",
        label=_("Players of the city, the region or Russia"),
        kind="whole",
        clause="1.3",
        help=_("Leave it empty to have them counted by the register."),
        required=False,
    ),
    Field(
        name="played_by",
        label=_("Rules"),
        kind="choice",
        clause="1.4",
        choices=(
            Choice("wmo", _("The world organization’s of 2006, or their Russian translation of 2007")),
            Choice("approved", _("These, changed as regulations that the federation approved say")),
            Choice("other", _("Others")),
        ),
        required=False,
    ),
    Field(
        name="announced_on",
        label=_("Announced on the federation’s site on"),
        kind="day",
        clause="1.6",
        help=_("With day, place and regulations. Leave it empty where it was the day of registration."),
        required=False,
    ),
)
