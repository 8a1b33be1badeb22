"""The words of acceptance's findings, by key: what is wrong, and what to do about it."""

from __future__ import annotations

from ratings.law.words import gettext_noop as _

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
        "It is not said where the games were played. Choose over the board, online or mixed under Details."
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
        "In a Scheveningen section teams meet, and the file does not say who plays for which ({players} "
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
        "Permission for so few had to be asked by {last}, a day after the end of the event; the file came on "
        "{filed}. If you asked in time, say when; otherwise say why not."
    ),
    "abroad": _(
        "Held abroad ({country}): only South African players' ratings move. If the country is wrong, tell "
        "the office, which corrects it."
    ),
    "abroad-not-fide-rated": _(
        "An event abroad must be FIDE rated, and this section is not said to be. Choose how FIDE rated it "
        "under Details."
    ),
    "abroad-late": _(
        "The results came on {filed}; for an event abroad the last day was {last}, {allowed} days after the "
        "end. Say why they came later: the Ratings Bureau can accept them with a reason."
    ),
    "registered-late": _(
        "Registered on {registered}; the last day for it was {last}, {needed} days before the start. Say why "
        "it was registered later: the Ratings Bureau can accept it with a reason."
    ),
    "filed-late": _(
        "The file came on {filed}; the last day for it was {last}, {allowed} days after the end of the "
        "event. Say why it came later: the Ratings Bureau can accept it with a reason."
    ),
    "filed-early": _(
        "The file came on {filed}, before the last day of the section, {ends}. Correct that day under "
        "Details if play ended earlier; otherwise upload the file again after the last round."
    ),
    "not-by-the-region": _(
        "The file did not come from an administrator of the host region ({region}), who answers for it. Let "
        "them upload it, or say why it came otherwise."
    ),
    "no-name": _(
        "The event or the section has no name. Give the section's under Details; the event's is registered, "
        "so register it anew if it is missing there."
    ),
    "days-reversed": _(
        "The section ends on {ends}, before it starts on {starts}. Correct the days under Details."
    ),
    "no-region": _("It is not said which region held the event. Register the event for its region."),
    "round-dates-missing": _("The days of these rounds are missing: {rounds}. Give them under Details."),
    "no-organizer": _(
        "Nobody has said yet who the chief organiser is. Under Details the host region is proposed: look at "
        "it and keep it, or give name and number."
    ),
    "organizer-unreachable": _(
        "Of the organiser, “{organizer}”, neither a number nor an address is given. Add, under Details, the "
        "number in the register, or how to reach the region."
    ),
    "no-arbiter": _(
        "No arbiter is named; a qualified one has to be there in every round. Name them under Details, the "
        "chief arbiter first."
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
        "may an arbiter play. Correct the arbiters under Details, or tick there that a club held it; if "
        "these are two people, say so."
    ),
    "first-names-missing": _(
        "Players without a first name, or with initials only: {players} ({names}). Write it out in the "
        "pairing program and upload the file again."
    ),
    "births-missing": _(
        "Players whose date of birth is not known to the day: {players} ({names}). Add it in the pairing "
        "program and upload the file again."
    ),
    "sexes-missing": _(
        "Players of whom neither M nor F is said: {players} ({names}). Add it in the pairing program and "
        "upload the file again."
    ),
    "fide-ids-missing": _(
        "The section is FIDE rated, and these players have no FIDE id: {players} ({names}). Add it in the "
        "pairing program and upload the file again."
    ),
    "host-region": _(
        "New players: {players} ({names}). They come under the host region, {region}; if somebody belongs to "
        "another, tell the office."
    ),
    "handles-missing": _(
        "Players whose name on the platform is not known: {players} ({names}). Tell the office those names, "
        "which enters them in the register; or say why they are not known."
    ),
}

TOLD = {
    "abroad-late:notice": _(
        "The results came on {filed}; for an event abroad the last day was {last}, {allowed} days after the "
        "end. This office does not hold you to it."
    ),
    "asked-late:notice": _(
        "Permission for so few had to be asked by {last}, a day after the end of the event; the file came on "
        "{filed}. This office does not hold you to that day."
    ),
    "registered-late:notice": _(
        "Registered on {registered}; the last day for it was {last}, {needed} days before the start. This "
        "office does not hold you to it."
    ),
    "filed-late:notice": _(
        "The file came on {filed}; the last day for it was {last}, {allowed} days after the end of the "
        "event. This office does not hold you to it."
    ),
    "not-by-the-region:notice": _(
        "The file did not come from an administrator of the host region ({region}), who answers for it. This "
        "office takes it all the same."
    ),
    "handles-missing:notice": _(
        "Players whose name on the platform is not known: {players} ({names}). If you know those names, tell "
        "the office, which enters them in the register."
    ),
}
"""The words of findings that are notices in some offices: these ask for no reason, as no field takes one."""
