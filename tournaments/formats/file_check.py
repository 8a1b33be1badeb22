"""What the check of a file says before anybody sends it: the sheet in short, and each finding and adjustment
in words.

The office's page, `manage.py read_event_file` and `ratings.pyz read` share it; as JSON it is `sheet.dump` of
a `FileCheck`. By itself it is the command `read`, which needs Python alone.
"""

import argparse
import hashlib
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

from tournaments.formats import read_any
from tournaments.formats.messages import ADJUSTMENTS, MESSAGES
from tournaments.formats.sheet import FileAdjustment, FileFinding, Reading, Sheet, dump
from tournaments.formats.text import MOST_BYTES

# ---- Equal findings are one
Found = TypeVar("Found", bound=Any)


def group_equal_findings(findings: Iterable[Found]) -> list[list[Found]]:
    """Findings of a file grouped by level, key and params, in order; any other by itself."""
    found: dict[tuple[object, ...], list[Found]] = {}
    for finding in findings:
        key = (finding.level, finding.key, json.dumps(dict(finding.params), sort_keys=True))
        of_file = getattr(finding, "source", "file") == "file"
        found.setdefault(key if of_file else (*key, len(found)), []).append(finding)
    return list(found.values())


def join_ranges(lines: Iterable[int]) -> list[str]:
    """Lines with consecutive ones joined: `4–203`, `210`."""
    spans: list[list[int]] = []
    for number in sorted(set(lines)):
        if spans and number == spans[-1][-1] + 1:
            spans[-1].append(number)
        else:
            spans.append([number])
    return [str(span[0]) if len(span) == 1 else f"{span[0]}–{span[-1]}" for span in spans]


# ---- The check
ANSWERED_ELSEWHERE = {"name-missing", "starts-missing", "ends-missing", "rounds-missing"}
ANSWERED_ELSEWHERE |= {"round-dates-missing", "more-rounds-than-scheduled"}
"""Questions of a reader that the registration answers or acceptance asks."""
MOST_UNUSED = 100
NO_QUOTES: Mapping[str, str] = MappingProxyType({})
Said = FileFinding | FileAdjustment


@dataclass(frozen=True, slots=True)
class Remark:
    """Equal findings, or adjustments, of several lines, once, in words."""

    level: str
    """As of a `FileFinding`, or `waivable`; of an adjustment, `adjusted`."""
    key: str
    words: str
    lines: tuple[int, ...] = ()
    column: int | None = None
    """The column, if it is the same in all lines."""
    where: tuple[str, ...] = ()
    before: str = ""
    after: str = ""
    excerpt: str = ""
    """The first line, of a text."""


@dataclass(frozen=True, slots=True)
class Match:
    """Who an entry is by the office's register: `certain`, `doubtful` or `none`, with players' numbers."""

    match: str
    players: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FileCheck:
    file: str
    sha256: str
    blocked: bool
    """Whether the file must be corrected before it can be filed."""
    program: str = ""
    kind: str = ""
    name: str = ""
    """The event's, in the file's words."""
    finals: tuple[str, ...] = ()
    round_dates: tuple[date | None, ...] = ()
    sheet: Mapping[str, Any] | None = None
    """`Sheet.summarize`; None if the file could not be read."""
    findings: tuple[Remark, ...] = ()
    adjustments: tuple[Remark, ...] = ()
    matches: Mapping[str, Match] = field(default_factory=dict)
    """By starting number, if a register was asked."""


def say_in_english(said: Said) -> str:
    return ADJUSTMENTS[said.key] if isinstance(said, FileAdjustment) else MESSAGES[said.key] % said.params


def check_reading(
    data: bytes,
    name: str,
    reading: Reading,
    say: Callable[[Said], str] = say_in_english,
) -> FileCheck:
    """What is to be said of a file's reading, in the words that `say` makes."""
    found = [each for each in reading.findings if each.key not in ANSWERED_ELSEWHERE]
    sheet = reading.sheet
    adjusted: dict[tuple[str, str, str], list[FileAdjustment]] = {}
    for one in (*reading.adjustments, *(list_unused_lines(sheet) if sheet else ())):
        adjusted.setdefault((one.key, one.before, one.after), []).append(one)
    check = FileCheck(
        file=name,
        sha256=hashlib.sha256(data).hexdigest(),
        blocked=reading.blocked,
        findings=tuple(_remark(equal, say, reading.quotes) for equal in group_equal_findings(found)),
        adjustments=tuple(_remark(equal, say) for equal in adjusted.values()),
    )
    if sheet is None:
        return check
    return replace(
        check,
        program=sheet.dialect,
        kind=sheet.family,
        name=sheet.name,
        finals=sheet.finals,
        round_dates=sheet.round_dates,
        sheet=sheet.summarize(),
    )


def list_unused_lines(sheet: Sheet) -> list[FileAdjustment]:
    """Adjustments for the first lines that the reader did not use."""
    shown, more = sheet.unused[:MOST_UNUSED], sheet.unused[MOST_UNUSED:]
    further = [FileAdjustment("lines-not-used", more[0].line, str(len(more)), "")] if more else []
    return [*(FileAdjustment("line-not-used", line.line, line.text, "") for line in shown), *further]


def _remark(
    equal: Sequence[Said], say: Callable[[Said], str], quotes: Mapping[str, str] = NO_QUOTES
) -> Remark:
    first, lines = equal[0], tuple(each.line for each in equal if each.line)
    if isinstance(first, FileAdjustment):
        return Remark("adjusted", first.key, say(first), lines, before=first.before, after=first.after)
    findings = [each for each in equal if isinstance(each, FileFinding)]
    columns = {each.column for each in findings}
    return Remark(
        first.level,
        first.key,
        say(first),
        lines,
        column=first.column if len(columns) == 1 else None,
        where=tuple(each.where for each in findings if each.where),
        excerpt=quotes.get(str(first.line), ""),
    )


# ---- The command
LEVELS = {
    "blocks": "Must be corrected",
    "asks": "We need to ask",
    "notice": "Good to know",
    "adjusted": "Adjusted",
}
BLOCKED, NOT_UNDERSTOOD = 1, 2
"""Exit codes: a file must be corrected; the command was not understood or a file could not be opened."""


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="ratings.pyz read", description="Read event files as an office would, and say what is found."
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--json", action="store_true", help="one line a file, for programs")
    parser.add_argument("--country", default="", help="the office's, three letters: helps with old encodings")
    given = parser.parse_args(arguments)
    code = 0
    for path in given.files:
        try:
            with path.open("rb") as file:
                data = file.read(MOST_BYTES + 1)
        except OSError as error:
            print(f"{path}: {error.strerror}", file=sys.stderr)
            return NOT_UNDERSTOOD
        check = check_reading(data, path.name, read_any(data, path.name, given.country))
        code = max(code, BLOCKED if check.blocked else 0)
        lines = [dump(check)] if given.json else _lines(check)
        sys.stdout.buffer.write("".join(f"{_printable(line)}\n" for line in lines).encode())
    return code


def _lines(check: FileCheck) -> Iterator[str]:
    """The check as text, for people."""
    yield check.file
    if check.sheet is not None:
        facts = check.sheet["particulars"]
        days = " – ".join(dict.fromkeys(filter(None, (facts["starts"], facts["ends"]))))
        yield "  " + ", ".join(filter(None, (check.name, facts["place"], days))) + f" ({check.program})"
        counts = (f"{len(check.sheet[what])} {what}" for what in ("players", "games", "byes"))
        yield f"  {facts['rounds'] or '?'} rounds, {', '.join(counts)}"
        for number, row in check.sheet["players"].items():
            place = f", place {row['place']}" if row["place"] else ""
            yield f"  {number:>4} {row['name']} {row['id']}: {row['points']} points{place}"
        rounds: dict[int, list[str]] = {}
        for number, first, second, result in check.sheet["games"]:
            rounds.setdefault(number, []).append(f"{first}-{second} {result}")
        yield from (f"  Round {number}: {', '.join(pairs)}" for number, pairs in sorted(rounds.items()))
    for remark in (*check.findings, *check.adjustments):
        lines = f"line {', '.join(join_ranges(remark.lines))}" if remark.lines else ""
        place = ", ".join(remark.where) or lines
        change = f" {remark.before!r} → {remark.after!r}" if remark.level == "adjusted" else ""
        yield f"  {LEVELS[remark.level]}: {f'{place}: ' if place else ''}{remark.words}{change}"


def _printable(text: str) -> str:
    """A text without what would move a terminal's cursor."""
    return "".join(sign if sign.isprintable() else "�" for sign in text)
