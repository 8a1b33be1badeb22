"""The words of acceptance's findings, by key: what is wrong, and what to do about it."""

from __future__ import annotations

from ratings.law.translation_marks import gettext_noop as _

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
        "Players whose date of birth is not known to the day: {players} ({names}). Add it in the pairing "
        "program and upload the file again."
    ),
    "sexes-missing": _(
        "Players without M or F: {players} ({names}). Add it in the pairing program and "
        "upload the file again."
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

TOLD = {
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
"""The words of findings that are mere notices in offices that hold nobody to deadlines or full particulars:
they ask for no reason.
"""
