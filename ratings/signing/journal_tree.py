"""The journal as a hash tree: its lines as entries, full tiles as stored, partial ones worked out."""

from __future__ import annotations

from collections.abc import Iterator

from django.db import transaction

from players.office.decision_record import lock_ledger
from players.office.models import Federation
from ratings.journal.models import Fact
from ratings.proof.log import merkle_tree, tiles
from ratings.proof.log.tiles import WIDTH, Tile, TileReader
from ratings.signing.models import TreeTile

_TOGETHER = 32
"""The number of tiles that one transaction writes."""


def entries(federation: Federation, start: int, end: int) -> Iterator[bytes]:
    """The log's entries for the journal's lines from `start`, counted from 0, up to but without `end`."""
    lines = Fact.objects.filter(federation=federation, number__gt=start, number__lte=end).order_by("number")
    for line in lines.values_list("line", flat=True).iterator(chunk_size=2_000):
        yield merkle_tree.entry_of(line)


def grow(federation: Federation, size: int) -> None:
    """Store every tile that is full in a tree of `size` and not stored yet, lowest level first."""
    level = 0
    while full := size >> (tiles.HEIGHT * (level + 1)):
        stored = _stored(federation, level)
        while stored < full:
            upto = min(stored + _TOGETHER, full)
            _store(federation, level, range(stored, upto))
            stored = upto
        level += 1


def _stored(federation: Federation, level: int) -> int:
    newest = TreeTile.objects.filter(federation=federation, level=level).order_by("-index")
    last = newest.values_list("index", flat=True).first()
    return 0 if last is None else last + 1


def _store(federation: Federation, level: int, indexes: range) -> None:
    """Store these tiles of a level; those that another worker stored meanwhile are left."""
    rows = []
    for index in indexes:
        content = computed(federation, Tile(level, index))
        root = tiles.root_of_tile(content)
        rows.append(TreeTile(federation=federation, level=level, index=index, content=content, root=root))
    with transaction.atomic():
        lock_ledger(federation)
        stored = _stored(federation, level)
        TreeTile.objects.bulk_create(row for row in rows if row.index >= stored)


def computed(federation: Federation, tile: Tile) -> bytes:
    """Work out the hashes of a tile: from the journal's lines at level 0, else from the tiles below."""
    start = tile.index * WIDTH
    if tile.level == 0:
        return b"".join(map(merkle_tree.leaf_hash, entries(federation, start, start + tile.width)))
    below = TreeTile.objects.filter(
        federation=federation, level=tile.level - 1, index__gte=start, index__lt=start + tile.width
    )
    return b"".join(bytes(root) for root in below.order_by("index").values_list("root", flat=True))


def content_of(federation: Federation, tile: Tile) -> bytes:
    """The bytes of a tile of hashes or bundle of entries, as the public log serves it: from the table if it
    is full and stored, else worked out.
    """
    if tile.level == tiles.ENTRIES:
        start = tile.index * WIDTH
        return tiles.bundle(entries(federation, start, start + tile.width))
    if tile.full:
        stored = TreeTile.objects.filter(federation=federation, level=tile.level, index=tile.index)
        if (content := stored.values_list("content", flat=True).first()) is not None:
            return bytes(content)
    return computed(federation, tile)


def reader(federation: Federation, size: int) -> TileReader:
    """A reader of the tree of the first `size` lines; full tiles must be stored, each is read only once."""
    return TileReader(lambda tile: content_of(federation, tile), size)


class RootHashes:
    """Works out the root hashes of the journal at several sizes up to `size`, reading each tile only once."""

    def __init__(self, federation: Federation, size: int) -> None:
        self.federation, self.size = federation, size
        self._reader = reader(federation, size)

    def root(self, size: int) -> bytes:
        return merkle_tree.root_of(self._reader.node, size)

    def edge(self, size: int) -> bytes:
        """The hashes of lines after the last full tile of a tree of `size`: checkpoints keep them."""
        first = size - size % WIDTH
        return b"".join(self._reader.node(0, index) for index in range(first, size))
