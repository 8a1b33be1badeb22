"""The words of workings, findings, lists and tables by key.

Named places are filled with the inputs of a step or finding, `{result}` with what the step gives.
"""

from ratings.rulesets.facts import gettext_noop as _

STATUSES = {
    "rated": _("Has a rating"),
    "foreign": _("Not a Polish citizen"),
}

TABLES = {
    "seasons": _("Grand Prix of Poland"),
    "standing": _("Grand Prix of Poland"),
    "standing-about": _(
        "The best four tournaments count. MAKS is a tournament with every game won, which brings "
        "{maks_points} points more. Players with equal points are ranked by tournaments won, then by games "
        "won in Grand Prix tournaments; a play-off decides a shared first place."
    ),
    "place": _("Place"),
    "every-game-won": _("MAKS"),
    "tournaments-won": _("Tournaments won"),
    "games-won": _("Games won"),
    "note": _("Note"),
    "won-the-play-off": _("Won the play-off"),
    "season": _("Season"),
    "player": _("Player"),
    "points": _("Points"),
    "best": _("Best four"),
    "qualification": _("Places at the World Championship"),
    "qualification-about": _(
        "The order of priority. A player with an earlier place leaves a later one to the next player; only "
        "Polish citizens represent Poland."
    ),
    "priority": _("Priority"),
    "way": _("As"),
    "level": _("Tied with another player: the officials decide"),
    "champion": _("Polish champion"),
    "women-champion": _("Polish women's champion"),
    "grand-prix": _("Winner of the Grand Prix"),
    "ranking": _("First of the ranking"),
}

STEPS = {
    "debut": _("First entry: the rating starts at {result}"),
    "rating-before": _("Rating before the section: {result}"),
    "won-against-higher": _(
        "Round {round}: won against a higher rating, {other} against {own}, difference {gap}, row {row} of "
        "the table: {result}"
    ),
    "won-against-lower": _(
        "Round {round}: won against a lower rating, {other} against {own}, difference {gap}, row {row} of "
        "the table: {result}"
    ),
    "won-against-equal": _("Round {round}: won against the same rating, {other}: {result}"),
    "lost-against-higher": _(
        "Round {round}: lost against a higher rating, {other} against {own}, difference {gap}, row {row} "
        "of the table: {result}"
    ),
    "lost-against-lower": _(
        "Round {round}: lost against a lower rating, {other} against {own}, difference {gap}, row {row} of "
        "the table: {result}"
    ),
    "lost-against-equal": _("Round {round}: lost against the same rating, {other}: {result}"),
    "draw": _(
        "Round {round}: drawn, {own} against {other}, difference {gap}, row {row} of the table: {result}"
    ),
    "draw-of-equals": _("Round {round}: drawn against the same rating, {other}: {result}"),
    "both-lost": _("Round {round}: both lost, no points move: {result}"),
    "took-part": _("Took part in a Grand Prix tournament: {result}"),
    "took-no-part": _("Played no game in the Grand Prix tournament: {result}"),
    "award-european": _("Place {place} of a European Grand Prix tournament: {result}"),
    "award-world": _("Place {place} at the World Championship: {start} − {world_step} × {place} = {result}"),
    "no-award-world": _("Place {place} at the World Championship is below the twentieth: {result}"),
    "foreigner-without-rating": _("Not a Polish citizen and without a rating: no award, and no rating"),
    "missed": _("Missed the Polish Championship {season}, a tenth of {rating}: {result}"),
    "all-points": _("All of these points together: {points} = {result}"),
    "rating-after": _("Rating after the section: {before} + {points} = {result}"),
    "season-points": _("Season {season}, place {place}: {result} points towards it"),
    "season-points-own": _(
        "Season {season}, place {place} among the Polish players: {result} points towards it"
    ),
    "maks": _("Season {season}, every game won: {result} points more"),
    "season-total": _("Season {season}, the best {counted} of at most four: {result}"),
    "opening": _("Taken over from {source}, {on}, with {games} games: {result}"),
}

BARS = {
    "bar-gained": _("Gained in games"),
    "bar-lost": _("Lost in games"),
    "bar-award": _("For place and taking part"),
    "bar-all": _("Together"),
}

LISTED = {
    "uncounted": _("Games of European and World tournaments are not rated"),
    "stays-listed": _("In the ranking for good; who misses the Polish Championship loses a tenth"),
}

SUMMARIES = {
    "in-short-debut": _("Begins with {result}"),
    "in-short-games": _(
        "won {won} and lost {lost} of {games} rated games, one after the other, which bring {result}"
    ),
    "in-short-no-games": _("no rated game, so none brings points"),
    "in-short-not-rated": _("games of such a tournament are not rated"),
    "in-short-took-part": _("taking part in a Grand Prix tournament brings {result} more"),
    "in-short-award": _("place {place} brings {result}"),
    "in-short-after": _("from {before} to {result}"),
    "in-short-missed": _(
        "Missed the Polish Championship {season}, which costs a tenth of {before}, in whole points: "
        "{points}, so {result}"
    ),
    "in-short-foreigner": _("Not a Polish citizen and without a rating: this tournament gives no rating"),
    "in-short-opening": _("The rating that the player had when the record began: {result}"),
}

NOTES = {
    "forfeit-won": _("Won by forfeit: not rated"),
    "forfeit-lost": _("Lost by forfeit: not rated"),
    "annulled": _("Annulled: does not count"),
    "not-rated": _("Games of this tournament are not rated"),
    "bye": _("No opponent: not rated"),
}

FINDINGS = {
    "before-the-regulations": _(
        "This section began before {first}, the first day of the regulations, so it cannot be rated. If the "
        "date is wrong, correct the section's first day under Details."
    ),
    "no-status": _(
        "The kind of tournament is missing. Choose Grand Prix, Polish Championship, European "
        "Grand Prix or World Championship under Details."
    ),
    "no-season": _("The season is missing. Write it under Details as 2009/2010."),
    "season-form": _(
        "Seasons are written like 2009/2010; this one is “{season}”, and another spelling creates another "
        "season. Correct it under Details: {one} or {other}; or say why it is right."
    ),
    "season-days": _(
        "The section ended on {ends}, and its season is {season}. If either is wrong, correct it under "
        "Details; or say why both are right."
    ),
    "held-abroad": _(
        "The tournament was abroad ({country}): games are rated in Polish tournaments only. If it is a "
        "European Grand Prix "
        "or a World Championship, choose that under Details; if the country is wrong, tell the federation; "
        "otherwise say why its games should be rated."
    ),
    "no-place": _("{player} has no final place. Points depend on it: give it under Details."),
    "place-out-of-line": _(
        "Place {place} is taken, and {before} players stand before it. Players who share a place also use "
        "up the places below it. Correct the places under Details; or say why they are right."
    ),
    "games-not-rated": _(
        "{games} games are filed. In a European Grand Prix or a World Championship the places count, not "
        "the games; they stay in the record. If it is another kind of tournament, correct it under Details."
    ),
    "no-games": _(
        "No game was played, so no rating changes. Add the games and upload the file again; if there were "
        "none, say why the places should count; the federation decides."
    ),
    "nation-unknown": _(
        "{count} players have no known nation and count as foreigners: {players}. Tell the office their "
        "nations; those of new players you give on the players’ page."
    ),
    "sex-unknown": _(
        "{count} players count as men because their sex is not known: {players}. The championship also has "
        "a winner among women: tell the office the sex; for new players, add it to the file and upload it "
        "again."
    ),
}

PARTS = (STATUSES, TABLES, STEPS, LISTED, BARS, SUMMARIES, NOTES, FINDINGS)
MESSAGES = {key: words for part in PARTS for key, words in part.items()}
"""All words of the ruleset by message key; each key is in one part only."""
