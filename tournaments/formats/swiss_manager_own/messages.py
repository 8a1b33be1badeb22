"""Messages about Swiss-Manager's own tournament file; `messages` collects those of all formats."""


def _(text: str) -> str:
    """Marks a template for makemessages; it is translated where it is shown."""
    return text


OWN_FILE: dict[str, str] = {
    "tunx-check": _(
        "This is Swiss-Manager's own file, whose layout is not published. What was read: %(players)s "
        "players, %(rounds)s rounds, %(games)s games. Compare them, and each player's points, with "
        "Swiss-Manager. Sex, tie-breaks, places and teams are not read; the TRF16 that Swiss-Manager exports "
        "has them."
    ),
    "tunx-not-read": _(
        "This file of Swiss-Manager's cannot be read here: %(what)s. In Swiss-Manager choose Extras, FIDE "
        "data export TRF16, and upload the text file that it writes."
    ),
    "tunx-teams": _(
        "This is a team tournament of Swiss-Manager's, whose own file is not read here. In Swiss-Manager "
        "choose Extras, FIDE data export TRF16, and upload the text file that it writes."
    ),
    "tunx-counts-differ": _(
        "This file says %(said)s, and %(read)s could be read: it cannot be trusted. In Swiss-Manager choose "
        "Extras, FIDE data export TRF16, and upload the text file that it writes."
    ),
    "tunx-result-not-known": _(
        "Round %(round)s has a result (%(code)s) that is not known here. In Swiss-Manager choose Extras, "
        "FIDE data export TRF16, and upload the text file that it writes."
    ),
}
OWN_FILE_ADJUSTMENTS: dict[str, str] = {
    "tunx-bye-assumed": _("Nobody was the opponent and there were points: this was read as a bye."),
    "tunx-not-paired": _("Nobody was the opponent and there were no points: this was read as an absence."),
}
