"""Files that are no event file of any reader here, named for what they are by their first bytes."""

import re
from collections.abc import Callable
from pathlib import PurePath

from tournaments.formats.common.guess_encoding import wide_encoding

_UTF8_MARK = b"\xef\xbb\xbf"
_HEAD = 4_000  # bytes in which a file shows what it is

# First bytes → the message that says what the file is and what to do instead.
_SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (b"%PDF", "is-pdf"),
    (b"PK\x03\x04", "is-zip"),
    (b"PK\x05\x06", "is-zip"),
    (b"\xd0\xcf\x11\xe0", "is-old-office"),
    (b"\x1f\x8b", "is-archive"),
    (b"7z\xbc\xaf", "is-archive"),
    (b"Rar!", "is-archive"),
    (b"BZh", "is-archive"),
    (b"\xfd7zXZ", "is-archive"),
    (b"\x89PNG", "is-picture"),
    (b"\xff\xd8\xff", "is-picture"),
    (b"GIF8", "is-picture"),
)
_INI = re.compile(rb"\[[A-Za-z][\w .-]{0,40}\][ \t]*(?:[\r\n;]|\Z)")
# Lists of players and ratings: FIDE's as text and XML, the othello federation's, Chess South Africa's.
_LISTS = (
    re.compile(rb"\AID ?number +name +", re.IGNORECASE),
    re.compile(rb"\A(?:<\?xml[^>]*>\s*)?<playerslist\b", re.IGNORECASE),
    re.compile(rb"^pays *= *[A-Z]{3} *\r?$", re.IGNORECASE | re.MULTILINE),
    re.compile(rb"\AUNIQUE_NO[,;]SURNAME[,;]", re.IGNORECASE),
)


def foreign_kind(data: bytes, name: str) -> str:
    """The message that names a file as another program's or another thing; empty if nothing is known of it.
    `name` only helps to tell Swiss-Manager's own files.
    """
    head = data[:_HEAD].removeprefix(_UTF8_MARK).lstrip()
    tests: tuple[tuple[str, Callable[[], bool]], ...] = (
        ("is-swiss-manager", lambda: _is_swiss_manager(data, name)),
        ("is-swiss-perfect", lambda: is_dbase(data) or _INI.match(head) is not None),
    )
    known = next((key for key, holds in tests if holds()), "")
    return known or next((key for start, key in _SIGNATURES if data.startswith(start)), "")


def is_player_list(data: bytes) -> bool:
    """Whether this is a list of players or ratings: of use to a register, and no event file."""
    head = data[:_HEAD].removeprefix(_UTF8_MARK)
    if wide := wide_encoding(head):
        head = head.decode(wide, "replace").removeprefix("\ufeff").encode()
    return any(known.search(head.lstrip()) for known in _LISTS)


def foreign_markup(data: bytes) -> str:
    """The message for a text in HTML, XML or JSON; empty for any other."""
    start = data[:200].removeprefix(_UTF8_MARK).lstrip().lower()
    if start.startswith((b"<!doctype html", b"<html")):
        return "is-web-page"
    return "is-markup" if start.startswith((b"<", b"{", b"[")) else ""


def is_dbase(data: bytes) -> bool:
    """Whether this is a table of dBase III, as SwissPerfect keeps players and scores: its mark, a day, and
    the lengths of head and rows.
    """
    if len(data) < 32 or data[0] not in (0x03, 0x83) or not (1 <= data[2] <= 12 and 1 <= data[3] <= 31):
        return False
    head, row = int.from_bytes(data[8:10], "little"), int.from_bytes(data[10:12], "little")
    return head > 32 and head % 32 in (0, 1, 2) and row > 0


def _is_swiss_manager(data: bytes, name: str) -> bool:
    """Whether this is Swiss-Manager's own file (.TUNX, .TURX, .TUMX, older): sections begin `xx FF 89 44`."""
    named = PurePath(name).suffix.lower().startswith((".tun", ".tur", ".tum", ".tut"))
    return data[1:4] == b"\xff\x89\x44" or (named and b"\xff\x89\x44" in data)
