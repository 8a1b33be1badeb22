"""Decodes files into lines, guesses encodings, recognises files of other programs, and opens ZIPs.

Every guess is noted.
"""

import io
import re
import unicodedata
import zlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import PurePath
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from tournaments.formats.sheet import NoSheet, Notes, SheetPlayer

# ---- Old encodings: western, central European, Cyrillic, Greek
#
# By hand, because an event file is digits with few names: charset-normalizer decodes 180 of 420 such files as
# they were written, this 405.
_HIGH_WORD = re.compile(rb"(?<![A-Za-z\x80-\xff])[\x80-\xff]{3,}(?![A-Za-z\x80-\xff])")  # no Żółkowska
_HIGH = re.compile(rb"[\x80-\xff]")
NO_COUNTRY = "XXX"
WHOLE_WORD_SHARE = 0.5
"""The share of letters above ASCII in runs of three and more from which a text is in another alphabet."""
# Bytes that are letters of names in one encoding, and in the other signs or letters that hardly occur.
_CENTRAL = frozenset(
    b"\x8d\x9d\x8f\x9f\x9c\xb9\xb3\xbf\xa3\xa5\xaf\xbe\xec\xcc\xf9\xd9\xf2\xd2\xbc\xfb\xa9\xae"
)
_WESTERN = frozenset(b"\xe0\xe5\xc0\xc5\xe3\xff")
# Letters in ISO 8859-2 that are signs in cp1250; bytes below 0xA0 are letters in cp1250 alone.
_ISO_CENTRAL = frozenset(b"\xa6\xa9\xab\xac\xae\xb1\xb5\xb6\xbb")
_WINDOWS_ALONE = frozenset(range(0x80, 0xA0))
# The last letters of Greek names (ς α η ο υ ώ ς, ISO 8859-7), and of Russian and Bulgarian ones (cp1251).
_GREEK_ENDS = frozenset(b"\xf2\xe1\xe7\xef\xf5\xde\xdc\xd3\xd9")
_CYRILLIC_ENDS = frozenset(b"\xe2\xed\xe9\xe0\xff\xe8\xea\xee\xec\xfc\xf0\xeb\xc2\xcd\xc9\xc0\xdf")
# Letters of DOS (é ü â ä … á í ó ú ñ Ñ, cp850), where Windows has signs that do not follow letters like this.
_DOS_LETTERS = re.compile(
    rb"[A-Za-z](?:[\x81\x82\x84\x86-\x89\x8b\x90\xa1\xa2\xa4]|[\x85\x93\x94\x96\x97\x99\x9b\xa0](?=[A-Za-z]))"
)
_WINDOWS_LETTERS = re.compile(rb"[A-Za-z][\xc0-\xff]|[\xc0-\xff][A-Za-z]")
_SIGNS_IN_WESTERN = frozenset(b"\x8d\x9d\x8f\xb9\xb3\xbf\xa3\xa5\xaf\xbe\xbc\xa9\xae")
"""The bytes of `_CENTRAL` that are signs in cp1252."""
CENTRAL_COUNTRIES = frozenset({"POL", "CZE", "SVK", "HUN", "SLO", "CRO", "BIH", "ROU", "ALB"})
_WIDE_MARKS = ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_MANY = 5  # in UTF-16, more than a fifth of the bytes are NUL, on one side of the pairs alone


def detect_utf16_encoding(data: bytes) -> str:
    """The kind of UTF-16 of a text, by its mark or by NUL bytes; empty if it is another encoding."""
    for mark, encoding in _WIDE_MARKS:
        if data.startswith(mark):
            return encoding
    high, low = data[::2].count(0), data[1::2].count(0)
    if max(high, low) <= len(data) // _MANY or min(high, low) > max(high, low) // _MANY:
        return ""
    return "utf-16-be" if high > low else "utf-16-le"


def guess_encoding(data: bytes, country: str = "") -> str:
    """Guess the old encoding of a text: `cp1252`, `cp1250`, `cp1251`, `iso-8859-2`, `iso-8859-7` or `cp850`;
    else `latin-1`, which takes every byte. `country`, the office's, decides between western and central
    European if the letters do not.
    """
    high = len(_HIGH.findall(data))
    words = _HIGH_WORD.findall(data)
    if high and sum(map(len, words)) / high >= WHOLE_WORD_SHARE:
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


# ---- Files of other kinds, by their first bytes
_UTF8_MARK = b"\xef\xbb\xbf"
_HEAD = 4_000  # bytes
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
    (b'{"rank":1,"points":', "is-lichess-results"),
)
"""First bytes, and the message that says what the file is and what to do instead."""
_INI = re.compile(rb"\[[A-Za-z][\w .-]{0,40}\][ \t]*(?:[\r\n;]|\Z)")
# Lists of players and ratings: FIDE's as text and XML, the othello federation's, Chess South Africa's.
_LISTS = (
    re.compile(rb"\AID ?number +name +", re.IGNORECASE),
    re.compile(rb"\A(?:<\?xml[^>]*>\s*)?<playerslist\b", re.IGNORECASE),
    re.compile(rb"^pays *= *[A-Z]{3} *\r?$", re.IGNORECASE | re.MULTILINE),
    re.compile(rb"\AUNIQUE_NO[,;]SURNAME[,;]", re.IGNORECASE),
)


def find_foreign_file_message(data: bytes, name: str) -> str:
    """The message about a file of another kind; empty if it may be an event file. `name` only helps to
    recognise Swiss-Manager's own files.
    """
    # Whether this is Swiss-Manager's own file (.TUNX, .TURX, .TUMX, older): sections begin `xx FF 89 44`.
    named = PurePath(name).suffix.lower().startswith((".tun", ".tur", ".tum", ".tut"))
    if data[1:4] == b"\xff\x89\x44" or (named and b"\xff\x89\x44" in data):
        return "is-swiss-manager"
    if is_dbase(data) or _INI.match(data[:_HEAD].removeprefix(_UTF8_MARK).lstrip()):
        return "is-swiss-perfect"
    return next((key for start, key in _SIGNATURES if data.startswith(start)), "")


def is_player_list(data: bytes) -> bool:
    """Whether this is a list of players or ratings."""
    head = data[:_HEAD].removeprefix(_UTF8_MARK)
    if wide := detect_utf16_encoding(head):
        head = head.decode(wide, "replace").removeprefix("\ufeff").encode()
    return any(known.search(head.lstrip()) for known in _LISTS)


def is_dbase(data: bytes) -> bool:
    """Whether this is a table of dBase III, as SwissPerfect keeps players and scores, by its mark, a day, and
    the lengths of head and rows.
    """
    if len(data) < 32 or data[0] not in (0x03, 0x83) or not (1 <= data[2] <= 12 and 1 <= data[3] <= 31):
        return False
    head, row = int.from_bytes(data[8:10], "little"), int.from_bytes(data[10:12], "little")
    return head > 32 and head % 32 in (0, 1, 2) and row > 0


# ---- Decoding
MOST_BYTES = 2 * 1024 * 1024
MOST_LINES = 20_000
LONGEST_LINE = 2_000  # characters
MOST_PLAY = 100_000  # games and byes: a small file can have far more, since blanks can be absences
_PLAYER_LINES = ("001", "%_%")
"""The beginnings of lines with names, which show best whether the letters are right."""
_END_OF_LINE = re.compile(r"\r\n|\n|\r")
_ODD = {"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"}


@dataclass(frozen=True, slots=True)
class Text:
    """The lines of a file, without line ends."""

    lines: tuple[str, ...]
    encoding: str


def to_text(data: bytes, name: str, notes: Notes, country: str = "") -> Text:
    """Decode a file; refuses what is no text. `name` only helps to name a file of another kind; `country`,
    the office's, to guess an old encoding.
    """
    if refusal := "is-player-list" if is_player_list(data) else _refusal(data, name):
        raise notes.refusal(refusal)
    decoded, encoding = _decode(data, notes, country)
    lines = _END_OF_LINE.split(decoded)
    if lines[-1] == "":
        lines.pop()
    if len(lines) > MOST_LINES:
        raise notes.refusal("too-many-lines", MOST_LINES + 1, most=MOST_LINES)
    return Text(tuple(_check_line(line, number, notes) for number, line in enumerate(lines, 1)), encoding)


def decode_long_text(data: bytes, name: str, notes: Notes, most_bytes: int) -> tuple[str, str]:
    """The text of a file with any number of lines, and its encoding; refuses what is no text."""
    if refusal := _refusal(data, name, most_bytes):
        raise notes.refusal(refusal)
    return _decode(data, notes)


def convert_wide_json(data: bytes, notes: Notes) -> bytes:
    """JSON that was saved as UTF-16 as UTF-8, with a note; any other bytes unchanged."""
    wide = detect_utf16_encoding(data[:_HEAD]) if len(data) <= MOST_BYTES else ""
    if not wide or not data[:_HEAD].decode(wide, "replace").lstrip("\ufeff \t\r\n").startswith("{"):
        return data
    notes.adjusts("encoding-wide", None, "", wide.upper())
    return data.decode(wide, "replace").removeprefix("\ufeff").encode()


def _refusal(data: bytes, name: str, most_bytes: int = MOST_BYTES) -> str:
    """The message that refuses the bytes; empty if they may be an event file's text."""
    if not data.strip(b"\0\t\n\r " + _UTF8_MARK):
        return "empty"
    if known := find_foreign_file_message(data, name):
        return known
    if len(data) > most_bytes:
        return "too-big"
    if b"\0" in data and not detect_utf16_encoding(data):
        return "is-binary"
    start = data[:200].removeprefix(_UTF8_MARK).lstrip().lower()
    if start.startswith((b"<!doctype html", b"<html")):
        return "is-web-page"
    return "is-markup" if start.startswith((b"<", b"{", b"[")) else ""


def _decode(data: bytes, notes: Notes, country: str = "") -> tuple[str, str]:
    if wide := detect_utf16_encoding(data):
        notes.adjusts("encoding-wide", None, "", wide.upper())
        return data.decode(wide, "replace").removeprefix("\ufeff"), wide
    body = data.removeprefix(_UTF8_MARK)
    try:
        return body.decode("utf-8"), "ascii" if body.isascii() else "utf-8"
    except UnicodeDecodeError as error:
        if error.reason == "unexpected end of data":  # at the very end: the file is cut off
            whole = body[: error.start].decode("utf-8")
            notes.blocks("cut-in-character", len(_END_OF_LINE.split(whole)))
            return whole, "utf-8"
    with suppress(UnicodeDecodeError):  # a surrogate is an odd character, which is refused later
        return body.decode("utf-8", "surrogatepass"), "utf-8"
    encoding = guess_encoding(body, country)
    text = body.decode(encoding)
    lines = [(n, line) for n, line in enumerate(_END_OF_LINE.split(text), 1) if not line.isascii()]
    number, line = next(((n, line) for n, line in lines if line.startswith(_PLAYER_LINES)), lines[0])
    notes.notice("encoding-guessed", number, encoding=encoding, sample=line.strip()[:80])
    notes.adjusts("encoding-guessed", None, "?", encoding)
    return text, encoding


def _check_line(line: str, number: int, notes: Notes) -> str:
    if len(line) > LONGEST_LINE:
        notes.blocks("line-too-long", number, LONGEST_LINE + 1, most=LONGEST_LINE)
        line = line[:LONGEST_LINE]
    plain, odd = replace_odd_characters(line)
    if odd is not None:
        notes.blocks("odd-character", number, odd + 1, code=code_point(line[odd]))
    return plain


def replace_odd_characters(text: str) -> tuple[str, int | None]:
    """The text with control and invisible characters replaced, and the place of the first, if any.

    They could hide a name behind another's, and no database takes them all.
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


# ---- The files of a ZIP, which is opened only in the box, and unpacked only up to a number of bytes
MOST_PARTS = 200
MOST_TOGETHER = 8 * MOST_BYTES
MOST_NAMED_FILES = 10  # files of an archive that a message names
_FOLDER_FILES = ("Thumbs.db", "desktop.ini")
OFFICE_PARTS = {"content.xml", "word/document.xml", "ppt/presentation.xml"}
"""Parts of office documents, OpenDocument's and Microsoft's."""
BROKEN_ZIP_ERRORS = (BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError, ValueError)


def recognises(data: bytes) -> bool:
    return data.startswith((b"PK\x03\x04", b"PK\x05\x06"))


@dataclass(frozen=True, slots=True)
class ZipMember:
    name: str
    data: bytes


def parts_of(data: bytes, notes: Notes) -> tuple[ZipMember, ...]:
    """The files in an archive, in its order; refuses what cannot be unpacked."""
    if len(data) > MOST_BYTES:
        raise notes.refusal("too-big")
    try:
        with ZipFile(io.BytesIO(data)) as archive:
            files = [part for part in archive.infolist()[: MOST_PARTS + 1] if is_packed_file(part)]
            if any(part.filename in OFFICE_PARTS for part in files):
                raise notes.refusal("is-office-document")
            if not files or len(files) > MOST_PARTS:
                raise _refusal_of_number([part.filename for part in files], notes)
            return _inflate(archive, files, notes)
    except BROKEN_ZIP_ERRORS:
        raise notes.refusal("is-zip") from None


def find_only_part(parts: tuple[ZipMember, ...], notes: Notes) -> ZipMember:
    """The only file in an archive, with an adjustment; refuses several."""
    if len(parts) != 1:
        raise _refusal_of_number([part.name for part in parts], notes)
    notes.adjusts("unpacked", None, "ZIP", printable_name(parts[0].name))
    return parts[0]


def is_packed_file(part: ZipInfo) -> bool:
    """Whether a part of a ZIP is a file that a person packed, and not one that a Mac or Windows adds."""
    name = part.filename.rpartition("/")[2]
    return not (part.filename.startswith("__MACOSX/") or name.startswith(".") or name in ("", *_FOLDER_FILES))


def _refusal_of_number(files: list[str], notes: Notes) -> NoSheet:
    if not files:
        return notes.refusal("is-zip")
    names = ", ".join(map(printable_name, files[:MOST_NAMED_FILES])) + (
        " …" if len(files) > MOST_NAMED_FILES else ""
    )
    return notes.refusal("zip-of-several", names=names)


def _inflate(archive: ZipFile, files: list[ZipInfo], notes: Notes) -> tuple[ZipMember, ...]:
    parts, room = [], MOST_TOGETHER
    for file in files:
        if file.compress_type not in (ZIP_STORED, ZIP_DEFLATED):
            raise NotImplementedError
        with archive.open(file) as stream:
            data = stream.read(min(MOST_BYTES, room) + 1)
        room -= len(data)
        if len(data) > MOST_BYTES or room < 0:
            if len(files) > 1:  # the large one may be no event file
                raise _refusal_of_number([file.filename for file in files], notes)
            raise notes.refusal("too-big")
        parts.append(ZipMember(file.filename, data))
    return tuple(parts)


def printable_name(name: str, most: int = 60) -> str:
    return "".join(letter if letter.isprintable() else "\ufffd" for letter in name)[:most]


# ---- Surnames in capitals
_WORD = re.compile(r"[^\W\d_]+")


def normalize_surnames(rows: Sequence[SheetPlayer], notes: Notes) -> list[SheetPlayer]:
    """Change surnames in capitals such as `VAN DEN BERG` to `Van Den Berg`, with one note: programs write
    players whom they know in capitals. If not all are so, those with a first name in capitals too are kept.
    """
    divided = [row for row in rows if row.first_name]
    all_in_capitals = all(row.surname.isupper() for row in divided)
    in_capitals = {
        id(row): row
        for row in divided
        if row.surname.isupper()
        and (all_in_capitals or (len(row.surname) > 1 and not row.first_name.isupper()))
    }
    if in_capitals:
        first = next(iter(in_capitals.values()))
        notes.adjusts("surnames-in-capitals", first.line, first.surname, lower_capitals(first.surname))
    return [_lower_surname(row) if id(row) in in_capitals else row for row in rows]


def lower_capitals(name: str) -> str:
    return _WORD.sub(lambda found: found[0][0] + found[0][1:].lower(), name)


def _lower_surname(row: SheetPlayer) -> SheetPlayer:
    surname = lower_capitals(row.surname)
    return replace(row, surname=surname, name=f"{surname}, {row.first_name}")
