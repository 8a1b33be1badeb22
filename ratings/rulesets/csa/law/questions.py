"""The questions that the text leaves open, by the id of the reading that settles each (`clauses`)."""

from __future__ import annotations

from ratings.law.words import gettext_noop as _

QUESTIONS = {
    "D-CSA-1": _("Of several periods and an increment, what is the time per player?"),
    "D-CSA-2": _("Which of the twelve ratings does a section over the board, online or mixed move?"),
    "D-CSA-3": _("For which Main ratings does K = 20 hold?"),
    "D-CSA-4": _("What stands where a printed example differs from the rule?"),
    "D-CSA-5": _("What does “under 8” mean, and what of an age or gender that is not known?"),
    "D-CSA-6": _("At what rating is an unrated opponent taken in an event abroad?"),
    "D-CSA-7": _("From which ratings is the opponents' average made?"),
    "D-CSA-8": _("What of the rating changes in the very section that brings a first rating?"),
    "D-CSA-9": _("Four fifths of which rounds, rounded how, and what becomes of a performance from fewer?"),
    "D-CSA-10": _("Which rounds does a penalty charge, in which ratings, and what excuses it?"),
    "D-CSA-11": _("Whose weight performance is worked out, from which performances, on which day?"),
    "D-CSA-12": _("What is the “current rating” while changes of the month are pending?"),
    "D-CSA-13": _("What is first place, and who is protected there?"),
    "D-CSA-14": _("When is a round completed, and how far does a permission go?"),
    "D-CSA-15": _("Is activity counted once, or in each rating?"),
    "D-CSA-16": _("What is a day, and what becomes of what is late?"),
    "D-CSA-17": _("With how many decimals is a rating kept, shown and handed out?"),
    "D-CSA-18": _("Whose ratings move in a section abroad, and whose in one at home?"),
    "D-CSA-19": _("Of which year is a pre-rating, and of which rating a performance?"),
    "D-CSA-20": _("May minutes be fractions, and which increment counts of several?"),
    "D-CSA-21": _("Is a result a game if a side never moved?"),
    "D-CSA-22": _("Which day counts for the 14 days where a file is replaced after them?"),
}
