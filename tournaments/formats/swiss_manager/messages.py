"""Messages about Swiss-Manager's text exports; `messages` collects those of all formats."""


def _(text: str) -> str:
    """Marks a template for makemessages; it is translated where it is shown."""
    return text


SM: dict[str, str] = {
    # The two tables.
    "sm-pairings-missing": _(
        "These are Swiss-Manager's players (Spielerdaten), without their games. In "
        "Swiss-Manager choose Extras (Other), Data import/export, export Pairings (Spielerauslosung) as a "
        "text file for all rounds, and upload the two in one ZIP, or one below the other in one file."
    ),
    "sm-players-missing": _(
        "These are Swiss-Manager's pairings (Spielerauslosung), without the players. In "
        "Swiss-Manager choose Extras (Other), Data import/export, export Player data (Spielerdaten) as a "
        "text file, and upload the two in one ZIP, or one below the other in one file."
    ),
    "sm-players-twice": _(
        "A second table of players (Spielerdaten) begins here; the first is on line %(first)s. Put the two "
        "tables of one section together, and upload each section by itself."
    ),
    "sm-no-players": _(
        "The table of players (Spielerdaten) has no readable player. Export it again from Swiss-Manager."
    ),
    "sm-no-pairings": _(
        "The pairings (Spielerauslosung) have no readable game. Export them again from "
        "Swiss-Manager, for the rounds from 1 to the last."
    ),
    "sm-column-missing": _(
        "This Swiss-Manager table has missing columns: %(columns)s. Export it again and leave its first row "
        "as "
        "it is."
    ),
    "sm-rounds-missing": _(
        "These rounds are missing from the pairings (Spielerauslosung): %(rounds)s. Export them again from "
        "Swiss-Manager "
        "for the rounds from 1 to the last, or put the missing part below."
    ),
    "sm-other-ids": _(
        "The pairings name ids that are not their players' (lines: %(count)s, the first has %(id)s). The two "
        "tables may be of different tournaments, or from before a correction: export both again, or check "
        "the players and continue."
    ),
    # Games.
    "sm-player-not-listed": _(
        "Start number %(text)s is not in the table of players (Spielerdaten). The two tables may be of "
        "different tournaments, or a player came later: export both again from Swiss-Manager."
    ),
    "sm-player-not-read": _(
        "“%(text)s” is not a start number of a player; -1 stands for a bye. Export the pairings again from "
        "Swiss-Manager, or export TRF16 if these are boards of teams."
    ),
    "sm-twice-in-round": _(
        "Start number %(number)s stands in round %(round)s already, on line %(first)s. Two exports of one "
        "round may stand in this file: keep the newer one."
    ),
    "sm-result-not-read": _(
        "“%(text)s” is not a result: it should be 1:0, ½:½ or 0:1, with K behind it for a forfeit. If the "
        "tournament gives other points for a game, export TRF16 from Swiss-Manager instead."
    ),
    "sm-results-differ": _(
        "The result is “%(text)s” in the column Erg, and ErgW, ErgS and Kontumaz say “%(other)s”. Export the "
        "pairings again from Swiss-Manager."
    ),
    # Rounds in which a player is not paired.
    "sm-bye-half": _(
        "Start number %(number)s is not paired in round %(rounds)s, and has %(filed)s points where the "
        "results add up to %(counted)s: it is read as a half-point bye. Check that."
    ),
    "sm-bye-full": _(
        "Start number %(number)s is not paired (rounds: %(rounds)s), and has %(filed)s points where the "
        "results add up to %(counted)s: each is read as a full-point bye. Check that."
    ),
    "sm-absences-unclear": _(
        "Start number %(number)s is not paired (rounds: %(rounds)s). The file says %(filed)s points, the "
        "results add up to %(counted)s, and these exports do not say in which round a bye made the "
        "difference. All are read as absent: export TRF16 from Swiss-Manager if a bye matters."
    ),
    "sm-absences-open": _(
        "Start number %(number)s is not paired (rounds: %(rounds)s). These exports do not say whether a bye "
        "was asked for, and there are no points to tell. All are read as absent: export TRF16 from "
        "Swiss-Manager if a bye matters."
    ),
    "sm-points-of-another-round": _(
        "The points of the table of players do not fit the results (players: %(count)s): it seems to be from "
        "another round. They are added up from the results instead. Export both tables after the last round "
        "if it is not so."
    ),
}

SM_ADJUSTMENTS: dict[str, str] = {
    "unpacked-together": _("Tables of one section in the archive were unpacked and read together."),
    "sm-result-as-time": _(
        "A spreadsheet had turned a result into a time; the result follows from the points beside it."
    ),
    "sm-absent-zero": _("The pairings do not name the player, who got no point for it: absent."),
    "sm-absent-half": _("The pairings do not name the player; by the points it was a half-point bye."),
    "sm-absent-full": _("The pairings do not name the player; by the points these were full-point byes."),
    "sm-absent-unclear": _("The pairings do not name the player; taken as absent, and asked about."),
}
