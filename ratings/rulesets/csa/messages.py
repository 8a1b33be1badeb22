"""The words of Chess South Africa's findings, deadlines, workings, lists and tables, by key.

Named places are filled with the inputs of a step or finding, `{result}` with what the step gives.
"""

from ratings.rulesets.facts import gettext_noop as _

FINDINGS = {
    "before-the-regulations": _(
        "This section began before {first}, the first day of the regulations, so it cannot be rated. If "
        "the date is wrong, correct the section's first day."
    ),
    "no-time-control": _(
        "The time control is missing. Give the minutes of each period and the increment under Details."
    ),
    "too-fast": _(
        "The fastest time control gives a player {minutes} minutes for 60 moves. Games faster than 5 "
        "minutes are not rated. If the control is wrong, correct it under Details."
    ),
    "no-platform": _(
        "The file does not say where the games were played. Choose over the board, online or mixed under "
        "Details."
    ),
    "format-not-rated": _(
        "Sections of this format ({format}) are not rated: only Swiss, round-robin, team and Scheveningen "
        "sections. If the format is wrong, correct it under Details."
    ),
    "too-few-players": _(
        "{players} players played; the section needs {needed}. Ask the Ratings Bureau for permission, "
        "by {last} at the latest."
    ),
    "no-teams": _(
        "In a Scheveningen section two teams meet, but the file does not give every player's team ({players} "
        "players without a team). Tick “Played in teams” under Details, and upload a file that names both "
        "teams; or correct the format."
    ),
    "too-few-in-team": _(
        "{players} players of team “{team}” played; each team needs {needed}. Ask the Ratings Bureau for "
        "permission, by {last} at the latest."
    ),
    "too-few-rounds": _(
        "{rounds} rounds have results; the section needs {needed}. Ask the Ratings Bureau for permission, "
        "by {last} at the latest."
    ),
    "far-too-few-rounds": _(
        "{rounds} rounds have results; the section needs {needed}, and with fewer than {least} it cannot "
        "be rated even with permission. If results are missing, add them."
    ),
    "asked-late": _(
        "The region had to ask for permission for so few by {last}, a day after the end of the event; it "
        "asked on {filed}. If you asked in time, say when; otherwise say why not."
    ),
    "abroad": _(
        "The event was abroad ({country}): only South African players' ratings change. If the country is "
        "wrong, tell the office, which corrects it."
    ),
    "abroad-not-fide-rated": _(
        "An event abroad must be FIDE rated, but the details do not say that this section is. Choose how "
        "FIDE rated it under Details."
    ),
    "abroad-late": _(
        "Handed in on {filed}; for an event abroad the last day was {last}, {allowed} days after the "
        "end. Say why they came later: the Ratings Bureau can accept them with a reason."
    ),
    "registered-late": _(
        "Registered on {registered}; the last day for it was {last}, {needed} days before the start. Say why "
        "it was registered later: the Ratings Bureau can accept it with a reason."
    ),
    "filed-late": _(
        "Handed in on {filed}; the last day for it was {last}, {allowed} days after the end of the event. "
        "Say why it came later: the Ratings Bureau can accept it with a reason."
    ),
    "filed-early": _(
        "The file came on {filed}, before the last day of the section, {ends}. Correct that day under "
        "Details if play ended earlier; otherwise upload the file again after the last round."
    ),
    "not-by-the-region": _(
        "The file did not come from an administrator of the host region ({region}), who is responsible for "
        "it. Ask them to upload it, or say why somebody else did."
    ),
    "no-name": _(
        "The event or the section has no name. Give the section's name under Details; if the event's name "
        "is missing, register the event again."
    ),
    "days-reversed": _(
        "The section ends on {ends}, before it starts on {starts}. Correct the days under Details."
    ),
    "no-region": _("The event has no region. Register the event for its region."),
    "round-dates-missing": _("The days of these rounds are missing: {rounds}. Give them under Details."),
    "no-organizer": _(
        "The chief organiser is not confirmed yet. Details proposes the host region: confirm it, or give "
        "name and number."
    ),
    "organizer-unreachable": _(
        "The organiser, “{organizer}”, has neither a number nor an address. Under Details, add the number "
        "in the register, or how to reach the region."
    ),
    "no-arbiter": _(
        "No arbiter is named, but a qualified arbiter must be present in every round. Name the arbiters "
        "under Details, the chief arbiter first."
    ),
    "arbiter-name": _("Give these arbiters' first names and surnames under Details: {names}."),
    "arbiter-id": _(
        "These arbiters have no id: {names}. Give their number in the register, or their FIDE id, under "
        "Details."
    ),
    "arbiter-fide-id": _(
        "The section is FIDE rated, so give these arbiters' FIDE ids under Details: {names}."
    ),
    "arbiter-title": _("Give these arbiters' current titles under Details: {names}."),
    "arbiter-twice": _(
        "{arbiter} is named twice. Name each arbiter once under Details, in the order of appointment."
    ),
    "arbiter-plays": _(
        "{arbiter} is named as an arbiter and plays in section {section}, as {player}. Only in a club event "
        "may an arbiter play. Correct the arbiters under Details, or tick there that a club held the event; "
        "if these are two people, say so."
    ),
    "first-names-missing": _(
        "Players without a first name, or with initials only: {players} ({names}). Write it out in the "
        "pairing program and upload the file again."
    ),
    "births-missing": _(
        "Players whose date of birth is not known to the day: {players} ({names}). Give it under Players for "
        "a new player; otherwise add it in the pairing program and upload the file again."
    ),
    "sexes-missing": _(
        "Players without M or F: {players} ({names}). Give it under Players for a new player; otherwise add "
        "it in the pairing program and upload the file again."
    ),
    "fide-ids-missing": _(
        "The section is FIDE rated, and these players have no FIDE id: {players} ({names}). Add it in the "
        "pairing program and upload the file again."
    ),
    "host-region": _(
        "New players: {players} ({names}). They belong to the host region, {region}; if a player belongs to "
        "another region, choose it beside the player’s name under Players."
    ),
    "handles-missing": _(
        "Players without a known name on the platform: {players} ({names}). Send these names to the office, "
        "which enters them in the register; or say why they are not known."
    ),
}

DEADLINES = {
    "due-registration": _("Register the event"),
    "due-asking": _("Ask for permission for fewer players or rounds"),
    "due-results": _("Hand in the results"),
}

PLANNED = {
    "planned-days": _("These are the last days"),
    "planned-ends-first": _("The last day comes before the first one: correct one of them"),
}
"""The answers of the calculator of a planned event's days."""

NOTICES = {
    "abroad-late:notice": _(
        "Handed in on {filed}; for an event abroad the last day was {last}, {allowed} days after the "
        "end. This office does not enforce this rule."
    ),
    "asked-late:notice": _(
        "The region had to ask for permission for so few by {last}, a day after the end of the event; the "
        "region asked on {filed}. This office does not enforce that deadline."
    ),
    "registered-late:notice": _(
        "Registered on {registered}; the last day for it was {last}, {needed} days before the start. This "
        "office does not enforce this rule."
    ),
    "filed-late:notice": _(
        "Handed in on {filed}; the last day for it was {last}, {allowed} days after the end of the event. "
        "This office does not enforce this rule."
    ),
    "not-by-the-region:notice": _(
        "The file did not come from an administrator of the host region ({region}), who is responsible for "
        "it. This office still accepts it."
    ),
    "handles-missing:notice": _(
        "Players without a known name on the platform: {players} ({names}). If you know these names, send "
        "them to the office, which enters them in the register."
    ),
}
"""The words of findings in offices where they are notices only, which ask for no reason."""

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
    "kind-standard": _("{minutes} minutes are at least {standard_from}: standard games"),
    "kind-rapid": _("{minutes} minutes are more than {blitz_to} and less than {standard_from}: rapid games"),
    "kind-blitz": _("{minutes} minutes are from {least_minutes} to {blitz_to}: blitz games"),
    "k-standard": _("K for a Standard rating: {result}"),
    "k-rapid": _("K for a Rapid rating: {result}"),
    "k-blitz": _("K for a Blitz rating: {result}"),
    "k-online-main": _("K for a Main rating online, whatever the time: {result}"),
    "k-main": _("K for a Main rating: {hundredths} × ({k_per_minute} × {time} + {k_base}) ÷ 100 = {result}"),
    "k-main-held": _(
        "{minutes} minutes are outside {k_least_minutes} to {k_most_minutes}, so {time} is used. K for a "
        "Main rating: {hundredths} × ({k_per_minute} × {time} + {k_base}) ÷ 100 = {result}"
    ),
    "expected-white": _(
        "Round {round}, with white: {between_equals} + {per_point} × ({white} − {black}) = {result}"
    ),
    "expected-black": _(
        "Round {round}, with black: 1 − ({between_equals} + {per_point} × ({white} − {black})) = {result}"
    ),
    "expected-white-held": _(
        "Round {round}, with white: {white} − {black} is held at {difference}, "
        "expected: {between_equals} + {per_point} × {difference} = {result}"
    ),
    "expected-black-held": _(
        "Round {round}, with black: {white} − {black} is held at {difference}, "
        "expected: 1 − ({between_equals} + {per_point} × {difference}) = {result}"
    ),
    "score-less-expected": _("Score less expected score, over all games: {score} − ({expected}) = {result}"),
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
    "change": _(
        "Change by this section, kept with {kept_decimals} decimals: {counted} − {penalties} = {result}"
    ),
    "pending": _("Pending until the next list: {before} + {change} = {result}"),
    "opponents": _("The opponents' ratings, added up: {ratings} = {result}"),
    "no-games": _("No game with a colour, so no performance"),
    "average": _("The opponents' average rating: {opposition} ÷ {games} = {result}"),
    "performance": _("Performance: {average} + {span} × ({score} ÷ {games} − 0.5) = {result}"),
    "performance-floor": _("A performance is at least {result}"),
    "qualified": _("The performance qualifies: {games} games in {rounds} rounds, {needed} needed"),
    "not-qualified": _("The performance does not qualify: {games} games in {rounds} rounds, {needed} needed"),
    "collected": _("Games collected towards a first rating, before and now: {before} + {games} = {result}"),
    "collected-score": _("Points from them, before and now: {before} + {score} = {result}"),
    "collected-opposition": _(
        "The opponents' ratings added up, before and now: {before} + {opposition} = {result}"
    ),
    "first-rating": _(
        "First rating, the performance over all of them: {average} + {span} × ({score} ÷ {games} − 0.5) = "
        "{result}"
    ),
    "first-rating-floor": _("A rating is at least {result}"),
    "weight-too-few": _(
        "No weight performance: {count} qualified performances are recent enough, {needed} are needed"
    ),
    "weight-term": _(
        "Performance in {line}, {ends}, {days} days ago, with {left} of {weight_days} days left: "
        "{performance} × {weight} × {left} ÷ {weight_days} × {turn} = {result}"
    ),
    "weight-term-one-kind": _(
        "Performance in {line}, {ends}, {days} days ago, with {left} of {weight_days} days left: "
        "{performance} × {left} ÷ {weight_days} × {turn} = {result}"
    ),
    "weight-performance": _("Weight performance: ({weighed}) ÷ {weight_sum} = {result}"),
    "weight-lift": _("It is above the rating {rating}, which rises to it at once: {result}"),
    "weight-lift-held": _(
        "It is more than {greatest_rise} above the rating {rating}, which rises by {greatest_rise} at once: "
        "{result}"
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
    "activity": _("Activity {result}: {games} games, and {unplayed} allocated byes and wins by forfeit"),
    "stays-listed": _("A rating stays on the list, with or without further games"),
    "not-yet-listed": _("On the list from game {needed} on: {games} played, {result} more needed"),
}

SUMMARIES = {
    "in-short-rated": _(
        "Scored {score} in {games} games where {expected} were expected, and K is {k}: {k} × ({score} − "
        "{expected}) = {result}"
    ),
    "in-short-no-games": _("No game played, so no result changes the rating"),
    "in-short-gain-cut": _("but only {games} games of the {needed} needed, so nothing is gained: {result}"),
    "in-short-protected": _("but a winner with a game in every round loses nothing: {result}"),
    "in-short-penalties-51": _("forfeits without notice, {count} of them: {result}"),
    "in-short-penalties-52": _("rounds since leaving without notice, {count} of them: {result}"),
    "in-short-change": _("so the change, which waits for the next list, is {result}"),
    "in-short-lift": _("the weight performance {weight} lifts {before} at once: {result}"),
    "in-short-lift-held": _(
        "the weight performance {weight} lifts {before} at once, by {greatest_rise} at most: {result}"
    ),
    "in-short-collecting": _("No rating yet: {games} games so far, {result} more needed for one"),
    "in-short-first": _(
        "First rating, from {score} points in {games} games against opponents of {average} on average: "
        "{result}"
    ),
    "in-short-first-floor": _("no rating is below {result}"),
    "in-short-abroad": _("Played abroad ({country}), where only South African players' ratings move"),
    "in-short-list": _("The new list adds what was pending: {rating} + {pending} = {result}"),
    "in-short-list-floor": _("but no rating falls below {result}"),
    "in-short-opening": _("The rating that the player had when the record began: {result}"),
}

NOTES = {
    "held": _(
        "The difference is held between {least_difference} and {greatest_difference}, white less black"
    ),
    "pre-rating": _("Opponent unrated: pre-rating under clause 58"),
    "pre-rating-held": _(
        "Opponent unrated: pre-rating under clause 58; the difference is held between {least_difference} and "
        "{greatest_difference}"
    ),
    "filed-rating": _("Opponent unrated: the rating in the event file"),
    "filed-rating-held": _(
        "Opponent unrated: the rating in the event file; the difference is held between {least_difference} "
        "and {greatest_difference}"
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
    "waiting": _("Pending from earlier events"),
    "waits": _("Points pending"),
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

PARTS = (STATUSES, STEPS, LISTED, BARS, SUMMARIES, NOTES, TABLES, FINDINGS, DEADLINES, PLANNED, NOTICES)
MESSAGES = {key: words for part in PARTS for key, words in part.items()}
"""All words of the ruleset by message key; each key is in one part only."""
