"""The open journal: an office's whole record as facts, one JSON object a line (docs/journal.md).

    journal = read_journal(open("office.ndjson", "rb"))   # JournalError with every problem, by line
    facts = resolve(journal, as_of=date(2024, 4, 1))      # what is folded: merged, un-rated, cut, in order
    write_line(fact, ruleset)                             # the one form: the same record gives the same bytes

    list_of_line(journal, 3140)                           # the rows that this `list` line published

A database that holds the lines takes the same steps one by one: `parse_line`, `merges`, `put_away`,
`pres_of`, `rated_section`, `placed`, `fingerprint`.
"""

from __future__ import annotations

from ratings.law.journal.end_line import LinesAbove, end_beside, file_lines, is_end
from ratings.law.journal.parse import parse_line
from ratings.law.journal.rating_list_from_lines import JournalLists, list_content, list_of_line
from ratings.law.journal.read import Journal, JournalLine, read_journal
from ratings.law.journal.resolve import (
    fingerprint,
    merges,
    placed,
    pres_of,
    put_away,
    rated_section,
    rename,
    resolve,
    root,
    stated_in,
    until,
)
from ratings.law.journal.values import JournalError, LineProblem, plain
from ratings.law.journal.write import KINDS, write_line

__all__ = [
    "KINDS",
    "Journal",
    "JournalError",
    "JournalLine",
    "JournalLists",
    "LineProblem",
    "LinesAbove",
    "end_beside",
    "file_lines",
    "fingerprint",
    "is_end",
    "list_content",
    "list_of_line",
    "merges",
    "parse_line",
    "placed",
    "plain",
    "pres_of",
    "put_away",
    "rated_section",
    "read_journal",
    "rename",
    "resolve",
    "root",
    "stated_in",
    "until",
    "write_line",
]
