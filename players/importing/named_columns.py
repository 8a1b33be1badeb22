"""A person's word on a table: what its columns hold, what stands where cells are empty, which rows are taken.

It is remembered by the table's headings, so that the next table of the same program asks for nothing.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, repeat
from typing import Any

from players.importing.cell_values import CellUnreadable, RegisterResource, with_office_kinds
from players.importing.columns import HeadingReader, ReadColumns, heading
from players.importing.models import NamedColumns
from players.importing.problem_messages import RowProblem
from players.importing.row_effects import TableRow
from players.office.models import Federation
from players.register.models import Player

AT_ONCE = ("nation", "sex", "birth", "region")
"""Columns that can be filled for many players at once."""
SAMPLES = 100
"""The rows that are looked at to tell what a column holds."""
SHOWN = 3
"""The values of a column that a person sees beside its heading."""


@dataclass(frozen=True, slots=True)
class Naming:
    """A person's word on a table: its columns, its empty cells, the rows that are taken."""

    places: Mapping[int, str] = field(default_factory=dict)
    """The columns that are read, by position."""
    defaults: Mapping[str, str] = field(default_factory=dict)
    """By column, the value for players of whom neither the table nor the register has one."""
    filled: Sequence[str] = ()
    """Columns in which an empty cell says the same as the one above it."""
    pasted: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """By column, a value for each row of the table in its order; an empty one leaves the row's own."""
    nations: Sequence[str] = ()
    """The nations whose players are taken; none: all."""
    known_only: bool = False
    """Whether players whom the register does not have are left out."""

    def as_dict(self) -> dict[str, Any]:
        return {
            "places": {str(at): name for at, name in self.places.items()},
            "defaults": dict(self.defaults),
            "filled": list(self.filled),
            "pasted": {name: list(values) for name, values in self.pasted.items()},
            "nations": list(self.nations),
            "known_only": self.known_only,
        }

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> Naming:
        places = {int(at): name for at, name in told.get("places", {}).items()}
        return cls(**{**told, "places": places})

    def rows(self, rows: Iterable[TableRow]) -> Iterator[TableRow]:
        """Complete each row by what was pasted and filled down; rows of other nations are left out."""
        above: dict[str, str] = {}
        pasted = [chain(values, repeat("")) for values in self.pasted.values()]
        for row in rows:
            cells = dict(row.cells)
            for name, values in zip(self.pasted, pasted, strict=True):
                cells[name] = next(values) or cells.get(name, "")
            for name in self.filled:
                cells[name] = above[name] = cells.get(name, "") or above.get(name, "")
            if not self.nations or self._nation(cells) in self.nations:
                yield TableRow(row.line, cells, row.problems)

    def _nation(self, cells: Mapping[str, str]) -> str:
        return cells.get("nation", "").upper() or self.defaults.get("nation", "")


def key_of(head: Sequence[str], purpose: str) -> str:
    """The key under which a table's naming is remembered: its headings, however they are spelt."""
    said = "\n".join([purpose, *map(heading, head)])
    return hashlib.sha256(said.encode()).hexdigest()


def remembered(federation: Federation, head: Sequence[str], purpose: str) -> Naming | None:
    """The naming that somebody of this office gave a table with these headings before; None: nobody did."""
    row = NamedColumns.objects.filter(federation=federation, key=key_of(head, purpose)).first()
    return Naming.of(row.naming) if row else None


def remember(federation: Federation, head: Sequence[str], purpose: str, naming: Naming) -> None:
    """Keep a naming for the next table with these headings; what was pasted is of this one alone."""
    kept = {**naming.as_dict(), "pasted": {}}
    NamedColumns.objects.update_or_create(
        federation=federation, key=key_of(head, purpose), defaults={"naming": kept}
    )


def guessed(
    federation: Federation, head: Sequence[str], samples: Sequence[Sequence[str]], taken: Mapping[str, str]
) -> ReadColumns | RowProblem:
    """Tell the columns of a table that nobody named, by its headings and first rows."""
    names = federation.region_names if federation.regional else []
    regions = {word.casefold() for region in names for word in region}
    reader = HeadingReader(with_office_kinds(federation), regions, taken)
    return reader.read(head, samples, own_numbers=_has_own_numbers(federation, samples))


def _has_own_numbers(federation: Federation, samples: Sequence[Sequence[str]]) -> bool:
    """Whether the first column of a table holds numbers of this office's players."""
    first = [row[0] for row in samples if row and row[0]]
    return Player.objects.of(federation).filter(number__in=first).exists()


def readable(resource: RegisterResource, column: str, text: str) -> RowProblem | None:
    """The problem of a value that a person gave for a column; None: it can be read."""
    try:
        resource.read(column, text)
    except CellUnreadable as unreadable:
        return RowProblem(unreadable.key, column, unreadable.params)
    return None
