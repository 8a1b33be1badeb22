"""Messages about Lichess's JSON; `messages` collects those of all formats."""


def _(text: str) -> str:
    """Marks a template for makemessages; it is translated where it is shown."""
    return text


LICHESS_RESULTS: dict[str, str] = {
    "lichess-not-read": _("From this line on, the file is not a Lichess list of results. Download it again."),
    "lichess-result-not-read": _(
        "The rank, the points or the user's name on this line cannot be read. Download the results again."
    ),
    "lichess-arena": _(
        "These are the results of an arena, which has no rounds, so it cannot be rated here. A Swiss "
        "tournament from Lichess can be rated."
    ),
    "lichess-no-results": _(
        "This is Lichess's description of a Swiss tournament, without results. Take the TRF of that "
        "tournament, which is at https://lichess.org/swiss/%(id)s.trf, and upload that."
    ),
    "lichess-absent": _(
        "Players whom Lichess marks as absent at the end: %(count)s (%(names)s). They keep their places; "
        "check whether they belong there."
    ),
}
