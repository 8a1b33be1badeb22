"""Bytes → lines of text: guesses at encodings, files named for what they are, and the files of a ZIP.

What is no text is refused by its name, and every guess is noted. Surnames in capitals are put into small
letters here too.
"""

import io
import re
import unicodedata
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import PurePath
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from tournaments.formats.sheet import Notes, SheetPlayer

# ---- Guesses the old encoding of a text: western, central European, Cyrillic, Greek. The guess is noted.
_HIGH_WORD = re.compile(rb"(?<![A-Za-z\x80-\xff])[\x80-\xff]{3,}(?![A-Za-z\x80-\xff])")  # no Żółkowska
_HIGH = re.compile(rb"[\x80-\xff]")
NO_COUNTRY = "XXX"
WHOLE_WORDS = 0.5
"""The share of letters above ASCII in runs of three and more that shows words of another alphabet."""
# Bytes that are a letter of names in one encoding, and in the other a sign or a letter that hardly occurs.
_CENTRAL = frozenset(
    b"\x8d\x9d\x8f\x9f\x9c\xb9\xb3\xbf\xa3\xa5\xaf\xbe\xec\xcc\xf9\xd9\xf2\xd2\xbc\xfb\xa9\xae"
)
_WESTERN = frozenset(b"\xe0\xe5\xc0\xc5\xe3\xff")
# Letters in ISO 8859-2 that are signs in cp1250; what is below 0xA0 is a letter in cp1250 and nothing in ISO.
_ISO_CENTRAL = frozenset(b"\xa6\xa9\xab\xac\xae\xb1\xb5\xb6\xbb")
_WINDOWS_ALONE = frozenset(range(0x80, 0xA0))
# The last letters of Greek names (ς α η ο υ ώ ς, ISO 8859-7), and of Russian and Bulgarian ones (cp1251).
_GREEK_ENDS = frozenset(b"\xf2\xe1\xe7\xef\xf5\xde\xdc\xd3\xd9")
_CYRILLIC_ENDS = frozenset(b"\xe2\xed\xe9\xe0\xff\xe8\xea\xee\xec\xfc\xf0\xeb\xc2\xcd\xc9\xc0\xdf")


# Letters of DOS (é ü â ä … á í ó ú ñ Ñ, cp850), where Windows has signs that follow no letter so.
_DOS_LETTERS = re.compile(
    rb"[A-Za-z](?:[\x81\x82\x84\x86-\x89\x8b\x90\xa1\xa2\xa4]|[\x85\x93\x94\x96\x97\x99\x9b\xa0](?=[A-Za-z]))"
)
_WINDOWS_LETTERS = re.compile(rb"[A-Za-z][\xc0-\xff]|[\xc0-\xff][A-Za-z]")
_SIGNS_IN_WESTERN = frozenset(b"\x8d\x9d\x8f\xb9\xb3\xbf\xa3\xa5\xaf\xbe\xbc\xa9\xae")
"""The bytes of `_CENTRAL` that are signs in cp1252, and letters in central Europe alone."""
CENTRAL_COUNTRIES = frozenset({"POL", "CZE", "SVK", "HUN", "SLO", "CRO", "BIH", "ROU", "ALB"})
_WIDE_MARKS = ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_MANY = 5  # a fifth of a text's bytes are NUL on one side only where each letter takes two


def wide_encoding(data: bytes) -> str:
    """The kind of UTF-16 that a text is saved in, by its mark or by its empty halves; empty if in none."""
    for mark, encoding in _WIDE_MARKS:
        if data.startswith(mark):
            return encoding
    high, low = data[::2].count(0), data[1::2].count(0)
    if max(high, low) <= len(data) // _MANY or min(high, low) > max(high, low) // _MANY:
        return ""
    return "utf-16-be" if high > low else "utf-16-le"


def likely_encoding(data: bytes, country: str = "") -> str:
    """Guess the old encoding of a text, as one of `cp1252`, `cp1250`, `cp1251`, `iso-8859-2`, `iso-8859-7`
    and `cp850`; else it is `latin-1`, which takes every byte. `country`, the office's, decides where letters
    alone would be western as well as central European.
    """
    high = len(_HIGH.findall(data))
    words = _HIGH_WORD.findall(data)
    if high and sum(map(len, words)) / high >= WHOLE_WORDS:
        order = [_alphabet(words), "cp1252", "cp1250"]
    elif len(_DOS_LETTERS.findall(data)) > len(_WINDOWS_LETTERS.findall(data)):
        order = ["cp850"]
    elif _is_central(data, country):
        iso = _counts(data, _ISO_CENTRAL) and not _counts(data, _WINDOWS_ALONE)
        order = ["iso-8859-2" if iso else "cp1250", "cp1252"]
    else:
        order = ["cp1252", "cp1250"]
    return next((encoding for encoding in order if _decodes(data, encoding)), "latin-1")


def _is_central(data: bytes, country: str) -> bool:
    if country and country not in (*CENTRAL_COUNTRIES, NO_COUNTRY) and not _counts(data, _SIGNS_IN_WESTERN):
        return False
    return _counts(data, _CENTRAL) > _counts(data, _WESTERN)


def _alphabet(words: list[bytes]) -> str:
    ends = bytes(word[-1] for word in words)
    return "iso-8859-7" if _counts(ends, _GREEK_ENDS) > _counts(ends, _CYRILLIC_ENDS) else "cp1251"


def _counts(data: bytes, letters: frozenset[int]) -> int:
    return sum(byte in letters for byte in data)


def _decodes(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True


# ---- Files that are no event file of any reader here, named for what they are by their first bytes.
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


# ---- Decodes a file into lines.
MOST_BYTES = 2 * 1024 * 1024
MOST_LINES = 20_000
LONGEST_LINE = 2_000  # characters
MOST_PLAY = 100_000  # games and byes: a small file can mean far more, where absences follow from blanks
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
    # The message for a text in HTML, XML or JSON; empty for any other.
    start = data[:200].removeprefix(_UTF8_MARK).lstrip().lower()
    if start.startswith((b"<!doctype html", b"<html")):
        return "is-web-page"
    return "is-markup" if start.startswith((b"<", b"{", b"[")) else ""


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


# ---- The files of a ZIP.
#
# A ZIP is opened only in the box, and unpacked only up to the most bytes that one file, or all together, may
# have.
MOST_PARTS = 200
MOST_TOGETHER = 8 * MOST_BYTES
NAMED = 10  # files of an archive that a message names
_OF_FOLDERS = ("Thumbs.db", "desktop.ini")
OF_OFFICES = {"content.xml", "word/document.xml", "ppt/presentation.xml"}
"""Parts that show an archive to be an office document: OpenDocument's, then Microsoft's."""
BROKEN = (BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError, ValueError)


def recognises(data: bytes) -> bool:
    return data.startswith((b"PK\x03\x04", b"PK\x05\x06"))


@dataclass(frozen=True, slots=True)
class ZipMember:
    name: str
    data: bytes


def parts_of(data: bytes, notes: Notes) -> tuple[ZipMember, ...] | None:
    """The files in an archive, in its order; None with a note that says why there are none."""
    if len(data) > MOST_BYTES:
        notes.blocks("too-big")
        return None
    try:
        with ZipFile(io.BytesIO(data)) as archive:
            files = [part for part in archive.infolist()[: MOST_PARTS + 1] if counts(part)]
            if any(part.filename in OF_OFFICES for part in files):
                notes.blocks("is-office-document")
                return None
            if not files or len(files) > MOST_PARTS:
                _refuse([part.filename for part in files], notes)
                return None
            return _unpacked(archive, files, notes)
    except BROKEN:
        notes.blocks("is-zip")
        return None


def only_part(parts: tuple[ZipMember, ...], notes: Notes) -> ZipMember | None:
    """The one file in an archive, with an adjustment that says so; None with a note that names several."""
    if len(parts) != 1:
        _refuse([part.name for part in parts], notes)
        return None
    notes.adjusts("unpacked", None, "ZIP", plain(parts[0].name))
    return parts[0]


def counts(part: ZipInfo) -> bool:
    """Whether a part of a ZIP was packed by a person: no folder, and nothing that a Mac or Windows adds."""
    name = part.filename.rpartition("/")[2]
    return not (part.filename.startswith("__MACOSX/") or name.startswith(".") or name in ("", *_OF_FOLDERS))


def _refuse(files: list[str], notes: Notes) -> None:
    if not files:
        notes.blocks("is-zip")
        return
    names = ", ".join(plain(name) for name in files[:NAMED]) + (" …" if len(files) > NAMED else "")
    notes.blocks("zip-of-several", names=names)


def _unpacked(archive: ZipFile, files: list[ZipInfo], notes: Notes) -> tuple[ZipMember, ...] | None:
    parts, room = [], MOST_TOGETHER
    for file in files:
        if file.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
            raise NotImplementedError
        with archive.open(file) as stream:
            data = stream.read(min(MOST_BYTES, room) + 1)
        room -= len(data)
        if len(data) > MOST_BYTES or room < 0:
            if len(files) > 1:  # a program's whole folder: the large one may be nobody's event file
                _refuse([file.filename for file in files], notes)
            else:
                notes.blocks("too-big")
            return None
        parts.append(ZipMember(file.filename, data))
    return tuple(parts)


def plain(name: str, most: int = 60) -> str:
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in name)[:most]


# ---- Surnames in capitals, as in othello's and mahjong's files, put into the letters of a register.
_WORD = re.compile(r"[^\W\d_]+")


def in_small_letters(rows: Sequence[SheetPlayer], notes: Notes) -> list[SheetPlayer]:
    """Turn `VAN DEN BERG` into `Van Den Berg`, name by name: programs write whom they know in capitals, and
    others as they were typed. Noted once. A name of capitals throughout stays where others are not so.
    """
    parted = [row for row in rows if row.first_name]
    all_of_them = all(row.surname.isupper() for row in parted)
    shouted = [
        row
        for row in parted
        if row.surname.isupper() and (all_of_them or (len(row.surname) > 1 and not row.first_name.isupper()))
    ]
    if not shouted:
        return list(rows)
    first = shouted[0]
    notes.adjusts("surnames-in-capitals", first.line, first.surname, _quiet(first.surname))
    lines = {id(row) for row in shouted}
    return [_with_surname(row, _quiet(row.surname)) if id(row) in lines else row for row in rows]


def _quiet(surname: str) -> str:
    return _WORD.sub(lambda found: found[0][0] + found[0][1:].lower(), surname)


def _with_surname(row: SheetPlayer, surname: str) -> SheetPlayer:
    return replace(row, surname=surname, name=f"{surname}, {row.first_name}")
