"""Messages about FlipTheDisc's JSON; `messages` collects those of all formats."""


def _(text: str) -> str:
    """Marks a template for makemessages; it is translated where it is shown."""
    return text


FLIP_THE_DISC: dict[str, str] = {
    "ftd-not-read": _(
        "This is no whole tournament of FlipTheDisc's. Save the tournament again; or save it there as .ELO, "
        "and upload that file."
    ),
    "ftd-player-not-read": _(
        "A player of the list has no number of FlipTheDisc's, or one that another has. Save the tournament "
        "again; or save it there as .ELO, and upload that file."
    ),
    "ftd-round-not-read": _(
        "A round has no number, or one that another has. Save the tournament again; or save it there as "
        ".ELO, and upload that file."
    ),
    "ftd-pair-not-read": _(
        "A game of round %(round)s cannot be read: its players are not in the list, or its result is none "
        "of FlipTheDisc's. Correct it there and save the tournament again."
    ),
    "ftd-twice-in-a-round": _(
        "%(player)s plays twice in round %(round)s. Correct the pairing in FlipTheDisc and save the "
        "tournament again."
    ),
    "ftd-discs-contradict": _(
        "Round %(round)s: %(player)s has %(discs)s discs, which the result contradicts. The result counts; "
        "check it."
    ),
    "ftd-colours": _(
        "FlipTheDisc does not say who had black: whoever is listed first is taken to have had it. Games: "
        "%(games)s."
    ),
    "ftd-without-number": _(
        "Players without a number of the world federation: %(count)s, for example %(sample)s. Say under "
        "Players who they are."
    ),
}
FLIP_THE_DISC_ADJUSTMENTS: dict[str, str] = {
    "ftd-final": _("A round beside the scheduled ones follows them."),
    "ftd-alone": _("Whoever is paired with nobody has a bye given by the pairing."),
}
