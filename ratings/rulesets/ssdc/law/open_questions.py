"""The questions that the text leaves open, by the id of the reading that settles each (`clauses`)."""

from __future__ import annotations

from ratings.law.translation_marks import gettext_noop as _

QUESTIONS = {
    "D-SSDC-1": _("What is the exponent in the expected score?"),
    "D-SSDC-2": _("In which order do games move ratings, and from which ratings?"),
    "D-SSDC-3": _("Which K has a new player of 2400, and how are the 30 games counted?"),
    "D-SSDC-4": _("Who gets the initial rating: everyone entered, or everyone who played?"),
    "D-SSDC-5": _("What happens to an annulled game and its replay?"),
    "D-SSDC-6": _("Which rating counts for a rank, when, and after how many games?"),
    "D-SSDC-7": _("Who awards a rank, and which of two grounds counts?"),
    "D-SSDC-8": _("How do several limiting factors add up to a category?"),
    "D-SSDC-9": _("When exactly is a player on a list?"),
    "D-SSDC-10": _("Who decides the time class of a tournament?"),
    "D-SSDC-11": _("For what do the games of an opening count?"),
    "D-SSDC-12": _("In which formats does not everybody meet everybody, which limits the category?"),
    "D-SSDC-13": _("After which tournaments can the classic rating give a rank?"),
    "D-SSDC-14": _("What happens to a rank whose tournament is un-rated?"),
}
