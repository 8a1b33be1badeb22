"""The words for every key of a finding, an adjustment or a box that died: what is wrong, and what to do.

Plain English, pure; the office's pages put `gettext` around the template and then fill it in. A finding's own
line and column stand beside it and not in its words.
"""

from tournaments.formats.common.reading_result import FileAdjustment, FileFinding
from tournaments.formats.cross_table.messages import CROSS, CROSS_ADJUSTMENTS
from tournaments.formats.flip_the_disc.messages import FLIP_THE_DISC, FLIP_THE_DISC_ADJUSTMENTS
from tournaments.formats.games_abroad.messages import ABROAD
from tournaments.formats.lichess.messages import LICHESS_RESULTS
from tournaments.formats.mahjong_places.messages import PLACEMENT, PLACEMENT_ADJUSTMENTS
from tournaments.formats.othello_elo.messages import ELO, ELO_ADJUSTMENTS
from tournaments.formats.plain_table.messages import TABLE_ADJUSTMENTS, TABLES
from tournaments.formats.swiss_manager.messages import SM, SM_ADJUSTMENTS
from tournaments.formats.swiss_manager_own.messages import OWN_FILE, OWN_FILE_ADJUSTMENTS
from tournaments.formats.swiss_perfect.messages import SP
from tournaments.formats.zip.messages import ARCHIVES


def _(text: str) -> str:
    """Marks a template for makemessages; it is translated where it is shown."""
    return text


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
        "This file does not look like a tournament report. Export the tournament in one of the formats that "
        "this page names, or fill in the table that you can download here: its first row names the columns."
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
        "Start number %(number)s has a forfeit win without an opponent (rounds: %(rounds)s). It is read as "
        "a bye "
        "given by the pairing; say in the form if it was another kind of bye."
    ),
    "result-without-opponent": _(
        "Start number %(number)s has a result without an opponent (rounds: %(rounds)s). It is read as a "
        "bye; say "
        "if it was a game against somebody whom the file does not list."
    ),
    **TABLES,
    **SM,
    **SP,
    **CROSS,
    **LICHESS_RESULTS,
    **PLACEMENT,
    **ELO,
    **FLIP_THE_DISC,
    **ABROAD,
    **OWN_FILE,
    **ARCHIVES,
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
    "absent": _("A loss without an opponent is an absence: a zero-point bye."),
    "win-without-opponent": _("A forfeit win without an opponent was read as a bye given by the pairing."),
    "result-without-opponent": _("A result without an opponent was read as a bye."),
    "surnames-in-capitals": _(
        "Surnames in capital letters were changed to small letters. This is the first of them."
    ),
    **TABLE_ADJUSTMENTS,
    **SM_ADJUSTMENTS,
    **CROSS_ADJUSTMENTS,
    **PLACEMENT_ADJUSTMENTS,
    **ELO_ADJUSTMENTS,
    **FLIP_THE_DISC_ADJUSTMENTS,
    **OWN_FILE_ADJUSTMENTS,
}


def say(item: FileFinding | FileAdjustment) -> str:
    """An item in English, with its place: for logs, tests and the command line."""
    if isinstance(item, FileAdjustment):
        words = f"{ADJUSTMENTS[item.key]} {item.before!r} → {item.after!r}"
        return f"line {item.line}: {words}" if item.line else words
    words = MESSAGES[item.key] % item.params
    if item.where:
        return f"{item.where}: {words}"
    place = [f"line {item.line}"] if item.line else []
    place += [f"column {item.column}"] if item.column else []
    return f"{', '.join(place)}: {words}" if place else words
