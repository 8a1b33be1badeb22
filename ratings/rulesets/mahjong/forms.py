"""The fields of a competition's form that no journal holds; decisions on admission rest on them."""

from __future__ import annotations

from ratings.law.fields import Choice, Field
from ratings.law.words import gettext_noop as _

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
        help=_("Those of Russia are counted by the register if this is empty."),
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
