"""The fields of a section that a federation has beside the common ones, for forms and for the journal."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Choice:
    """One value that a field may have, with the label that people see."""

    value: str
    label: str


@dataclass(frozen=True, slots=True)
class Field:
    """A field that this ruleset's sections and forms have beside the common ones."""

    name: str
    """The attribute of `Section` (`platform`, `time_controls`, `disabled`, `status` …)."""
    label: str
    kind: str
    """The kind of input: `choice`, `time_controls`, `flag`, `text`, `whole` or `day`."""
    clause: str = ""
    help: str = ""
    choices: tuple[Choice, ...] = ()
    required: bool = True
    default: str = ""
    only_with: tuple[str, str] | None = None
    """Name and value of another field, beside which alone this one is allowed (`("status", "special")`)."""


def flag(name: str, label: str, clause: str, help: str = "") -> Field:
    """A field that is a box to tick, and may stay empty."""
    return Field(name=name, label=label, kind="flag", clause=clause, help=help, required=False)
