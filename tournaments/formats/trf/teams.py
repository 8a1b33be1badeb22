"""Teams in TRF: `013`, and TRF26's `310` that takes its place."""

import re
from collections.abc import Iterable

from tournaments.formats.common.reader_notes import Notes
from tournaments.formats.common.reading_result import Team
from tournaments.formats.trf_layout.columns import TrfColumn

_ANY, _POINTS = re.compile(r".*"), re.compile(r"[0-9]*(?:\.[0-9])?")
NAME = TrfColumn("name", 9, 40, re.compile(r".+"))
COLUMNS = (
    TrfColumn("number", 5, 7, re.compile(r"[0-9]+")),
    NAME,
    TrfColumn("short name", 42, 46, _ANY),
    TrfColumn("strength", 48, 53, _POINTS),
    TrfColumn("match points", 55, 60, _POINTS),
    TrfColumn("game points", 62, 67, _POINTS),
    TrfColumn("rank", 69, 71, re.compile(r"[0-9]*")),
)
LONGEST_NAME = 32
FIRST_MEMBER, MEMBER_STEP = 74, 5
BLANKS = (4, 8, 41, 47, 54, 61, 68, 72, 73)

# Where the columns are not kept: number, name, short name, strength, match and game points, rank, members.
_BY_BLANKS = re.compile(
    r"310 +[0-9]+ +(?P<name>[^ ].*?) {2,}[A-Za-z][^ ]* +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9]+"
    r"(?P<members>(?: +[0-9]{1,4})+)"
)


def team_of_013(text: str, line: int) -> Team | None:
    return _team(text[4:36].strip(), text[36:].split(), line)


def team_of_310(text: str, line: int, notes: Notes) -> Team | None:
    """Read a team by columns, which decide where they fit; else by blanks, with an adjustment; else None."""
    if by_columns := _by_columns(text, line):
        return by_columns
    found = _BY_BLANKS.fullmatch(text.rstrip())
    by_blanks = _team(found["name"], found["members"].split(), line) if found else None
    if by_blanks:
        members = ", ".join(str(member) for member in by_blanks.members)
        notes.adjusts("team-by-blanks", line, text.strip()[:200], f"{by_blanks.name}: {members}"[:200])
    return by_blanks


def _by_columns(text: str, line: int) -> Team | None:
    starts = range(FIRST_MEMBER, len(text) + 1, MEMBER_STEP)
    between = [*BLANKS, *(start + MEMBER_STEP - 1 for start in starts)]
    if any(text[place - 1 : place].strip(" ") for place in between):
        return None
    if not all(column.shape.fullmatch(column.of(text)) for column in COLUMNS):
        return None
    cells = [text[start - 1 : start + MEMBER_STEP - 2].strip() for start in starts]
    members = [cell for cell in cells if cell.strip("0")]
    return _team(NAME.of(text), members, line) if members else None


def _team(name: str, members: Iterable[str], line: int) -> Team | None:
    numbers = [int(m) if m.isascii() and m.isdigit() and len(m) <= 4 else -1 for m in members]
    whole = 0 < len(name) <= LONGEST_NAME and numbers and -1 not in numbers
    return Team(name, tuple(numbers), line) if whole else None
