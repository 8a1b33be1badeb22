"""Bytes → lines. What is no text is refused by its name, and every guess is noted."""

import re
import unicodedata
from contextlib import suppress
from dataclasses import dataclass

from tournaments.formats.common.foreign_files import foreign_kind, foreign_markup, is_player_list
from tournaments.formats.common.guess_encoding import likely_encoding, wide_encoding
from tournaments.formats.common.reader_notes import Notes

MOST_BYTES = 2 * 1024 * 1024
MOST_LINES = 20_000
LONGEST_LINE = 2_000  # characters
MOST_PLAY = 100_000  # games and byes: a small file can mean far more, where absences follow from blanks

_HEAD = 4_000  # bytes in which a text shows how it is saved
_UTF8_MARK = b"\xef\xbb\xbf"
_OF_PLAYERS = ("001", "%_%")
"""The beginnings of lines with a name, which shows best whether the letters are right."""
_END_OF_LINE = re.compile(r"\r\n|\n|\r")
_ODD = {"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"}


@dataclass(frozen=True, slots=True)
class Text:
    """The lines of a file, without line ends; line n of the file is `lines[n - 1]`."""

    lines: tuple[str, ...]
    encoding: str


def to_text(data: bytes, name: str, notes: Notes, country: str = "") -> Text | None:
    """Decode a file; None with a note if it is no text. `name` only helps to name a foreign file, `country`,
    the office's, to guess an old encoding.
    """
    refusal = "is-player-list" if is_player_list(data) else _refusal(data, name)
    if refusal:
        notes.blocks(refusal)
        return None
    decoded, encoding = _decode(data, notes, country)
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


def narrowed(data: bytes, notes: Notes) -> bytes:
    """The bytes of a JSON text that was saved as UTF-16, in UTF-8, and noted; any others as they are."""
    wide = wide_encoding(data[:_HEAD]) if len(data) <= MOST_BYTES else ""
    if not wide or not data[:_HEAD].decode(wide, "replace").lstrip("\ufeff \t\r\n").startswith("{"):
        return data
    notes.adjusts("encoding-wide", None, "", wide.upper())
    return data.decode(wide, "replace").removeprefix("\ufeff").encode()


def _refusal(data: bytes, name: str, most_bytes: int = MOST_BYTES) -> str:
    """The message that refuses bytes that are no text of an event file; empty if they may be one."""
    if not data.strip(b"\0\t\n\r " + _UTF8_MARK):
        return "empty"
    if known := foreign_kind(data, name):
        return known
    if len(data) > most_bytes:
        return "too-big"
    if b"\0" in data and not wide_encoding(data):
        return "is-binary"
    return foreign_markup(data)


def _decode(data: bytes, notes: Notes, country: str = "") -> tuple[str, str]:
    if wide := wide_encoding(data):
        notes.adjusts("encoding-wide", None, "", wide.upper())
        return data.decode(wide, "replace").removeprefix("\ufeff"), wide
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
    return _decode_old(body, notes, country)


def _decode_old(body: bytes, notes: Notes, country: str) -> tuple[str, str]:
    encoding = likely_encoding(body, country)
    text = body.decode(encoding)
    told = [(n, line) for n, line in enumerate(_END_OF_LINE.split(text), 1) if not line.isascii()]
    number, line = next(((n, line) for n, line in told if line.startswith(_OF_PLAYERS)), told[0])
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
