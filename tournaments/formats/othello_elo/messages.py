"""Messages about `.ELO` files; `messages` collects those of all formats."""


def _(text: str) -> str:
    """Marks a template for makemessages; it is translated where it is shown."""
    return text


ELO: dict[str, str] = {
    # The whole.
    "elo-no-games": _(
        "The file holds no game. A game is a line such as 5707 (28)<(36) 5725. Write the file after the "
        "rounds are played, and upload it again."
    ),
    "elo-line-not-read": _(
        "“%(text)s” is neither a game nor a comment. A game is written 5707 (28)<(36) 5725, and a comment "
        "begins with a per cent sign. Correct the line and upload the file again."
    ),
    "elo-comments-left-out": _(
        "Comments that were left out: %(count)s. Check whether they matter: byes and forfeits, for example, "
        "are only in comments."
    ),
    "elo-header-twice": _(
        "This header is on line %(first)s already, and that line is used. Remove the other one if that is "
        "right."
    ),
    # Players.
    "elo-player-twice": _(
        "The number %(id)s is on line %(first)s already. Each player has one line and one number: correct "
        "the wrong one and upload the file again."
    ),
    "elo-player-too-long": _(
        "The line of %(id)s has more commas than number, surname, first name, country, score, discs and "
        "rating need. Check how the name was read."
    ),
    "elo-names-missing": _(
        "Players with a number but no name in the file: %(count)s, for example %(sample)s. The number "
        "replaces the name until you say under Players who they are."
    ),
    "elo-nobody-known": _(
        "A question mark stands for a player here, and no line says who that is. Add a line for the player "
        "like those of the others, with the question mark for the number, and upload the file again."
    ),
    "elo-several-unknown": _(
        "In “%(game)s” a question mark stands for a player without a number, and several players have none, "
        "so it is not clear whose game this is. Give each a number of their own, on their line and in their "
        "games, and upload the file again."
    ),
    "elo-unknown-twice": _(
        "The player without a number (?) has a second game in round %(round)s here: these are two people. "
        "Give each a number of their own, on their line and in their games, and upload the file again."
    ),
    "elo-unknown-is-one": _(
        "All games of the player without a number (?) are taken for one person's: %(games)s games. Check it."
    ),
    "elo-without-games": _(
        "Players without a game: %(count)s, for example %(sample)s. They count as taking part. If they did "
        "not play, remove their lines and upload the file again."
    ),
    "elo-points-differ": _(
        "%(player)s: the file says %(filed)s points, the games add up to %(counted)s. The file has no byes: "
        "if a bye explains the difference, nothing is wrong. Otherwise check the results."
    ),
    "elo-discs-differ": _(
        "%(player)s: the file says %(filed)s discs, the games add up to %(counted)s. The sum from the games "
        "is kept; check it."
    ),
    # Places.
    "elo-place-of-stranger": _(
        "“%(text)s” gives a place to somebody whom the file does not list. The places in comments are not "
        "used; give the places in the form."
    ),
    "elo-place-twice": _(
        "“%(text)s” gives a player a second place. The places in comments are not used; give the places in "
        "the form."
    ),
    "elo-place-out-of-line": _(
        "“%(text)s” does not follow from the places before it: players who share a place have the same "
        "number, and the next one is left out (3, 3, 5). The places in comments are not used; give the "
        "places in the form."
    ),
    "elo-places-of-some": _(
        "Comments give the places of %(placed)s players, and the file has %(players)s. Give the others in "
        "the form."
    ),
    # Games.
    "elo-plays-self": _(
        "In “%(game)s” a player plays against themselves. Correct the number and upload the file again."
    ),
    "elo-discs-contradict": _(
        "In “%(game)s” the sign and the discs contradict each other. The sign counts, and the discs are "
        "added up as they are; check the result."
    ),
    "elo-disc-sum": _(
        "In “%(game)s” the discs add up to %(sum)s, and a board has 64. They are added up as they are; check "
        "them."
    ),
    "elo-colours-missing": _(
        "Games that do not say who was black: %(games)s. The player named first is taken as black."
    ),
    "elo-rounds-by-order": _(
        "No comment says where the rounds begin. The games keep their order, and a new round begins where "
        "somebody plays again. Check the rounds."
    ),
    "elo-rounds-spread": _(
        "The games are not listed round by round: somebody plays again too soon. They are spread over "
        "%(rounds)s rounds in which nobody plays twice, which may not be the order of play. If ratings "
        "depend on it, write the rounds into the file as comments and upload it again."
    ),
    "elo-too-many-rounds": _(
        "From here on there would be more than %(most)s rounds. Upload one file for each section."
    ),
}

ELO_ADJUSTMENTS: dict[str, str] = {
    "elo-header-spelling": _("A header was spelled differently and was still read."),
    "elo-header-twice": _("A header was there twice; the first one was used."),
    "elo-date-not-read": _("A date could not be read and was left out."),
    "elo-provisional-number": _(
        "The pairing program gave this number to a new player. It is kept as provisional: it helps to find "
        "the player again, and another number never speaks against it."
    ),
    "elo-nation-not-read": _("A country that is not three letters was left out."),
    "elo-score-not-read": _("A score could not be read and was left out."),
    "elo-names-missing": _("A player has no name in the file; the number stands for it."),
    "elo-places-left-out": _("The places in comments contradict each other; none was used."),
    "elo-several-games": _("Several games were on one line; they were read in their order."),
    "elo-round-without-number": _(
        "A part of the tournament without a number; its games stand behind the scheduled rounds, or are the "
        "next round where there are none."
    ),
    "elo-rounds-by-order": _("No comment numbers the rounds; a new round begins when somebody plays again."),
    "elo-sign-counts": _("The sign and the discs did not agree; the sign was used."),
    "elo-discs-of-one": _("Only one side had discs; they were left out."),
    "elo-colours-missing": _(
        "The line does not say who was black; the first player was taken as black, here and in similar games."
    ),
    "elo-unknown-is-one": _("All games of the player without a number were taken as games of one person."),
}
