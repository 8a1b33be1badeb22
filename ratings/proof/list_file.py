"""Reads a published list's JSON file, as `ratings.check` looks at it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NotRequired, TypedDict


class CheckFailed(Exception):
    """Raised at the first difference; the message says what stands, and what ought to."""


class ListFile(TypedDict):
    """A published list's JSON file, read: the keys that are checked (docs/journal.md)."""

    form: int
    origin: str | None
    code: str
    track: str
    on: str
    revision: int
    line: int
    edition: str
    program: dict[str, str] | None
    sha256: str
    checkpoint: str | None
    rows: list[list[Any]]
    former_program: NotRequired[dict[str, str]]
    """The program that drew up the version before this one, where that was another."""


KINDS: dict[str, tuple[type, ...]] = {
    "form": (int,),
    "origin": (str, type(None)),
    "code": (str,),
    "track": (str,),
    "on": (str,),
    "revision": (int,),
    "line": (int,),
    "edition": (str,),
    "program": (dict, type(None)),
    "sha256": (str,),
    "checkpoint": (str, type(None)),
    "rows": (list,),
}


def read_list(path: Path) -> ListFile:
    """Read a list's file with the keys that are checked; CheckFailed where it is none."""
    try:
        said = json.loads(path.read_text(encoding="utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise CheckFailed(f"{path}: is no list's file: {error}") from error
    if not isinstance(said, dict):
        raise CheckFailed(f"{path}: is no list's file")
    for key, kinds in KINDS.items():
        if not isinstance(said.get(key), kinds) or (key not in said):
            raise CheckFailed(f"{path}: is no list's file: {key} is missing or is not what it should be")
    found: ListFile = said  # type: ignore[assignment]
    return found


def program_needed(said: ListFile) -> str:
    """The words of a message on which program drew a list up: another may know other rules."""
    program = said["program"]
    if not program:
        return ""
    version, checksum = program.get("version", "?"), program.get("sha256", "?")
    drawn = f"version {version} of the program (ratings.pyz with SHA-256 {checksum})"
    return f"; the file says it was drawn up by {drawn}"


def former_program(said: ListFile) -> dict[str, str] | None:
    """The other program that drew up the version before this one, by what the file says; None: the same."""
    former, own = said.get("former_program"), said["program"]
    if not isinstance(former, dict) or not own or former.get("sha256") == own.get("sha256"):
        return None
    return former
