"""The kinds of event files, as data beside their readers: pages offer those that an office names."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FileSource:
    """A program or form that makes event files of a kind."""

    name: str
    """The name of a program, or of the form's author."""
    help: str
    """The choice to make in the program, or the form to take."""
    by_description: bool = False
    """Whether our reader was made from a description alone, without a real file."""


@dataclass(frozen=True, slots=True)
class FileKind:
    """A kind of event files, and where they come from; pages translate the words when they show them."""

    code: str
    """The word by which offices name it (`Office.files`), and the `family` of its sheets."""
    name: str
    """The short name on pages where files are dropped: `TRF16, TRF26`."""
    sources: tuple[FileSource, ...] = ()
    instead: str = ""
    """The file of the same event to take instead, where a federation does not read this; empty: none."""
