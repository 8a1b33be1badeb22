"""The program that wrote a TRF, by the marks that it leaves above the players; and Lichess's own ways."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from tournaments.formats.common.reader_notes import Notes
from tournaments.formats.common.reading_result import OtherId, SheetPlayer
from tournaments.formats.trf_layout.columns import CELL_WIDTH, FIRST_CELL, PLAYER

LICHESS = "Lichess"
OLDER = "TRF06"  # Krause's; SwissPerfect writes it
PERHAPS_OLDER = ("TRF16", "Swiss-Manager")
"""Dialects whose marks above the players may stand in a file of the older form too."""

_HEAD_LINES = 60  # marks stand above the players; a bound, so that no file makes the search long
_HEAD_WIDTH = 200

# The first mark that is found decides.
_MARKS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("Swiss-Manager", re.compile(r"^182 .*swiss-?manager", re.MULTILINE | re.IGNORECASE)),
    ("Vega", re.compile(r"^182 .*\bvega\b", re.MULTILINE | re.IGNORECASE)),
    ("Sharly-Chess", re.compile(r"^182 .*sharly", re.MULTILINE | re.IGNORECASE)),
    ("Tornelo", re.compile(r"^(?:182 .*tornelo|DAT +[0-9]+ ID:TORNELO )", re.MULTILINE | re.IGNORECASE)),
    ("bbpPairings", re.compile(r"^182 .*bbppairings", re.MULTILINE | re.IGNORECASE)),
    (LICHESS, re.compile(r"^(?:022|102)[ \t]+https://lichess\.org/", re.MULTILINE)),
    ("Swiss-Manager", re.compile(r"^DDD SSSS sTTT", re.MULTILINE)),
    ("Swiss-Manager", re.compile(r"^062 +[0-9]+ \([0-9]+\)", re.MULTILINE)),
    ("Vega", re.compile(r"^0[45]2 2126[-/]", re.MULTILINE)),
    ("Vega", re.compile(r"^142 [^\n]*\n(?:[^\n]*\n)*?092 ", re.MULTILINE)),
    ("Vega", re.compile(r"\A(?=(?:[^\n]*\n)*?0[45]2 [0-9]{2}/[0-9]{2}/[0-9]{4})(?=(?:[^\n]*\n)*?XXR )")),
    ("TRF26", re.compile(r"^(?:162|172|192|202|212|222|240|250|260|299|310|352|362) ", re.MULTILINE)),
    (OLDER, re.compile(r"^0[45]2 [0-9]{1,2}\. ?[0-9]{1,2}\. ?[0-9]{4}", re.MULTILINE)),
)


_NAMED = {column.name: column for column in PLAYER}
TITLE, BIRTH, ID = _NAMED["title"], _NAMED["birth"], _NAMED["identifier"]
_OLD_TITLE = re.compile("g|m|f|c|wg|wm|wf|wc")
_OLD_BIRTH = re.compile(r"[0-9]{4}\.")
_NEWER_BYE = re.compile(r"[0 ]{4} - [HFUZ]")
_BLANK_ROUND = re.compile(rf".{{{FIRST_CELL - 1}}}(?:.{{{CELL_WIDTH}}}){{0,60}}? {{{CELL_WIDTH}}}.*[0-9]")
LEAST_OF_FIDE = 6
"""The digits of FIDE's shortest ids; shorter ones are a national federation's or a club's."""


def dialect_of(lines: Sequence[str]) -> str:
    """The name of the program that wrote a TRF, by marks above the players; `TRF16` if there is no mark."""
    head: list[str] = []
    for line in lines:
        if not line.startswith(("001", "013")):
            head.append(line[:_HEAD_WIDTH])
        if len(head) == _HEAD_LINES:
            break
    text = "\n".join(head)
    return next((name for name, mark in _MARKS if mark.search(text)), "TRF16")


def looks_older(lines: Iterable[str]) -> bool:
    """Whether players' lines are of the older form (TRF06), whatever stands above them: one-letter titles,
    dots in dates of birth; or rounds that are blank between others, short ids, and no bye of the newer form.
    """
    lines = list(lines)
    if any(_OLD_TITLE.fullmatch(TITLE.of(line)) or _OLD_BIRTH.match(BIRTH.of(line)) for line in lines):
        return True
    ids = [ID.of(line) for line in lines if ID.of(line).strip("0")]
    local = bool(ids) and all(len(id_) < LEAST_OF_FIDE for id_ in ids)
    return local and not any(map(_NEWER_BYE.search, lines)) and any(map(_BLANK_ROUND.match, lines))


def of_lichess(rows: Iterable[SheetPlayer], notes: Notes) -> list[SheetPlayer]:
    """Adapt rows of Lichess: a name is a user's, and a rating the platform's own, never a federation's."""
    notes.notice("online-platform", platform=LICHESS)
    return [_of_lichess(row, notes) for row in rows]


def _of_lichess(row: SheetPlayer, notes: Notes) -> SheetPlayer:
    if row.rating:
        notes.adjusts("rating-of-platform", row.line, str(row.rating), "")
    return replace(row, rating=None, other_ids=(OtherId("lichess", row.name[:30].strip()),))
