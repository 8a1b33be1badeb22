"""The fields of a section of Dots that its form asks for and the journal holds."""

from __future__ import annotations

from ratings.law.fields import Choice, Field
from ratings.law.translation_marks import gettext_noop as _

FIELDS = (
    Field(
        name="time_class",
        label=_("Time class"),
        kind="choice",
        clause="1.5",
        help=_("As the organizer stated it. Rapid and blitz both move the Rapid rating."),
        choices=(
            Choice("classic", _("Classic")),
            Choice("rapid", _("Rapid")),
            Choice("blitz", _("Blitz")),
        ),
    ),
    Field(
        name="category",
        label=_("Category"),
        kind="choice",
        clause="3.2",
        help=_(
            "The highest category, lowered by a step for each limiting factor. A friendly tournament is "
            "not rated."
        ),
        choices=(
            Choice("highest", _("Highest")),
            Choice("first", _("First")),
            Choice("second", _("Second")),
            Choice("third", _("Third")),
            Choice("fourth", _("Fourth")),
            Choice("friendly", _("Friendly, not rated")),
        ),
    ),
)
