"""The words of workings and lists by key; those of findings are in `findings`.

Named places are filled with the inputs of a step or finding, `{result}` with what the step gives.
"""

from __future__ import annotations

from ratings.law.translation_marks import gettext_noop as _
from ratings.rulesets.csa.law.finding_messages import DEADLINES as DEADLINES
from ratings.rulesets.csa.law.finding_messages import FINDINGS as FINDINGS
from ratings.rulesets.csa.law.finding_messages import PLANNED as PLANNED
from ratings.rulesets.csa.law.finding_messages import TOLD as TOLD

STATUSES = {
    "rated": _("Has a rating"),
    "unrated": _("Unrated, collecting games"),
}

STEPS = {
    "own-rating": _("Official rating before the section, used for every game: {result}"),
    "time": _(
        "Minutes for 60 moves, fastest control, the increment in seconds: {base} + 60 × {increment} ÷ 60 = "
        "{result}"
    ),
    "kind-standard": _("{minutes} minutes are at least 60: standard games"),
    "kind-rapid": _("{minutes} minutes are more than 10 and less than 60: rapid games"),
    "kind-blitz": _("{minutes} minutes are from 5 to 10: blitz games"),
    "k-standard": _("K for a Standard rating: {result}"),
    "k-rapid": _("K for a Rapid rating: {result}"),
    "k-blitz": _("K for a Blitz rating: {result}"),
    "k-online-main": _("K for a Main rating online, whatever the time: {result}"),
    "k-main": _("K for a Main rating: 24 × (0.713043 × {time} + 14.43478) ÷ 100 = {result}"),
    "k-main-held": _(
        "{minutes} minutes are outside 5 to 120, so {time} is used. K for a Main rating: 24 × (0.713043 × "
        "{time} + 14.43478) ÷ 100 = {result}"
    ),
    "expected-white": _("Round {round}, with white: 0.541767 + 0.001164 × ({white} − {black}) = {result}"),
    "expected-black": _(
        "Round {round}, with black: 1 − (0.541767 + 0.001164 × ({white} − {black})) = {result}"
    ),
    "expected-white-held": _(
        "Round {round}, with white: {white} − {black} is held at {difference}, "
        "expected: 0.541767 + 0.001164 × {difference} = {result}"
    ),
    "expected-black-held": _(
        "Round {round}, with black: {white} − {black} is held at {difference}, "
        "expected: 1 − (0.541767 + 0.001164 × {difference}) = {result}"
    ),
    "score-less-expected": _("Score less expected score, over all games: {score} − {expected} = {result}"),
    "k-times": _("K × (score − expected score): {k} × {difference} = {result}"),
    "gain-counts": _(
        "A gain counts with at least {needed} games in {rounds} rounds; there were {games}: {result}"
    ),
    "gain-cut": _(
        "A gain counts with at least {needed} games in {rounds} rounds; there were only {games}: {result}"
    ),
    "loss-counts": _("A loss counts whatever the number of games: {result}"),
    "team-counts": _("In a team section every change counts, whatever the number of games: {result}"),
    "winner-protected": _(
        "First place, with a game in each of the {rounds} rounds: the loss is cancelled, {result}"
    ),
    "winner-not-protected": _(
        "First place, but not with a game in each of the {rounds} rounds: the loss stays, {result}"
    ),
    "penalty-forfeit": _("Penalty for the forfeit in round {round}: {result}"),
    "penalty-withdrawal": _("Penalty for leaving without notice, round {round}: {result}"),
    "penalty-without-effect": _(
        "The penalty for round {round} is recorded; a player without a rating loses no points"
    ),
    "change": _("Change by this section, kept with 16 decimals: {counted} − {penalties} = {result}"),
    "pending": _("Pending until the next list: {before} + {change} = {result}"),
    "opponents": _("The opponents' ratings, added up: {result}"),
    "no-games": _("No game with a colour, so no performance"),
    "average": _("The opponents' average rating: {opposition} ÷ {games} = {result}"),
    "performance": _("Performance: {average} + 850 × ({score} ÷ {games} − 0.5) = {result}"),
    "performance-floor": _("A performance is at least {result}"),
    "qualified": _("The performance qualifies: {games} games in {rounds} rounds, {needed} needed"),
    "not-qualified": _("The performance does not qualify: {games} games in {rounds} rounds, {needed} needed"),
    "collected": _("Games collected towards a first rating, before and now: {before} + {games} = {result}"),
    "collected-score": _("Points from them, before and now: {before} + {score} = {result}"),
    "collected-opposition": _(
        "The opponents' ratings added up, before and now: {before} + {opposition} = {result}"
    ),
    "first-rating": _(
        "First rating, the performance over all of them: {average} + 850 × ({score} ÷ {games} − 0.5) = "
        "{result}"
    ),
    "first-rating-floor": _("A rating is at least {result}"),
    "weight-too-few": _(
        "No weight performance: {count} qualified performances are recent enough, {needed} are needed"
    ),
    "weight-term": _(
        "Performance of {ends}, {days} days ago, with {left} of 2920 days left: {performance} × {weight} × "
        "{left} ÷ 2920 × {turn} = {result}"
    ),
    "weight-term-one-kind": _(
        "Performance of {ends}, {days} days ago, with {left} of 2920 days left: {performance} × {left} ÷ "
        "2920 × {turn} = {result}"
    ),
    "weight-performance": _("Weight performance: {sum} ÷ 15 = {result}"),
    "weight-lift": _("It is above the rating {rating}, which rises to it at once: {result}"),
    "weight-lift-held": _(
        "It is more than 500 above the rating {rating}, which rises by 500 at once: {result}"
    ),
    "weight-no-lift": _("It is not above the rating {rating}, which stays: {result}"),
    "rated-after": _("After the section: official rating {rating}, pending {pending}"),
    "unrated-after": _("After the section: {games} games collected, {result} more needed for a rating"),
    "abroad-foreigner": _("Held abroad ({country}): only South African players' ratings move"),
    "list": _("Official rating and what was pending: {rating} + {pending} = {result}"),
    "list-floor": _("{sum} is below the floor: {result}"),
    "opening": _("Taken over from {source}, {on}, with {games} games: {result}"),
}

BARS = {
    "bar-scored": _("Scored"),
    "bar-expected": _("Expected"),
}

LISTED = {
    "stays-listed": _("A rating stays on the list, with or without further games"),
    "not-yet-listed": _("On the list from game {needed} on: {games} played, {result} more needed"),
}

IN_SHORT = {
    "in-short-rated": _(
        "Scored {score} in {games} games where {expected} were expected, and the difference times K, {k}, "
        "is {result}"
    ),
    "in-short-no-games": _("No game played, so no result changes the rating"),
    "in-short-gain-cut": _("but only {games} games of the {needed} needed, so nothing is gained: {result}"),
    "in-short-protected": _("but a winner with a game in every round loses nothing: {result}"),
    "in-short-penalties-51": _("forfeits without notice, {count} of them: {result}"),
    "in-short-penalties-52": _("rounds since leaving without notice, {count} of them: {result}"),
    "in-short-change": _("so the change, which waits for the next list, is {result}"),
    "in-short-lift": _("the weight performance {weight} lifts {before} at once: {result}"),
    "in-short-lift-held": _(
        "the weight performance {weight} lifts {before} at once, by 500 at most: {result}"
    ),
    "in-short-collecting": _("No rating yet: {games} games so far, {result} more needed for one"),
    "in-short-first": _(
        "First rating, from {score} points in {games} games against opponents of {average} on average: "
        "{result}"
    ),
    "in-short-first-floor": _("no rating is below {result}"),
    "in-short-abroad": _("Played abroad ({country}), where only South African players' ratings move"),
    "in-short-list": _("The new list adds what was pending, {pending}, to {rating}: {result}"),
    "in-short-list-floor": _("but no rating falls below {result}"),
    "in-short-opening": _("The rating that the player had when the record began: {result}"),
}

NOTES = {
    "held": _("The difference is held between −460 and 390, white less black"),
    "pre-rating": _("Opponent unrated: pre-rating under clause 58"),
    "pre-rating-held": _(
        "Opponent unrated: pre-rating under clause 58; the difference is held between −460 and 390"
    ),
    "filed-rating": _("Opponent unrated: the rating in the event file"),
    "filed-rating-held": _(
        "Opponent unrated: the rating in the event file; the difference is held between −460 and 390"
    ),
    "forfeit-won": _("Won by forfeit: not rated, counts as activity"),
    "forfeit-lost": _("Lost by forfeit: not rated"),
    "forfeit-excused": _("Lost by forfeit with notice: not rated, no penalty"),
    "annulled": _("Annulled: does not count"),
    "bye-pairing": _("Allocated bye: not rated, counts as activity"),
    "bye-full": _("Full-point bye: not rated"),
    "bye-half": _("Half-point bye: not rated"),
    "bye-zero": _("Not paired: not rated"),
}

TABLES = {
    "earlier": _("Collected in earlier events"),
    "score": _("Points"),
    "opposition": _("Opponents' ratings, added up"),
    "performances": _("Performances"),
    "performances-about": _(
        "A performance counts for the Grand Prix if the player had games in four fifths of the scheduled "
        "rounds (in team sections, in half of them), always rounded up. The other performances are shown "
        "but do not count."
    ),
    "player": _("Player"),
    "section": _("Event"),
    "performed": _("Performance"),
    "games-played": _("Games played"),
    "games-needed": _("Games needed"),
    "rounds-scheduled": _("Rounds"),
    "for-the-grand-prix": _("Grand Prix"),
    "counts-yes": _("Counts"),
    "counts-no": _("Does not count"),
    "clause": _("Clause"),
    "counts": _("What counts"),
    "line": _("Event"),
    "ended": _("Last day"),
    "kind-of-games": _("Games"),
    "standard": _("Standard"),
    "rapid": _("Rapid"),
    "blitz": _("Blitz"),
    "days-ago": _("Days ago"),
    "age-factor": _("Age factor A"),
}
"""The words of tables: names, columns and cells of the performances and of what counts."""

MESSAGES = {
    **STATUSES,
    **STEPS,
    **LISTED,
    **BARS,
    **IN_SHORT,
    **NOTES,
    **TABLES,
    **FINDINGS,
    **DEADLINES,
    **PLANNED,
    **TOLD,
}
"""All words of the ruleset by message key; no key stands twice."""
