"""Messages about plain tables; `messages` collects those of all formats."""


def _(text: str) -> str:
    """Marks a template for makemessages; it is translated where it is shown."""
    return text


TABLES: dict[str, str] = {
    # Workbooks.
    "xlsx-broken": _(
        "This workbook cannot be opened; it seems damaged. Open it in your spreadsheet program, save it "
        "again as XLSX, and upload that file."
    ),
    "xlsx-locked": _("This workbook is locked by a password. Save it without one and upload it again."),
    "xlsx-entities": _(
        "This workbook holds definitions (a DOCTYPE) that no spreadsheet program writes, so it is not "
        "opened. Save it again as XLSX in your spreadsheet program."
    ),
    "xlsx-unpacks-too-big": _(
        "This workbook unpacks to more than %(most)s MB, or to too many parts, which no tournament needs. "
        "Copy its tables into a new workbook and upload that."
    ),
    "xlsx-too-many-cells": _(
        "This workbook has more than %(most)s cells. Keep only the tables of this section."
    ),
    "xlsx-far-cell": _(
        "Cell %(cell)s is not empty and is far from any table: at most %(rows)s rows and %(columns)s "
        "columns are allowed. Copy the tables into a new workbook and upload that."
    ),
    "xlsx-far-row": _(
        "The workbook has %(row)s rows, and at most %(most)s are allowed. Delete what is below the tables, "
        "or copy the tables into a new workbook."
    ),
    "xlsx-formula-without-value": _(
        "Cell %(cell)s holds a formula without its value. Open the workbook in your spreadsheet program, save"
        " it there, and upload it again."
    ),
    "xlsx-hidden-sheet": _(
        "The hidden worksheet “%(sheet)s” is not read. Show it if it belongs to the file."
    ),
    # The table as a whole.
    "table-no-players": _(
        "The file names no players. It needs a table whose first row has the words surname, first name and "
        "the other columns of the players, and below it a row for each of them."
    ),
    "table-players-twice": _(
        "A second table of players begins here; the first is on line %(first)s. Upload one file for each "
        "section."
    ),
    "table-column-missing": _(
        "The table of games has missing columns: %(columns)s. Add them to the header row, or use the table "
        "that you can download here."
    ),
    "table-column-twice": _("The column %(named)s is in the header row twice. Remove or rename one."),
    "table-column-unknown": _(
        "The column “%(named)s” is unknown and was left out. Rename it if the table should have it."
    ),
    "table-above-header": _(
        "Rows above the header row that were left out: %(count)s. Check whether they matter."
    ),
    "table-other-sheets": _(
        "Rows on worksheets without the table that were left out: %(count)s, the first of them here. Check "
        "whether they matter."
    ),
    "table-too-wide": _(
        "The table has more than %(most)s columns. Remove the columns that the table does not need."
    ),
    "table-too-many-cells": _(
        "The file has more than %(most)s cells. Keep only the tables of this section, and remove empty rows "
        "and columns."
    ),
    "table-row-too-long": _(
        "This row has more cells than the header row. A text with the separator in it must stand in double "
        "quotes."
    ),
    "table-cell-too-long": _(
        "The column %(named)s has more than %(most)s characters here. Shorten the text and upload the "
        "file again."
    ),
    "table-quote-open": _(
        "A double quote opens here, and none closes the cell on this line. Close it or remove it; a cell "
        "must end on its own line."
    ),
    "table-cell-not-read": _("“%(text)s” cannot be read in the column %(named)s and was left out."),
    # Players.
    "table-number-not-read": _(
        "“%(text)s” is not a start number. Give each player a whole number from 1 on, or remove the column."
    ),
    "table-no-surname": _("Start number %(number)s has no surname. Add it and upload the file again."),
    "table-place-not-read": _(
        "“%(text)s” is not a place. Write a whole number from 1 on; players who share a place have the same "
        "number."
    ),
    # Games.
    "table-round-not-read": _("“%(text)s” is not a round. Write a whole number from 1 to %(most)s."),
    "table-rounds-missing": _(
        "The file has no games of these rounds: %(rounds)s. If they were played, add them and upload it "
        "again."
    ),
    "table-rounds-mixed": _(
        "This game of round %(round)s is below games of a later round. Games count by round, and within a "
        "round in the order of the rows: check that they were played in this order."
    ),
    "table-player-not-read": _(
        "“%(text)s” is not a start number. Write the number that the player has in the table of players."
    ),
    "table-player-not-listed": _(
        "Start number %(text)s is not in the table of players. Add the player, or correct the number."
    ),
    "table-no-result": _(
        "This game has no result. Write 1-0, 0-1, 1/2 or 0-0; +:-, -:+ or -:- for a forfeit; or annulled."
    ),
    "table-result-not-read": _(
        "“%(text)s” is not a result. Write 1-0, 0-1, = (a draw) or 0-0; +:-, -:+ or -:- for a forfeit; or "
        "annulled. If a spreadsheet turned it into a date, set the column to text first."
    ),
    "table-bye-with-second": _(
        "“%(text)s” is a bye, but a second player stands in this row. Empty that cell, or give the game's "
        "result."
    ),
    "table-bye-not-read": _(
        "The column second is empty, so this row is a bye, and “%(text)s” is not a kind of bye. Write "
        "pairing, full, half or zero, or give the second player."
    ),
    "table-bye-twice": _(
        "Start number %(number)s has a bye in round %(round)s on line %(first)s already. Remove one of the "
        "two."
    ),
}

TABLE_ADJUSTMENTS: dict[str, str] = {
    "table-cell-not-read": _("A cell could not be read and was left out."),
    "table-half-as-date": _("A spreadsheet had turned 1/2 into a date; it was read as a draw."),
    "table-rounds-mixed": _("The games were sorted by round."),
}
