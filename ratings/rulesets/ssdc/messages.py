"""The words of workings, findings and lists by key.

Named places are filled with the inputs of a step or finding, `{result}` with what the step gives.
"""

from ratings.rulesets.facts import gettext_noop as _

STATUSES = {
    "new": _("New: fewer than 30 games"),
    "rated": _("Has a rating"),
}

RANK_NAMES = {
    "N": _("No rank"),
    "3": _("Third-class"),
    "2": _("Second-class"),
    "1": _("First-class"),
    "C": _("Candidate master"),
    "M": _("Master"),
    "H": _("Honored master"),
    "G": _("Grandmaster"),
}

CATEGORIES = {
    "highest": _("Highest"),
    "first": _("First"),
    "second": _("Second"),
    "third": _("Third"),
    "fourth": _("Fourth"),
}
CATEGORY_NAMES = {
    "highest-category": _("Highest category"),
    "first-category": _("First category"),
    "second-category": _("Second category"),
    "third-category": _("Third category"),
    "fourth-category": _("Fourth category"),
    "friendly-category": _("Friendly: below the fourth category, not rated"),
}

TABLES = {
    "ranks": _("Sports ranks for which there is a ground"),
    "player": _("Player"),
    "rank": _("Sports rank"),
    "ground": _("Ground"),
    "proposals": _("Waiting for an official"),
    "proposals-about": _(
        "Results give a ground for these ranks. The players hold them once an official confirms them."
    ),
    "held": _("Rank held"),
    "clause": _("Clause"),
    "figure": _("Rating or place"),
    "section": _("Tournament"),
    "confirmed-ranks": _("Holders"),
    "confirmed-ranks-about": _(
        "A confirmed rank is never withdrawn (clause 2.5.1). “By play” is the highest rank for which the "
        "games on record give a ground now."
    ),
    "on": _("Confirmed on"),
    "by-play": _("By play"),
}

HELD = {
    "rank-held": _("Sports rank {result}, confirmed on {on}"),
    "rank-none": _("No sports rank so far"),
    "rank-proposed": _("{result}: there is a ground, and an official has not confirmed it yet"),
}

STEPS = {
    "initial": _("First tournament of this kind: the initial rating is {result}"),
    "came-with": _("Rating before the section, after {games} rated games: {result}"),
    "expected": _(
        "Round {round}, expected score of {own} against {other}: 1 ÷ (1 + 10^(({other} − {own}) ÷ {scale})) "
        "= {result}"
    ),
    "k-new": _("Rated game number {number}, within the first {new_for}: K is {result}"),
    "k-high": _("Rated game number {number}, with a rating of {high_rating} or more: K is {result}"),
    "k-usual": _("Rated game number {number}, with a rating below {high_rating}: K is {result}"),
    "after-game": _(
        "New rating, kept with {kept_decimals} decimals: {own} + {k} × ({score} − {expected}) = {result}"
    ),
    "ground-by-rating": _("A classic rating of {figure} after the section is a ground for rank {result}"),
    "ground-by-place": _(
        "Place {figure} in a tournament of category “{category}” is a ground for rank {result}"
    ),
    "proposed": _("Rank held: {before}. Proposed for an official to confirm: {result}"),
    "rated-after": _("After the section: {games} rated games, rating {result}"),
    "opening": _("Taken over from {source}, {on}, with {games} games: {result}"),
    "confirmed": _("An official confirmed a rank on {on}, by {ground}; before it was {before}: {result}"),
    "category-starts": _("Without any limit, the category is: {result}"),
    "category-upper-limit": _(
        "Stronger players may not play (highest rating {rating}, highest rank {rank}), {lowered} step: "
        "{result}"
    ),
    "category-strong-shut-out": _(
        "Players of {strong_rating} or candidate masters may not play (highest rating {rating}, highest rank "
        "{rank}), {lowered} steps: {result}"
    ),
    "category-one-gender": _("Only one gender may play, {lowered} step: {result}"),
    "category-ages": _("Some ages may not play, {lowered} step: {result}"),
    "category-territory": _("Where players live is limited, {lowered} step: {result}"),
    "category-fast": _("The time is rapid or blitz, {lowered} step: {result}"),
    "category-not-all-meet": _("Not everyone meets everyone, {lowered} step: {result}"),
    "category-by-correspondence": _("Played by correspondence, {lowered} step: {result}"),
    "category-division": _("Division {division} of a league, steps {lowered}: {result}"),
    "category-guaranteed": _("Somebody’s place is guaranteed, {lowered} steps: {result}"),
    "category-challenger": _(
        "The tournament finds a challenger, so the title holder’s absence does not lower the category: "
        "{result}"
    ),
    "category-match": _(
        "A match of two players that is not for a title has at best the fourth category: {result}"
    ),
    "category-title-match": _(
        "A match of two players for a title has the category of any other tournament: {result}"
    ),
    "category-friendly": _("Below the fourth category a tournament is not rated: {result}"),
    "category-assigned": _("The organizer chose a lower category, “{wanted}”: {result}"),
    "category-not-assigned": _("The organizer may not choose a higher category, “{wanted}”: {result}"),
}

BARS = {
    "bar-scored": _("Scored"),
    "bar-expected": _("Expected"),
}

LISTED = {
    "stays-listed": _("On the list until {until}, and a rated game a year keeps it there"),
    "not-yet-listed": _("On the list from rated game {needed} on: {games} played, {result} more needed"),
    "off-the-list": _("Off the list, as the last rated game was in {year}; the next one brings it back"),
}

SUMMARIES = {
    "in-short": _(
        "Scored {score} where {expected} were expected, with K {k}, game by game: {start} + {change} = "
        "{result}"
    ),
    "in-short-several-ks": _(
        "Scored {score} where {expected} were expected, with K {k} at first and {later} in the end, game by "
        "game: {start} + {change} = {result}"
    ),
    "in-short-no-game": _("Played no rated game: the rating stays {result}"),
    "in-short-no-game-first": _(
        "First tournament of this kind, without a rated game: the rating is {result}"
    ),
    "in-short-ground": _("which is a ground for rank {result}"),
    "in-short-opening": _("The rating that the player had when the record began: {result}"),
    "in-short-confirmed": _("An official confirmed rank {result}, by {ground}; the rating stays as it is"),
}

NOTES = {
    "annulled": _("Annulled: not rated; its replay is"),
    "without-play": _("Decided without play: not rated"),
    "bye": _("Bye: no game"),
}

FINDINGS = {
    "before-the-regulations": _(
        "This section began before {first}, the first day of the regulations, so it cannot be rated. If "
        "the date is wrong, correct the section's first day under Details."
    ),
    "no-time-class": _(
        "The time class is missing. Choose under Details what the organizer stated: classic, rapid or blitz."
    ),
    "no-category": _("The category is missing. Choose under Details the one that the tournament was given."),
    "friendly": _(
        "A friendly tournament is not rated. If it does have a category, choose it under Details; otherwise "
        "do not submit the section."
    ),
    "too-high": _(
        "By its conditions, the tournament has at best category “{at_best}”, not “{category}” (clauses "
        "{clauses}). Correct the category or the conditions under Details."
    ),
    "too-high-for-format": _(
        "In this format ({format}) not everyone meets everyone, so the category is at best “{at_best}”, not "
        "“{category}”. Correct the category or the format under Details; or say how everyone met everyone."
    ),
    "too-high-for-match": _(
        "A match of two players is at best of category “{at_best}”, not “{category}”, unless it is for a "
        "title. Correct the category under Details, or tick there that it was for a title."
    ),
    "above-limit": _(
        "Players of at most {limit} were admitted, and {count} have a higher rating: {players}. Correct the "
        "limit or the category under Details; or say why they played."
    ),
    "above-rank-limit": _(
        "The highest rank admitted was “{limit}”, and {count} players hold a higher one: {players}. Correct "
        "the limit or the category under Details; or say why they played."
    ),
    "two-genders": _(
        "Only players of one gender were admitted, and players of both played. Correct that or the category "
        "under Details; or say why they played."
    ),
    "places-missing": _(
        "{players} players have no final place. Give every place under Details, shared ones the same: prize "
        "places are grounds for sports ranks."
    ),
    "nobody-first": _(
        "No player has place 1. Correct the final places under Details; or say why nobody is first."
    ),
    "place-out-of-line": _(
        "Place {place} is taken, and {before} players stand before it. Players who share a place also use "
        "up the places below it. Correct the places under Details; or say why they are right."
    ),
    "no-games": _(
        "No game was played, so there is nothing to rate; but everybody entered would get an initial "
        "rating. Add the games and upload the file again; or say why the tournament counts without games."
    ),
    "annulled-no-replay": _(
        "The game of {first} and {second} in round {round} is annulled, and that round has no replay. "
        "If it was replayed, add the replay and upload the file again."
    ),
    "played-again": _(
        "{first} and {second} played again in round {round} after a game that was won and lost. Only drawn "
        "and annulled games are replayed. If the first was annulled, mark it so; if the other belongs to "
        "another round, correct that, and upload the file again."
    ),
    "announced-late": _(
        "The regulations came to the Club on {sent}; the last day was {last}, {needed} days before players "
        "could register. Say why they came later: the Club can accept it with a reason."
    ),
    "sending-not-said": _(
        "The organizer was not the Club. Under Details, give the day on which its regulations were sent to "
        "the Club and the day from which players could register: there must be {needed} days between them."
    ),
    "holder-not-said": _(
        "Registered on {registered}, less than {needed} days before the start. Choose the organizer under "
        "Details: an organizer other than the Club sends the regulations {needed} days before players "
        "register."
    ),
    "filed-late": _(
        "Handed in on {filed}; the last day was {last}, {allowed} days after the end. Say why they "
        "came later: the Club can accept them with a reason."
    ),
    "filed-early": _(
        "The file came on {filed}, before the last day of the section, {ends}. Correct that day under "
        "Details if play ended earlier; otherwise upload the file again after the last game."
    ),
}

DEADLINES = {
    "due-regulations": _("Send the regulations to the Club"),
    "due-results": _("Hand in the results"),
}

NOTICES = {
    "announced-late:notice": _(
        "The regulations came to the Club on {sent}; the last day was {last}, {needed} days before players "
        "could register. This office does not enforce this rule."
    ),
    "filed-late:notice": _(
        "Handed in on {filed}; the last day was {last}, {allowed} days after the end. This office "
        "does not enforce this rule."
    ),
}
"""The words of findings in offices where they are notices only, which ask for no reason."""

MESSAGES = {
    **STATUSES,
    **RANK_NAMES,
    **CATEGORIES,
    **CATEGORY_NAMES,
    **TABLES,
    **HELD,
    **STEPS,
    **LISTED,
    **BARS,
    **SUMMARIES,
    **NOTES,
    **FINDINGS,
    **DEADLINES,
    **NOTICES,
}
"""All words of the ruleset by message key; each key is in one part only."""
