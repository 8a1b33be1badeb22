"""Reads Lichess's results of a Swiss tournament: JSON, a line for each player, best first.

Lichess publishes them at `/api/swiss/…/results`. They have places and points but no games, so that only a
federation that rates by places can use them. The tournament's own JSON (`/api/swiss/…`), with name, day,
rounds and clock, may stand above them.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from ratings.rulesets.facts import gettext_noop as _
from tournaments.formats.dates import read_date
from tournaments.formats.sheet import FileKind, FileSource, Notes, OtherId, Reading, Sheet, SheetPlayer
from tournaments.formats.text import MOST_BYTES, MOST_LINES, replace_odd_characters
from tournaments.formats.trf import LICHESS
from tournaments.formats.trf_layout import MOST_ROUNDS

RESULTS_FORMAT = FileKind(
    "lichess-results",
    _("Lichess results"),
    (FileSource("Lichess", _("a Swiss tournament’s results, places alone"), by_description=True),),
    instead=_(
        "This file has results without games, but games are rated here. Use the TRF of the same tournament: "
        "add .trf to the address of its page, https://lichess.org/swiss/…"
    ),
)
KINDS: tuple[FileKind, ...] = (RESULTS_FORMAT,)
DIALECT = "Lichess results"
LONGEST_NAME = 200
LONGEST_CLOCK = 86_400  # seconds
MOST_POINTS = 1_000
_MARK = b"\xef\xbb\xbf"
_HEAD = 4_000  # bytes
_USER = re.compile(r"[A-Za-z0-9_-]{1,30}")
_TITLE = re.compile(r"[A-Z]{1,3}")
_SWISS_ID = re.compile(r"[A-Za-z0-9]{8}")
_BLANKS = re.compile(r"\s*")
# Keys by which the objects of such a file are recognised.
RESULT_KEYS = frozenset({"rank", "points", "username"})
ARENA_KEYS = frozenset({"rank", "score", "username"})
SWISS_KEYS = frozenset({"nbRounds", "clock"})


@dataclass(slots=True)
class _Found:
    swiss: Mapping[str, Any] = field(default_factory=dict)
    rows: list[SheetPlayer] = field(default_factory=list)
    absent: list[SheetPlayer] = field(default_factory=list)
    lines: dict[str, int] = field(default_factory=dict)
    """By user's name."""


def recognises(data: bytes) -> bool:
    head = data[:_HEAD].removeprefix(_MARK).lstrip()
    keys = (RESULT_KEYS, ARENA_KEYS, SWISS_KEYS)
    return head.startswith(b"{") and any(all(f'"{key}"'.encode() in head for key in known) for known in keys)


def read_bytes(data: bytes, notes: Notes) -> Reading:
    if len(data) > MOST_BYTES:
        notes.blocks("too-big")
        return notes.reading(None)
    found = _Found()
    for line, value in _objects(data, notes):
        keys = value.keys()
        if keys >= RESULT_KEYS:
            _read_result(value, line, found, notes)
        elif keys >= ARENA_KEYS:
            notes.blocks("lichess-arena", line)
            return notes.reading(None)
        elif keys >= SWISS_KEYS and not found.swiss:
            found.swiss = value
        else:
            notes.blocks("lichess-not-read", line)
    if not found.rows:
        id_ = str(found.swiss.get("id", ""))
        notes.blocks("lichess-no-results", id=id_ if _SWISS_ID.fullmatch(id_) else "…")
        return notes.reading(None)
    notes.notice("online-platform", found.rows[0].line, platform=LICHESS)
    if found.absent:
        names = ", ".join(row.name for row in found.absent[:3]) + (" …" if len(found.absent) > 3 else "")
        notes.notice("lichess-absent", found.absent[0].line, count=len(found.absent), names=names)
    return notes.reading(_sheet(found))


def _objects(data: bytes, notes: Notes) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Yield each JSON object of the file with its line; stops with a note at anything else."""
    decoder = json.JSONDecoder(parse_float=Decimal)
    at, line = 0, 1
    try:
        text = data.removeprefix(_MARK).decode("utf-8")
        while (start := _skip_blanks(text, at)) < len(text):
            line += text.count("\n", at, start)
            value, at = decoder.raw_decode(text, start)
            if not isinstance(value, dict) or line > MOST_LINES:
                raise ValueError
            yield line, value
            line += text.count("\n", start, at)
    except (ValueError, RecursionError):
        notes.blocks("lichess-not-read", line)


def _skip_blanks(text: str, at: int) -> int:
    blanks = _BLANKS.match(text, at)
    return blanks.end() if blanks else at


def _read_result(value: Mapping[str, Any], line: int, found: _Found, notes: Notes) -> None:
    name, place, points = value["username"], value["rank"], _points(value["points"])
    valid = isinstance(name, str) and _USER.fullmatch(name) and _is_whole(place, 9999) and place
    if not valid or points is None:
        notes.blocks("lichess-result-not-read", line)
        return
    if first := found.lines.get(name.lower()):
        notes.blocks("identifier-twice", line, id=name, first=first)
        return
    found.lines[name.lower()] = line
    title = value.get("title")
    row = SheetPlayer(
        start_number=len(found.rows) + 1,
        name=name,
        surname=name,
        title=title if isinstance(title, str) and _TITLE.fullmatch(title) else "",
        points=points,
        place=place,
        other_ids=(OtherId(LICHESS.lower(), name),),
        line=line,
    )
    found.rows.append(row)
    if value.get("absent") is True:
        found.absent.append(row)
    if _is_whole(value.get("rating"), 9999):
        notes.adjusts("rating-of-platform", line, str(value["rating"]), "")


def _points(value: object) -> Decimal | None:
    """Read whole or half points; None if they are neither."""
    if isinstance(value, bool) or not isinstance(value, int | Decimal) or not 0 <= value <= MOST_POINTS:
        return None
    return Decimal(value) if value * 2 == int(value * 2) else None


def _is_whole(value: object, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most


def _sheet(found: _Found) -> Sheet:
    swiss, day = found.swiss, read_date(str(found.swiss.get("startsAt", ""))[:10])
    return Sheet(
        dialect=DIALECT,
        family=RESULTS_FORMAT.code,
        name=replace_odd_characters(str(swiss.get("name", "")))[0][:LONGEST_NAME],
        starts=day,
        ends=day,
        time_code=_clock(swiss.get("clock")),
        rounds=swiss["nbRounds"] if _is_whole(swiss.get("nbRounds"), MOST_ROUNDS) else None,
        rows=tuple(found.rows),
        encoding="utf-8",
    )


def _clock(clock: object) -> str:
    """A clock in TRF26's code, `300+3`; empty if it is not in whole numbers."""
    parts = [clock.get(key) for key in ("limit", "increment")] if isinstance(clock, dict) else []
    return "+".join(map(str, parts)) if parts and all(_is_whole(p, LONGEST_CLOCK) for p in parts) else ""


LICHESS_MESSAGES: dict[str, str] = {
    "lichess-not-read": _("From this line on, the file is not a Lichess list of results. Download it again."),
    "lichess-result-not-read": _(
        "The rank, the points or the user's name on this line cannot be read. Download the results again."
    ),
    "lichess-arena": _(
        "These are the results of an arena, which has no rounds, so it cannot be rated here. A Swiss "
        "tournament from Lichess can be rated."
    ),
    "lichess-no-results": _(
        "This is Lichess's description of a Swiss tournament, without results. Take the TRF of that "
        "tournament, which is at https://lichess.org/swiss/%(id)s.trf, and upload that."
    ),
    "lichess-absent": _(
        "Players whom Lichess marks as absent at the end: %(count)s (%(names)s). They keep their places; "
        "check whether they belong there."
    ),
}
