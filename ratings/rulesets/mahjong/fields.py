"""The fields of a competition: those that the journal holds, and those for decisions on admission alone."""

from ratings.rulesets.facts import Choice, Field, gettext_noop as _
from ratings.rulesets.mahjong.edition_undated import SPECIAL_WEIGHTS

_COEFFICIENT_NAMES = {1: _("1, as a championship of a city"), 2: _("2, as a championship of a region")}  # §4

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
        choices=tuple(Choice(str(value), _COEFFICIENT_NAMES[value]) for value in SPECIAL_WEIGHTS),
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
        help=_(
            "Needed before play, for the first decision; afterwards the program counts the players who "
            "took part."
        ),
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
        help=_("If this is empty, the register is used to count the players of Russia."),
        required=False,
    ),
    Field(
        name="played_by",
        label=_("Rules"),
        kind="choice",
        clause="1.4",
        choices=(
            Choice("wmo", _("The world organization’s of 2006, or their Russian translation of 2007")),
            Choice("approved", _("These rules, with changes in regulations that the federation approved")),
            Choice("other", _("Others")),
        ),
        required=False,
    ),
    Field(
        name="announced_on",
        label=_("Announced on the federation’s site on"),
        kind="day",
        clause="1.6",
        help=_(
            "The announcement gives day, place and regulations. Leave this empty if it came on the day "
            "of registration."
        ),
        required=False,
    ),
    Field(
        name="announcement",
        label=_("Announcement and regulations"),
        kind="url",
        clause="1.6",
        help=_("The address at which everybody can read them. The event’s page links to it."),
        required=False,
    ),
)
