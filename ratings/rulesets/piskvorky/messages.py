"""The words of workings, findings and lists by key.

Named places are filled with the inputs of a step or finding, `{result}` with what the step gives.
"""

from ratings.rulesets.facts import gettext_noop as _

STATUSES = {
    "established": _("Established"),
    "novice": _("Novice"),
    "unrated": _("Novice, has met no established player"),
}

STEPS = {
    "founding-games": _(
        "Founding tournament {number} of {founding_tournaments}: {games} games, {wins} won and {losses} lost"
    ),
    "founding-formula": _(
        "Over the founding tournaments so far: {founding_base} + {founding_span} × ({wins} − {losses}) ÷ "
        "{games} = {result}"
    ),
    "founding-no-game": _("Without a game in a founding tournament the rating is {result}"),
    "novice-games": _("Games against established players: {games}, {wins} won and {losses} lost"),
    "novice-nobody-met": _("No established player met yet, so no rating"),
    "novice-collected": _("No games from earlier tournaments: {games} games, {wins} won and {losses} lost"),
    "novice-opposition": _(
        "The ratings of the established players met, added up, before and now: {before} + {met} = {result}"
    ),
    "added-games": _("Games, before and now: {before} + {now} = {result}"),
    "added-wins": _("Won, before and now: {before} + {now} = {result}"),
    "added-losses": _("Lost, before and now: {before} + {now} = {result}"),
    "all-gains": _("All of these together: {points} = {result}"),
    "novice-mean": _("The mean rating of the established players met: {opposition} ÷ {games} = {result}"),
    "novice-formula": _(
        "Rating of a novice: {mean} + {novice_span} × ({wins} − {losses}) ÷ {games} = {result}"
    ),
    "rounded": _("{exact} as a whole number, half up: {result}"),
    "establishes": _(
        "With {games} games and {points} points the rating is established ({least_games} and {least_points} "
        "are needed)"
    ),
    "stays-novice": _(
        "With {games} games and {points} points the rating stays a novice's ({least_games} and "
        "{least_points} are needed)"
    ),
    "came-with": _("Established rating before the tournament: {result}"),
    "higher-won": _(
        "Round {round}, {own} against {other}, {difference} apart, row {row} of the table: the "
        "higher-rated player won, {result}"
    ),
    "lower-won": _(
        "Round {round}, {own} against {other}, {difference} apart, row {row} of the table: the lower-rated "
        "player won, {result}"
    ),
    "drawn": _(
        "Round {round}, {own} against {other}, {difference} apart, row {row} of the table: a draw, {result}"
    ),
    "both-lost": _("Round {round}, {own} against {other}: both lost, so nothing moves, {result}"),
    "sum": _("All games together: {rating} + ({points}) = {result}"),
    "after-established": _("After the tournament: established with {result}, {games} games"),
    "after-novice": _("After the tournament: novice with {result}, {games} games"),
    "after-unrated": _("After the tournament: novice without a rating"),
    "opening": _("Taken over from {source}, {on}, established with {games} games: {result}"),
}

BARS = {
    "bar-gained": _("Gained in games"),
    "bar-lost": _("Lost in games"),
    "bar-all": _("Together"),
}

LISTED = {
    "uncounted": _("Games against novices do not count"),
    "stays-listed": _("Established, and on the list with or without further games"),
    "not-yet-listed": _(
        "On the list once established: {games} of {least_games} games against established players, and "
        "{points} of {least_points} points from them"
    ),
}

SUMMARIES = {
    "in-short-founding": _(
        "A founding tournament, rated over all games of both so far, {wins} won and {losses} lost of "
        "{games}: {result}"
    ),
    "in-short-founding-none": _("A founding tournament without a game: {result}"),
    "in-short-established": _(
        "Won {wins} and lost {losses} of {games} games against established players, measured at the "
        "ratings before the tournament: {change}, from {before} to {result}"
    ),
    "in-short-no-games": _("No game against an established player: the rating stays {result}"),
    "in-short-novice": _(
        "A novice, {wins} won and {losses} lost of {games} games against established players of {mean} on "
        "average: {result}"
    ),
    "in-short-establishes": _("which establishes the rating"),
    "in-short-nobody-met": _("Has met no established player, so there is no rating yet"),
    "in-short-opening": _("The rating that the player had when the record began: {result}"),
}

TABLES = {
    "earlier": _("Collected in earlier tournaments"),
    "line": _("Tournament"),
    "games-met": _("Games"),
    "wins": _("Won"),
    "losses": _("Lost"),
    "opposition": _("Opponents' ratings, added up"),
}

NOTES = {
    "against-novice": _("Against a novice: does not count for a rating"),
    "annulled": _("Annulled: does not count"),
    "without-play": _("Decided without play: no game"),
    "bye": _("Bye: no game"),
}

FINDINGS = {
    "no-games": _(
        "No game was played, so no rating changes; but this tournament may be one of the two founding "
        "tournaments. If results are missing, add them and upload the file again; otherwise say why it "
        "counts."
    ),
    "both-lost-filed": _(
        "{first} and {second} both lost in round {round}. Between established players no rating changes; "
        "for a novice it is a loss. If it was a forfeit or a mistake, correct the result and upload the "
        "file again."
    ),
}

MESSAGES = {**STATUSES, **STEPS, **LISTED, **BARS, **SUMMARIES, **TABLES, **NOTES, **FINDINGS}
"""All words of the ruleset by message key; each key is in one part only."""
