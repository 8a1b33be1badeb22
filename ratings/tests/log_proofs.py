"""What tests alone ask of the journal's log: proofs of inclusion (RFC 6962), its tiles, bundles."""

from __future__ import annotations

from collections.abc import Iterator

from ratings.transparency_log import (
    HEIGHT,
    WIDTH,
    NodeHashGetter,
    ProofError,
    Tile,
    full_nodes,
    get_tile_width,
    joined_hash,
    node_hash,
    split_size,
)


def inclusion_proof(node: NodeHashGetter, index: int, size: int) -> list[bytes]:
    """The hashes that prove leaf `index` to be in the tree of `size` leaves, from the leaf up to the root."""
    if not 0 <= index < size:
        raise ProofError(f"there is no leaf {index} in a tree of {size}")
    proof, start, end = [], 0, size
    while end - start > 1:
        middle = start + split_size(end - start)
        if index < middle:
            proof.append(joined_hash(node(*each) for each in full_nodes(middle, end)))
            end = middle
        else:
            proof.append(joined_hash(node(*each) for each in full_nodes(start, middle)))
            start = middle
    return proof[::-1]


def verify_inclusion(leaf: bytes, index: int, size: int, proof: list[bytes], root: bytes) -> None:
    """Check a proof that a leaf's hash stands at `index` in the tree of that root; raise `ProofError`."""
    if not 0 <= index < size:
        raise ProofError(f"there is no leaf {index} in a tree of {size}")
    left, last, hash_ = index, size - 1, leaf
    for step in proof:
        if last == 0:
            raise ProofError("the proof is too long")
        if left % 2 or left == last:
            hash_ = node_hash(step, hash_)
            while not left % 2 and left:
                left, last = left >> 1, last >> 1
        else:
            hash_ = node_hash(hash_, step)
        left, last = left >> 1, last >> 1
    if last:
        raise ProofError("the proof is too short")
    if hash_ != root:
        raise ProofError(f"leaf {index} is not in the tree of that root")


def iterate_tiles(size: int, old_size: int = 0) -> Iterator[Tile]:
    """Yield the tiles of a tree of `size` that are not full in one of `old_size`, by level and index."""
    level = 0
    while nodes := size >> (HEIGHT * level):
        for index in range((old_size >> (HEIGHT * level)) // WIDTH, -(-nodes // WIDTH)):
            yield Tile(level, index, get_tile_width(level, index, size))
        level += 1


def split_bundle(content: bytes) -> list[bytes]:
    """The entries in a bundle's bytes; raises ValueError where it ends within one."""
    entries, at = [], 0
    while at < len(content):
        length = int.from_bytes(content[at : at + 2], "big")
        if at + 2 + length > len(content):
            raise ValueError("the bundle ends within an entry")
        entries.append(content[at + 2 : at + 2 + length])
        at += 2 + length
    return entries
