"""Event files → sheets: pure functions from bytes to a `Reading`; the content tells the format, not the name.

A format is a module with `KINDS`, what people are told of its files, with `recognises`, and with `read_text`,
of a file's text, or `read_bytes`, of its bytes. A new one is a line in `_OF_TEXT` or `_OF_BYTES`; a table
with a header row of its own, in `reader_choice`.
User files are read through `tournaments.box.run_box`, never in the process that answers people.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Protocol

from tournaments.formats.common import zip_members
from tournaments.formats.common.decode_text import MOST_PLAY, Text, narrowed, to_text
from tournaments.formats.common.format_description import FileKind
from tournaments.formats.common.reader_notes import Notes
from tournaments.formats.common.reading_result import FileFinding, Reading
from tournaments.formats.flip_the_disc import tournament_file as flip_the_disc
from tournaments.formats.games_abroad import games_file
from tournaments.formats.lichess import swiss_results_file
from tournaments.formats.othello_elo import elo_file
from tournaments.formats.swiss_manager import text_exports as sm_text
from tournaments.formats.swiss_manager_own import tournament_file as sm_own
from tournaments.formats.swiss_perfect import text_export as sp_text
from tournaments.formats.swiss_perfect import three_files as sp_files
from tournaments.formats.tables import csv_table, xlsx
from tournaments.formats.trf import trf_file


class OfText(Protocol):
    KINDS: tuple[FileKind, ...]

    def recognises(self, text: Text) -> bool: ...
    def read_text(self, text: Text, notes: Notes) -> Reading: ...


class OfBytes(Protocol):
    KINDS: tuple[FileKind, ...]

    def recognises(self, data: bytes) -> bool: ...
    def read_bytes(self, data: bytes, notes: Notes) -> Reading: ...


MOST_REASONS = 10  # that a person reads in one sentence after the other; equal ones of many lines are one

_OF_BYTES: tuple[OfBytes, ...] = (xlsx, swiss_results_file, flip_the_disc, sm_own)
_OF_TEXT: tuple[OfText, ...] = (sm_text, sp_text, games_file, csv_table, elo_file, trf_file)
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
    return Reading(None, _reasons(reading.findings) or (FileFinding("blocks", "no-players"),))


def _reasons(findings: Iterable[FileFinding]) -> tuple[FileFinding, ...]:
    """The findings that block, of as many kinds as a person reads: pages tell those of one kind once."""
    told: list[str] = []
    kept = []
    for finding in findings:
        said = f"{finding.key} {dict(finding.params)}"
        if finding.level == "blocks" and (said in told or len(told) < MOST_REASONS):
            told += [] if said in told else [said]
            kept.append(finding)
    return tuple(kept)


def _read_any(data: bytes, name: str, country: str) -> Reading:
    notes = Notes()
    if zip_members.recognises(data) and not xlsx.recognises(data):
        parts = zip_members.parts_of(data, notes)
        if parts and sm_text.belong_together(parts):
            return sm_text.read_parts(parts, notes)
        if parts and sp_files.belong_together(parts):
            return sp_files.read_parts(parts, notes, country)
        part = zip_members.only_part(parts, notes) if parts else None
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
            return _with_quotes(of_text.read_text(text, notes), text)
    notes.blocks("not-recognised")
    return notes.reading(None)


def _with_quotes(reading: Reading, text: Text) -> Reading:
    """The reading with the lines that a page may quote: so none has to read the file again."""
    if reading.sheet is None:
        return reading
    told = {
        item.line for items in (reading.findings, reading.sheet.rows, reading.sheet.games) for item in items
    }
    lines = {line for line in told if line and line <= len(text.lines)}
    return replace(reading, quotes={str(line): text.lines[line - 1] for line in sorted(lines)})
