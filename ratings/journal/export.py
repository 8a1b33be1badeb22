"""Exports a journal as lines: sealed, as stored and proved, or public, with the names that may be shown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from json.encoder import encode_basestring

from django.db.models import Q

from players.office.models import Federation
from players.register.models import Player, SealedName
from ratings.journal.append import federation_fact, sealed_line
from ratings.journal.models import Fact
from ratings.storage.bulk_writing import batches

_AT_ONCE = 500
NAME_SEAL = re.compile(r'"name_seal":"([0-9a-f]{64})"')


def sealed_lines(federation: Federation) -> Iterator[str]:
    """The journal's lines as stored and proved, without line ends: a seal in place of every name."""
    for _kind, _subject, line in _rows(federation):
        yield line


def journal_lines(federation: Federation) -> Iterator[str]:
    """The public form of the journal, line by line: names with their salts for those who may be named.

    People who asked not to be named, or whose names were deleted, keep their number with the seal alone, in
    older lines and in those of entries merged into theirs as well.
    """
    withheld = Player.objects.filter(federation=federation).filter(
        Q(withheld=True) | Q(merged_into__withheld=True)
    )
    hidden = set(withheld.order_by().values_list("number", flat=True))
    for some in batches(_rows(federation), _AT_ONCE):
        seals = [
            found[1]
            for kind, subject, line in some
            if kind == "player" and subject not in hidden and (found := NAME_SEAL.search(line))
        ]
        names = SealedName.objects.filter(federation=federation, seal__in=seals) if seals else ()
        opened = {each.seal: each for each in names}
        for kind, subject, line in some:
            yield _opened(line, opened) if kind == "player" and subject not in hidden else line


def _rows(federation: Federation) -> Iterator[tuple[str, str, str]]:
    """Kind, subject and line of every fact, in order; an empty journal still gives its federation line."""
    rows = Fact.objects.filter(federation=federation).order_by("number")
    if not rows.exists():
        yield "federation", "", sealed_line(federation_fact(federation), federation.ruleset)
    yield from rows.values_list("kind", "subject", "line").iterator(chunk_size=_AT_ONCE)


def _opened(line: str, names: Mapping[str, SealedName]) -> str:
    """A player's line with name and salt in place of the seal, if they are among these names."""
    found = NAME_SEAL.search(line)
    kept = names.get(found[1]) if found else None
    if found is None or kept is None:
        return line
    name = encode_basestring(kept.name)
    return f'{line[: found.start()]}"name":{name},"salt":"{kept.salt}"{line[found.end() :]}'
