"""The regulations of 2017: their source, and what no program carries out of them."""

from __future__ import annotations

from ratings.law.ruleset_helpers.source_and_omissions import Enacted, EnactedText
from ratings.law.translation_marks import gettext_noop as _

WORDS = _("It says what words mean; there is nothing to work out.")

ENACTED = Enacted(
    source=EnactedText(
        _("Regulations on the rating system"),
        "Sevastopol Sports Dots Club",
        _(
            "approved by order of the chairman no. 3 of 27 January 2017, amended by orders no. 1-M of 15 "
            "January 2018 and no. 2-M of 12 October 2018"
        ),
    ),
    chapters=(
        ("1.1", _("Rating")),
        ("2.1", _("Sports ranks")),
        ("3.1", _("Categories of tournaments")),
        ("4.1", _("The rating list")),
        ("5.1", _("Amendments")),
    ),
    not_computed={
        "1.1": WORDS,
        "1.2": _("Which tournaments are official, officials decide: the office rates those and no others."),
        "1.8": _("Who reckons: the program does it for the official, by these rules alone."),
        "1.8.1": _(
            "Nobody can write a rating here: all follow from the journal, and anyone can work them out."
        ),
        "2.1": WORDS,
        "2.2": _("Ranks come of rated tournaments alone, as ratings do."),
        "4.1.1": _("The Club may divide its list by age or otherwise; it has not said how."),
        "4.2.1": _("A decision of people: the category that officials approve is entered with the section."),
        "4.2.2": _("A matter for people: who files confirms that nothing was amended."),
        "4.3.1": _("A matter for people: officials review what was handed in before they approve it."),
        "4.4": _("The list is published here. Whether those who quote it name the source, no program sees."),
        "5.1": _(
            "An amendment is another edition with a first day of its own, entered by whoever adds it to the "
            "program."
        ),
    },
    partly_computed={
        "3.4": _(
            "What limits a tournament, the organizer says; only its format, time and number of players are "
            "looked at."
        ),
        "4.2": _("Whether the Club holds a tournament and when regulations were sent, the organizer says."),
        "4.3": _(
            "The ratings and ranks at the start that a referee hands in are not compared: they follow from "
            "the record itself. Who files confirms that the games are complete and in order."
        ),
        "4.6": _(
            "Anyone can open and print an extract of a day from a player's page. Certificates on paper, "
            "badges and their costs are between the player and the Club."
        ),
    },
    smaller_readings=(
        (
            "3.4.4",
            _(
                "A limit “up to 2200” lets players of 2200 in and is one step; one below 2200 is two. A "
                "limit at the highest rank shuts out nobody."
            ),
        ),
        (
            "3.4.6",
            _(
                "Whether a match of two was for a title, the organizer says; one that is not said to be is "
                "at best of the fourth category."
            ),
        ),
        ("3.4.1", _("A rapid or blitz section of the highest category is refused: its time limits it.")),
        (
            "4.2",
            _(
                "Where it is not said who held a tournament, registration less than seven days ahead is only "
                "noted."
            ),
        ),
    ),
    settings={"deadlines": frozenset({"4.2", "4.3"}), "particulars": frozenset({"4.2"})},
)
