"""The questions that the text leaves open, by the id of the reading that settles each (`clauses`)."""

from __future__ import annotations

from ratings.law.words import gettext_noop as _

QUESTIONS = {
    "D-SSDC-1": _("What is the exponent in the expected score?"),
    "D-SSDC-2": _("In which order do games move ratings, and from which ratings?"),
    "D-SSDC-3": _("Which K has a new player of 2400, and how are the 30 games counted?"),
    "D-SSDC-4": _("Who gets the initial rating: everyone entered, or everyone who played?"),
    "D-SSDC-5": _("What becomes of an annulled game and its replay?"),
    "D-SSDC-6": _("Which rating is looked at for a rank, when, and after how many games?"),
    "D-SSDC-7": _("Who awards a rank, and which of two grounds counts?"),
    "D-SSDC-8": _("How do several limiting factors add up to a category?"),
    "D-SSDC-9": _("When exactly is somebody on a list?"),
    "D-SSDC-10": _("Who says of which time class a tournament is?"),
    "D-SSDC-11": _("What do the games of a rating that was taken over count for?"),
    "D-SSDC-12": _("Which formats limit a category because not all meet?"),
    "D-SSDC-13": _("After which tournaments is the classic rating looked at for a rank?"),
    "D-SSDC-14": _("What of a rank whose tournament is un-rated?"),
}
