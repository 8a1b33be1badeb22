"""The clauses of Chess South Africa in our own words, and readings where the text is open."""

from ratings.rulesets.facts import gettext_noop as _
from ratings.rulesets.readings import Amendment, Enacted, EnactedText

CLAUSES = {
    "1": _("These rules hold for what begins on 1 July 2020 or later."),
    "2": _("Words of one gender mean everyone."),
    "3": _("No other text decides how South African ratings are kept."),
    "4": _("What an event, a section, a province and a region are."),
    "4.1": _("Event: a competition of one section or more by FIDE's laws, rated by the federation or FIDE."),
    "4.2": _("Section: a group within an event."),
    "4.3": _("Province: one of the nine."),
    "4.4": _("Region: a part of a province and its member, constituted by the federation."),
    "5": _("Abbreviations."),
    "5.1": _("The federation."),
    "5.2": _("Its commission of arbiters and organisers."),
    "5.3": _("The world federation."),
    "5.4": _("The republic."),
    "5.5": _("Over the board."),
    "5.6": _("Online."),
    "5.7": _("Hybrid."),
    "6": _("A qualified arbiter is there for the whole of each round."),
    "7": _("South African arbiters have paid the year's fee before the event starts."),
    "8": _("An appointed arbiter does not play in the event, except in club events."),
    "9": _("Events within South Africa are rated."),
    "10": _(
        "Events abroad are rated for South African players who hand in their results within 30 days of the "
        "end; the event must be FIDE rated."
    ),
    "11": _("The Bureau may refuse an event with reasons; an appeal is open for 21 days."),
    "12": _("The Bureau may rate an event that nobody handed in."),
    "13": _("What a file says of the event and its sections."),
    "13.1": _("The whole name of the event, and the section's."),
    "13.2": _("First and last day."),
    "13.3": _("The day of each round."),
    "13.4": _("The code of the host region."),
    "13.5": _("The chief organiser with an id, or the host region and how to reach it."),
    "14": _("What a file says of each player."),
    "14.1": _("Over the board."),
    "14.1.1": _("Surname, initials and first name."),
    "14.1.2": _("The full date of birth."),
    "14.1.3": _("The sex."),
    "14.1.4": _("The ids of players who have them; for FIDE rated events everybody's FIDE id."),
    "14.1.5": _("The region; a player without one belongs to the host region."),
    "14.2": _("Online."),
    "14.2.1": _("Known players by their number and their name on the platform."),
    "14.2.2": _("New players with all that is asked over the board."),
    "15": _("What a file says of each arbiter, in order of appointment."),
    "15.1": _("First name and surname."),
    "15.2": _("An id; for FIDE rated events FIDE's."),
    "15.3": _("The title."),
    "15.4": _("The chief arbiter first, then the deputies, then the others."),
    "16": _("A player's age is the year of the event less the year of birth."),
    "17": _("A section needs enough players and enough completed rounds."),
    "17.1": _("Swiss, single round-robin and team sections: 6 players and 5 rounds."),
    "17.2": _("Individual double round-robin sections: 4 players and 6 rounds."),
    "17.3": _("Scheveningen sections: 5 players a team and 5 rounds."),
    "17.4": _("Sections for players with a disability: 6 players and 4 rounds, whatever the format."),
    "18": _(
        "Where numbers fell short, the Bureau can permit the rating if it is asked within a day; not below "
        "5 rounds."
    ),
    "19": _("Time per player: the base time and 60 times the increment."),
    "20": _("The time per player says what kind of game it is."),
    "20.1": _("Standard: at least 60 minutes."),
    "20.2": _("Rapid: more than 10 and less than 60 minutes."),
    "20.3": _("Blitz: from 5 to 10 minutes, both included."),
    "21": _("Both players have the same time."),
    "22": _("Of several time controls in a section, the fastest decides."),
    "23": _("Games faster than 5 minutes are not rated."),
    "24": _("Where the players sit decides which ratings move."),
    "24.1": _("Over the board: everyone plays at a real board."),
    "24.2": _("Online: everyone plays on a platform."),
    "24.3": _("Hybrid: either."),
    "25": _("Four ratings: Main always moves; Standard, Rapid and Blitz with games of their kind."),
    "25.1": _("Main moves with every game."),
    "25.2": _("Standard moves with standard games."),
    "25.3": _("Rapid moves with rapid games."),
    "25.4": _("Blitz moves with blitz games."),
    "26": _("These four exist over the board, online and hybrid."),
    "26.1": _("Four over the board."),
    "26.2": _("Four online."),
    "26.3": _("Four hybrid."),
    "27": _("So a player has twelve ratings."),
    "28": _(
        "Ratings are kept to 16 decimals, shown with one, and rounded to whole numbers for pairing lists."
    ),
    "29": _("K says how far a game moves a rating."),
    "30": _("K of Standard, Rapid and Blitz ratings."),
    "30.1": _("Standard: 24."),
    "30.2": _("Rapid: 30."),
    "30.3": _("Blitz: 40."),
    "31": _(
        "K of Main ratings grows with the time per player, held between 5 and 120 minutes; Main online has "
        "20."
    ),
    "32": _(
        "Performance: the opponents' average rating, and 850 times what the score's share is above or "
        "below half."
    ),
    "33": _("A performance belongs to a platform and is made of the ratings of that platform."),
    "34": _("What is added to the average is the gain or loss of the performance."),
    "35": _("The expected score comes from the difference of ratings and from the colours."),
    "36": _("Who has no rating is taken at a pre-rating."),
    "37": _("White's expected score is 0.541767 and 0.001164 a point of difference; black's is the rest."),
    "38": _("The difference, white less black, is held between −460 and 390."),
    "39": _("The weight performance weighs a player's last five performances, the newest first."),
    "40": _("The newest counts five times, the oldest once, each less by its age out of 2,920 days."),
    "41": _("In Main ratings the kind of game weighs too."),
    "41.1": _("Standard weighs 1.00."),
    "41.2": _("Rapid weighs 0.95."),
    "41.3": _("Blitz weighs 0.90."),
    "42": _("In other ratings the kind weighs 1."),
    "43": _("Weight performances are worked out after each event."),
    "44": _("A rating below the weight performance rises to it at once, by no more than 500 points."),
    "45": _("No rating falls below 100."),
    "46": _("No performance is below 100."),
    "47": _("Points are gained, and a performance counts, only with games in four fifths of the rounds."),
    "48": _("Points are lost whatever the number of games."),
    "49": _("In team events every change counts; a performance counts with games in half of the rounds."),
    "50": _("Forfeits and byes are not rated; wins by forfeit and allocated byes count as activity."),
    "51": _("A forfeit without notice after round 1 costs 20 points."),
    "52": _("Leaving without notice and good reason costs 20 points for that round and each one after it."),
    "53": _("What counts as activity: games with a colour, allocated byes, wins by forfeit."),
    "53.1": _("Games with a colour, whatever the opponent's rating."),
    "53.2": _("Byes that the pairing allocated."),
    "53.3": _("Wins by forfeit."),
    "54": _("A first rating comes with the tenth game, for each kind of rating by itself."),
    "55": _("All games count towards it, against whomever."),
    "56": _("It is the performance over all those games."),
    "57": _("Games against unrated players count."),
    "58": _("An unrated player is taken at a pre-rating."),
    "59": _("The pre-ratings by age group and gender."),
    "59.1": _("Under 6: 400 (200)."),
    "59.2": _("Under 8: 500 (300)."),
    "59.3": _("Under 10: 600 (400)."),
    "59.4": _("Under 12: 700 (500)."),
    "59.5": _("Under 14: 800 (600)."),
    "59.6": _("Under 16: 900 (700)."),
    "59.7": _("Under 18: 1000 (800)."),
    "59.8": _("Under 20: 1100 (900)."),
    "59.9": _("Adult: 1200 (1000)."),
    "60": _("Each region has an administrator, who answers for its files."),
    "61": _("Sections are registered some days before they start."),
    "61.1": _("Sections that only Chess South Africa rates: 3 days before."),
    "61.2": _("FIDE rated sections: 30 days before with norms, 7 without."),
    "62": _("Files are handed in within 14 days of the end."),
    "63": _("A change to a rated section means un-rating and rating it again."),
    "64": _("After a list nothing in it is changed, unless the Bureau decides to rate a section again."),
    "65": _("A first rating holds at once."),
    "66": _("A rise by the weight performance holds at once; the month's other changes are added to it."),
    "67": _("A new list adds the sum of the month's changes to each rating."),
    "68": _("First, alone or shared, with a game in every round: no points are lost, save by penalties."),
    "69": _("Not so in team events."),
    "D-CSA-1": _("The minutes of all periods count, and the increment's seconds as minutes."),
    "D-CSA-2": _(
        "Over the board moves OTB and Hybrid, online moves Online and Hybrid, a mixed section Hybrid alone; "
        "each in Main and in the rating of its kind."
    ),
    "D-CSA-3": _("Only Main online has K = 20; the other Main ratings use the formula unrounded."),
    "D-CSA-4": _("The rules stand, not the roundings of the printed examples."),
    "D-CSA-5": _("“Under n” means an age of n or less; what is not known is Adult, and the first column."),
    "D-CSA-6": _("Abroad, an opponent without a rating is taken at the rating in the file."),
    "D-CSA-7": _("The opponents' average is of the ratings before the section, their differences not held."),
    "D-CSA-8": _("The section that brings the tenth game gives the first rating, and nothing on top."),
    "D-CSA-9": _(
        "The four fifths are of scheduled rounds, rounded up; a performance from fewer does not qualify."
    ),
    "D-CSA-10": _(
        "20 points for each forfeit after round 1 unless notice is on record, and for each round from an "
        "unexcused withdrawal to the last; no round twice, in every rated rating that the section moves."
    ),
    "D-CSA-11": _(
        "Of everybody rated with a game in the section: the newest five qualified performances of that "
        "rating, none older than 2,920 days on the day on which the section was first rated. Pending changes "
        "stay pending."
    ),
    "D-CSA-12": _("The current rating is the official one, never with changes still pending."),
    "D-CSA-13": _("First place is the highest score, forfeit wins and full byes being points."),
    "D-CSA-14": _("A round is completed when it has a result; no permission goes below 5 rounds, or 4."),
    "D-CSA-15": _("Activity is counted in each rating by itself."),
    "D-CSA-16": _("Days are days in South Africa; what is late needs the Bureau's reason."),
    "D-CSA-17": _("16 decimals kept, one shown, whole numbers downloaded."),
    "D-CSA-18": _("Abroad, only South Africans are rated; at home, everyone."),
    "D-CSA-19": _(
        "The office states the pre-rating in each section, by the age in its year; where none is stated, the "
        "last stated before holds, else 1200. Performances belong to one rating."
    ),
    "D-CSA-20": _("Minutes may be fractions; the last period's increment counts."),
    "D-CSA-21": _("A result without a move of each side is no game."),
    "D-CSA-22": _(
        "The day of the submission that holds: of the one that the office first rated, so that no correction "
        "after that is late."
    ),
}

AMENDMENTS: tuple[Amendment, ...] = ()
"""The days from which clauses have other words, and these words."""

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

ONLY_DEFINITIONS = _("It says what words mean; there is nothing to work out.")

ENACTED = Enacted(
    source=EnactedText(
        "Rating Regulations", "Chess South Africa, Ratings Bureau", _("effective 1 July 2020")
    ),
    chapters=(
        ("1", _("Introduction")),
        ("4", _("Words and abbreviations")),
        ("6", _("Arbiters")),
        ("9", _("Events that are rated")),
        ("13", _("What a file says")),
        ("16", _("Age groups")),
        ("17", _("Players and rounds")),
        ("19", _("Time controls")),
        ("24", _("Platforms")),
        ("25", _("Kinds of ratings")),
        ("29", _("K")),
        ("32", _("Performance")),
        ("35", _("Expected score")),
        ("39", _("Weight performance")),
        ("45", _("The lowest rating")),
        ("47", _("What counts")),
        ("51", _("Penalties")),
        ("53", _("Activity")),
        ("54", _("A first rating")),
        ("60", _("Handing files in")),
        ("63", _("Changes afterwards")),
        ("65", _("When ratings change")),
        ("68", _("Winners of sections")),
    ),
    not_computed={
        **dict.fromkeys(("2", "3", "4", "4.1", "4.2", "4.3", "4.4"), ONLY_DEFINITIONS),
        **dict.fromkeys(("5", "5.1", "5.2", "5.3", "5.4", "5.5", "5.6", "5.7"), ONLY_DEFINITIONS),
        "7": _(
            "This office keeps no register of arbiters' fees, so it cannot look: the region confirms it when "
            "it submits a section."
        ),
        "12": _("A decision of people: officials can register and file any event themselves."),
        "21": _("A section has one time control here, for both players of a game; the region confirms it."),
        "63": _(
            "No rule of computation: officials un-rate a section and rate it again, and everything after it "
            "is recomputed."
        ),
        "64": _(
            "Published lists cannot be altered here at all. Whether the Bureau decided to rate a section "
            "again after a list, the program takes from the official who does it."
        ),
        "D-CSA-4": _("It is about the printed examples; the examples below show the exact values."),
        "D-CSA-21": _("The program that reads event files does it, before there is anything to rate."),
    },
    partly_computed={
        "6": _(
            "The office looks whether an arbiter is named. That one was there for the whole of each round, "
            "the region confirms."
        ),
        "8": _(
            "Arbiters and players are compared by number and name; somebody under another name is not seen."
        ),
        "10": _(
            "That nobody may have such an event un-rated on request is left to the officials, who give a "
            "reason for every un-rating."
        ),
        "11": _(
            "Officials refuse a section with a reason, before it is played or after; the region appeals on "
            "its page, within 21 days from the day of the refusal, and officials decide. What CSA itself "
            "would say to an appeal, an official enters."
        ),
        "60": _(
            "The office looks who uploaded the file. What else an administrator answers for is between the "
            "region and the federation."
        ),
    },
    smaller_readings=(
        ("10", _("The players themselves send results from abroad, so no region is asked for them.")),
        ("17", _("Only players with a game participate; an annulled game is not a result of a round.")),
        ("17", _(
            "An individual section in a format that the text does not name is refused, save under 17.4."
        )),
        ("17.3", _(
            "A Scheveningen section without two named teams is refused: nobody could count its players."
        )),
        ("45", _("A rating taken over below 100 is 100 at once.")),
        (
            "52",
            _(
                "In the rounds after an unexcused withdrawal, a round whose forfeit an official excused is "
                "not charged."
            ),
        ),
        ("53", _("Games that came with a rating taken over count as activity.")),
        (
            "67",
            _("Points stand with the section that brought them; a list's own are only what the floor gives."),
        ),
    ),
    settings={
        "deadlines": frozenset({"10", "18", "61.1", "61.2", "62", "D-CSA-16"}),
        "particulars": frozenset(
            {
                "6", "13.5", "14.1.1", "14.1.2", "14.1.3", "14.1.4", "14.2.1", "15.1", "15.2", "15.3",
                "15.4", "60",
            }
        ),
    },
)  # fmt: skip
