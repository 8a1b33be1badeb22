"""The fields of a section: those that the journal holds, and those for acceptance alone."""

from ratings.rulesets.facts import Choice, Field, flag, gettext_noop as _
from ratings.rulesets.ssdc.edition_2017 import NO_RANK, RANKS
from ratings.rulesets.ssdc.messages import RANK_NAMES

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


CONDITION_FIELDS = (  # §3.4.1–§3.4.6, each named as in `edition_2017.Conditions`
    Field(
        name="highest_rating",
        label=_("Highest rating admitted"),
        kind="whole",
        clause="3.4.1",
        help=_("Leave this empty if players of any rating may enter."),
        required=False,
    ),
    Field(
        name="highest_rank",
        label=_("Highest rank admitted"),
        kind="choice",
        clause="3.4.1",
        help=_("Leave this empty if players of any rank may enter."),
        choices=tuple(Choice(rank, RANK_NAMES[rank]) for rank in (NO_RANK, *RANKS[:-1])),
        required=False,
    ),
    Field(
        name="division",
        label=_("Division of a league"),
        kind="whole",
        clause="3.4.2",
        help=_("1 is the highest. Leave this empty if there are no divisions by level."),
        required=False,
    ),
    flag("one_gender", _("One gender only"), "3.4.1"),
    flag("ages", _("Certain ages only"), "3.4.1"),
    flag("territory", _("Only players from a certain territory, or only players from outside it"), "3.4.1"),
    flag("by_correspondence", _("By correspondence"), "3.4.1"),
    flag("guaranteed_places", _("Somebody’s place is guaranteed by the organizer"), "3.4.3"),
    flag("for_a_challenger", _("The tournament finds the challenger of a title holder"), "3.4.5"),
    flag("for_a_title", _("A match for a title"), "3.4.6"),
)

FILING_FIELDS = (
    Field(
        name="held_by",
        label=_("Held by"),
        kind="choice",
        clause="4.2",
        choices=(Choice("club", _("The Club")), Choice("other", _("Another organizer"))),
        required=False,
    ),
    Field(
        name="sent_on",
        label=_("Regulations sent to the Club on"),
        kind="day",
        clause="4.2",
        only_with=("held_by", "other"),
    ),
    Field(
        name="entry_from",
        label=_("Players could register from"),
        kind="day",
        clause="4.2",
        only_with=("held_by", "other"),
    ),
    *CONDITION_FIELDS,
)
