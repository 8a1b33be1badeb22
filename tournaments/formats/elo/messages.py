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
        "Comments that were left out: %(count)s. Look whether they matter: byes, forfeits and the like stand "
        "nowhere else."
    ),
    "elo-header-twice": _(
        "This header stands on line %(first)s already, which is used. Remove the other if it is the right "
        "one."
    ),
    # Players.
    "elo-player-twice": _(
        "The number %(id)s stands on line %(first)s already. Each player has one line and one number: "
        "correct the wrong one and upload the file again."
    ),
    "elo-player-too-long": _(
        "The line of %(id)s has more commas than number, surname, first name, country, score, discs and "
        "rating need. Check how the name was read."
    ),
    "elo-names-missing": _(
        "Players of whom the file has the number and no name: %(count)s, for example %(sample)s. The number "
        "stands for the name until you say under Players who they are."
    ),
    "elo-nobody-known": _(
        "A question mark stands for a player here, and no line tells who that is. Add a line for the player "
        "like those of the others, with the question mark for the number, and upload the file again."
    ),
    "elo-several-unknown": _(
        "In “%(game)s” a question mark stands for a player without a number, and several have none, so "
        "nobody can tell whose game this is. Give each a number of their own, on their line and in their "
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
        "not play, take out their lines and upload the file again."
    ),
    "elo-points-differ": _(
        "%(player)s: the file says %(filed)s points, the games add up to %(counted)s. The file holds no "
        "byes: if one makes the difference, all is well. Otherwise check the results."
    ),
    "elo-discs-differ": _(
        "%(player)s: the file says %(filed)s discs, the games add up to %(counted)s. Those of the games are "
        "kept; check them."
    ),
    # Places.
    "elo-place-of-stranger": _(
        "“%(text)s” gives a place to somebody whom the file does not list. None of the places in comments is "
        "used; give them in the form."
    ),
    "elo-place-twice": _(
        "“%(text)s” gives a player a second place. None of the places in comments is used; give them in the "
        "form."
    ),
    "elo-place-out-of-line": _(
        "“%(text)s” does not follow from the places before it: players who share a place have the same "
        "number, and the next one is left out (3, 3, 5). None of the places in comments is used; give them "
        "in the form."
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
        "Games that do not say who was black: %(games)s. Whoever is named first is taken for black."
    ),
    "elo-rounds-by-order": _(
        "No comment says where the rounds begin. The games keep their order, and a new round begins where "
        "somebody plays again. Check the rounds."
    ),
    "elo-too-many-rounds": _(
        "From here on there would be more than %(most)s rounds. Upload one section a file."
    ),
}

ELO_ADJUSTMENTS: dict[str, str] = {
    "elo-header-spelling": _("A header was spelt otherwise and was read all the same."),
    "elo-header-twice": _("A header stood twice; the first was taken."),
    "elo-date-not-read": _("A date could not be read and was left out."),
    "elo-provisional-number": _(
        "A number that the pairing program gave a new player itself is nobody's id and was left out."
    ),
    "elo-nation-not-read": _("A country that is not three letters was left out."),
    "elo-score-not-read": _("A score could not be read and was left out."),
    "elo-names-missing": _("A player has no name in the file; the number stands for it."),
    "elo-places-left-out": _("The places in comments do not hang together; none was used."),
    "elo-several-games": _("Several games stood on one line and were read in their order."),
    "elo-round-without-number": _("A part of the tournament without a number was read as the next round."),
    "elo-rounds-by-order": _("No comment numbers the rounds; they were told apart by who plays again."),
    "elo-sign-counts": _("Sign and discs did not agree; the sign was taken."),
    "elo-discs-of-one": _("The discs of one side alone were left out."),
    "elo-colours-missing": _(
        "Nobody is said to be black; the first was taken, here and in other such games."
    ),
    "elo-unknown-is-one": _("All games of the player without a number were taken for one person's."),
}
