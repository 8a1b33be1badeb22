"""Arbiters in the text of TRF 102 and 112: `IA Nomsa Khumalo (12345678)`, `Nomsa Khumalo - FA 12345678`."""

import re

from tournaments.formats.common.reader_notes import Notes
from tournaments.formats.common.reading_result import Official, Role

TITLES = {"IA", "FA", "NA", "CA", "RA", "AN"}
LONGEST_NAME = 100

_WORD = re.compile(r"[^\s()\[\]]+")
_ID = re.compile(r"[0-9]{4,11}")
_AROUND = " -–,;:."


def officials_of(text: str, role: Role, line: int, dialect: str, notes: Notes) -> list[Official]:
    """Officials of a record. Several deputies are divided by commas (Swiss-Manager) or by semicolons."""
    parts = [part for part in text.split(";") if part.strip()]
    if role == "deputy" and len(parts) == 1:
        parts = _parted_by_commas(text, line, notes) if dialect == "Swiss-Manager" else parts
    found = [_official(part, role, line) for part in parts]
    return [official for official in found if official.name]


def _parted_by_commas(text: str, line: int, notes: Notes) -> list[str]:
    """Divide `Khumalo Nomsa, Botha Pieter` in two; `Khumalo, Nomsa` is one, as a name has two words."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if len(parts) < 2 or any(len(_official(part, "deputy", line).name.split()) < 2 for part in parts):
        return [text]
    notes.adjusts("deputies-parted", line, text[:200], "; ".join(parts)[:200])
    return parts


def _official(text: str, role: Role, line: int) -> Official:
    words = _WORD.findall(text)
    fide_id = words.pop() if words and _ID.fullmatch(words[-1].strip(_AROUND)) else ""
    title = ""
    for place in (0, -1):
        if not title and words and words[place].strip(_AROUND) in TITLES:
            title = words.pop(place).strip(_AROUND)
    name = " ".join(words).strip(_AROUND)
    return Official(name[:LONGEST_NAME], title, fide_id.strip(_AROUND), role, line)
