"""Reads event files: pure functions from bytes to a `Reading`. The content decides the format, not the name.

A format is a module with `KINDS`, with `recognises`, and with `read_text` or `read_bytes`. A new one is added
to `_TEXT_READERS` or `_BYTES_READERS`; a table with a header row of its own, in `tables`. Users' files are
read through `tournaments.box`, never in the process that answers requests.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Protocol

from ratings.rulesets.particulars import is_birth_given
from tournaments.formats import (
    csv_table,
    flip_the_disc,
    games_abroad,
    othello_elo,
    swiss_manager,
    swiss_manager_own,
    swiss_perfect,
    tables,
    text,
    trf,
)
from tournaments.formats.sheet import FileAdjustment, FileFinding, FileKind, NoSheet, Notes, Reading, Sheet
from tournaments.formats.text import MOST_PLAY, Text, convert_wide_json, to_text


class TextReader(Protocol):
    KINDS: tuple[FileKind, ...]

    def recognises(self, text: Text) -> bool: ...
    def read_text(self, text: Text, notes: Notes) -> Reading: ...


class BytesReader(Protocol):
    KINDS: tuple[FileKind, ...]

    def recognises(self, data: bytes) -> bool: ...
    def read_bytes(self, data: bytes, notes: Notes) -> Reading: ...


MOST_REASONS = 10
"""The most different findings that say why a file has no sheet."""
_BYTES_READERS: tuple[BytesReader, ...] = (tables, flip_the_disc, swiss_manager_own)
_TEXT_READERS: tuple[TextReader, ...] = (
    swiss_manager,
    games_abroad,
    csv_table,
    othello_elo,
    trf,
)
_READERS: tuple[TextReader | BytesReader, ...] = (*_TEXT_READERS, *_BYTES_READERS)
KINDS: Mapping[str, FileKind] = {
    kind.code: kind for reader in (swiss_perfect, *_READERS) for kind in reader.KINDS
}
"""All kinds of files by code; the plain table is none."""


def read_any(data: bytes, name: str = "", country: str = "") -> Reading:
    """Read a file, whatever it is; never raises. Without any player there is no sheet, and findings say why.

    `name` only helps to name a file of another program; `country`, the office's, to guess an old encoding.
    """
    notes = Notes()
    try:
        reading = _read_any(data, name, notes, country)
    except NoSheet:
        reading = notes.reading(None)
    if reading.sheet is None:
        return reading
    if len(reading.sheet.games) + len(reading.sheet.byes) > MOST_PLAY:
        return Reading(None, (FileFinding("blocks", "too-much-play", params={"most": MOST_PLAY}),))
    if reading.sheet.rows:
        return _leave_out_births_not_given(reading, reading.sheet)
    reasons: set[str] = set()  # pages show equal ones of many lines as one
    kept = []
    for finding in reading.findings:
        reason = f"{finding.key} {dict(finding.params)}"
        if finding.level == "blocks" and (reason in reasons or len(reasons) < MOST_REASONS):
            reasons.add(reason)
            kept.append(finding)
    return Reading(None, tuple(kept) or (FileFinding("blocks", "no-players"),))


def _leave_out_births_not_given(reading: Reading, sheet: Sheet) -> Reading:
    """The reading without births that say that none is known, each listed."""
    births = {row: row.birth.isoformat() if row.birth else str(row.born or "") for row in sheet.rows}
    unknown = {row: birth for row, birth in births.items() if birth and not is_birth_given(birth)}
    if not unknown:
        return reading
    rows = tuple(replace(row, born=None, birth=None) if row in unknown else row for row in sheet.rows)
    listed = (
        FileAdjustment("birth-not-given", row.line or None, birth, "") for row, birth in unknown.items()
    )
    return replace(reading, sheet=replace(sheet, rows=rows), adjustments=(*reading.adjustments, *listed))


def _read_any(data: bytes, name: str, notes: Notes, country: str) -> Reading:
    if text.recognises(data) and not tables.recognises(data):
        parts = text.parts_of(data, notes)
        if swiss_manager.belong_together(parts):
            return swiss_manager.read_parts(parts, notes)
        if swiss_perfect.belong_together(parts):
            return swiss_perfect.read_parts(parts, notes, country)
        part = text.find_only_part(parts, notes)
        data, name = part.data, part.name
    data = convert_wide_json(data, notes)
    for bytes_reader in _BYTES_READERS:
        if bytes_reader.recognises(data):
            return bytes_reader.read_bytes(data, notes)
    content = to_text(data, name, notes, country)
    for text_reader in _TEXT_READERS:
        if text_reader.recognises(content):
            reading = text_reader.read_text(content, notes)
            if reading.sheet is None:
                return reading
            # The lines that pages quote are kept, so that no page has to read the file again.
            kinds = (reading.findings, reading.sheet.rows, reading.sheet.games)
            numbers = {item.line for items in kinds for item in items}
            lines = {line for line in numbers if line and line <= len(content.lines)}
            return replace(reading, quotes={str(line): content.lines[line - 1] for line in sorted(lines)})
    raise notes.refusal("not-recognised")
