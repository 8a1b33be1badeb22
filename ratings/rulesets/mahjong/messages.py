"""The words of workings, findings, lists and tables by key.

Named places are filled with the inputs of a step or finding, `{result}` with what the step gives.
"""

from ratings.rulesets.facts import gettext_noop as _

STATUSES = {
    "rated": _("Has a rating"),
}

TABLES = {
    "games": _("Competitions"),
    "coefficients": _("Competitions that count"),
    "coefficients-about": _(
        "A result weighs the coefficient times a factor that falls with time. For a player who was absent, "
        "the competition weighs less, and the result is 0."
    ),
    "section": _("Competition"),
    "ends": _("Last day"),
    "players": _("Players"),
    "ka": _("Coefficient kA"),
    "kb": _("By time kB"),
    "kc": _("Of an absence kC"),
    "until": _("kB holds until"),
    "days": _("Days on which ratings change without play"),
    "days-about": _(
        "On these days of the coming year a competition loses a quarter of its weight, and everybody's "
        "rating is recomputed."
    ),
    "day": _("Day"),
    "kb-before": _("Weight by time until then"),
    "kb-after": _("Weight by time from then on"),
    "counts": _("What counts"),
    "place-taken": _("Place taken"),
    "r": _("Result R"),
    "weight": _("Weight kA × kB"),
    "year": _("Year"),
    "missed": _("Competitions not played"),
    "missed-about": _(
        "Their results are 0. They count with {absence} of their weight, divided by the number of "
        "competitions admitted in their year."
    ),
}

STEPS = {
    "result": _("Place {place} of {players}: ({players} − {place}) ÷ ({players} − 1) = {result}"),
    "ka-city": _("Championship of a city, coefficient {result}"),
    "ka-region": _("Championship of a region, coefficient {result}"),
    "ka-national": _("Championship of Russia, coefficient {result}"),
    "ka-special": _("Special tournament, coefficient as decided: {result}"),
    "ka-foreign": _("Foreign or international tournament, coefficient {result}"),
    "ka-european": _("Championship of Europe, coefficient {result}"),
    "ka-world": _("Championship of the world, coefficient {result}"),
    "before": _("After the player's last competition {then}; on {on}, without this one: {result}"),
    "term": _(
        "{competition}, played, of {ends}: place {place} of {players}. It weighs kA × kB = {ka} × {kb} = "
        "{weight}, which goes below the line. Above it goes: ({players} − {place}) ÷ ({players} − 1) × "
        "{ka} × {kb} = {result}"
    ),
    "absent": _(
        "Not played in {year}: {missed} of {admitted} admitted still weigh, {weight} in all (the list "
        "below has each). Nothing goes above the line; below it goes: {weight} × {absence} ÷ {admitted} = "
        "{result}"
    ),
    "above": _("Above the line, all of these together: {terms} = {result}"),
    "below": _(
        "Below the line, the weights of those played and what goes there for those not played: {weights} = "
        "{result}"
    ),
    "mean": _("Rating, the sum above the line by that below it: {above} ÷ {below} = {result}"),
    "nothing-weighs": _("No competition has weight any more, so there is no rating"),
    "not-listed-yet": _("In {games} competition so far; listed from {needed} on"),
    "place": _("By the register the player has a place in the rating"),
    "no-place": _("By the register the player has no place in the rating; the result is kept"),
}

BARS = {
    "bar-result": _("Result of this competition"),
    "bar-before": _("Rating without it"),
    "bar-after": _("Rating with it"),
}

LISTED = {
    "stays-listed": _("On the list until {until}, when the last result loses its weight; who plays stays"),
    "not-yet-listed": _("On the list from competition {needed} on: {games} played"),
    "not-included": _("Not on the list, as the register gives no place in the rating"),
    "off-the-list": _("Off the list, as no result has weight any more; one competition brings it back"),
}

SUMMARIES = {
    "in-short-result": _(
        "Place {place} of {players} in a competition with coefficient {ka}, which is a result of {result}"
    ),
    "in-short-rating": _("with everything that counts on {on}, the rating is {result}"),
    "in-short-nothing-weighs": _("no competition has weight any more, so there is no rating"),
    "in-short-no-place": _("by the register the player has no place in the rating"),
    "in-short-place": _("By the register the player has a place in the rating from now on: {result}"),
    "in-short-not-listed": _("listed from competition {needed} on"),
}

FINDINGS = {
    "no-status": _(
        "The status of the competition is missing. Choose one under Details: it decides what is asked and "
        "how much the results weigh."
    ),
    "no-coefficient": _(
        "A special tournament needs its coefficient, 1 or 2. Choose under Details what the Presidium decided."
    ),
    "not-open": _(
        "Only a special tournament may exclude players. If anybody could enter, correct it under Details; "
        "otherwise choose another status."
    ),
    "entry-not-said": _(
        "The details do not say whether anybody could enter, wherever they live. Choose it under Details: "
        "only a special tournament may exclude players."
    ),
    "championship-abroad": _(
        "A championship of a city, a region or Russia was held abroad. Choose another status under Details; "
        "or say why it was held there."
    ),
    "players-not-said": _(
        "The number of expected players is missing; a competition of this status needs {needed}. Give the "
        "number under Details."
    ),
    "too-few-players": _(
        "{players} players; a competition of this status needs {needed}. If somebody is missing, add them to "
        "the file and upload it again; otherwise another status may fit."
    ),
    "members-not-known": _(
        "At least {needed} players have to be members of the federation, and the record does not say how "
        "many are. Give the number under Details; or say why it is not known."
    ),
    "too-few-members": _(
        "{members} players are members of the federation; a competition of this status needs {needed}. If "
        "the number is wrong, correct it under Details."
    ),
    "representing-not-known": _(
        "At least {needed} players have to be of the city, the region or Russia, and the record does not say "
        "how many are. Give the number under Details; or say why it is not known."
    ),
    "too-few-of-the-place": _(
        "{representing} players are of the place; {needed} have to be of the city or region. If the number "
        "is wrong, correct it under Details."
    ),
    "too-few-of-russia": _(
        "{representing} players are of Russia; {needed} have to be. If the register does not say so, give "
        "the right number under Details."
    ),
    "other-rules": _(
        "A competition is admitted only if it is played by the world organization's rules, or with changes "
        "that the federation approved. If the details are wrong, correct them."
    ),
    "rules-not-said": _("The rules of play are missing. Choose them under Details."),
    "sessions-not-known": _(
        "The number of sessions is not known yet; a competition of this status needs {needed}. Give the "
        "number under Details."
    ),
    "too-few-sessions": _(
        "{sessions} sessions; a competition of this status needs {needed}. If the number is wrong, correct "
        "it under Details; otherwise another status may fit."
    ),
    "announced-late": _(
        "Announced on {announced}; {latest} was the last day for it, a month before the first session. If "
        "the federation's site announced it earlier, give that day under Details; otherwise say why it was "
        "late."
    ),
    "not-declared": _(
        "No first decision is recorded: the Presidium takes it before the competition, which began on "
        "{starts}. Ask the office to record it; or say why there was none."
    ),
    "declared-late": _(
        "The first decision was taken on {declared}, and the competition began on {starts}. It has to come "
        "before. Say why it came later."
    ),
    "revised-alone": _(
        "The coefficient was {before} in the first decision and is {now} now, with the same status. It "
        "changes only together with the status: correct one of them under Details."
    ),
    "not-over": _(
        "Filed on {filed}, before its last day, {ends}. Results are admitted after the end: upload the file "
        "again then, or correct the day under Details."
    ),
    "no-place-given": _("{player} has no final place. The result depends on it: give it under Details."),
    "place-beyond": _(
        "Place {place} is beyond the {players} players entered. Enter everyone who took part, foreigners "
        "too, or correct the place, and upload the file again."
    ),
    "place-out-of-line": _(
        "Place {place} is taken, and {before} players stand before it. Players who share a place also use "
        "up the places below it. Correct the places under Details; or say why they are right."
    ),
    "nation-unknown": _(
        "{count} players have no known nation and therefore no place in the rating: {players}. Tell the "
        "office their nations; those of new players you give on the players’ page."
    ),
    "one-player": _(
        "Only one player is entered, so there is no result. Add everybody who took part and upload the file "
        "again."
    ),
}

NOTICES = {
    "announced-late:notice": _(
        "Announced on {announced}; {latest} was the last day for it, a month before the first session. This "
        "office does not enforce this rule. If the federation's site announced it earlier, give that day "
        "under "
        "Details."
    ),
    "not-declared:notice": _(
        "No first decision is recorded: the Presidium takes it before the competition, which began on "
        "{starts}. This office does not insist on it; if there was one, ask the office to record it."
    ),
    "declared-late:notice": _(
        "The first decision was taken on {declared}, and the competition began on {starts}. It has to come "
        "before; this office does not enforce this rule."
    ),
}
"""The words of findings in offices where they are notices only, which ask for no reason."""

DEADLINES = {
    "due-announcement": _("Announce the competition"),
    "due-decision": _("First decision on the admission"),
}

PLANNED = {
    "planned-0": _("No coefficient yet: a special tournament needs one, 1 or 2"),
    "planned-ka": _("Coefficient {ka}"),
    "planned-kb": _("Weight kA × kB up to {until}: {ka} × {kb} = {result}"),
    "planned-over": _("No weight any more from {until} on"),
    "planned-kc": _(
        "For a player who stays away, with {admitted} competitions admitted in the year: {absence} ÷ "
        "{admitted} = {result}"
    ),
}
"""The answers of the calculator of a planned competition's coefficients."""

PARTS = (STATUSES, TABLES, STEPS, LISTED, BARS, SUMMARIES, FINDINGS, DEADLINES, NOTICES, PLANNED)
MESSAGES = {key: words for part in PARTS for key, words in part.items()}
"""All words of the ruleset by message key; each key is in one part only."""
