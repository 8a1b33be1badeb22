"""A line of a TRF."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TrfRecord:
    """A line with a code in its first three columns; `text` is the whole line."""

    code: str
    text: str
    line: int

    @property
    def value(self) -> str:
        return self.text[4:].replace("\t", " ").strip()
