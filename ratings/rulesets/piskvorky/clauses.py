"""The clauses of Czech piškvorky in our own words, and readings where the text is open."""

from ratings.rulesets.facts import gettext_noop as _
from ratings.rulesets.readings import Amendment, Enacted, EnactedText

CLAUSES = {
    "1": _("A rating is established (U), or a novice's (D)."),
    "2": _(
        "It is established with five games against established players and one and a half points from them."
    ),
    "3": _(
        "Between established players the table counts. A game of a novice with one of them counts for the "
        "novice alone, a game between novices for nobody."
    ),
    "4": _("Ratings change when the tournament is over, and so does who is a novice."),
    "5": _(
        "A novice's rating: the mean rating of the established players met, and 250 times wins less losses "
        "a game."
    ),
    "6": _(
        "The first two tournaments found the system. Everyone in them is established, at 1600 and 400 times "
        "wins less losses a game."
    ),
    "7": _("An established rating changes by the table, which goes by the difference of the two ratings."),
    "D-PIS-1": _(
        "A novice's games against established players are collected over all tournaments; a draw is a game "
        "and half a point."
    ),
    "D-PIS-2": _("Ratings are whole numbers, half up."),
    "D-PIS-3": _(
        "Both founding tournaments are one sum; after the first alone, it is of the first alone; without a "
        "game it is 1600."
    ),
    "D-PIS-4": _(
        "What one gains the other loses; all of a tournament is measured at the ratings before it; the "
        "table's last row has no end."
    ),
    "D-PIS-5": _("A novice who has met no established player has no rating."),
    "D-PIS-6": _("The games that count are those that entered the player's own rating."),
    "D-PIS-7": _("The first two are so in the order of play."),
}

AMENDMENTS: tuple[Amendment, ...] = ()
"""The days from which clauses have other words, and these words."""

QUESTIONS = {
    "D-PIS-1": _("Which games make a novice's rating, and how does a draw count?"),
    "D-PIS-2": _("How is a formula's result rounded?"),
    "D-PIS-3": _(
        "Are the two founding tournaments rated together, and what happens to a player without a game?"
    ),
    "D-PIS-4": _(
        "How many points does the loser lose, from which ratings, and what holds beyond the table's end?"
    ),
    "D-PIS-5": _("What is the rating of a novice who has met no established player?"),
    "D-PIS-6": _("Which games does a player's record count?"),
    "D-PIS-7": _("Which two tournaments are the first?"),
}

ENACTED = Enacted(
    source=EnactedText("Ratingový systém v piškvorkách", "Czech piškvorky"),
    smaller_readings=(
        (
            "1",
            _("A rating taken over when the record began is established, and a whole number, half up."),
        ),
        (
            "6",
            _(
                "A tournament in which no game was played counts among the first two all the same, as the "
                "text counts tournaments; the office is asked first."
            ),
        ),
        (
            "6",
            _(
                "A player of the first founding tournament only keeps its rating: the sum over both has the "
                "same games."
            ),
        ),
    ),
)
