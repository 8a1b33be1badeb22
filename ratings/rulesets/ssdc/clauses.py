"""The clauses of Sevastopol Sports Dots Club in our own words, and readings where the text is open."""

from ratings.rulesets.facts import gettext_noop as _
from ratings.rulesets.readings import Amendment, Enacted, EnactedText

CLAUSES = {
    "1.1": _("The Club's rating measures how strong players of sports Dots are."),
    "1.2": _("It is for tournaments that the Club holds or supports."),
    "1.3": _("Games of official tournaments change ratings, by Elo's method."),
    "1.4": _("How a rating is worked out."),
    "1.4.1": _(
        "The score that a player is expected to make: 1 ÷ (1 + 10 to the power of the opponent's rating less "
        "one's own, divided by 400)."
    ),
    "1.4.2": _(
        "The new rating: the old one and K times score less expected score. K is 10 from 2400 on, 20 below, "
        "and 40 in a player's first 30 games."
    ),
    "1.5": _("There are two ratings."),
    "1.5.1": _("Classic Dots: tournaments with classic timekeeping."),
    "1.5.2": _("Rapid Dots: tournaments with rapid or blitz timekeeping."),
    "1.6": _("A player who takes part for the first time gets an initial rating of that kind."),
    "1.6.1": _("It is 1200."),
    "1.7": _("Whatever is played in an official tournament is rated."),
    "1.7.1": _("Of drawn games that are replayed, the game and every replay."),
    "1.7.2": _("Of a game that the arbiter annulled, the replay alone."),
    "1.7.3": _("Not a game decided without play."),
    "1.8": _("An official of the Club works out and assigns ratings."),
    "1.8.1": _("No rating changes otherwise than these regulations say."),
    "2.1": _("A sports rank marks what a player has achieved."),
    "2.2": _("It is given for results in official tournaments."),
    "2.3": _("The ranks, from third-class to grandmaster."),
    "2.3.1": _("Their short names: 3, 2, 1, C, M, H, G."),
    "2.3.2": _("Who took part and has no ground for a rank is of no rank: N."),
    "2.4": _("The grounds for a rank: a classic rating, or a prize place."),
    "2.4.1": _("The classic rating from which each rank is given: 1600 for third-class to 2500."),
    "2.4.2": _("The rank that each of the first four places gives, by the tournament's category."),
    "2.5": _("An official of the Club confirms ranks."),
    "2.5.1": _("A rank stays when the rating falls."),
    "2.5.2": _("No rank changes otherwise than these regulations say."),
    "3.1": _("Tournaments have categories by how representative and worthy they are."),
    "3.2": _("The categories: highest, first, second, third, fourth."),
    "3.3": _("The highest: nothing limits the players' level, the play or the result."),
    "3.4": _("Each limiting factor lowers the category by a step."),
    "3.4.1": _(
        "The limiting factors: an upper limit of rating or rank, one gender, ages, a territory, rapid or "
        "blitz time, a format in which not all meet, play by correspondence."
    ),
    "3.4.2": _("In a league by level, a step for each division below the highest."),
    "3.4.3": _("Two steps where somebody is sure to take part by the organizer's decision."),
    "3.4.4": _("Two steps where players of 2200 or candidate masters are shut out."),
    "3.4.5": _("No step for a title holder who does not play where a challenger is sought."),
    "3.4.6": _("A match of two players is at best of the fourth category, unless it is for a title."),
    "3.4.7": _("The organizer may have a lower category than follows, not a higher one."),
    "3.5": _("Below the fourth category a tournament is friendly, and not rated."),
    "4.1": _("Ratings and ranks are recorded in the Club's rating list."),
    "4.1.1": _("The list may be divided."),
    "4.2": _(
        "Other organizers send their regulations to the Club at least seven days before players can register."
    ),
    "4.2.1": _("Once approved, the tournament has its category and stands in the calendar."),
    "4.2.2": _("What was approved is not amended."),
    "4.3": _(
        "Within three days of the end the Club has the ratings and ranks at the start, and the results of "
        "all games as they were played one after the other."
    ),
    "4.3.1": _("An official of the Club checks them and brings the list up to date."),
    "4.4": _("The list is published on the Club's site; who quotes it names the source."),
    "4.5": _(
        "On the list is who has five rated games, and leaves it who plays none in a calendar year; the "
        "rating stays, and one rated game brings the player back."
    ),
    "4.5.1": _("For each part of the list by itself."),
    "4.6": _("Anybody can ask for a certificate of a rank, or an extract of the rating of a day."),
    "5.1": _("An amendment holds from the end of the official tournament after its publication."),
    "5.2": _("Amendments do not reach back."),
    "D-SSDC-1": _("The difference of the ratings is divided by 400, and that is the exponent."),
    "D-SSDC-2": _("Ratings move with every game, in the order of play; both players are measured before it."),
    "D-SSDC-3": _("New comes before 2400; the 30 games are rated games of that kind of rating."),
    "D-SSDC-4": _("Everyone entered in a rated tournament has a rating, even without a game."),
    "D-SSDC-5": _("An annulled game stays in the record, unrated; the replay is a game of the same round."),
    "D-SSDC-6": _(
        "Ranks look at the classic rating after a tournament, as a whole number; no number of games is asked."
    ),
    "D-SSDC-7": _(
        "The program proposes and an official confirms; the higher ground counts, of equals the earlier."
    ),
    "D-SSDC-8": _(
        "From the highest, a step down for each limiting factor and each division, two for a guaranteed "
        "place; shutting out the strong counts two instead of one. Lower by choice, never higher."
    ),
    "D-SSDC-9": _("On a list is who has five rated games, one of them that year or the year before."),
    "D-SSDC-10": _("The organizer states the time class; rapid and blitz are one rating."),
    "D-SSDC-11": _(
        "The games of an opening count for K, and for the list as played on its day; its rating is no ground "
        "for a rank by itself."
    ),
    "D-SSDC-12": _("Everyone meets everyone in round-robins and matches; other formats are limiting."),
    "D-SSDC-13": _("A classic rating is looked at for ranks after each classic tournament entered."),
    "D-SSDC-14": _("A rank once confirmed stays on record, even where its ground is gone; officials see it."),
}

AMENDMENTS: tuple[Amendment, ...] = ()
"""The days from which clauses have other words, and these words."""

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

ONLY_DEFINITIONS = _("It says what words mean; there is nothing to work out.")

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
        "1.1": ONLY_DEFINITIONS,
        "1.2": _("Which tournaments are official, officials decide: the office rates those and no others."),
        "1.8": _("Who reckons: the program does it for the official, by these rules alone."),
        "1.8.1": _(
            "Nobody can write a rating here: all follow from the journal, and anyone can work them out."
        ),
        "2.1": ONLY_DEFINITIONS,
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
            "What limits a tournament, the organizer says; only its format, time, number of players and "
            "their ratings are looked at."
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
