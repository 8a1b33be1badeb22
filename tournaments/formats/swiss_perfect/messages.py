"""Messages about SwissPerfect's files; `messages` collects those of all formats."""


def _(text: str) -> str:
    """Marks a template for makemessages; it is translated where it is shown."""
    return text


SP: dict[str, str] = {
    "sp-table-broken": _(
        "A table of SwissPerfect's (trn, sco) is damaged or cut off. Pack the three files of the tournament "
        "anew, while SwissPerfect is closed."
    ),
    "sp-no-players": _(
        "SwissPerfect's table of players (trn) is empty. Check that it is the right tournament."
    ),
    "sp-id-twice": _(
        "Record %(first)s of the players (trn) has the id %(id)s too, or this one has none. Open and save "
        "the tournament in SwissPerfect, and pack its files anew."
    ),
    "sp-stranger": _(
        "Round %(round)s names a player (%(id)s) whom the table of players (trn) does not have. Pack the "
        "three files of one tournament."
    ),
    "sp-twice-in-a-round": _(
        "Start number %(number)s has two results in round %(round)s. Correct it in SwissPerfect and pack "
        "the files anew."
    ),
    "sp-score-odd": _(
        "A result of round %(round)s is neither a win, a draw, a loss nor a bye. Enter it in SwissPerfect "
        "and pack the files anew."
    ),
    "sp-bonus": _(
        "Start number %(number)s has a bonus of %(points)s points in SwissPerfect, such as for byes that "
        "were asked for. It is no result; check the byes."
    ),
    "sp-no-colours": _(
        "This text of SwissPerfect's has no colours: whoever is listed first is taken to have had white. The "
        "tournament's three files (ini, trn, sco) in a ZIP have them."
    ),
    "sp-cell-odd": _(
        "“%(text)s” is no result of SwissPerfect's: an opponent's number, a colon and W, D, L, +, = or -."
    ),
}
