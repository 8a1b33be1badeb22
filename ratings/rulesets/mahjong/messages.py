"""The words of workings, findings, lists and tables by key.

Named places are filled with the inputs of a step or finding, `{result}` with what the step gives.
"""

from __future__ import annotations

from ratings.rulesets.words import gettext_noop as _

STATUSES = {
    "rated": _("Rated"),
}

TABLES = {
    "coefficients": _("Competitions with weight"),
    "competition": _("Competition"),
    "ends": _("Last day"),
    "players": _("Players"),
    "ka": _("Coefficient"),
    "kb": _("By time"),
    "kc": _("Of an absence"),
    "until": _("Until"),
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
    "term": _("{competition}, played, of {ends}: {r} × {ka} × {kb} = {result}, with weight {weight}"),
    "absent": _(
        "Not played in {year}: {missed} with weight {weight} in all, of {admitted} admitted that year: 0 in "
        "the numerator, {weight} × 0.12 ÷ {admitted} = {result}"
    ),
    "mean": _("Rating, everything above by all weights below: {above} ÷ {below} = {result}"),
    "nothing-weighs": _("Nothing has weight any more, so there is no rating"),
    "not-listed-yet": _("In {games} competition so far; listed from {needed} on"),
    "place": _("By the register the player has a place in the rating"),
    "no-place": _("By the register the player has no place in the rating; the result is kept"),
}

FINDINGS = {
    "no-status": _(
        "The status of the competition is missing. Choose one: it decides what is asked and how much the "
        "results weigh."
    ),
    "no-coefficient": _("A special tournament needs its coefficient, 1 or 2, as the Presidium decided."),
    "too-few-players": _(
        "{players} players took part; a competition of this status needs {needed}. If somebody is missing, "
        "add them; otherwise another status may fit."
    ),
    "members-not-known": _(
        "At least {needed} players have to be members of the federation, and the record does not say who "
        "is. Make sure of it and say so."
    ),
    "too-few-members": _(
        "{members} players are members of the federation; a competition of this status needs {needed}. If "
        "the register is wrong, correct it."
    ),
    "too-few-of-the-place": _(
        "{representing} players are of one region by the register; {needed} have to be of the city or "
        "region. If the register is wrong, correct it."
    ),
    "too-few-of-russia": _(
        "{representing} players are of Russia by the register; {needed} have to be. If the register is "
        "wrong, correct it."
    ),
    "too-few-sessions": _(
        "{sessions} sessions were played; a competition of this status needs {needed}. If the number is "
        "wrong, correct it; otherwise another status may fit."
    ),
    "announced-late": _(
        "Registered on {announced}, and {latest} was the last day for the announcement. If it was announced "
        "in time elsewhere, say where."
    ),
    "revised-alone": _(
        "The coefficient was {before} in the first decision and is {now} now, with the same status. It "
        "changes only together with the status: put one of them right."
    ),
    "not-over": _(
        "Filed on {filed}, before its last day, {ends}. Results are admitted after the end; file again, or "
        "correct the day."
    ),
    "no-place-given": _("The final place is missing. Fill it in: the result depends on it."),
    "place-beyond": _(
        "Place {place} is beyond the {players} players entered. Enter everyone who took part, foreigners "
        "too, or correct the place."
    ),
    "place-out-of-line": _(
        "Place {place} is taken, and {before} players stand before it. Who shares a place takes up the "
        "places below. Correct the places, or let the Presidium decide."
    ),
    "nation-unknown": _(
        "{count} players are of no known nation and have no place in the rating: {players}. Fill it in "
        "where it is known."
    ),
    "one-player": _("Only one player is entered, so there is no result. Enter everyone who took part."),
}

PARTS = (STATUSES, TABLES, STEPS, FINDINGS)
MESSAGES = {key: words for part in PARTS for key, words in part.items()}
"""All of them; no key stands twice."""
