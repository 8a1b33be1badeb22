"""Messages about cross tables; `messages` collects those of all formats."""


def _(text: str) -> str:
    """Marks a template for makemessages; it is translated where it is shown."""
    return text


CROSS: dict[str, str] = {
    "cross-twice": _(
        "A second cross table begins here; the first is on line %(first)s. Upload one file for each section."
    ),
    "cross-no-players": _(
        "There is no player below the header row of this cross table. Download the complete table again."
    ),
    "cross-round-robin": _(
        "This is a round robin's cross table, with a column for each opponent: it says neither in which "
        "round nor with which colour a game was played. Export TRF16 from the pairing program, or fill in "
        "the table that can be downloaded here."
    ),
    "cross-no-numbers": _(
        "The cells name opponents by numbers, and in no column has each player a number of their own. "
        "Download the cross table with the ranks or the start numbers."
    ),
    "cross-both-fit": _(
        "The numbers in the cells could be the ranks or the start numbers: every game fits both ways. "
        "Download the cross table with only one of the two columns, or export TRF16 from the pairing "
        "program."
    ),
    "cross-neither-fits": _(
        "The numbers in the cells fit neither the ranks (cells that contradict: %(ranks)s of %(cells)s) nor "
        "the start numbers (%(numbers)s). Rows may be missing or moved. Download the cross table again, or "
        "export TRF16 from the pairing program."
    ),
    "cross-opponent-missing": _(
        "Round %(round)s: %(number)s names %(opponent)s as opponent, and no row has that number. The table "
        "seems incomplete: download the complete table again."
    ),
    "cross-colours-unknown": _(
        "The cells name the colours by letters that are not known here: %(letters)s. Download the cross "
        "table in English, where they are w and b."
    ),
    "cross-cell-not-read": _(
        "“%(text)s” cannot be read (round %(round)s). A game is written as 12w1: opponent, colour, result; a "
        "bye as -1, -½ or -0."
    ),
    "cross-several-byes": _(
        "Several players have a point without an opponent in round %(round)s (%(count)s). They are read as "
        "byes "
        "given by the pairing, which gives only one: say if they were other byes."
    ),
    "cross-below": _("Rows below the cross table that were left out: %(count)s. Check whether they matter."),
}

CROSS_ADJUSTMENTS: dict[str, str] = {
    "cross-blank": _("The cell of a round that was played is blank; it was read as an absence."),
    "cross-several-byes": _("A point without an opponent was read as a bye given by the pairing."),
}
