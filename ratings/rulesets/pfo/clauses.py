"""The clauses of Polska Federacja Othello in our own words, and readings where the text is open."""

from ratings.rulesets.facts import gettext_noop as _
from ratings.rulesets.readings import Amendment, Enacted, EnactedText

CLAUSES = {
    "preamble": _(
        "The rules hold from 12 December 2009. Poland is represented at the World Championship by the "
        "winners of its championship, of the Grand Prix and of the ranking, in this order; whoever is first "
        "twice goes by the earlier way, and the next in line moves up."
    ),
    "1": _("The ranking shows how strong the players are."),
    "2": _("The rules are easy to read and favour nobody."),
    "3": _("Everyone can see the newest ranking, and those before it."),
    "4": _("The rules of the ranking do not change within a season."),
    "5": _("The ranking goes back to Elo's, with changes."),
    "6": _("It compares players within Poland, not with those of other countries."),
    "7": _("Earlier rules ended with the season 2007/2008."),
    "8": _(
        "Ratings are carried on; a newcomer starts at 1400. Games of Polish tournaments of Grand Prix rank "
        "move them."
    ),
    "9": _("A win against a higher rating brings more, a loss against a lower one costs more."),
    "10": _(
        "The winner gains and the loser loses by the difference of the ratings: 10 to 25 points where the "
        "lower rated wins, 10 down to 7 where the higher rated does."
    ),
    "11": _(
        "A draw brings the lower rated 2 to 7 points by the difference, and the higher rated 2 down to a "
        "loss of 7."
    ),
    "12": _(
        "Points for places and for taking part: in European Grand Prix tournaments, at World Championships, "
        "in Grand Prix tournaments. Games of the first two move nothing."
    ),
    "13": _("A player who misses the Polish Championship loses a tenth of the rating."),
    "14": _("Foreigners are rated by the same rules, and do not represent Poland."),
    "15": _("Grand Prix tournaments are open, and come again each season."),
    "16": _("A tournament's points towards the season, by place, and ten for winning every game."),
    "17": _(
        "A European Grand Prix tournament in Poland scores among the Polish players. The best four "
        "tournaments count; then tournaments won, games won, and a play-off for first place."
    ),
    "D-PFO-1": _(
        "Games of Grand Prix tournaments and championships are rated one after the other; the tables of "
        "draws are taken with their signs."
    ),
    "D-PFO-2": _("The last row for the higher rated begins at a difference of 201."),
    "D-PFO-3": _(
        "One award a player at a European Grand Prix; 200, 190 … 10 at a World Championship. They go to "
        "Polish citizens and to foreigners who have a rating."
    ),
    "D-PFO-4": _("One point for each Grand Prix tournament with a game played, after its games."),
    "D-PFO-5": _(
        "Missed is a championship of which one entered no section, having had a rating before the first; "
        "the loss comes with the last, in whole points, half up."
    ),
    "D-PFO-6": _("Everyone starts at 1400; foreigners are marked in the ranking."),
    "D-PFO-7": _(
        "Grand Prix tournaments, championships, and European Grand Prix in Poland among Polish players; who "
        "shares a place has its full points. Ties: tournaments won, games won in Grand Prix tournaments, "
        "then the last play-off recorded, if its winner is in a full tie for first."
    ),
    "D-PFO-8": _("Champions, Grand Prix, ranking: in this priority, Polish citizens alone."),
    "D-PFO-9": _("A season is known by its label; which rules hold never changes within it."),
    "D-PFO-10": _(
        "A rating taken over is a whole number, comes before everything played, and is taken for a "
        "Polish citizen's until a section shows another nation."
    ),
    "D-PFO-11": _(
        "Champion of a category is the Polish citizen with the best place in the season's championship; "
        "an entry says who plays for the women's title; who shares the place shares the title."
    ),
}

AMENDMENTS: tuple[Amendment, ...] = ()
"""The days from which clauses have other words, and these words."""

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

ONLY_AIM = _("It says what the ranking is for; there is nothing to work out.")

ENACTED = Enacted(
    source=EnactedText(
        "Regulamin punktowy Polskiej Federacji Othello",
        "Polska Federacja Othello",
        _("announced on 29 November 2009, in force from 12 December 2009"),
    ),
    chapters=(
        ("preamble", _("Before the articles")),
        ("1", _("In general")),
        ("5", _("Ranking points")),
        ("15", _("Season points of the Grand Prix")),
    ),
    not_computed={
        **dict.fromkeys(("1", "2", "5", "6"), ONLY_AIM),
        "4": _(
            "Which rules hold in a season, the program takes from the edition in force: rules that change "
            "are another edition with a first day of its own."
        ),
        "7": _("It is about the rules before these, by which nothing here is rated."),
    },
    partly_computed={
        "15": _(
            "That a Grand Prix tournament was open to everybody and organized by members, who files it "
            "confirms."
        ),
        "3": _("The newest ranking and every list before it stand here; where else they are shown is open."),
        "preamble": _(
            "The places that the rules give are shown. Who in fact travels, and who steps in for them, the "
            "federation decides."
        ),
    },
    smaller_readings=(
        (
            "9",
            _(
                "A game that both lost counts as a game played: among the rated games, for the point of "
                "taking part, and against MAKS."
            ),
        ),
        (
            "8",
            _(
                "A Grand Prix tournament or championship abroad, and one without any game played, is left to "
                "the federation."
            ),
        ),
        (
            "16",
            _(
                "In a Grand Prix tournament or championship the whole field is filed; places that skip or "
                "repeat need the federation's reason."
            ),
        ),
        (
            "17",
            _(
                "Of several play-offs of a season the last stands, even where its winner is outside the tie "
                "and it so counts for nothing."
            ),
        ),
    ),
)
