"""The words for every finding and adjustment of all readers of event files, and for a box that died, by key.

Plain English, pure; the office's pages put `gettext` around a template and then fill it in. A finding's own
line and column are shown beside it and are not in its words.
"""

from ratings.rulesets.facts import gettext_noop as _

MESSAGES: dict[str, str] = {
    # Files that are no text, or not ours.
    "empty": _("The file is empty. Export the tournament again and upload the new file."),
    "too-big": _(
        "The file is larger than 2 MB, which no tournament report is. Check that you chose the right file."
    ),
    "is-pdf": _(
        "This is a PDF. Export the tournament from your pairing program in one of the formats that this page "
        "names, and upload that file."
    ),
    "is-zip": _(
        "This ZIP archive cannot be read here: it is damaged or empty, or holds another archive. Unpack it "
        "and upload the tournament file that is in it, as it is or alone in a ZIP."
    ),
    "zip-of-several": _(
        "This ZIP archive has several files (%(names)s). Upload it on the event's page, where you choose a "
        "section for each file."
    ),
    "is-archive": _("This is a compressed archive. Unpack it and upload the tournament file that is in it."),
    "is-old-office": _(
        "This is an old Excel or Word file, or a workbook that a password locks. Save it as XLSX without a "
        "password, or export the tournament in one of the formats that this page names."
    ),
    "is-office-document": _(
        "This is a document of an office program (ODS, ODT, DOCX), which is not read here. Save the table as "
        "XLSX or CSV, or export the tournament in one of the formats that this page names."
    ),
    "is-picture": _(
        "This is a picture. Export the tournament from your pairing program in one of the formats that this "
        "page names, and upload that file."
    ),
    "is-swiss-manager": _(
        "This is Swiss-Manager's own file. In Swiss-Manager choose Extras, FIDE data export TRF16, and upload"
        " the text file that it writes."
    ),
    "is-swiss-perfect": _(
        "This is one of the files in which SwissPerfect keeps a tournament (ini, trn, sco). Upload the three "
        "together in a ZIP; or choose Export, FIDE (Krause) in SwissPerfect, and upload what it writes."
    ),
    "is-lichess-results": _(
        "These are results from Lichess without games. Add .trf to the address of the tournament's page "
        "(https://lichess.org/swiss/…), and upload the TRF that is there."
    ),
    "is-player-list": _(
        "This is a list of players or ratings and not a tournament. The office takes such lists in on the "
        "page of its register: give it to an official or an administrator."
    ),
    "is-binary": _(
        "This is not a text file. Export the tournament from your pairing program in one of the formats that "
        "this page names."
    ),
    "is-web-page": _(
        "This is a web page. Download the tournament in one of the formats that this page names instead of "
        "saving the page."
    ),
    "is-markup": _(
        "This is an XML or JSON file that no reader here knows. Export the tournament from your pairing "
        "program in one of the formats that this page names."
    ),
    "not-recognised": _(
        "No format that is read here fits this file. Export the tournament in one of the formats that this "
        "page names, or fill in the table that you can download here: its first row names the columns."
    ),
    "no-players": _(
        "The file has the head of a tournament report but no player's line (001). Export the tournament "
        "again, with its players."
    ),
    "too-many-lines": _("The file has more than %(most)s lines. Upload one file for each section."),
    "too-much-play": _(
        "The file has more than %(most)s games and byes, which is more than a section can have. Upload one "
        "file for each section."
    ),
    "line-too-long": _("This line is longer than %(most)s characters. Export the tournament again."),
    "cut-in-character": _(
        "The file ends in the middle of a letter: it was cut off. Export or download it again."
    ),
    "encoding-guessed": _(
        "The file is not UTF-8, so it was read as %(encoding)s. Check the names, beginning with this line: "
        "“%(sample)s”. If letters are wrong, save the file as UTF-8 and upload it again."
    ),
    "odd-character": _(
        "There is an invisible character here (%(code)s). Remove it, or type the name again in the pairing "
        "program."
    ),
    "too-much-to-list": _(
        "This file has more findings than fit here (%(more)s more). Correct the findings above first."
    ),
    # The head of the file.
    "repeated-record": _(
        "Record %(code)s is there twice; the one on line %(first)s is used. Remove the other one if this is "
        "right."
    ),
    "number-not-read": _(
        "Record %(code)s should hold a number and says “%(text)s”. It is left out; correct it in the form."
    ),
    "date-unclear": _("“%(text)s” can be read as two different days. Give the date in the form."),
    "date-by-program": _(
        "“%(text)s” can be read as two different days, and no other date of the file says which. It is read "
        "as %(day)s, with the day first as %(program)s writes it. Check it, and correct it in the form."
    ),
    "date-not-read": _("“%(text)s” cannot be read as a date. Give the date in the form."),
    "ends-before-start": _(
        "The last day (%(ends)s) is before the first (%(starts)s). Correct the dates in the form."
    ),
    "round-dates-shifted": _(
        "The dates of the rounds (record 132) do not begin at column 92, so they are not read. Give them in "
        "the form."
    ),
    "round-dates-in-order": _(
        "The dates of the rounds (record 132) are not in their columns. There are as many dates as lines or "
        "rounds, so they are read in their order. Check them in the form."
    ),
    "round-date-not-read": _("The date of round %(round)s, “%(text)s”, cannot be read. Give it in the form."),
    "team-not-read": _(
        "The players of the team “%(team)s” cannot be read: from this column on there should be start "
        "numbers only."
    ),
    "team-member-missing": _(
        "The team “%(team)s” names start number %(number)s, whom the file does not list."
    ),
    "not-used": _(
        "Records that this office does not use: %(codes)s. Lines left out: %(count)s. Check whether they "
        "matter."
    ),
    "lines-not-understood": _(
        "Lines that are not records of a tournament report and were left out: %(count)s. Check whether they "
        "matter."
    ),
    "online-platform": _(
        "This section was played on %(platform)s: the names are user names, and the platform's own ratings "
        "are left out. Say in the form that the section was played online, and find the players by their "
        "user names."
    ),
    "older-dialect": _(
        "This is the older form of the report (Krause, TRF06). Its ids, ratings and three-letter codes may "
        "be a club's or a federation's own, and byes may be left blank: look at the players found and the "
        "points."
    ),
    "unequal-times": _(
        "The time control “%(text)s” gives the two sides different times. Say in the form what each had."
    ),
    "national-not-read": _(
        "From here on, the %(code)s line does not follow the columns of a player's line, so it is not read. "
        "Export the file again."
    ),
    "national-birth-differs": _(
        "The %(code)s line gives start number %(number)s another date of birth than the player's line, which "
        "is used. Correct the wrong one."
    ),
    "beside-nobody": _(
        "Lines beside the players (national lines, DAT) that fit no start number, or stand twice, and were "
        "left out: %(count)s."
    ),
    "extra-data-left-out": _(
        "The file has data of players that this office does not keep (DAT: %(kinds)s). It is left out."
    ),
    "bye-of-nobody": _(
        "Record 240 gives start number %(number)s a bye in round %(round)s, and the file does not list that "
        "player."
    ),
    "bye-differs": _(
        "Record 240 gives start number %(number)s a bye (%(code)s) in round %(round)s; the player's line "
        "%(other_line)s says otherwise and is used. Check it."
    ),
    "points-by-own-values": _(
        "This tournament counts other points than 1, ½ and 0 for some results; the players' points are "
        "compared by those. Ratings go by the results alone."
    ),
    "points-adjusted": _(
        "Start number %(number)s: record 299 changes the points by %(points)s, apart from the results. The "
        "tournament uses these points; they change no rating."
    ),
    "name-missing": _("The file does not name the tournament (record 012). Give the name in the form."),
    "starts-missing": _("The file does not give the first day (record 042). Give it in the form."),
    "ends-missing": _("The file does not give the last day (record 052). Give it in the form."),
    "rounds-missing": _(
        "The file does not say how many rounds were scheduled (record 142); it holds %(played)s. Give the "
        "number in the form."
    ),
    "rounds-disagree": _(
        "Records 142 and XXR give different numbers of rounds; the greater, %(rounds)s, is used. Check it in "
        "the form."
    ),
    "more-rounds-than-scheduled": _(
        "The file holds %(played)s rounds, and %(scheduled)s were scheduled. Give the number of scheduled "
        "rounds in the form."
    ),
    "fewer-rounds-than-scheduled": _(
        "Scheduled rounds: %(scheduled)s; rounds with games: %(played)s. If rounds are still to come, upload "
        "the file after the last."
    ),
    "round-dates-missing": _(
        "The file does not date these rounds (record 132): %(rounds)s. Give their dates in the form."
    ),
    "no-games": _("The file holds no game. Export the tournament after its rounds are played."),
    "players-missing": _(
        "Players declared (record 062): %(declared)s; players' lines found: %(found)s. The file seems cut "
        "off: export it again."
    ),
    "players-more": _(
        "Players declared (record 062): %(declared)s; players' lines found: %(found)s. Check that no one is "
        "listed twice."
    ),
    # Players' lines.
    "columns-shifted": _(
        "From this column on the line does not keep to the columns of TRF16, so it is not read. Export the "
        "file again; if it was edited by hand, move the text back below the lines above it."
    ),
    "columns-not-kept": _(
        "This player's line does not keep to the columns of TRF16: its first fields stand elsewhere. Blanks "
        "were lost, for example in a mail or a web page. Export the file again and upload it unchanged."
    ),
    "tab": _(
        "There is a tab in this player's line, so its columns are not clear. Replace the tab with spaces, "
        "or export the file again."
    ),
    "line-cut": _("This player's line breaks off here. The file seems cut off: export it again."),
    "start-number-twice": _(
        "Start number %(number)s is on line %(first)s already. Give each player a number of their own and"
        " export again."
    ),
    "start-number-zero": _(
        "A start number is 1 or more; 0 stands for “no opponent”. Correct it and export again."
    ),
    "player-without-name": _(
        "Start number %(number)s has no name (columns 15–47). Add it in the pairing program and export again."
    ),
    "identifier-twice": _(
        "The player on line %(first)s has the same id, %(id)s. Correct the wrong one of the two and export "
        "again."
    ),
    "birth-not-read": _("“%(text)s” cannot be read as a date of birth. It is left out."),
    "names-not-parted": _(
        "Names without a comma between surname and first name: %(count)s, for example “%(sample)s”. They are "
        "matched as they stand."
    ),
    "too-many-rounds": _("The line continues beyond round %(most)s. Upload one file for each section."),
    "points-differ": _(
        "Start number %(number)s: the file says %(filed)s points, the results add up to %(counted)s. The "
        "results count; check them."
    ),
    # Games.
    "unknown-result": _("“%(result)s” is not a TRF16 result (round %(round)s). Correct it and export again."),
    "plays-self": _(
        "Start number %(number)s plays against themselves in round %(round)s. Correct the pairing and export "
        "again."
    ),
    "opponent-missing": _(
        "The opponent with start number %(opponent)s (rounds: %(rounds)s) is not in the file. Add the player,"
        " or correct the pairing, and export again."
    ),
    "opponent-elsewhere": _(
        "Round %(round)s: %(number)s names %(opponent)s as opponent, but %(opponent)s names %(says)s. Correct"
        " the pairing and export again."
    ),
    "opponent-free": _(
        "Round %(round)s: %(number)s names %(opponent)s as opponent, but the line of %(opponent)s has no "
        "opponent in that round. Correct the pairing and export again."
    ),
    "same-colour": _(
        "Round %(round)s: %(number)s and %(opponent)s (line %(other_line)s) have the same colour against each"
        " other. Correct it and export again."
    ),
    "colour-missing": _(
        "Round %(round)s: the game of %(number)s has no colours. Set them in the pairing program and export "
        "again."
    ),
    "results-disagree": _(
        "Round %(round)s: %(number)s against %(opponent)s is “%(result)s” here and “%(other)s” on line "
        "%(other_line)s. The two results contradict each other: enter the right result and export again."
    ),
    "round-unfinished": _(
        "Round %(round)s: games without a result: %(games)s. Enter the results and export again."
    ),
    "both-lost": _(
        "Round %(round)s: both %(number)s and %(opponent)s lost a game that was played. Check that it is so."
    ),
    "win-without-opponent": _(
        "Start number %(number)s has a forfeit win without an opponent (rounds: %(rounds)s). It is read as a "
        "bye given by the pairing; say in the form if it was another kind of bye."
    ),
    "result-without-opponent": _(
        "Start number %(number)s has a result without an opponent (rounds: %(rounds)s). It is read as a bye; "
        "say if it was a game against somebody whom the file does not list."
    ),
    # Workbooks.
    "xlsx-needs-package": _(
        "Workbooks are read here only with the Python package openpyxl. Install it, or save the table as CSV."
    ),
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
    # Plain tables.
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
    "table-column-beside": _(
        "The column “%(named)s” was left out, since “%(read)s” says the same. Check that the right one was "
        "read."
    ),
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
    # Plain tables: players.
    "table-number-not-read": _(
        "“%(text)s” is not a start number. Give each player a whole number from 1 on, or remove the column."
    ),
    "table-no-surname": _("Start number %(number)s has no surname. Add it and upload the file again."),
    "table-place-not-read": _(
        "“%(text)s” is not a place. Write a whole number from 1 on; players who share a place have the same "
        "number."
    ),
    # Plain tables: games.
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
    # Swiss-Manager's text tables.
    "sm-pairings-missing": _(
        "These are Swiss-Manager's players (Spielerdaten), without their games. In "
        "Swiss-Manager choose Extras (Other), Data import/export, export Pairings (Spielerauslosung) as a "
        "text file for all rounds, and upload the two in one ZIP, or one below the other in one file."
    ),
    "sm-players-missing": _(
        "These are Swiss-Manager's pairings (Spielerauslosung), without the players. In "
        "Swiss-Manager choose Extras (Other), Data import/export, export Player data (Spielerdaten) as a "
        "text file, and upload the two in one ZIP, or one below the other in one file."
    ),
    "sm-players-twice": _(
        "A second table of players (Spielerdaten) begins here; the first is on line %(first)s. Put the two "
        "tables of one section together, and upload each section by itself."
    ),
    "sm-no-players": _(
        "The table of players (Spielerdaten) has no readable player. Export it again from Swiss-Manager."
    ),
    "sm-no-pairings": _(
        "The pairings (Spielerauslosung) have no readable game. Export them again from "
        "Swiss-Manager, for the rounds from 1 to the last."
    ),
    "sm-column-missing": _(
        "This Swiss-Manager table has missing columns: %(columns)s. Export it again and leave its first row "
        "as it is."
    ),
    "sm-rounds-missing": _(
        "These rounds are missing from the pairings (Spielerauslosung): %(rounds)s. Export them again from "
        "Swiss-Manager for the rounds from 1 to the last, or put the missing part below."
    ),
    "sm-other-ids": _(
        "The pairings name ids that are not their players' (lines: %(count)s, the first has %(id)s). The two "
        "tables may be of different tournaments, or from before a correction: export both again, or check "
        "the players and continue."
    ),
    # Swiss-Manager's text tables: games.
    "sm-player-not-listed": _(
        "Start number %(text)s is not in the table of players (Spielerdaten). The two tables may be of "
        "different tournaments, or a player came later: export both again from Swiss-Manager."
    ),
    "sm-player-not-read": _(
        "“%(text)s” is not a start number of a player; -1 stands for a bye. Export the pairings again from "
        "Swiss-Manager, or export TRF16 if these are boards of teams."
    ),
    "sm-twice-in-round": _(
        "Start number %(number)s stands in round %(round)s already, on line %(first)s. Two exports of one "
        "round may stand in this file: keep the newer one."
    ),
    "sm-result-not-read": _(
        "“%(text)s” cannot be read as a result: 1:0, ½:½ or 0:1, with K behind it for a forfeit. If the "
        "tournament gives other points for a game, export TRF16 from Swiss-Manager instead."
    ),
    "sm-results-differ": _(
        "The result is “%(text)s” in the column Erg, and ErgW, ErgS and Kontumaz say “%(other)s”. Export the "
        "pairings again from Swiss-Manager."
    ),
    # Swiss-Manager's text tables: rounds in which a player is not paired.
    "sm-bye-half": _(
        "Start number %(number)s is not paired in round %(rounds)s, and has %(filed)s points where the "
        "results add up to %(counted)s: it is read as a half-point bye. Check that."
    ),
    "sm-bye-full": _(
        "Start number %(number)s is not paired (rounds: %(rounds)s), and has %(filed)s points where the "
        "results add up to %(counted)s: each is read as a full-point bye. Check that."
    ),
    "sm-absences-unclear": _(
        "Start number %(number)s is not paired (rounds: %(rounds)s). The file says %(filed)s points, the "
        "results add up to %(counted)s, and these exports do not say in which round a bye made the "
        "difference. All are read as absent: export TRF16 from Swiss-Manager if a bye matters."
    ),
    "sm-absences-open": _(
        "Start number %(number)s is not paired (rounds: %(rounds)s). These exports do not say whether a bye "
        "was asked for, and there are no points to tell. All are read as absent: export TRF16 from "
        "Swiss-Manager if a bye matters."
    ),
    "sm-points-of-another-round": _(
        "The points of the table of players do not fit the results (players: %(count)s): it seems to be from "
        "another round. They are added up from the results instead. Export both tables after the last round "
        "if it is not so."
    ),
    # SwissPerfect.
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
    # Cross tables.
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
        "Download the cross table with only one of the two columns, or export TRF16 from the pairing program."
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
    "cross-no-colours": _(
        "The cells of this table have no colours: whoever stands further up is taken to have had white. If "
        "colours matter, export TRF16 from the pairing program instead."
    ),
    "cross-several-byes": _(
        "Several players have a point without an opponent in round %(round)s (%(count)s). They are read as "
        "byes given by the pairing, which gives only one: say if they were other byes."
    ),
    "cross-below": _("Rows below the cross table that were left out: %(count)s. Check whether they matter."),
    # Tables of places.
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
        "with it."
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
    # .ELO files.
    "elo-no-games": _(
        "The file holds no game. A game is a line such as 5707 (28)<(36) 5725. Write the file after the "
        "rounds are played, and upload it again."
    ),
    "elo-line-not-read": _(
        "“%(text)s” cannot be read here. A game is read as 5707 (28)<(36) 5725, and a comment from its per "
        "cent sign on. Write the line so and upload the file again; if the program wrote it, tell the office."
    ),
    "elo-comments-left-out": _(
        "Comments that were left out: %(count)s. Check whether they matter: byes and forfeits, for example, "
        "are only in comments."
    ),
    "elo-header-twice": _(
        "This header is on line %(first)s already, and that line is used. Remove the other one if that is "
        "right."
    ),
    # .ELO files: players.
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
    # .ELO files: places.
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
    # .ELO files: games.
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
        "No comment that is understood here says where the rounds begin. The games keep their order, and a "
        "new round begins where somebody plays again. Check the rounds."
    ),
    "elo-rounds-spread": _(
        "The games are not listed round by round: somebody plays again too soon. They are spread over "
        "%(rounds)s rounds in which nobody plays twice, which may not be the order of play. If ratings "
        "depend on it, write the rounds into the file as comments and upload it again."
    ),
    "elo-too-many-rounds": _(
        "From here on there would be more than %(most)s rounds. Upload one file for each section."
    ),
    # FlipTheDisc.
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
    # Games abroad.
    "abroad-line-not-read": _(
        "This line cannot be read as a game: round, result (1, 0 or =), colour (W or B), the opponent's "
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
    # Swiss-Manager's own file.
    "tunx-check": _(
        "This is Swiss-Manager's own file, whose maker does not publish its layout. What was read: "
        "%(players)s players, %(rounds)s rounds, %(games)s games. Compare them, and each player's points, "
        "with Swiss-Manager. Sex, tie-breaks, places and teams are not read; the TRF16 that Swiss-Manager "
        "exports has them."
    ),
    "tunx-not-read": _(
        "This file of Swiss-Manager's cannot be read here: %(what)s. In Swiss-Manager choose Extras, FIDE "
        "data export TRF16, and upload the text file that it writes."
    ),
    "tunx-teams": _(
        "This is a team tournament of Swiss-Manager's, whose own file is not read here. In Swiss-Manager "
        "choose Extras, FIDE data export TRF16, and upload the text file that it writes."
    ),
    "tunx-both-nought": _(
        "Round %(round)s: %(number)s and %(opponent)s both have nought, and this file does not say whether "
        "they played. It is read as a game that both lost: correct it if it was a forfeit of both."
    ),
    "tunx-result-not-known": _(
        "Round %(round)s has a result (%(code)s) that is not known here. In Swiss-Manager choose Extras, "
        "FIDE data export TRF16, and upload the text file that it writes."
    ),
    # ZIP archives with files of several sections.
    "archive-no-zip": _(
        "This is not a ZIP archive. Pack the files of the sections into one, or upload this file on the page "
        "of its section."
    ),
    "archive-is-workbook": _("This is a workbook, not a ZIP of files. Upload it on the page of its section."),
    "archive-too-big": _(
        "The archive is larger than %(most)s MB. Pack the files of the tournament only, or upload each on "
        "the page of its section."
    ),
    "archive-empty": _("There is no file in this ZIP archive. Pack the files of the sections again."),
    "archive-too-many": _(
        "There are %(count)s files in this ZIP archive, and at most %(most)s are allowed. Pack only the "
        "files of the tournament."
    ),
    "archive-unpacks-too-big": _(
        "This ZIP archive unpacks to more than %(most)s MB, which no event needs. Pack only the files of the "
        "tournament."
    ),
    "history-too-big": _(
        "These files are larger than %(most)s MB, packed. Leave out what is no event file, or give them in "
        "several batches, one after the other."
    ),
    "history-too-many": _(
        "There are %(count)s files, and at most %(most)s go in at a time. Give them in several batches, one "
        "after the other."
    ),
    "history-unpacks-too-big": _(
        "These files are larger than %(most)s MB. Leave out what is no event file, or give them in several "
        "batches, one after the other."
    ),
    "archive-locked": _(
        "This ZIP archive is locked by a password (%(name)s). Pack the files without one and upload it again."
    ),
    "archive-packed-otherwise": _(
        "A file in this ZIP archive is packed in a way that is not opened here (%(name)s). Pack the files "
        "with the tool of your own system: “Compressed folder” or “Compress”."
    ),
    "archive-same-name": _(
        "Two files have the same name (%(name)s), so it is not clear which one you mean. Give one of them "
        "another name, short of 200 letters, and pack the files again."
    ),
    "archive-broken": _(
        "This ZIP archive is damaged and cannot be unpacked. Pack the files again and upload that archive."
    ),
    # One file of such an archive.
    "zip-within": _(
        "This is an archive within the archive, which is not opened. Unpack it and pack its files with the "
        "others."
    ),
    "file-too-big": _("This file is larger than 2 MB. Event files are smaller."),
    # The box.
    "box-time": _(
        "Reading this file took too long and was stopped. Export the tournament again; if that does not help,"
        " write to the office."
    ),
    "box-memory": _(
        "This file needs too much memory to read. Export the tournament again; if that does not help, write "
        "to the office."
    ),
    "box-output": _(
        "This file has more data than a tournament can have. Check that you chose the right file."
    ),
    "box-crash": _(
        "We could not read this file because of an error in our program. We keep the file: "
        "please write to the office."
    ),
}

ADJUSTMENTS: dict[str, str] = {
    "encoding-guessed": _("The file is not UTF-8; it was read in an older encoding."),
    "date-settled": _("A date with two readings; with the other dates of the file only one of them fits."),
    "encoding-wide": _("The file is saved as UTF-16; it was read so."),
    "unpacked": _("The file was unpacked from an archive and read."),
    "line-not-used": _("The office does not use this line."),
    "lines-not-used": _("The office does not use further lines, from this one on: their number."),
    "text-cut": _("A text of more than 200 characters was cut."),
    "number-not-read": _("A number could not be read and was left out."),
    "placeholder-date": _(
        "A date in the far future is what the program writes when none was entered; it was left out."
    ),
    "day-before-month": _("The date was read with the day before the month."),
    "round-date-not-read": _("The date of a round could not be read and was left out."),
    "round-dates-in-order": _("The date of a round was not in its columns and was read by its order."),
    "team-by-blanks": _("A team was not in its columns and was read by the spaces between the words."),
    "rating-of-platform": _("The rating is the platform's own and was left out."),
    "national-birth-differs": _("There were two dates of birth; the one in the player's line was used."),
    "bye-announced": _("The line left the bye open; record 240 says which it was."),
    "open-result": _("A result that is still open was read as no result."),
    "deputies-parted": _("Several deputies on one line were separated at the commas."),
    "sex-not-read": _("The sex is neither m nor f (w) and was left out."),
    "birth-not-read": _("The date of birth could not be read and was left out."),
    "points-missing": _("The points were missing and were added up from the results."),
    "colour-from-opponent": _("The colour was missing and follows from the opponent's."),
    "short-game": _(
        "A game decided before both sides had moved does not count as a game: it is a forfeit, excused for "
        "the loser."
    ),
    "short-draw": _(
        "A draw before both sides had moved does not count as a game: it is a half-point bye for both."
    ),
    "round-superfluous": _(
        "An absence in a round after the last scheduled one, in which nobody plays, was left out."
    ),
    "absent": _("A loss without an opponent is an absence: a zero-point bye."),
    "win-without-opponent": _("A forfeit win without an opponent was read as a bye given by the pairing."),
    "result-without-opponent": _("A result without an opponent was read as a bye."),
    "surnames-in-capitals": _(
        "Surnames in capital letters were changed to small letters. This is the first of them."
    ),
    # Plain tables.
    "table-cell-not-read": _("A cell could not be read and was left out."),
    "table-half-as-date": _("A spreadsheet had turned 1/2 into a date; it was read as a draw."),
    "table-rounds-mixed": _("The games were sorted by round."),
    # Swiss-Manager's text tables.
    "unpacked-together": _("Tables of one section in the archive were unpacked and read together."),
    "sm-result-as-time": _(
        "A spreadsheet had turned a result into a time; the result follows from the points beside it."
    ),
    "sm-absent-zero": _("The pairings do not name the player, who got no point for it: absent."),
    "sm-absent-half": _("The pairings do not name the player; by the points it was a half-point bye."),
    "sm-absent-full": _("The pairings do not name the player; by the points these were full-point byes."),
    "sm-absent-unclear": _("The pairings do not name the player; taken as absent, and asked about."),
    # Cross tables.
    "cross-blank": _("The cell of a round that was played is blank; it was read as an absence."),
    "cross-several-byes": _("A point without an opponent was read as a bye given by the pairing."),
    # Tables of places.
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
    # .ELO files.
    "elo-header-spelling": _("A header was spelled differently and was still read."),
    "elo-header-twice": _("A header was there twice; the first one was used."),
    "elo-date-not-read": _("A date could not be read and was left out."),
    "elo-provisional-number": _(
        "The pairing program gave this number to a new player. It is kept as provisional: it helps to find "
        "the player again, and another number never speaks against it."
    ),
    "elo-nation-not-read": _("A country in no known code was left out."),
    "birth-not-given": _("This birth is what programs write where none is known, so it was left out."),
    "elo-score-not-read": _("A score could not be read and was left out."),
    "elo-names-missing": _("A player has no name in the file; the number stands for it."),
    "elo-places-left-out": _("The places in comments contradict each other; none was used."),
    "elo-several-games": _("Several games were on one line; they were read in their order."),
    "elo-round-without-number": _(
        "A part of the tournament without a number; its games stand behind the scheduled rounds, or are the "
        "next round where there are none."
    ),
    "elo-rounds-by-order": _(
        "No comment that is understood numbers the rounds; a new round begins when somebody plays again."
    ),
    "elo-sign-counts": _("The sign and the discs did not agree; the sign was used."),
    "elo-discs-of-one": _("Only one side had discs; they were left out."),
    "elo-colours-missing": _(
        "The line does not say who was black; the first player was taken as black, here and in similar games."
    ),
    "elo-unknown-is-one": _("All games of the player without a number were taken as games of one person."),
    # FlipTheDisc.
    "ftd-final": _("A round beside the scheduled ones follows them."),
    "ftd-alone": _("Whoever is paired with nobody has a bye given by the pairing."),
    # Swiss-Manager's own file.
    "tunx-bye-assumed": _("Nobody was the opponent and there were points: this was read as a bye."),
    "tunx-not-paired": _("Nobody was the opponent and there were no points: this was read as an absence."),
}
