"""The clauses of the Russian Mahjong Federation in our own words, and readings where the text is open."""

from ratings.rulesets.facts import gettext_noop as _
from ratings.rulesets.readings import Amendment, Enacted, EnactedText

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

AMENDMENTS: tuple[Amendment, ...] = ()
"""The days from which clauses have other words, and these words."""

QUESTIONS = {
    "D-RMF-1": _("Among which players is a place counted?"),
    "D-RMF-2": _("On which day does a competition lose a quarter of its weight?"),
    "D-RMF-3": _(
        "Which year's competitions share an absence's weight, and what about competitions before a debut?"
    ),
    "D-RMF-4": _("Who is listed, and which day's register decides?"),
    "D-RMF-5": _("How do conditions on members apply before there is membership?"),
    "D-RMF-6": _("Which coefficient belongs to which status?"),
    "D-RMF-7": _("From which day on does a competition count?"),
    "D-RMF-8": _("When is the rating recomputed, and with how many decimals?"),
}

ENACTED = Enacted(
    source=EnactedText(
        "Российский рейтинг игроков в маджонг", "Федерация маджонга России", url="http://www.mahjong.ru"
    ),
    chapters=(
        ("1", _("What is asked of a competition")),
        ("2", _("What is asked of players")),
        ("3", _("Admission")),
        ("4", _("Coefficient")),
        ("5", _("How the rating is worked out")),
        ("6", _("Further provisions")),
    ),
    partly_computed={
        "1.1": _("Whether anybody could enter, the organizers say."),
        "1.3": _(
            "The office keeps no register of members: the organizers say how many there are. By the register "
            "those of Russia are counted; how many are of the city or region, the organizers say."
        ),
        "1.4": _("By which rules it was played, the organizers say."),
        "1.6": _(
            "The office's own calendar announces a competition from its registration on; another day of "
            "announcement, the organizers say."
        ),
        "3": _("The Presidium decides; an official enters both decisions here, and the program checks them."),
        "6": _(
            "Observers have no place in the record. Both decisions on each competition stand on its page, "
            "with what was declared and the days; the reasons for them stay in the office."
        ),
    },
    smaller_readings=(
        (
            "1.6",
            _(
                "Registration in this office stands for the announcement, unless the organizers give another "
                "day; one that came later needs a reason."
            ),
        ),
        (
            "4",
            _(
                "The final decision is checked against what was declared for the first: the coefficient may "
                "differ only with the status."
            ),
        ),
        (
            "5",
            _(
                "A competition of one player has no result and is not admitted; a place beyond the number of "
                "players is refused."
            ),
        ),
        (
            "5",
            _(
                "An admission moves everybody's rating, and so does the calendar. A player's history tells "
                "both; a working says what the rating was on that day without the competition."
            ),
        ),
    ),
    settings={
        "deadlines": frozenset({"1.6", "3"}),
        "particulars": frozenset({"1.1", "1.2", "1.4"}),
        "membership": frozenset({"1.3"}),  # §6
    },
)
