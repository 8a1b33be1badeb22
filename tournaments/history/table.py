"""The table beside a history's files: read in the box, and written out prefilled, to be filled in further."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import BinaryIO

from django.utils.translation import gettext as _

from players.office.decision_record import Refused
from ratings.equipment.downloads import BYTE_ORDER_MARK, disarmed, plain, rearmed, write_csv
from ratings.law.ruleset import Ruleset
from tournaments.box.run_box import BoxDied, table_boxed
from tournaments.events.finding_words import say
from tournaments.formats.common.reading_result import Sheet
from tournaments.history.models import History
from tournaments.history.table_columns import BY_POINTS, EVERY_FILE, column_of, columns_of
from tournaments.identity.propose_file_sections import format_in

LINE = "line"
Row = Mapping[str, str]


def read_table(data: bytes, name: str, ruleset: Ruleset) -> list[dict[str, str]]:
    """Read a table's rows in the box, each with its cells by column and its line. Raises `Refused` with
    words for a person where the table cannot be read, or has a column that is not known.
    """
    try:
        with table_boxed(data, name) as lines:
            values = (json.loads(line) for line in lines)
            head = next(values)
            _refuse_bad(head)
            columns = _columns(head["head"], ruleset)
            return list(_rows(values, columns))
    except BoxDied as died:
        raise Refused(_table_words(say(died.reason, {}))) from None


def _columns(headings: Sequence[str], ruleset: Ruleset) -> list[str]:
    columns = [column_of(heading, ruleset) if heading else "" for heading in headings]
    unknown = [text for text, column in zip(headings, columns, strict=True) if text and not column]
    if unknown:
        words = _("The table has columns that are not known: %(unknown)s. There are: %(known)s.")
        told = {"unknown": ", ".join(unknown), "known": ", ".join(columns_of(ruleset))}
        raise Refused(words % told)
    named = [column for column in columns if column]
    if twice := sorted({column for column in named if named.count(column) > 1}):
        raise Refused(_("The table has the column “%(column)s” twice.") % {"column": twice[0]})
    if "file" not in named:
        raise Refused(_("The table needs a column “file”: the names of the event files, or * for all."))
    return columns


def _rows(values: Iterator[object], columns: Sequence[str]) -> Iterator[dict[str, str]]:
    for value in values:
        if isinstance(value, dict):
            _refuse_bad(value)
            return
        assert isinstance(value, list)
        line, cells = value[0], value[1]
        if len(value) > 2:
            _column, key, params = value[2][0]
            raise Refused(_table_words(say(key, params), line))
        named = zip(columns, cells, strict=False)
        yield {LINE: str(line), **{column: rearmed(text) for column, text in named if column and text}}


def _refuse_bad(told: Mapping[str, object]) -> None:
    if "refused" in told:
        params = told["params"]
        assert isinstance(params, dict)
        raise Refused(_table_words(say(str(told["refused"]), params), told["line"]))


def _table_words(words: str, line: object = None) -> str:
    if line:
        return _("The table, line %(line)s: %(words)s") % {"line": line, "words": words}
    return _("The table: %(words)s") % {"words": words}


# ---------------------------------------------------------------- prefilled


def write_table(file: BinaryIO, history: History, sheets: Mapping[str, Sheet | None]) -> None:
    """Write a history's table as CSV: its rows as they stand, and for each file what it tells itself.

    `sheets`: by file name; None: the file could not be read.
    """
    ruleset = history.federation.ruleset
    columns = columns_of(ruleset)
    known = {row.get("file", ""): row for row in history.rows if row.get("file")}
    others = [row for row in history.rows if not row.get("file")]
    rows: list[Row] = [known.get(EVERY_FILE, {"file": EVERY_FILE})]
    rows += [{**said_by_file(sheet, ruleset, name), **known.get(name, {})} for name, sheet in sheets.items()]
    file.write(BYTE_ORDER_MARK)
    write_csv(file, columns, ([_cell(row.get(column, "")) for column in columns] for row in [*rows, *others]))


def _cell(text: str) -> str:
    # `*` begins no formula.
    return text if text == EVERY_FILE else disarmed(plain(text))


def said_by_file(sheet: Sheet | None, ruleset: Ruleset, name: str) -> dict[str, str]:
    """The cells of a file's row that the file itself fills."""
    if sheet is None:
        return {"file": name}
    said = {
        "file": name,
        "event": sheet.name,
        "starts": sheet.starts.isoformat() if sheet.starts else "",
        "ends": (sheet.ends or sheet.starts or "") and str(sheet.ends or sheet.starts),
        "format": _format(sheet, ruleset),
        "rounds": str(sheet.rounds or sheet.rounds_played or ""),
    }
    if ruleset.sections.places_needed and any(row.place is None for row in sheet.rows):
        said["places"] = BY_POINTS
    if any(field.kind == "time_controls" for field in ruleset.sections.fields):
        said["time_controls"] = sheet.time_text or sheet.time_code
    return {column: text for column, text in said.items() if text}


def _format(sheet: Sheet, ruleset: Ruleset) -> str:
    found = format_in(f"{sheet.kind} {sheet.kind_code}")
    return found if found in ruleset.sections.formats else ""
