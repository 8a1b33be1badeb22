"""A history: an archive of many event files with a table, from the upload until it is confirmed or discarded.

The worker unpacks it and reads each file in a box of its own; people fill in the table and answer the open
questions, on pages or in a CSV, and after each change the worker checks it again.
"""

import hashlib
import io
import json
import re
import zlib
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from decimal import Decimal
from operator import itemgetter
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import structlog
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _, gettext_noop

from players import jobs
from players.files import clean_file_name, refuse_beyond_room
from players.models import Federation, User
from players.names import fold
from players.record import Refused, decide, lock_ledger
from players.register_table import BoxedTable, RowProblem, TableRefused
from ratings.rulesets.downloads import (
    BYTE_ORDER_MARK,
    csv_bytes,
    disarm_cell,
    rearm_cell,
    single_line,
    write_csv,
)
from ratings.rulesets.facts import Field
from ratings.rulesets.particulars import nation_code
from ratings.rulesets.ruleset import Ruleset
from tournaments.box import (
    BoxDied,
    read_many_boxed,
    table_boxed,
    unpack_boxed,
)
from tournaments.checks import FACT_QUESTIONS, PAIRS_ASKED
from tournaments.filing import block_unaccepted_kind, encode_reason, get_time_control
from tournaments.findings import (
    OWN_MESSAGES,
    describe_adjustment,
    params_in_words,
    render_message,
    rule_params_in_words,
)
from tournaments.formats import messages, sheet
from tournaments.formats.archive import MOST_PACKED_OF_HISTORY, ListedFile
from tournaments.formats.player_lists import WHOLE_ROW
from tournaments.formats.sheet import FileFinding, Reading, Sheet
from tournaments.formats.table_rows import cleaned
from tournaments.matching import parse_format
from tournaments.models import HISTORY_WORKING_STATES, History, HistoryAnswer, HistoryFile, HistoryState
from tournaments.sections import clean_time_control, guess_time_control

# ---- Questions and answers
EXAMPLES = 5
"""The number of places shown of one cause; the downloaded questions have all."""
ANSWER_PARAMS = ("column", "label", "scheduled", "played", "region", "clause")
"""Params from which one answer for all of a cause is made: questions that differ in one are two causes."""
VARIOUS = "…"
"""What the words of a cause say where its questions differ; the examples tell them apart."""
PERSON_QUESTIONS = ("person", "person-twice", "name")
"""Questions about a spelling, which an answer names by its mark."""
TIME_CONTROL_DIFFERS = "time-control-differs"
QUESTION_ALIASES = {"person-not-there": "person"}
"""Questions that repeat another one."""
ANSWERABLE_QUESTIONS = (*PERSON_QUESTIONS, "id-kind", *FACT_QUESTIONS, TIME_CONTROL_DIFFERS)
"""Questions that an answer settles, beside those of one file; others need the table or another file."""
RIGHT = "right"
"""The answer that a file is right as it stands."""
LEVELS = ("blocks", "asks", "notice")
QUESTION_MESSAGES: Mapping[str, str] = {
    # Files and the table.
    "file-twice": gettext_noop("The same file is there twice. Leave one of them out in the table."),
    "file-filed": gettext_noop("The office has this very file already, with section %(section)s."),
    "row-without-file": gettext_noop("The table names files that are not there."),
    "row-twice": gettext_noop("The table has two rows for a file. Keep one."),
    "cell-wrong": gettext_noop("The table's column “%(column)s”: %(words)s"),
    "field-missing": gettext_noop(
        "Neither the file nor the table says: %(wanted)s. Give it in the table's column “%(column)s”; a row "
        "whose file is * holds for all."
    ),
    "region-unknown": gettext_noop("The office has no region “%(region)s”. It has: %(regions)s."),
    "in-future": gettext_noop("This lies after today. A history holds what was played and rated before."),
    "rated-before-end": gettext_noop(
        "The table says that this was rated on %(rated)s, before its last day, %(ends)s. A section is rated "
        "on its last day or later."
    ),
    "rounds-not-played": gettext_noop(
        "By the table %(scheduled)s rounds were scheduled; the file has games of %(played)s."
    ),
    "answer-of-nothing": gettext_noop("These answers belong to no spelling that the files have."),
    "date-by-program": gettext_noop(
        "Days that can be read in two ways, and no other date of the file says which is right. The day is "
        "taken to stand first, as the program writes it. Answer “right”, or give the days in the table's "
        "columns “starts” and “ends”."
    ),
    "ends-before-start": gettext_noop("The last day lies before the first."),
    "more-rounds": gettext_noop(
        "The file has games of %(played)s rounds, and says that %(scheduled)s were scheduled. Give the "
        "number of scheduled rounds in the table's column “rounds”: what lies behind them counts as finals."
    ),
    "rounds-are-finals": gettext_noop(
        "By the table %(scheduled)s rounds were scheduled; those behind them, of the %(played)s in the file, "
        "count as finals."
    ),
    "places-missing": gettext_noop(
        "Final places are missing, and the rules need them. Write “points” in the table's column “places” to "
        "have them worked out from points, then discs; or mend the file."
    ),
    "places-from-points": gettext_noop("Final places are worked out from points, then discs."),
    "struck": gettext_noop("A game is struck: %(words)s"),
    "strike-wrong": gettext_noop(
        "“%(text)s” in the column “strike” names no game of the file. Write “line 45: the reason” or “round "
        "3 12-15: the reason”, several with a semicolon."
    ),
    "twice-in-a-round": gettext_noop("Somebody has two games or byes in one round; strike one of them."),
    "not-rateable": gettext_noop("Clause %(clause)s: %(words)s"),
    "not-in-journal": gettext_noop("The journal does not take this section: %(words)s"),
    # People.
    "id-kind": gettext_noop(
        "The ids of these files are of no known kind (%(ids)s). Answer with one of: %(kinds)s; or give it in "
        "the table's column “ids”."
    ),
    "person": gettext_noop(
        "Who is this? The register, or another file, has somebody so much alike that a person has to say."
    ),
    "person-twice": gettext_noop(
        "One player stands twice in this file. Answer “new” if these are two people, or mend the file."
    ),
    "person-not-there": gettext_noop("An answer names somebody who is not there: %(value)s."),
    "place-against-points": gettext_noop(
        "Places that contradict the points. Mend the file, or answer “right”."
    ),
    "name": gettext_noop("The files give no name. Answer with “Surname, First name”."),
    "taken-by-name": gettext_noop(
        "These were taken for one person by their name alone, with nothing against it. Answer “new” where "
        "that is wrong."
    ),
    "births-not-known": gettext_noop(
        "No file and no register tells when these were born; their pre-rating is that of an adult."
    ),
    "nation-missing": gettext_noop(
        "The nation of these players is not known, so that the rules may count them as foreigners. Give it "
        "in the table's column “nation” for those of whom the files give none."
    ),
    # The office.
    "journal-goes-on": gettext_noop(
        "The journal has a line of %(newest)s, and this history begins on %(first)s. Days never go backwards "
        "in a journal: a past goes in whole, and once."
    ),
    "journal-has-begun": gettext_noop(
        "The office has begun its own record: line %(line)s of its journal is a decision of its own. A past "
        "goes in before the first of these; behind them, the office's own lists would be called computed "
        "afterwards. Upload these files one by one instead."
    ),
    "before-openings": gettext_noop(
        "The office begins with the ratings of a list of %(day)s, and what was played until then counts in "
        "them. This begins no later: leave it out in the table (“leave_out”), or take the past in without "
        "opening ratings."
    ),
}


_MEND_OR_FORMAT = gettext_noop(
    "Mend the file, give another format in the table's column “format”, or answer “right”."
)
HISTORY_WAYS: Mapping[str, str] = {
    "births-doubtful": gettext_noop("Mend the file, or answer “right”."),
    "twins": gettext_noop("Mend the file if they are one person, or answer “two people”."),
    **dict.fromkeys(PAIRS_ASKED, _MEND_OR_FORMAT),
    "time-control-differs": gettext_noop(
        "The table's is taken: answer “right”, or correct its column “time_controls”."
    ),
}
"""What to do about an everyday finding (`findings.WAYS`) in a history."""


@dataclass(frozen=True, slots=True)
class Question:
    """Something found in a history: a question (`asks`), a problem (`blocks`) or a notice."""

    level: str
    key: str
    subject: str = ""
    """What an answer names: a file's name, a person's mark."""
    where: str = ""
    """The place for people: file and line, or a name."""
    params: Mapping[str, Any] = field(default_factory=dict)
    proposed: str = ""
    """The offered answers, the best first."""
    adjusted: bool = False
    """Whether this is something that a reader repaired, assumed or left out."""

    def words(self, params: Mapping[str, Any] | None = None) -> str:
        """What is wrong, and what to do; `params`: other values than its own."""
        if self.adjusted:
            return describe_adjustment(self.key)
        params = params_in_words(self.params if params is None else params)
        if self.key in QUESTION_MESSAGES:
            return _(QUESTION_MESSAGES[self.key]) % params
        return render_message(self.key, params, HISTORY_WAYS)

    @property
    def cause(self) -> tuple[object, ...]:
        """What questions with one cause have in common."""
        answered = () if self.level == "notice" else (self.params.get(name) for name in ANSWER_PARAMS)
        return self.level, self.key, self.adjusted, *answered


def group_questions(questions: Iterable[Question], files: Collection[str] = ()) -> list[dict[str, Any]]:
    """Questions of one cause together, as pages and the command show them: what blocks first, then the most
    frequent. `files`: the names of the history's files.

    A cause has a level, a key and words; a count and examples; the files that it blocks or asks about, for
    which one answer is valid; params from which an answer can be made; and a mark by which forms name it.
    """
    groups: dict[tuple[object, ...], list[Question]] = {}
    for question in questions:
        groups.setdefault(question.cause, []).append(question)
    causes = []
    for equal in groups.values():
        first = equal[0]
        told = first.level == "notice"
        concerned = list(dict.fromkeys(each.subject for each in equal if each.subject in files and not told))
        same = {name for name, value in first.params.items() if _all_have(equal, name, value)}
        params = {name: first.params[name] if name in same else VARIOUS for name in first.params}
        if "names" in params:
            params["count"] = sum(each.params["count"] for each in equal)
        words = first.words(params)
        mark = hashlib.sha256(json.dumps([first.key, words, concerned]).encode()).hexdigest()[:12]
        cause: dict[str, Any] = {"level": first.level, "key": first.key, "words": words, "count": len(equal)}
        cause["examples"] = [_example(each, same) for each in equal[:EXAMPLES]]
        params = {name: first.params[name] for name in ANSWER_PARAMS if name in same}
        causes.append({**cause, "files": concerned, "params": params, "mark": mark})
    return sorted(causes, key=lambda each: (LEVELS.index(each["level"]), -each["count"], each["key"]))


def _all_have(questions: Iterable[Question], name: str, value: object) -> bool:
    return all(each.params.get(name) == value for each in questions)


def _example(question: Question, same: Collection[str]) -> str:
    """Where a question comes up, what sets it apart from others of its cause, and the offered answers."""
    said = {*same, *(("count", "names") if "names" in question.params else ())}  # the place has the names
    own = params_in_words({name: value for name, value in question.params.items() if name not in said})
    place = ": ".join(
        filter(None, (question.where, ", ".join(str(value) for value in own.values() if value)))
    )
    return " → ".join(filter(None, (place, question.proposed)))


def has_open_questions(questions: Iterable[Question]) -> bool:
    """Whether a question has to be settled before the history is written."""
    return any(each.level in ("blocks", "asks") for each in questions)


def ruleset_message(ruleset: Ruleset, key: str, params: Mapping[str, Any]) -> str:
    """The words of a ruleset's own finding."""
    return _(ruleset.words.messages.get(key, key)).format(**rule_params_in_words(params, ruleset))


class Answers:
    """A history's answers by kind and subject, or for all of a kind."""

    def __init__(self, history: History) -> None:
        rows = history.answers.values_list("kind", "subject", "value")
        self.values = {(kind, subject): value for kind, subject, value in rows}

    def of(self, kind: str, subject: str) -> str:
        """The answer to a question, or to all of its kind; empty if there is none."""
        return self.own(kind, subject) or self.of_all(kind)

    def of_all(self, kind: str) -> str:
        """The answer to all questions of a kind."""
        return self.own(kind, HistoryAnswer.ALL)

    def subjects(self, kind: str, value: str) -> set[str]:
        """The subjects of a kind with this answer."""
        return {subject for (known, subject), said in self.values.items() if (known, said) == (kind, value)}

    def own(self, kind: str, subject: str) -> str:
        """The answer to a question itself, not to all of its kind."""
        return self.values.get((kind, subject), "")


# ---- Columns and cells of the table
EVERY_FILE = "*"
"""The value of `file` in the row with the default cells; behind a folder, for the files in it."""
COMMON_COLUMNS = (
    *("file", "leave_out", "event", "section", "starts", "ends", "rated", "list", "region", "country"),
    *("format", "rounds", "places", "ids", "nation", "strike"),
)
"""The columns under any ruleset, in order; the ruleset's own fields follow."""
ALIASES = {"timecontrol": "time_controls", "timecontrols": "time_controls", "filename": "file"}
PLACES_BY_POINTS = "points"
"""The value of `places` for places by points, then discs."""
MOST_ROUNDS = 999
_DAY = re.compile(r"(\d{4})-(\d\d?)-(\d\d?)(?: 00:00(?::00)?)?|(\d\d?)[./](\d\d?)[./](\d{4})")
YES, NO = frozenset({"yes", "y", "x", "1", "true"}), frozenset({"no", "n", "0", "false", ""})


class CellProblem(ValueError):
    """A cell that cannot be parsed, with a message."""


def table_columns(ruleset: Ruleset) -> list[str]:
    """The columns of a federation's table, in order."""
    return [*COMMON_COLUMNS, *(field.name for field in ruleset.sections.fields)]


def find_column(heading: str, ruleset: Ruleset) -> str:
    """The column of a heading, in any case; empty if there is none."""
    key = fold(heading)
    named = {fold(name): name for name in table_columns(ruleset)}
    named |= {fold(field.label): field.name for field in ruleset.sections.fields}
    known = named.get(key) or ALIASES.get(key, "")
    return known if known in table_columns(ruleset) else ""


def parse_day(text: str) -> date | None:
    """Parse a day, as `2019-05-31` or `31.05.2019`; None if empty. Raises `CellProblem`."""
    if not text:
        return None
    if found := _DAY.fullmatch(text):
        year, month, day, day_first, month_then, year_last = found.groups()
        try:
            return date(int(year or year_last), int(month or month_then), int(day or day_first))
        except ValueError:
            pass
    raise CellProblem(_("“%(text)s” is no day. Write it as 2019-05-31.") % {"text": text})


def parse_number(text: str) -> int | None:
    """Parse a whole number; None if empty. Raises `CellProblem`."""
    if not text:
        return None
    if text.isascii() and text.removesuffix(".0").isdigit():
        return int(text.removesuffix(".0"))
    raise CellProblem(_("“%(text)s” is no whole number.") % {"text": text})


def parse_round_count(text: str) -> int | None:
    """Parse a number of rounds; None if empty. Raises `CellProblem`."""
    number = parse_number(text)
    if (number or 0) > MOST_ROUNDS:
        words = _("“%(text)s” rounds are too many: a section may have %(most)s.")
        raise CellProblem(words % {"text": text, "most": MOST_ROUNDS})
    return number


def parse_country(text: str, home: str) -> str:
    """Parse a country's three letters; empty if empty. `home`: the office's. Raises `CellProblem`."""
    nation = nation_code(text, home)
    if text and not nation:
        words = _("“%(text)s” is no country. Write its three letters, such as RSA.")
        raise CellProblem(words % {"text": text})
    return nation


def parse_flag(text: str) -> bool:
    """Parse yes or no. Raises `CellProblem`."""
    if text.casefold() in YES:
        return True
    if text.casefold() in NO:
        return False
    raise CellProblem(_("“%(text)s” is neither yes nor no.") % {"text": text})


def parse_value(field: Field, text: str) -> Any:
    """Parse the value of a ruleset's own field for the section's particulars; None if empty. Raises
    `CellProblem`.
    """
    if not text:
        return None
    if field.kind == "flag":
        return parse_flag(text)
    if field.kind == "time_controls":
        return [_time_control_in(part) for part in filter(None, map(str.strip, text.split(";")))]
    if field.choices:
        value = parse_choice(field, text)
        return int(value) if field.kind == "whole" else value
    return parse_number(text) if field.kind == "whole" else text[:20]


def _time_control_in(text: str) -> Any:
    """A time control such as `90+30` (minutes, seconds a move). Raises `CellProblem`."""
    if control := guess_time_control(text):
        return control
    minutes, _plus, increment = text.partition("+")
    with suppress(ValidationError, ArithmeticError):
        return clean_time_control(minutes.strip(), int(Decimal(increment.strip() or 0)))
    words = _("“%(text)s” is no time control. Write minutes and seconds a move as 90+30.")
    raise CellProblem(words % {"text": text})


def parse_choice(field: Field, text: str) -> str:
    """Parse a choice by its value or label. Raises `CellProblem`."""
    named = {fold(choice.label): choice.value for choice in field.choices}
    named |= {fold(choice.value): choice.value for choice in field.choices}
    if (value := named.get(fold(text))) is not None:
        return value
    offered = ", ".join(choice.value for choice in field.choices)
    raise CellProblem(_("“%(text)s” is none of: %(offered)s.") % {"text": text, "offered": offered})


def parse_one_of(text: str, values: Sequence[str]) -> str:
    """Parse one of some values; empty if empty. Raises `CellProblem`."""
    named = {fold(each): each for each in values}
    if not text or fold(text) in named:
        return named.get(fold(text), "")
    offered = ", ".join(values)
    raise CellProblem(_("“%(text)s” is none of: %(offered)s.") % {"text": text, "offered": offered})


# ---- The table
LINE, BATCH = "line", "batch"
Row = Mapping[str, str]
"""The cells of a row by column; its `LINE`, and the number of the `BATCH` with whose table it came."""


def read_table(data: bytes, name: str, ruleset: Ruleset) -> list[dict[str, str]]:
    """Read a table's rows in the box: cells by column, and the line. Raises `Refused` if it cannot be read or
    has an unknown column.
    """
    return _read_cells(data, name, lambda headings: _columns(headings, ruleset))


def _read_cells(
    data: bytes, name: str, columns_of: Callable[[Sequence[str]], Sequence[str]]
) -> list[dict[str, str]]:
    """Read the rows of a table in the box, by the columns of its headings; an empty name leaves one out.
    Raises `Refused` if a cell cannot be read.
    """
    try:
        with table_boxed(data, name) as lines:
            table = BoxedTable(lines)
            columns = columns_of(table.headings)
            return [_named(columns, *row) for row in table.rows()]
    except BoxDied as died:
        raise Refused(
            _("The table: %(words)s") % {"words": TableRefused(RowProblem(died.reason)).words}
        ) from None
    except TableRefused as refused:
        raise Refused(_("The table: %(words)s") % {"words": refused.words}) from None


def _named(
    columns: Sequence[str], line: int, cells: Sequence[str], faults: Sequence[Any] = ()
) -> dict[str, str]:
    for column, key, params in faults:
        if column == WHOLE_ROW or columns[column]:
            raise TableRefused(RowProblem(key, params=params), line)
    named = zip(columns, cells, strict=False)
    return {LINE: str(line), **{column: rearm_cell(text) for column, text in named if column and text}}


def _columns(headings: Sequence[str], ruleset: Ruleset) -> list[str]:
    columns = [find_column(heading, ruleset) if heading else "" for heading in headings]
    unknown = [text for text, column in zip(headings, columns, strict=True) if text and not column]
    if unknown:
        words = _("The table has columns that are not known: %(unknown)s. There are: %(known)s.")
        raise Refused(words % {"unknown": ", ".join(unknown), "known": ", ".join(table_columns(ruleset))})
    named = [column for column in columns if column]
    if twice := sorted({column for column in named if named.count(column) > 1}):
        raise Refused(_("The table has the column “%(column)s” twice.") % {"column": twice[0]})
    if "file" not in named:
        raise Refused(_("The table needs a column “file”: the names of the event files, or * for all."))
    return columns


def write_table(
    file: BinaryIO, history: History, sheets: Mapping[str, Sheet | None], number: int | None = None
) -> None:
    """Write a history's table as CSV, with what each file says where the table is silent; `number`: that of
    one batch, whose files are named as in its archive. `sheets`: by file name; None if the file could not be
    read.
    """
    ruleset = history.federation.ruleset
    columns = table_columns(ruleset)
    folder = batch_folder(number or FIRST_BATCH)
    given = [row for row in history.rows if number is None or row.get(BATCH) == str(number)]
    known = {row["file"]: row for row in given if row.get("file")}
    every = [name for name in known if name.endswith(EVERY_FILE)] or [f"{folder}{EVERY_FILE}"]
    rows: list[Row] = [known.get(name, {"file": name}) for name in every]
    rows += [
        {**cells_from_file(sheet, ruleset, name), **known.get(name, {})} for name, sheet in sheets.items()
    ]
    rows = [{**row, "file": row["file"].removeprefix(folder)} for row in rows]
    others = [row for row in given if not row.get("file")]
    file.write(BYTE_ORDER_MARK)
    write_csv(file, columns, ([_cell(row.get(column, "")) for column in columns] for row in [*rows, *others]))


def _cell(text: str) -> str:
    return text if text == EVERY_FILE else disarm_cell(single_line(text))  # `*` begins no formula


def cells_from_file(sheet: Sheet | None, ruleset: Ruleset, name: str) -> dict[str, str]:
    """The cells of a file's row that the file itself gives."""
    if sheet is None:
        return {"file": name}
    found = parse_format(f"{sheet.kind} {sheet.kind_code}")
    cells = {
        "file": name,
        "event": sheet.name,
        "starts": sheet.starts.isoformat() if sheet.starts else "",
        "ends": (sheet.ends or sheet.starts or "") and str(sheet.ends or sheet.starts),
        "format": found if found in ruleset.sections.formats else "",
        "rounds": str(sheet.rounds or sheet.rounds_played or ""),
    }
    if ruleset.sections.places_needed and any(row.place is None for row in sheet.rows):
        cells["places"] = PLACES_BY_POINTS
    if any(field.kind == "time_controls" for field in ruleset.sections.fields) and get_time_control(sheet):
        cells["time_controls"] = sheet.time_code or sheet.time_text
    return {column: text for column, text in cells.items() if text}


# ---- Decisions before a history is written
RECORD_SUBJECT = "history"
PREPARING_DECISION_KINDS = ("receive-history", "history-table", "history-answers")
"""Kinds of decisions about a history before it is written."""
TABLES = ("table.csv", "table.xlsx")
"""The names of a table among the files."""
MOST_ARCHIVE_BYTES = MOST_PACKED_OF_HISTORY
FIRST_BATCH = 1
MOST_TABLE_BYTES = 5 * 1024 * 1024
LONGEST_SOURCE = 100


def pack_folder(folder: Path) -> bytes:
    """A folder's files without tables as a ZIP with always the same bytes."""
    packed = io.BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
        files = (each for each in folder.rglob("*") if each.is_file() and each.name.casefold() not in TABLES)
        for path in sorted(files):
            info = ZipInfo(path.relative_to(folder).as_posix())
            info.compress_type = ZIP_DEFLATED
            archive.writestr(info, path.read_bytes())
    return packed.getvalue()


@transaction.atomic
def receive_history(
    *,
    federation: Federation,
    by: User | None,
    at: datetime,
    on: date,
    name: str,
    data: bytes,
    source: str,
    own_line: int | None,
    table: tuple[str, bytes] | None = None,
) -> History:
    """Begin a history with an archive of event files, and a table (its name and bytes), for the worker to
    read.

    An archive that a history has returns that history. Raises `Refused` if it is empty or too large, the
    source is not named, another history is open, or the office has begun its own record (`own_line`: its
    first line).
    """
    lock_ledger(federation)
    sha256 = hashlib.sha256(data).hexdigest()
    ended = (HistoryState.REFUSED, HistoryState.DISCARDED)
    known = federation.histories.exclude(state__in=ended).defer(*History.byte_columns, "outcome", "rows")
    if same := next((each for each in known if find_batch(each, sha256=sha256)), None):
        return same
    _refuse_unfit(federation, source, own_line)
    history = History(federation=federation, by=by, at=at, on=on, source=source.strip())
    _take_batch(history, FIRST_BATCH, by, on, name, data, table)
    return history


@transaction.atomic
def give_batch(
    *,
    history: History,
    by: User | None,
    on: date,
    name: str,
    data: bytes,
    table: tuple[str, bytes] | None = None,
    number: int | None = None,
) -> None:
    """Add a further archive to a history, or put it in the place of the batch with this number. What was
    answered stays. Raises `Refused` if it is empty or too large, or while the worker has the history.
    """
    _enter(history)
    batches = history.batches
    if number is None:
        number = 1 + max((batch["number"] for batch in batches), default=0)
    waiting = next((each["number"] for each in batches if each.get("waits")), number)
    if waiting != number:
        raise Refused(_("A batch could not be read. Exchange it, or take it out, first."))
    twin = find_batch(history, sha256=hashlib.sha256(data).hexdigest())
    if twin and twin["number"] != number:
        raise Refused(_("This archive is there already: %(name)s.") % {"name": twin["name"]})
    _take_batch(history, number, by, on, name, data, table)


@transaction.atomic
def take_out_batch(*, history: History, by: User | None, on: date, number: int) -> None:
    """Take a batch's files out of a history, and the rows of its table. Raises `Refused` for the only one, or
    while the worker has the history.
    """
    _enter(history)
    batch = find_batch(history, number=number)
    if batch is None:
        return
    if len(history.batches) == 1:
        raise Refused(_("This is the only batch. Discard the history instead."))
    if batch.get("waits"):
        history.content = history.table = None
    history.files.filter(batch=number).delete()
    history.rows = _other_rows(history.rows, number)
    _set_batches(history, [each for each in history.batches if each is not batch])
    history.save(update_fields=["content", "table", "rows", "batches", "name", "size", "sha256"])
    decide(
        history.federation,
        kind="discard-history",
        by=by,
        on=on,
        about=RECORD_SUBJECT,
        sha256=batch["sha256"],
    )
    request_check(history)


def find_batch(history: History, **having: object) -> dict[str, Any] | None:
    """The batch of a history with these values; None if it has none."""
    return next((each for each in history.batches if having.items() <= each.items()), None)


def batch_folder(number: int) -> str:
    """The folder in which the files of a batch stand; none for the first."""
    return "" if number == FIRST_BATCH else f"batch-{number}/"


def _take_batch(
    history: History,
    number: int,
    by: User | None,
    on: date,
    name: str,
    data: bytes,
    table: tuple[str, bytes] | None,
) -> None:
    """Store an archive as the batch with this number, for the worker to read."""
    if not data:
        raise Refused(_("The file is empty. Pack the event files into a ZIP archive."))
    if len(data) > MOST_ARCHIVE_BYTES:
        raise Refused(render_message("history-too-big", {"most": MOST_ARCHIVE_BYTES // 1024**2}))
    refuse_beyond_room(2 * len(data), history.federation)
    sha256 = hashlib.sha256(data).hexdigest()
    batch = {"number": number, "name": clean_file_name(name), "size": len(data), "sha256": sha256}
    others = [each for each in history.batches if each["number"] != number]
    _set_batches(history, sorted([*others, {**batch, "waits": True}], key=itemgetter("number")))
    history.content = data
    history.table, history.table_name = (table[1], clean_file_name(table[0])) if table else (None, "")
    history.save()
    decide(history.federation, kind="receive-history", by=by, on=on, about=RECORD_SUBJECT, sha256=sha256)
    request_check(history)


def _set_batches(history: History, batches: list[dict[str, Any]]) -> None:
    history.batches, history.name = batches, batches[0]["name"]
    history.size = sum(each["size"] for each in batches)
    digests = [each["sha256"] for each in batches]
    history.sha256 = (
        digests[0] if len(digests) == 1 else hashlib.sha256("".join(digests).encode()).hexdigest()
    )


def _refuse_unfit(federation: Federation, source: str, own_line: int | None) -> None:
    if not source.strip() or len(source.strip()) > LONGEST_SOURCE or not source.isprintable():
        raise Refused(
            _(
                "Say in up to 100 letters whose past this is, such as “archive of the federation, 2009 to "
                "2025”."
            )
        )
    refuse_own_record(own_line)
    if federation.histories.filter(state__in=(*HISTORY_WORKING_STATES, HistoryState.CHECKED)).exists():
        raise Refused(_("Another history is open. Write or discard it first."))


def refuse_own_record(first_own_line: int | None) -> None:
    """Raise `Refused` if the office has begun its own record, by this line: no past is accepted after it."""
    if first_own_line is not None:
        raise Refused(Question("blocks", "journal-has-begun", params={"line": first_own_line}).words())


@transaction.atomic
def replace_table(
    *, history: History, by: User | None, on: date, name: str, data: bytes, number: int | None = None
) -> None:
    """Replace a history's table, or the one of the batch with this number, and have it checked. Raises
    `Refused` if it cannot be read, or the worker has the history.
    """
    rows = read_table(data, name, history.federation.ruleset)
    _enter(history)
    if number is not None:
        rows = _rows_with_batch(history, rows, number)
    history.table, history.table_name = None, clean_file_name(name)
    history.save(update_fields=["table", "table_name"])
    _keep_rows(history, rows, by, on)


def _rows_with_batch(history: History, rows: Iterable[Row], number: int) -> list[dict[str, str]]:
    """A history's rows with those of a batch's table, which names files as they are in the batch."""
    folder = batch_folder(number)
    own = ({**row, "file": folder + row["file"]} if row.get("file") else dict(row) for row in rows)
    return [*_other_rows(history.rows, number), *({**row, BATCH: str(number)} for row in own)]


def _other_rows(rows: Iterable[dict[str, str]], number: int) -> list[dict[str, str]]:
    """The rows that did not come with the table of this batch."""
    return [row for row in rows if row.get(BATCH) != str(number)]


@transaction.atomic
def amend_table(
    *, history: History, by: User | None, on: date, files: Collection[str], cells: Mapping[str, str]
) -> None:
    """Set cells in the rows of these files (`*`: the default), and have the history checked. Raises `Refused`
    while the worker has it.
    """
    _enter(history)
    chosen = set(files)
    rows = [{**row, **cells} if row.get("file") in chosen else row for row in history.rows]
    known = {row.get("file") for row in rows}
    new = [name for name in files if name not in known]
    rows += [{LINE: str(at), "file": name, **cells} for at, name in enumerate(new, len(rows) + 2)]
    _keep_rows(history, rows, by, on)


def _keep_rows(history: History, rows: list[dict[str, str]], by: User | None, on: date) -> None:
    history.rows = rows
    history.save(update_fields=["rows"])
    decide(
        history.federation, kind="history-table", by=by, on=on, about=RECORD_SUBJECT, sha256=history.sha256
    )
    request_check(history)


@transaction.atomic
def answer(
    *, history: History, by: User | None, at: datetime, on: date, answers: Sequence[HistoryAnswer]
) -> None:
    """Store a person's answers (unsaved rows of kind, subject and value) and have the history checked; an
    empty value deletes an answer. Raises `Refused` for an unknown question.
    """
    _enter(history)
    for each in answers:
        each.kind = QUESTION_ALIASES.get(each.kind, each.kind)
    known = {*ANSWERABLE_QUESTIONS, *messages.MESSAGES, *OWN_MESSAGES}
    if unknown := next((each.kind for each in answers if each.kind not in known), None):
        words = _("There is no question “%(kind)s” that an answer settles. There are: %(kinds)s.")
        raise Refused(words % {"kind": unknown, "kinds": ", ".join(ANSWERABLE_QUESTIONS)})
    for each in answers:
        if not each.value.strip():
            history.answers.filter(kind=each.kind, subject=each.subject).delete()
            continue
        HistoryAnswer.objects.update_or_create(
            history=history,
            kind=each.kind[:40],
            subject=each.subject[:250],
            defaults={"value": each.value.strip()[:200], "by": by, "at": at},
        )
    decide(history.federation, kind="history-answers", by=by, on=on, about=RECORD_SUBJECT, count=len(answers))
    request_check(history)


def request_check(history: History) -> None:
    """Have the worker check a history again, in the transaction that changed it."""
    packed = History.objects.filter(pk=history.pk).exclude(content=None, table=None)
    unread = packed.exists() or history.files.filter(reading=None).exists()
    history.state = HistoryState.WAITING if unread else HistoryState.ASKED
    History.objects.filter(pk=history.pk).update(state=history.state, progress=0, attempts=0, stale=False)
    jobs.wake_for("histories", history.pk)


@transaction.atomic
def confirm_history(*, history: History, by: User | None, on: date, digest: str) -> None:
    """Let the worker write the history whose check has this digest; confirmed twice, it is written once.

    Raises `Refused` if questions are open, or the check is another than was seen.
    """
    lock_ledger(history.federation)
    history.refresh_from_db()
    if history.digest == digest and history.state in (
        HistoryState.CONFIRMED,
        HistoryState.WRITING,
        HistoryState.WRITTEN,
    ):
        return
    if history.state != HistoryState.CHECKED or not digest or history.digest != digest:
        raise Refused(_("Something was changed since this was checked. Look at what would be written now."))
    if history.outcome.get("open"):
        raise Refused(_("Questions are still open. Answer them, or leave their files out, first."))
    History.objects.filter(pk=history.pk).update(
        state=HistoryState.CONFIRMED, progress=0, attempts=0, confirmed_by=by, confirmed_on=on, stale=False
    )
    jobs.wake_for("histories", history.pk)


@transaction.atomic
def discard_history(*, history: History, by: User | None, on: date) -> None:
    """Discard a history that is not written: its files and answers are deleted, the row stays."""
    _enter(history)
    History.objects.filter(pk=history.pk).update(**delete_history_content(history))
    decide(
        history.federation, kind="discard-history", by=by, on=on, about=RECORD_SUBJECT, sha256=history.sha256
    )


def delete_history_content(history: History) -> dict[str, object]:
    """Delete a history's files and answers; return the new values of its row."""
    history.files.all().delete()
    history.answers.all().delete()
    empty: dict[str, object] = dict.fromkeys(History.byte_columns)
    return {**empty, "state": HistoryState.DISCARDED, "rows": [], "outcome": {}, "digest": ""}


def _enter(history: History) -> None:
    """Lock the office for a decision on a history. Raises `Refused` while the worker has it."""
    lock_ledger(history.federation)
    history.refresh_from_db(fields=["state", "rows", "batches"])
    if not history.open:
        words = _("The history is %(state)s: nothing of it can be changed now.")
        raise Refused(words % {"state": history.get_state_display()})


# ---- Unpacking and reading by the worker
#
# Each reading is stored by itself, so that a worker continues where another was killed.
log = structlog.get_logger("tournaments.history")
BOXES = 2
"""The number of boxes at once: the smallest machine has two cores."""
AHEAD = 2 * BOXES
"""The number of loads of files ahead for the boxes."""
FILES_IN_A_BOX, BYTES_IN_A_BOX = 250, 2 * 1024 * 1024
"""The most that one child reads: a few seconds' work, of which a death repeats little."""


class NotUnpacked(Exception):
    """The archive cannot be unpacked; `reason` as of `filing.as_reason`."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


def read_history(job: History) -> None:
    """Unpack the batch that waits, and read its table and all unread files. Raises `NotUnpacked`, `Refused`
    for its table, and `BoxDied` for the archive's own box.
    """
    if batch := find_batch(job, waits=True):
        _unpack(job, batch["number"])
        table = History.objects.values_list("table", flat=True).get(pk=job.pk)
        if table is not None:
            rows = read_table(bytes(table), job.table_name, job.federation.ruleset)
            job.rows = _rows_with_batch(job, rows, batch["number"])
        del batch["waits"]
        jobs.beat(job, rows=job.rows, batches=job.batches, table=None)
    todo = list(job.files.filter(reading=None).values_list("pk", "size"))
    count = job.files.count()
    done, pulse = count - len(todo), jobs.Pulse(job)
    for readings in _readings(_loads(todo), job.federation.ruleset, pulse.beat):
        with transaction.atomic():
            for key, reading in readings.items():
                HistoryFile.objects.filter(pk=key, reading=None).update(reading=pack_reading(reading))
        done += len(readings)
        pulse.beat(progress=95 * done // count)


def _unpack(job: History, batch: int) -> None:
    """Put the files of the batch that waits in the place of those that it had, unless that is done."""
    data = History.objects.values_list("content", flat=True).get(pk=job.pk)
    if data is None:
        return
    listing, contents = unpack_boxed(bytes(data), history=True, on_progress=lambda _s: jobs.beat(job))
    if listing.findings:
        raise NotUnpacked(encode_reason(listing.findings))
    content_iter = iter(contents)
    files = [(listed, b"" if listed.reason else next(content_iter)) for listed in listing.files]
    tables = [(listed, content) for listed, content in files if _is_table(listed)]
    with transaction.atomic():
        lock_ledger(job.federation)
        if not jobs.lock_claimed(job):
            return
        refuse_beyond_room(sum(map(len, contents)), job.federation)
        kept = [each for each in files if not _is_table(each[0])]
        job.files.filter(batch=batch).delete()
        rows = [_file(job, batch, number, *each) for number, each in enumerate(kept)]
        names = Counter([*job.files.values_list("name", flat=True), *(row.name for row in rows)])
        if twice := next((name for name, count in names.items() if count > 1), ""):
            raise NotUnpacked(
                encode_reason([FileFinding("blocks", "archive-same-name", params={"name": twice})])
            )
        first = 1 + (job.files.aggregate(last=Max("number"))["last"] or 0)
        for row in rows:
            row.number += first
        HistoryFile.objects.bulk_create(rows, batch_size=200)
        if tables and not job.table_name:
            job.table_name = tables[0][0].name
            jobs.beat(job, table=tables[0][1][:MOST_TABLE_BYTES], table_name=job.table_name)
        jobs.beat(job, content=None)


def _is_table(listed: ListedFile) -> bool:
    return PurePosixPath(listed.name).name.casefold() in TABLES


def _file(job: History, batch: int, number: int, listed: ListedFile, content: bytes) -> HistoryFile:
    reading = Reading(None, (FileFinding("blocks", listed.reason),)) if listed.reason else None
    return HistoryFile(
        history=job,
        batch=batch,
        number=number,
        # As the cells of tables name it: a Mac writes letters and their accents apart.
        name=cleaned(f"{batch_folder(batch)}{listed.name}")[:200].rstrip(),
        size=listed.size,
        sha256="" if listed.reason else hashlib.sha256(content).hexdigest(),
        content=None if listed.reason else content,
        reading=pack_reading(reading) if reading else None,
    )


def _loads(files: Iterable[tuple[int, int]]) -> Iterator[list[int]]:
    """Yield the keys of the files, by key and size, that one box after the other reads."""
    load, room = list[int](), BYTES_IN_A_BOX
    for key, size in files:
        if load and (size > room or len(load) == FILES_IN_A_BOX):
            yield load
            load, room = [], BYTES_IN_A_BOX
        load.append(key)
        room -= size
    if load:
        yield load


def _readings(
    loads: Iterator[list[int]], ruleset: Ruleset, beat: Callable[[], object]
) -> Iterator[dict[int, Reading]]:
    """Yield the readings of files by key, a load at a time as they finish, a few at once."""
    running = dict[Future[list[Reading | BoxDied]], list[int]]()
    with ThreadPoolExecutor(BOXES) as boxes:
        while True:
            while len(running) < AHEAD and (load := next(loads, None)) is not None:
                rows = HistoryFile.objects.in_bulk(load)
                files = [(rows[key].name, bytes(rows[key].content or b"")) for key in load]
                running[boxes.submit(read_many_boxed, files, country=ruleset.country)] = load
            if not running:
                return
            done, _running = wait(running, timeout=1, return_when=FIRST_COMPLETED)
            beat()
            for future in done:
                found = zip(running.pop(future), map(_reading_or_reason, future.result()), strict=True)
                yield {key: block_unaccepted_kind(reading, ruleset) for key, reading in found}


def _reading_or_reason(found: Reading | BoxDied) -> Reading:
    """A file's reading; if its box died, one that says so."""
    if not isinstance(found, BoxDied):
        return found
    log.warning("the box died", reason=found.reason)
    return Reading(None, (FileFinding("blocks", found.reason),))


def make_reason(key: str) -> str:
    """A stored reason of one message."""
    return encode_reason([FileFinding("blocks", key)])


def pack_reading(reading: Reading) -> bytes:
    """Compress a reading for storage, without quoted lines, which a history's pages do not show."""
    return zlib.compress(sheet.dump(replace(reading, quotes={})).encode(), 1)


def load_reading(file: HistoryFile) -> Reading:
    """A file's stored reading. Raises LookupError if it was not read yet."""
    if file.reading is None:
        raise LookupError(f"file {file.number} of history {file.history_id} was not read yet")
    return sheet.load(zlib.decompress(bytes(file.reading)).decode())


def load_sheets(history: History, number: int | None = None) -> dict[str, Sheet | None]:
    """The sheet of each file by name, of the batch with this number alone if it is given; None if it is no
    event file.
    """
    files = history.files.exclude(reading=None).defer("content")
    if number is not None:
        files = files.filter(batch=number)
    return {file.name: load_reading(file).sheet for file in files.iterator(chunk_size=50)}


# ---- Questions and answers as CSV
QUESTION_COLUMNS = ("question", "subject", "where", "proposed", "answer")


def render_questions_csv(asked: Iterable[Sequence[str]]) -> bytes:
    """The open questions as a CSV with an empty column for answers."""
    return BYTE_ORDER_MARK + csv_bytes(QUESTION_COLUMNS, ([*map(disarm_cell, each), ""] for each in asked))


def read_answers(data: bytes, name: str) -> list[HistoryAnswer]:
    """The answers of a filled-in table. Raises `Refused` for other tables."""
    rows = _read_cells(data, name, _answer_columns)
    answers = ((row.get("question", ""), row.get("subject", ""), row.get("answer", "")) for row in rows)
    return [HistoryAnswer(kind=kind, subject=about, value=value) for kind, about, value in answers if value]


def _answer_columns(headings: Sequence[str]) -> list[str]:
    needed = {"question", "subject", "answer"}
    names = [fold(heading) for heading in headings]
    if not needed <= set(names):
        raise Refused(_("The table of answers needs the columns question, subject and answer."))
    return [name if name in needed else "" for name in names]
