"""Event files → sheets: pure functions from bytes to a `Reading`; the content tells the format, not the name.

A format is a module with `KINDS`, what people are told of its files, with `recognises`, and with `read_text`,
of a file's text, or `read_bytes`, of its bytes. A new one is a line in `_OF_TEXT` or `_OF_BYTES`; a table
with a header row of its own, in `reader_choice`.
User files are read through `tournaments.box`, never in the process that answers people.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Protocol

from tournaments.formats import (
    csv_table,
    flip_the_disc,
    games_abroad,
    lichess,
    othello_elo,
    swiss_manager,
    swiss_manager_own,
    swiss_perfect,
    tables,
    text,
    trf,
)
from tournaments.formats.sheet import FileFinding, FileKind, Notes, Reading
from tournaments.formats.text import MOST_PLAY, Text, narrowed, to_text


class OfText(Protocol):
    KINDS: tuple[FileKind, ...]

    def recognises(self, text: Text) -> bool: ...
    def read_text(self, text: Text, notes: Notes) -> Reading: ...


class OfBytes(Protocol):
    KINDS: tuple[FileKind, ...]

    def recognises(self, data: bytes) -> bool: ...
    def read_bytes(self, data: bytes, notes: Notes) -> Reading: ...


MOST_REASONS = 10  # that a person reads in one sentence after the other; equal ones of many lines are one

_OF_BYTES: tuple[OfBytes, ...] = (tables, lichess, flip_the_disc, swiss_manager_own)
_OF_TEXT: tuple[OfText, ...] = (swiss_manager, swiss_perfect, games_abroad, csv_table, othello_elo, trf)
_READERS: tuple[OfText | OfBytes, ...] = (*_OF_TEXT, *_OF_BYTES)
KINDS: Mapping[str, FileKind] = {kind.code: kind for reader in _READERS for kind in reader.KINDS}
"""Every kind of file that some reader here reads, by its code; the plain table is none."""


def read_any(data: bytes, name: str = "", country: str = "") -> Reading:
    """Read a file, whatever it is; never raises. `name` only helps to say what a foreign file is, `country`,
    the office's, to guess an old encoding.

    If not one player could be read there is no sheet, and findings say why.
    """
    reading = _read_any(data, name, country)
    if reading.sheet is None:
        return reading
    if len(reading.sheet.games) + len(reading.sheet.byes) > MOST_PLAY:
        return Reading(None, (FileFinding("blocks", "too-much-play", params={"most": MOST_PLAY}),))
    if reading.sheet.rows:
        return reading
    # The findings that block, of as many kinds as a person reads: pages tell those of one kind once.
    told: list[str] = []
    kept = []
    for finding in reading.findings:
        said = f"{finding.key} {dict(finding.params)}"
        if finding.level == "blocks" and (said in told or len(told) < MOST_REASONS):
            told += [] if said in told else [said]
            kept.append(finding)
    return Reading(None, tuple(kept) or (FileFinding("blocks", "no-players"),))


def _read_any(data: bytes, name: str, country: str) -> Reading:
    notes = Notes()
    if text.recognises(data) and not tables.recognises(data):
        parts = text.parts_of(data, notes)
        if parts and swiss_manager.belong_together(parts):
            return swiss_manager.read_parts(parts, notes)
        if parts and swiss_perfect.belong_together(parts):
            return swiss_perfect.read_parts(parts, notes, country)
        part = text.only_part(parts, notes) if parts else None
        if part is None:
            return notes.reading(None)
        data, name = part.data, part.name
    return _read(data, name, notes, country)


def _read(data: bytes, name: str, notes: Notes, country: str) -> Reading:
    data = narrowed(data, notes)
    for of_bytes in _OF_BYTES:
        if of_bytes.recognises(data):
            return of_bytes.read_bytes(data, notes)
    text = to_text(data, name, notes, country)
    if text is None:
        return notes.reading(None)
    for of_text in _OF_TEXT:
        if of_text.recognises(text):
            # The reading with the lines that a page may quote: so none has to read the file again.
            reading = of_text.read_text(text, notes)
            if reading.sheet is None:
                return reading
            told = {
                item.line
                for items in (reading.findings, reading.sheet.rows, reading.sheet.games)
                for item in items
            }
            lines = {line for line in told if line and line <= len(text.lines)}
            return replace(reading, quotes={str(line): text.lines[line - 1] for line in sorted(lines)})
    notes.blocks("not-recognised")
    return notes.reading(None)
