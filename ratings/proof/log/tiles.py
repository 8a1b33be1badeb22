"""Tiles and entry bundles: a tree and its entries served as files (C2SP tlog-tiles).

A tile holds up to 256 hashes of one tile level, which is eight levels of the tree. A full tile never changes;
at the right edge of a tree stand partial ones.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from ratings.proof.log.merkle_tree import node_hash

WIDTH = 256
"""The number of hashes in a full tile, and of entries in a full bundle."""
HEIGHT = 8
"""The levels of the tree in one level of tiles."""
HASH_SIZE = 32
ENTRIES = -1
"""The `level` of a tile that is a bundle of entries."""
_PATH = re.compile(r"tile/(entries|0|[1-9]\d?)/((?:x\d{3}/)*\d{3})(?:\.p/([1-9]\d{0,2}))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Tile:
    """The address of a tile in a tree: its level, its index from the left, and how many hashes it holds."""

    level: int
    """The level of tiles, from 0; `ENTRIES`: the entries themselves."""
    index: int
    width: int = WIDTH

    @property
    def path(self) -> str:
        """The tile's path below the log's prefix: `tile/0/x001/234`, `tile/1/000.p/17`,
        `tile/entries/000.p/3`.
        """
        level = "entries" if self.level == ENTRIES else str(self.level)
        partial = "" if self.width == WIDTH else f".p/{self.width}"
        return f"tile/{level}/{encoded(self.index)}{partial}"

    @property
    def full(self) -> bool:
        return self.width == WIDTH


def encoded(index: int) -> str:
    """An index as a path: three digits a step, all but the last behind an `x`; 1234067 is `x001/x234/067`."""
    parts = [f"{index % 1000:03}"]
    while index := index // 1000:
        parts.append(f"x{index % 1000:03}")
    return "/".join(reversed(parts))


def parse_path(path: str) -> Tile | None:
    """The tile that a path names; None unless the path is the canonical one."""
    found = _PATH.fullmatch(path)
    if not found:
        return None
    level, number, width = found.groups()
    index = int(number.replace("x", "").replace("/", ""))
    tile = Tile(ENTRIES if level == "entries" else int(level), index, int(width or WIDTH))
    fits = tile.path == path and tile.level < 64 and (width is None or tile.width < WIDTH)
    return tile if fits else None


def width_at(level: int, index: int, size: int) -> int:
    """The number of hashes that a tile has in a tree of `size`; 0 where it is not there."""
    nodes = size >> (HEIGHT * max(level, 0))
    return max(0, min(WIDTH, nodes - index * WIDTH))


def tiles_of(size: int, since: int = 0) -> Iterator[Tile]:
    """The tiles of a tree of `size` that are not full in one of `since`: level by level, from the left."""
    level = 0
    while nodes := size >> (HEIGHT * level):
        for index in range((since >> (HEIGHT * level)) // WIDTH, -(-nodes // WIDTH)):
            yield Tile(level, index, width_at(level, index, size))
        level += 1


def hashes_of(content: bytes) -> list[bytes]:
    """The hashes in a tile's bytes; ValueError where they are not those of a tile."""
    if len(content) % HASH_SIZE or not HASH_SIZE <= len(content) <= WIDTH * HASH_SIZE:
        raise ValueError("a tile is 1 to 256 hashes of 32 bytes")
    return [content[at : at + HASH_SIZE] for at in range(0, len(content), HASH_SIZE)]


def root_of_tile(content: bytes) -> bytes:
    """The one hash above all hashes of a full tile; ValueError for a partial one."""
    hashes = hashes_of(content)
    if len(hashes) != WIDTH:
        raise ValueError("only a full tile has a hash above it")
    return inner(hashes, HEIGHT, 0)


def inner(hashes: list[bytes], level: int, index: int) -> bytes:
    """The hash of a node within a tile: at `level`, from 0 (the tile's hashes) to 8 (the one above them all),
    and `index` from the left.
    """
    nodes = hashes[index << level : (index + 1) << level]
    while len(nodes) > 1:
        nodes = [node_hash(*nodes[at : at + 2]) for at in range(0, len(nodes), 2)]
    return nodes[0]


def bundle(entries: Iterable[bytes]) -> bytes:
    """Pack a log's entries into an entry bundle (tlog-tiles), each behind its length (big-endian uint16)."""
    return b"".join(len(entry).to_bytes(2, "big") + entry for entry in entries)


def entries_of(content: bytes) -> list[bytes]:
    """The entries in a bundle's bytes; ValueError where it ends within one."""
    entries, at = [], 0
    while at < len(content):
        length = int.from_bytes(content[at : at + 2], "big")
        if at + 2 + length > len(content):
            raise ValueError("the bundle ends within an entry")
        entries.append(content[at + 2 : at + 2 + length])
        at += 2 + length
    return entries


class TileReader:
    """Gives the hashes of full nodes of a tree of `size` leaves out of its tiles; `fetch` gets the bytes of a
    tile.
    """

    def __init__(self, fetch: Callable[[Tile], bytes], size: int) -> None:
        self.fetch, self.size = fetch, size
        self._known: dict[Tile, list[bytes]] = {}

    def node(self, level: int, index: int) -> bytes:
        tile_level, within = divmod(level, HEIGHT)
        tile_index, at = divmod(index, WIDTH >> within)
        tile = Tile(tile_level, tile_index, width_at(tile_level, tile_index, self.size))
        if tile not in self._known:
            self._known[tile] = hashes_of(self.fetch(tile))
        if len(self._known[tile]) != tile.width:
            raise ValueError(f"{tile.path} has {len(self._known[tile])} hashes")
        return inner(self._known[tile], within, at)
