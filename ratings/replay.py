"""Ratings from a journal, by the pure core alone: `python -m ratings.replay JOURNAL [--as-of DATE]`.

Nothing but the journal and the rulesets is read: no database, no clock, no settings, no Django.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from datetime import date
from decimal import Decimal, localcontext
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

from ratings.rulesets.facts import State
from ratings.rulesets.journal import Journal, JournalError, plain, read_journal, resolve
from ratings.rulesets.journal_values import DAY
from ratings.rulesets.reports import Answer, Table
from ratings.rulesets.ruleset import CONTEXT

MALFORMED, MISUSED = 1, 2
"""Exit codes: the journal is malformed; the command was not understood or the file could not be read."""


def replay(source: str | Path | bytes, as_of: date | None = None) -> dict[str, Any]:
    """What a replay answers (docs/journal.md), ready for JSON.

    `source` is a path, or the bytes themselves. Raises JournalError where the journal is malformed, OSError
    where it cannot be read.
    """
    with BytesIO(source) if isinstance(source, bytes) else open(source, "rb") as lines:
        return answer(lines, as_of)


def answer(lines: Iterable[bytes], as_of: date | None = None) -> dict[str, Any]:
    """The same from the lines themselves, line ends included."""
    hashed = sha256()

    def read() -> Iterator[bytes]:
        for line in lines:
            hashed.update(line)
            yield line

    journal = read_journal(read())
    day = as_of or last_day(journal)
    return {
        "federation": journal.federation.code,
        "as_of": day and day.isoformat(),
        "journal_sha256": hashed.hexdigest(),
        **ratings(journal, as_of, day),
    }


def last_day(journal: Journal) -> date | None:
    """The day of the last dated fact."""
    days = [on for _number, fact in journal.lines if (on := getattr(fact, "on", None))]
    return days[-1] if days else None


def ratings(journal: Journal, as_of: date | None, day: date | None) -> dict[str, Any]:
    """Fold what the journal says up to `as_of`, and answer for `day`."""
    ruleset = journal.ruleset
    state: State[Any] = State()
    for _step in ruleset.fold(resolve(journal, as_of), state):
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
        "rating": _shown(row.rating),
        **{name: _shown(value) for name, value in row.further.items()},
        "games": row.games,
        "listed": row.listed,
    }


def _rows(table: Table) -> list[dict[str, Any]]:
    return [
        {column: _shown(value) for column, value in zip(table.columns, row, strict=True)}
        for row in table.rows
    ]


def _shown(value: Any) -> Any:
    """A value as the answer writes it: decimals as plain text, days as ISO has them."""
    if isinstance(value, Decimal):
        return plain(value)
    if isinstance(value, tuple):
        return [_shown(each) for each in value]
    return value.isoformat() if isinstance(value, date) else value


def main(arguments: list[str] | None = None) -> int:
    given = _parser().parse_args(arguments)
    try:
        found = (
            answer(sys.stdin.buffer, given.as_of)
            if given.journal == "-"
            else replay(given.journal, given.as_of)
        )
    except JournalError as error:
        print(error, file=sys.stderr)
        return MALFORMED
    except OSError as error:
        print(f"{given.journal}: {error.strerror}", file=sys.stderr)
        return MISUSED
    written = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
    sys.stdout.buffer.write(written.encode() + b"\n")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m ratings.replay", description="Recompute ratings from an open journal."
    )
    parser.add_argument("journal", metavar="JOURNAL", help="the file to read; - for standard input")
    parser.add_argument("--as-of", type=_day, metavar="DATE", help="answer for this day: YYYY-MM-DD")
    return parser


def _day(text: str) -> date:
    if not DAY.fullmatch(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no day: write YYYY-MM-DD")
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no day: {error}") from error


if __name__ == "__main__":
    sys.exit(main())
