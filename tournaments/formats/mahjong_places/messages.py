"""Messages about mahjong's tables of places; `messages` collects those of all formats."""


def _(text: str) -> str:
    """Marks a template for makemessages; it is translated where it is shown."""
    return text


PLACEMENT: dict[str, str] = {
    "placement-no-players": _(
        "The table has a header row but no players below it. Fill it in, or export it again with its players."
    ),
    "placement-substitutes": _(
        "This row is for substitutes (“%(name)s”), not for a player, so its place belongs to nobody. Write "
        "the name of the player who has the place; or remove the row, and correct the places below it. Then "
        "upload the file again."
    ),
    "placement-not-listed": _(
        "Rows whose players the portal was told not to look up (load_player): %(count)s, for example "
        "“%(sample)s”. They are looked up in the register like all others; say under Players who they are."
    ),
    "placement-load-player": _(
        "“%(text)s” is neither true nor false in the column load_player. The player is looked up in the "
        "register like all others."
    ),
    "placement-fewer-games-above": _(
        "Place %(place)s played %(games)s games and stands above a player with %(other)s. Those who played "
        "fewer games go last. The places are taken as they are: check them."
    ),
    "placement-tie-parted": _(
        "The places %(place)s and %(other)s have the same games and the same score. Those who tie share the "
        "place. The places are taken as they are: check them."
    ),
    "placement-tie-unlike": _(
        "Place %(place)s is shared here by players whose games or scores differ. The places are taken as "
        "they are: check them."
    ),
    "placement-games-not-read": _(
        "“%(text)s” is not a number of games. It is left out, and the order of the places is not compared "
        "with "
        "it."
    ),
    "placement-ema-number": _(
        "“%(text)s” is not a number of the European Mahjong Association, which has eight digits. It is left "
        "out; the player is looked up by name."
    ),
    "placement-twice": _(
        "A second table of places begins here; the first begins at %(first)s. Upload one file for each "
        "section."
    ),
    "placement-several-tournaments": _(
        "Another tournament begins here (“%(name)s”; above it is “%(first)s”). Upload one file for each "
        "section."
    ),
    "placement-players-missing": _(
        "The sheet says that %(declared)s players took part, and lists %(found)s. The value of a place "
        "depends on the number of players: complete the sheet, or correct the number."
    ),
    "placement-players-more": _(
        "The sheet says that %(declared)s players took part, and lists %(found)s. Check that nobody is "
        "listed twice."
    ),
    "placement-date-not-used": _(
        "The sheet gives one day, “%(text)s”, and does not say that the tournament had only one. The days "
        "stay as they were registered; check them in the form."
    ),
    "placement-number-not-read": _(
        "“%(text)s” is not a number of participants. It is left out, and the rows are not counted against it."
    ),
}

PLACEMENT_ADJUSTMENTS: dict[str, str] = {
    "placement-ema-zero": _(
        "An EMA number of seven digits had lost its leading zero, as happens in spreadsheets; the zero was "
        "added."
    ),
    "placement-ema-number": _("An EMA number could not be read and was left out."),
    "placement-names-parted": _(
        "Names of two words were split as the portal does it, into surname and first name. This is the "
        "first of them."
    ),
    "placement-games-not-read": _("A number of games could not be read and was left out."),
    "placement-load-player": _("A value that is neither true nor false was read as true."),
    "placement-date-not-used": _("A day was left out because it may be one of several."),
    "placement-number-not-read": _("A number of participants could not be read and was left out."),
}
