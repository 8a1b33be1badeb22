"""The questions that the text leaves open, by the id of the reading that settles each (`clauses`)."""

from __future__ import annotations

from ratings.law.translation_marks import gettext_noop as _

QUESTIONS = {
    "D-CSA-1": _("What is the time per player with several periods and an increment?"),
    "D-CSA-2": _("Which of the twelve ratings does a section over the board, online or mixed move?"),
    "D-CSA-3": _("For which Main ratings does K = 20 hold?"),
    "D-CSA-4": _("What holds where a printed example differs from the rule?"),
    "D-CSA-5": _("What does “under 8” mean, and what holds for an unknown age or gender?"),
    "D-CSA-6": _("At what rating is an unrated opponent taken in an event abroad?"),
    "D-CSA-7": _("From which ratings is the opponents' average made?"),
    "D-CSA-8": _("How does the rating change in the section that brings a first rating?"),
    "D-CSA-9": _(
        "Which rounds do the four fifths refer to, how are they rounded, and what happens to a "
        "performance with fewer games?"
    ),
    "D-CSA-10": _("For which rounds and in which ratings does a penalty apply, and what excuses it?"),
    "D-CSA-11": _("Whose weight performance is worked out, from which performances, on which day?"),
    "D-CSA-12": _("What is the “current rating” while changes of the month are pending?"),
    "D-CSA-13": _("What is first place, and whom does it protect from a loss?"),
    "D-CSA-14": _("When is a round completed, and what can a permission allow?"),
    "D-CSA-15": _("Is activity counted once, or in each rating?"),
    "D-CSA-16": _("In which time zone are days counted, and what happens to late filings?"),
    "D-CSA-17": _("With how many decimals is a rating stored, shown and downloaded?"),
    "D-CSA-18": _("Whose ratings change in a section abroad, and whose at home?"),
    "D-CSA-19": _("Which year decides a pre-rating, and to which rating does a performance belong?"),
    "D-CSA-20": _("Can minutes be fractions, and which of several increments counts?"),
    "D-CSA-21": _("Is a result a game if one side never moved?"),
    "D-CSA-22": _("Which day counts for the 14 days if a section is submitted more than once?"),
}
