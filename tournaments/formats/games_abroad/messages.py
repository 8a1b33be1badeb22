"""Messages about a player's games abroad; `messages` collects those of all formats."""


def _(text: str) -> str:
    """Marks a template for makemessages; it is translated where it is shown."""
    return text


ABROAD: dict[str, str] = {
    "abroad-line-not-read": _(
        "This line is none of a player's games: round, result (1, 0 or =), colour (W or B), the opponent's "
        "surname, first name, rating, title and federation. A bye has a minus for its colour. Correct it and "
        "upload the file again."
    ),
    "abroad-before-player": _(
        "This game stands above every player's line. Begin with Player, the player's id, surname and first "
        "name, and write the games below it."
    ),
    "abroad-no-player": _(
        "No line names the player. Write Player, the player's id, surname and first name above the games."
    ),
    "abroad-round-twice": _(
        "Round %(round)s of %(player)s is on line %(first)s already. Give each game its round."
    ),
    "abroad-games-differ": _(
        "Round %(round)s: %(player)s and %(opponent)s are both in this file, and their lines do not fit each "
        "other (line %(first)s). Correct the wrong one and upload the file again."
    ),
    "abroad-total-differs": _(
        "%(player)s: the file says %(filed)s points, the results add up to %(counted)s. The results count; "
        "check them."
    ),
    "abroad-opponents": _(
        "Opponents who have no line of their own: %(count)s. They are entered with the rating and federation "
        "that stand beside their games, and their other games are not in this file."
    ),
}
