"""Words for problems of a table and its rows: what is wrong, and what to do."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, gettext_noop


@dataclass(frozen=True, slots=True)
class RowProblem:
    """A problem of a table: its key in `PROBLEMS` or `REASONS`, the values for its words, and the column.

    Without a column it is of the whole row or table.
    """

    key: str
    column: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        return {"column": self.column, "key": self.key, "params": dict(self.params)}


PROBLEMS: Mapping[str, str] = {
    "number-unknown": gettext_noop(
        "Nobody in the register has the number %(number)s. Correct it, or leave it empty for a new player."
    ),
    "number-merged": gettext_noop("%(number)s was merged into %(other)s. Write that number instead."),
    "number-odd": gettext_noop("A number has up to 30 letters of the English alphabet, digits, -, . or _."),
    "somebody-else": gettext_noop(
        "%(number)s is %(name)s, born %(birth)s: neither this surname nor this birth. Correct the number."
    ),
    "surname-missing": gettext_noop("A new player needs a surname."),
    "twice": gettext_noop("Row %(first)s is the same player already. Remove one of the two rows."),
    "id-twice": gettext_noop("Row %(first)s has the same id already. Remove it from one of the two rows."),
    "id-of-another": gettext_noop(
        "“%(value)s” belongs to %(other)s in the register. Correct the id, or merge the two entries first."
    ),
    "alike": gettext_noop(
        "%(other)s in the register has this name and birth. Write that number, or “new” for somebody else."
    ),
    "birth-not-read": gettext_noop("“%(text)s” is not a date of birth. Write 2010-05-03, or the year only."),
    "birth-not-likely": gettext_noop("Nobody born %(text)s can be in a register. Check the year."),
    "sex-not-read": gettext_noop("“%(text)s” cannot be read. Write m or f."),
    "nation-not-read": gettext_noop(
        "“%(text)s” is not a country's code. Write three letters, such as %(example)s."
    ),
    "resident-not-read": gettext_noop("“%(text)s” cannot be read. Write yes or no."),
    "region-unknown": gettext_noop(
        "There is no region “%(text)s”. Write the code of a region of this office."
    ),
    "too-long": gettext_noop("This is longer than %(most)s characters."),
    "cell-too-long": gettext_noop("This cell is longer than %(most)s characters."),
    "name-too-long": gettext_noop("Surname and first name together are longer than %(most)s characters."),
    "cannot-be-emptied": gettext_noop(
        "This value cannot be removed. Leave the cell empty to keep the value in the register."
    ),
    "odd-character": gettext_noop("There is an invisible character here (%(code)s). Type the text again."),
    "rating-not-read": gettext_noop("“%(text)s” is not a rating. Write digits, such as 1712.5."),
    "rating-decimals": gettext_noop(
        "%(text)s has more decimals than the %(most)s with which a rating is kept. Round it."
    ),
    "opening-twice": gettext_noop(
        "This player has an opening rating already, in line %(line)s of the journal. There is one at most."
    ),
    "games-not-read": gettext_noop("“%(text)s” is not a number of games."),
    "games-missing": gettext_noop(
        "How many games were counted before? Add a column, or give a number for all of them below."
    ),
    "several-alike": gettext_noop(
        "Several players in the register have this name: %(others)s. Write the number, or “new”."
    ),
    "row-too-long": gettext_noop("The row has more cells than there are headings (%(width)s)."),
    "line-not-read": gettext_noop("This line names neither a country nor a player: no number and name."),
    "quote-open": gettext_noop(
        "A quotation mark opens in this row and does not close. A cell must end on its own line."
    ),
}

REASONS: Mapping[str, str] = {
    "empty": gettext_noop("The file is empty."),
    "too-big": gettext_noop("The file is larger than 30 MB."),
    "is-pdf": gettext_noop("This is a PDF. Save the table as CSV or XLSX."),
    "is-zip": gettext_noop(
        "This ZIP archive does not hold one table alone, or it is damaged. Unpack it, and upload the table "
        "that is in it."
    ),
    "xml-broken": gettext_noop("This list in XML is damaged. Download or export it again."),
    "xml-entities": gettext_noop(
        "This list in XML contains a document type or entities, which no list of players has."
    ),
    "is-archive": gettext_noop(
        "This is a compressed archive. Unpack it, and upload the table that is in it."
    ),
    "is-old-office": gettext_noop(
        "This is an old Excel file, or one that a password locks. Save it as XLSX without a password."
    ),
    "is-picture": gettext_noop("This is a picture. Save the table as CSV or XLSX."),
    "is-swiss-manager": gettext_noop("This is Swiss-Manager's own file, not a table of players."),
    "is-utf16": gettext_noop("This text is saved as UTF-16. Save it as UTF-8."),
    "is-binary": gettext_noop("This is neither a text file nor a workbook. Save the table as CSV or XLSX."),
    "is-web-page": gettext_noop("This is a web page. Save the table as CSV or XLSX."),
    "is-markup": gettext_noop(
        "This is an XML or JSON file, and not a list of FIDE’s. Save the table as CSV or XLSX."
    ),
    "cut-in-character": gettext_noop("The file ends in the middle of a letter: it was cut off."),
    "line-too-long": gettext_noop("This line is longer than %(most)s characters."),
    "too-many-rows": gettext_noop("The table has more than %(most)s rows. Upload it in parts."),
    "too-wide": gettext_noop(
        "The table has more than %(most)s columns. Remove the columns that the register does not have."
    ),
    "no-header": gettext_noop(
        "The first row does not name the columns of a register in words that are known here."
    ),
    "no-ratings": gettext_noop("No column holds ratings. Say which does."),
    "openings-refused": gettext_noop("%(why)s"),
    "nobody-named": gettext_noop(
        "No column says which player a row is about: a number, a surname, or another id."
    ),
    "name-twice": gettext_noop("There is a column “name” and a column “surname”. Leave one of them out."),
    "column-twice": gettext_noop(
        "The column “%(column)s” holds the same as another one. Leave one of them out."
    ),
    "xlsx-broken": gettext_noop("The workbook is damaged. Save it again."),
    "xlsx-locked": gettext_noop("A password locks the workbook. Save it without one."),
    "xlsx-entities": gettext_noop(
        "The workbook contains entity definitions, which no spreadsheet program writes."
    ),
    "xlsx-unpacks-too-big": gettext_noop("The workbook unpacks to more than %(most)s MB."),
    "xlsx-too-many-cells": gettext_noop("The workbook has more than %(most)s cells."),
    "xlsx-far-cell": gettext_noop(
        "Cell %(cell)s is not empty, and it is beyond row %(rows)s or column %(columns)s. Delete its content."
    ),
    "xlsx-far-row": gettext_noop("The worksheet has %(row)s rows; at most %(most)s are allowed."),
    "xlsx-formula-without-value": gettext_noop(
        "Cell %(cell)s holds a formula without its value. Paste the values over the formulas, and save."
    ),
    "box-time": gettext_noop("The file took too long to read. Upload it in parts, or as CSV."),
    "box-memory": gettext_noop("The file needs more memory than a table of 150,000 rows. Upload it as CSV."),
    "box-output": gettext_noop("The file holds more text than a register does. Upload it in parts."),
    "box-crash": gettext_noop("The file could not be read. Save it again, or upload it as CSV."),
    "no-room": gettext_noop(
        "There is no room for what was read of the table (%(more)s): of the %(most)s of files that this "
        "office may keep, %(used)s are in use. Ask an administrator of the office to raise the limit in the "
        "settings."
    ),
    "not-written": gettext_noop(
        "The table could not be written, and nothing was changed. Confirm it again; if that fails, tell the "
        "operator."
    ),
}

NOTICES: Mapping[str, str] = {
    "column-unknown": gettext_noop("Left out, since they are not known here: %(column)s."),
    "column-not-taken": gettext_noop(
        "Left out, since a table cannot set ratings, or hide players from the public: %(column)s."
    ),
    "column-doubled": gettext_noop(
        "Left out, since surname and first name have columns of their own: %(column)s."
    ),
    "other-nations": gettext_noop(
        "Rows of players of other nations than %(nations)s are left out: %(count)s."
    ),
    "not-in-register": gettext_noop(
        "Rows of players whom the register does not have are left out: %(count)s."
    ),
    "sheet-left-out": gettext_noop("The worksheet “%(sheet)s” is left out: only the first is read."),
    "xlsx-hidden-sheet": gettext_noop("The hidden worksheet “%(sheet)s” is left out."),
    "encoding-guessed": gettext_noop(
        "The file is not UTF-8, so it was read as %(encoding)s. Check the names, such as “%(sample)s”."
    ),
}

LABELS: Mapping[str, Any] = {
    "rating": gettext_lazy("rating"),
    "games": gettext_lazy("games"),
    "number": gettext_lazy("number"),
    "surname": gettext_lazy("surname"),
    "first_name": gettext_lazy("first name"),
    "name": gettext_lazy("name"),
    "sex": gettext_lazy("sex"),
    "birth": gettext_lazy("birth"),
    "nation": gettext_lazy("nation"),
    "resident": gettext_lazy("resident"),
    "included_by": gettext_lazy("included by"),
    "region": gettext_lazy("region"),
    "title": gettext_lazy("title"),
}


def label(column: str) -> str:
    """The name of a column for people; of ids that others gave, by their kind: `FIDE id`."""
    if column in LABELS:
        return str(LABELS[column])
    kind = column.removesuffix("_id")
    return _("%(kind)s id") % {"kind": "FIDE" if kind == "fide" else kind} if kind else ""


def say(told: Mapping[str, Any], of: Mapping[str, str] = PROBLEMS) -> str:
    """The sentence of a stored problem, reason or notice, with its line if it has one. `of`: words by key."""
    words = _(of[told["key"]]) % told.get("params", {})
    return (
        _("Row %(line)s: %(words)s") % {"line": told["line"], "words": words} if told.get("line") else words
    )
