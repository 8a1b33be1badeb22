"""Finds ids that two entries of one section have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tournaments.events.models import Entry
from tournaments.identity.id_kinds import ids_of


def ids_filed_twice(entries: Iterable[Entry]) -> Iterator[tuple[Entry, str, Entry]]:
    """Yield each entry with an id that an earlier one has too: the entry, the id, the earlier one."""
    first: dict[tuple[str, str], Entry] = {}
    for entry in entries:
        for kind, value in ids_of(entry):
            twin = first.setdefault((kind, value), entry)
            if twin is not entry:
                yield entry, value, twin
