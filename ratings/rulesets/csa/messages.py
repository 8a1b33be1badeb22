"""The words of workings and lists by key; those of findings are in `findings`.

Named places are filled with the inputs of a step or finding, `{result}` with what the step gives.
"""

from __future__ import annotations

from ratings.rulesets.csa.findings import FINDINGS as FINDINGS
from ratings.rulesets.csa.findings import TOLD as TOLD
from ratings.rulesets.csa.pages import WORDS as WORDS
from ratings.rulesets.words import gettext_noop as _

STATUSES = {
    "rated": _("Rated"),
    "unrated": _("Unrated, collecting games"),
}

STEPS = {
    "own-rating": _("Measured at the official rating before the section: {result}"),
    "time": _(
        "Time for 60 moves, fastest control: {base} minutes + 60 × {increment} seconds = {result} minutes"
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
        "so 0.541767 + 0.001164 × {difference} = {result}"
    ),
    "expected-black-held": _(
        "Round {round}, with black: {white} − {black} is held at {difference}, "
        "so 1 − (0.541767 + 0.001164 × {difference}) = {result}"
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
        "First place, with a game in each of the {rounds} rounds: the loss falls away, {result}"
    ),
    "winner-not-protected": _(
        "First place, but not with a game in each of the {rounds} rounds: the loss stays, {result}"
    ),
    "penalty-forfeit": _("Penalty for the forfeit in round {round}: {result}"),
    "penalty-withdrawal": _("Penalty for leaving without notice, round {round}: {result}"),
    "penalty-without-effect": _(
        "The penalty for round {round} is recorded; without a rating it takes nothing"
    ),
    "change": _("Change by this section: {counted} − {penalties} = {result}, kept with 16 decimals"),
    "pending": _("Pending until the next list: {before} + {change} = {result}"),
    "no-games": _("No game with a colour, so no performance"),
    "average": _("The opponents' average rating: {opposition} ÷ {games} = {result}"),
    "performance": _("Performance: {average} + 850 × ({score} ÷ {games} − 0.5) = {result}"),
    "performance-floor": _("A performance is at least {result}"),
    "qualified": _("The performance qualifies: {games} games in {rounds} rounds, {needed} needed"),
    "not-qualified": _("The performance does not qualify: {games} games in {rounds} rounds, {needed} needed"),
    "collected": _("Games collected towards a first rating: {before} + {games} = {result}"),
    "first-rating": _(
        "First rating, the performance over all of them: {average} + 850 × ({score} ÷ {games} − 0.5) = "
        "{result}"
    ),
    "first-rating-floor": _("A rating is at least {result}"),
    "weight-too-few": _(
        "No weight performance: {count} qualified performances young enough, {needed} needed"
    ),
    "weight-term": _(
        "Performance of {ends}, {days} days ago, age factor {age}: {performance} × {weight} × {age} × "
        "{turn} = {result}"
    ),
    "weight-term-one-kind": _(
        "Performance of {ends}, {days} days ago, age factor {age}: {performance} × {age} × {turn} = {result}"
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

NOTES = {
    "held": _("The difference is held between −460 and 390, white less black"),
    "pre-rating": _("Opponent unrated: pre-rating by age"),
    "pre-rating-held": _("Opponent unrated: pre-rating by age; the difference is held between −460 and 390"),
    "filed-rating": _("Opponent unrated: the rating in the event file"),
    "filed-rating-held": _(
        "Opponent unrated: the rating in the event file; the difference is held between −460 and 390"
    ),
    "forfeit-won": _("Won by forfeit: not rated, counts as activity"),
    "forfeit-lost": _("Lost by forfeit: not rated"),
    "forfeit-excused": _("Lost by forfeit with notice: not rated, no penalty"),
    "annulled": _("Annulled: counts for nothing"),
    "bye-pairing": _("Allocated bye: not rated, counts as activity"),
    "bye-full": _("Full-point bye: not rated"),
    "bye-half": _("Half-point bye: not rated"),
    "bye-zero": _("Not paired: not rated"),
}

MESSAGES = {**STATUSES, **STEPS, **NOTES, **WORDS, **FINDINGS, **TOLD}
"""All of them; no key stands twice."""
