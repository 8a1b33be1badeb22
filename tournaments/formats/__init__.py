"""Event files → sheets: pure functions from bytes to a `Reading`, found by content and not by name.

A format is a module with `recognises(text)` and `read_text(text, notes)`; a new one is a line in `_FORMATS`.
User files are read through `tournaments.box`, never in the process that answers people.
"""

from typing import Protocol

from tournaments.formats import trf
from tournaments.formats.notes import Notes
from tournaments.formats.sheet import Reading
from tournaments.formats.text import Text, to_text


class Format(Protocol):
    def recognises(self, text: Text) -> bool: ...
    def read_text(self, text: Text, notes: Notes) -> Reading: ...


_FORMATS: tuple[Format, ...] = (trf,)


def read_any(data: bytes, name: str = "") -> Reading:
    """What the file says, whatever it is: never raises. `name` only helps to say what a foreign file is."""
    notes = Notes()
    text = to_text(data, name, notes)
    if text is None:
        return notes.reading(None)
    for format_ in _FORMATS:
        if format_.recognises(text):
            return format_.read_text(text, notes)
    notes.blocks("not-recognised")
    return notes.reading(None)
