"""The clauses in our own words. `D-RMF-n` are readings where the text is open."""

from __future__ import annotations

from ratings.law.translation_marks import gettext_noop as _

CLAUSES = {
    "1": _("What is asked of a competition whose results enter the rating."),
    "1.1": _(
        "Statuses: championship of a city, of a region, of Russia; special tournament; foreign or "
        "international tournament. All but the special are open to everybody."
    ),
    "1.2": _(
        "Players: 8 at a city's championship, 12 at a region's and in a special tournament, 16 at that of "
        "Russia, 24 abroad."
    ),
    "1.3": _(
        "Members of the federation among them: 2, and 6 at the championship of Russia and in special "
        "tournaments. 5 are of the city or region, 9 of Russia."
    ),
    "1.4": _("Played by the world organization's rules of 2006, or by approved changes to them."),
    "1.5": _(
        "Sessions: 3 at championships of cities and regions, 4 at that of Russia and in special "
        "tournaments, 5 abroad."
    ),
    "1.6": _("Announced a month before the first session, unless abroad."),
    "2": _(
        "In the rating stand citizens of Russia who live there, and by exception such as live abroad; from "
        "the second competition on, which then counts together with the first."
    ),
    "3": _("The Presidium admits in two steps: before the competition as declared, after it as it was."),
    "4": _(
        "A competition's coefficient: 1 city, 2 region and abroad, 3 Russia, 4 Europe, 5 the world, 1 or 2 "
        "for a special tournament. It is revised only together with the status."
    ),
    "5": _(
        "The rating is the mean of a player's results, weighted by coefficient, time and activity; absences "
        "count as results of 0 with little weight. It is worked out anew at each admission and whenever "
        "time takes weight away."
    ),
    "6": _(
        "The Presidium may send an observer; its decisions are published; 1.3 holds once there is "
        "membership in the federation."
    ),
    "D-RMF-1": _("A result is by the place among all who took part, foreigners too."),
    "D-RMF-2": _(
        "Weight falls on the day after each anniversary of a competition's last day; 29 February has its "
        "anniversary on 28 February in common years."
    ),
    "D-RMF-3": _(
        "An absence weighs 0.12 by the number of competitions of that one's calendar year admitted so far; "
        "competitions before a player's first are absences too."
    ),
    "D-RMF-4": _(
        "Listed are those with a place in the rating and two competitions, while anything has weight; who "
        "has a place goes by the register of the day asked for, and is never a foreigner."
    ),
    "D-RMF-5": _("Before membership is introduced, what depends on it is only noted."),
    "D-RMF-6": _("City 1, region and abroad 2, Russia 3, Europe 4, the world 5, special 1 or 2 as decided."),
    "D-RMF-7": _("A competition counts from the day of its final admission on, whenever it was played."),
    "D-RMF-8": _("Worked out for any day, to 16 decimals, shown with 4."),
}
"""Every clause by its number, in our own words."""
