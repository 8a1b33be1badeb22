"""Bytes → lines. What is no text is refused by its name, and every guess is noted."""

import re
import unicodedata
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import PurePath

from tournaments.formats.common.guess_encoding import likely_encoding
from tournaments.formats.common.reader_notes import Notes

MOST_BYTES = 2 * 1024 * 1024
MOST_LINES = 20_000
LONGEST_LINE = 2_000  # characters
MOST_PLAY = 100_000  # games and byes: a small file can mean far more, where absences follow from blanks

_UTF8_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_END_OF_LINE = re.compile(r"\r\n|\n|\r")
_ODD = {"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"}

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


@dataclass(frozen=True, slots=True)
class Text:
    """The lines of a file, without line ends; line n of the file is `lines[n - 1]`."""

    lines: tuple[str, ...]
    encoding: str


def to_text(data: bytes, name: str, notes: Notes) -> Text | None:
    """Decode a file; None with a note if it is no text. `name` only helps to name a foreign file."""
    refusal = _refusal(data, name)
    if refusal:
        notes.blocks(refusal)
        return None
    decoded, encoding = _decode(data, notes)
    lines = _END_OF_LINE.split(decoded)
    if lines[-1] == "":
        lines.pop()
    if len(lines) > MOST_LINES:
        notes.blocks("too-many-lines", MOST_LINES + 1, most=MOST_LINES)
        return None
    return Text(tuple(_checked(line, number, notes) for number, line in enumerate(lines, 1)), encoding)


def to_long_text(data: bytes, name: str, notes: Notes, most_bytes: int) -> tuple[str, str] | None:
    """Decode a text of any number of lines, in one piece with all characters; return it and its encoding."""
    refusal = _refusal(data, name, most_bytes)
    if refusal:
        notes.blocks(refusal)
        return None
    return _decode(data, notes)


def _refusal(data: bytes, name: str, most_bytes: int = MOST_BYTES) -> str | None:
    tests: tuple[tuple[str, Callable[[], bool]], ...] = (
        ("empty", lambda: not data.strip(b"\0\t\n\r " + _UTF8_MARK)),
        ("too-big", lambda: len(data) > most_bytes),
        ("is-swiss-manager", lambda: _is_swiss_manager(data, name)),
    )
    for key, holds in tests:
        if holds():
            return key
    for start, key in _SIGNATURES:
        if data.startswith(start):
            return key
    return _foreign_text(data)


def _foreign_text(data: bytes) -> str | None:
    if data.startswith(_UTF16_MARKS) or max(data[::2].count(0), data[1::2].count(0)) > len(data) // 5:
        return "is-utf16"
    if b"\0" in data:
        return "is-binary"
    start = data[:200].removeprefix(_UTF8_MARK).lstrip().lower()
    if start.startswith((b"<!doctype html", b"<html")):
        return "is-web-page"
    return "is-markup" if start.startswith((b"<", b"{", b"[")) else None


def _is_swiss_manager(data: bytes, name: str) -> bool:
    """Whether this is Swiss-Manager's own file (.TUNX, .TURX, .TUMX, older): sections begin `xx FF 89 44`."""
    named = PurePath(name).suffix.lower().startswith((".tun", ".tur", ".tum", ".tut"))
    return data[1:4] == b"\xff\x89\x44" or (named and b"\xff\x89\x44" in data)


def _decode(data: bytes, notes: Notes) -> tuple[str, str]:
    body = data.removeprefix(_UTF8_MARK)
    try:
        return body.decode("utf-8"), "ascii" if body.isascii() else "utf-8"
    except UnicodeDecodeError as error:
        if (
            error.reason == "unexpected end of data"
        ):  # only ever at the very end: the file is cut, not miscoded
            whole = body[: error.start].decode("utf-8")
            notes.blocks("cut-in-character", len(_END_OF_LINE.split(whole)))
            return whole, "utf-8"
    with suppress(UnicodeDecodeError):  # half a letter in UTF-16's manner: an odd character, soon refused
        return body.decode("utf-8", "surrogatepass"), "utf-8"
    return _decode_old(body, notes)


def _decode_old(body: bytes, notes: Notes) -> tuple[str, str]:
    encoding = likely_encoding(body)
    text = body.decode(encoding)
    number, line = next((n, line) for n, line in enumerate(_END_OF_LINE.split(text), 1) if not line.isascii())
    notes.notice("encoding-guessed", number, encoding=encoding, sample=line.strip()[:80])
    notes.adjusts("encoding-guessed", None, "?", encoding)
    return text, encoding


def _checked(line: str, number: int, notes: Notes) -> str:
    if len(line) > LONGEST_LINE:
        notes.blocks("line-too-long", number, LONGEST_LINE + 1, most=LONGEST_LINE)
        line = line[:LONGEST_LINE]
    plain, odd = without_odd_characters(line)
    if odd is not None:
        notes.blocks("odd-character", number, odd + 1, code=code_point(line[odd]))
    return plain


def without_odd_characters(text: str) -> tuple[str, int | None]:
    """Replace characters that a text may not have; return it, and the place of the first of them.

    A control or invisible character could hide a name behind another's, and no database takes them all.
    """
    if text.isprintable():
        return text, None
    odd = [place for place, character in enumerate(text) if _is_odd(character)]
    plain = "".join("\ufffd" if _is_odd(character) else character for character in text)
    return plain, odd[0] if odd else None


def code_point(character: str) -> str:
    return f"U+{ord(character):04X}"


def _is_odd(character: str) -> bool:
    return character != "\t" and unicodedata.category(character) in _ODD
