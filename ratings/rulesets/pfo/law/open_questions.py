"""The questions that the text leaves open, by the id of the reading that settles each (`clauses`)."""

from __future__ import annotations

from ratings.law.translation_marks import gettext_noop as _

QUESTIONS = {
    "D-PFO-1": _("Which games are rated, in which order, and with which signs are draws read?"),
    "D-PFO-2": _("The text leaves open where the last row of the second table begins: where is it?"),
    "D-PFO-3": _("How are awards for places given, and to whom?"),
    "D-PFO-4": _("Who gets the point for taking part, and when?"),
    "D-PFO-5": _("When does a player miss the championship, and when is the tenth subtracted?"),
    "D-PFO-6": _("With which rating do foreigners begin, and how are they listed?"),
    "D-PFO-7": _("Which sections score for a season, and how are ties broken?"),
    "D-PFO-8": _("Who represents Poland where one player qualifies in several ways?"),
    "D-PFO-9": _("How is a season identified, and when may rules change?"),
    "D-PFO-10": _("How is a rating from before the record taken over, and for whom?"),
    "D-PFO-11": _("Who is champion where a championship has several sections or places are shared?"),
}
