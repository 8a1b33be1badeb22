"""Ratings from a journal, by the pure core alone.

    python -m ratings.replay JOURNAL [--as-of DATE]          # all ratings of a day, as JSON
    python -m ratings.replay JOURNAL --through N             # the same by the first N lines
    python -m ratings.replay JOURNAL --through N --list TRACK   # the bytes of the list that line N published

Nothing but the journal and the rulesets is read: no database, no clock, no settings, no Django.
"""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from decimal import Decimal, localcontext
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from ratings.rulesets.facts import Answer, RuleTable, State
from ratings.rulesets.journal import Journal, JournalLine, list_content, list_of_line, read_journal, resolve
from ratings.rulesets.journal_lines import DAY, JournalError, file_and_end_lines, is_end_line, plain
from ratings.rulesets.ruleset import CONTEXT

MALFORMED, NOT_UNDERSTOOD = 1, 2
"""Exit codes: the journal is malformed; the command was not understood or the file could not be read."""


class UnknownLine(ValueError):
    """Raised for a line, track or list that this journal does not have."""


def replay(
    source: str | Path | bytes, as_of: date | None = None, through: int | None = None
) -> dict[str, Any]:
    """Compute all ratings of a day, or by the first `through` lines, from a journal: a path, or the bytes.
    Returns the answer (docs/journal.md), ready for JSON. Raises JournalError where the journal is malformed,
    OSError where it cannot be read, UnknownLine where it has no line of that number.
    """
    with _open(source) as lines:
        return compute_answer(lines, as_of, through)


def get_list_bytes(source: str | Path | bytes, track: str, through: int | None = None) -> bytes:
    """The bytes of a track's list published by line `through` (a `list` or `revised` line), else the last
    line; empty where nobody stands in that track. Raises as `replay`, and UnknownLine for another track or
    line.
    """
    with _open(source) as lines:
        return _list_bytes(lines, track, through)


def _open(source: str | Path | bytes) -> BinaryIO:
    return BytesIO(source) if isinstance(source, bytes) else open(source, "rb")


def _list_bytes(lines: Iterable[bytes], track: str, through: int | None = None) -> bytes:
    """As `get_list_bytes`, from the journal's lines."""
    journal = read_journal(lines)
    tracks = [each.code for each in journal.ruleset.tracks]
    if track not in tracks:
        raise UnknownLine(f"{track!r} is no track of this journal; there are: {', '.join(tracks)}")
    _first_lines(journal, through)
    number = len(journal.lines) if through is None else through
    try:
        return list_content(list_of_line(journal, number).get(track, ()))
    except LookupError as error:
        raise UnknownLine(str(error)) from error


def _first_lines(journal: Journal, through: int | None) -> Sequence[JournalLine]:
    if through is not None and not 1 <= through <= len(journal.lines):
        raise UnknownLine(f"there is no line {through}: the journal has {len(journal.lines)}")
    return journal.lines[:through]


def compute_answer(
    lines: Iterable[bytes], as_of: date | None = None, through: int | None = None
) -> dict[str, Any]:
    """As `replay`, from the journal's lines, line ends included."""
    hashed = sha256()

    def read() -> Iterator[bytes]:
        for line in lines:
            if not is_end_line(line):
                hashed.update(line)
            yield line

    journal = read_journal(read())
    day = as_of or find_last_day(_first_lines(journal, through))
    return {
        "federation": journal.federation.code,
        "as_of": day and day.isoformat(),
        "journal_sha256": hashed.hexdigest(),
        **compute_results(journal, as_of, day, through),
    }


def find_last_day(lines: Sequence[JournalLine]) -> date | None:
    """The day of the last line that has a day, or None."""
    return next((on for line in reversed(lines) if (on := getattr(line.fact, "on", None))), None)


def compute_results(
    journal: Journal, as_of: date | None, day: date | None, through: int | None = None
) -> dict[str, Any]:
    """The results of `day` as rows for JSON, from the journal as known on `as_of` or up to line `through`."""
    ruleset = journal.ruleset
    state: State[Any] = State()
    for _step in ruleset.fold(resolve(journal, as_of, through), state):
        pass
    first = ruleset.editions[0].in_force
    day = day or first
    rules = ruleset.edition_on(max(day, first)).rules
    with localcontext(CONTEXT):
        answers = sorted(rules.answers(state, day), key=lambda row: (row.player, row.track))
        tables = [table for table in rules.tables(state, day) if table.answered]
    return {"ratings": [_rating(row) for row in answers]} | {table.name: _rows(table) for table in tables}


def _rating(row: Answer) -> dict[str, Any]:
    return {
        "player": row.player,
        "track": row.track,
        "status": row.status,
        "rating": _json_value(row.rating),
        **{name: _json_value(value) for name, value in row.further.items()},
        "games": row.games,
        "listed": row.listed,
    }


def _rows(table: RuleTable) -> list[dict[str, Any]]:
    return [
        {column: _json_value(value) for column, value in zip(table.columns, row, strict=True)}
        for row in table.rows
    ]


def _json_value(value: Any) -> Any:
    """A value for JSON: decimals as plain text, days in ISO form."""
    if isinstance(value, Decimal):
        return plain(value)
    if isinstance(value, tuple):
        return [_json_value(each) for each in value]
    return value.isoformat() if isinstance(value, date) else value


def main(arguments: list[str] | None = None) -> int:
    parser = _parser()
    given = parser.parse_args(arguments)
    if given.as_of and not (given.list is None and given.through is None):
        parser.error("--as-of goes by days; leave it out beside --through and --list, which go by lines")
    try:
        lines = sys.stdin.buffer if given.journal == "-" else file_and_end_lines(Path(given.journal))
        written = _compute_output(lines, given)
    except JournalError as error:
        print(error, file=sys.stderr)
        return MALFORMED
    except (OSError, UnknownLine) as error:
        print(f"{given.journal}: {getattr(error, 'strerror', None) or error}", file=sys.stderr)
        return NOT_UNDERSTOOD
    sys.stdout.buffer.write(written)
    return 0


def _compute_output(lines: Iterable[bytes], given: argparse.Namespace) -> bytes:
    if given.list is not None:
        return _list_bytes(lines, given.list, given.through)
    found = compute_answer(lines, given.as_of, given.through)
    return json.dumps(found, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m ratings.replay", description="Recompute ratings from an open journal."
    )
    parser.add_argument("journal", metavar="JOURNAL", help="the file to read; - for standard input")
    parser.add_argument("--as-of", type=_day, metavar="DATE", help="answer for this day: YYYY-MM-DD")
    parser.add_argument("--through", type=int, metavar="N", help="read the first N lines alone")
    parser.add_argument(
        "--list", metavar="TRACK", help="print the bytes of the list that the last line read published"
    )
    return parser


def _day(text: str) -> date:
    if not DAY.fullmatch(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a day: write YYYY-MM-DD")
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a day: {error}") from error


if __name__ == "__main__":
    sys.exit(main())
