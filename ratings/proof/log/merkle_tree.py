"""The Merkle tree of RFC 6962, section 2.1: its hashes, and proofs of inclusion and of consistency.

A hash is 32 bytes. A node `(level, index)` spans the leaves from `index * 2**level` up to but without `(index
+ 1) * 2**level`; a full node has a hash that never changes, and only full ones are asked for.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator

Node = Callable[[int, int], bytes]
"""A function that gives the hash of a full node, by level and index."""

EMPTY_ROOT = hashlib.sha256().digest()


class ProofError(ValueError):
    """Raised where a proof does not show what it should; the message says why."""


def entry_of(line: str) -> bytes:
    """The log's entry of a sealed journal line: the hexadecimal SHA-256 of the line without its newline."""
    return hashlib.sha256(line.encode()).hexdigest().encode()


def leaf_hash(entry: bytes) -> bytes:
    return hashlib.sha256(b"\0" + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\1" + left + right).digest()


class Tree:
    """A log's tree in memory: every full node's hash, 64 bytes a leaf. It knows the root of each
    size it had.
    """

    def __init__(self, leaves: Iterable[bytes] = ()) -> None:
        self._levels: list[list[bytes]] = [[]]
        for leaf in leaves:
            self.append(leaf)

    @property
    def size(self) -> int:
        return len(self._levels[0])

    def append(self, leaf: bytes) -> None:
        """Add the hash of one more leaf at the right."""
        level, hash_ = 0, leaf
        while True:
            if level == len(self._levels):
                self._levels.append([])
            nodes = self._levels[level]
            nodes.append(hash_)
            if len(nodes) % 2:
                return
            level, hash_ = level + 1, node_hash(nodes[-2], nodes[-1])

    def node(self, level: int, index: int) -> bytes:
        return self._levels[level][index]

    def root(self, size: int | None = None) -> bytes:
        """The root hash of the first `size` leaves; of all, if left out."""
        return root_of(self.node, self.size if size is None else size)


def full_nodes(start: int, end: int) -> Iterator[tuple[int, int]]:
    """The full nodes, from the left, that together span the leaves from `start` up to but without `end`, as
    RFC 6962 splits such a range: `start` is a multiple of the greatest power of two below its length.
    """
    while start < end:
        level = (end - start).bit_length() - 1
        yield level, start >> level
        start += 1 << level


def joined_hash(hashes: Iterable[bytes]) -> bytes:
    """The hash of a range of leaves from those of its full nodes, joined from the right; of none, the empty
    tree's.
    """
    right: bytes | None = None
    for hash_ in reversed(list(hashes)):
        right = hash_ if right is None else node_hash(hash_, right)
    return EMPTY_ROOT if right is None else right


def root_of(node: Node, size: int) -> bytes:
    """The root hash of the tree of the first `size` leaves, from its full nodes."""
    return _range(node, 0, size)


def _range(node: Node, start: int, end: int) -> bytes:
    return joined_hash(node(level, index) for level, index in full_nodes(start, end))


def _split(size: int) -> int:
    """The number of leaves to the left of a tree's top: the greatest power of two below `size`, which is
    above 1.
    """
    return 1 << ((size - 1).bit_length() - 1)


# ---------------------------------------------------------------- inclusion (RFC 6962, 2.1.1)


def inclusion_proof(node: Node, index: int, size: int) -> list[bytes]:
    """The hashes that prove leaf `index` to be in the tree of `size` leaves, from the leaf up to the root."""
    if not 0 <= index < size:
        raise ProofError(f"there is no leaf {index} in a tree of {size}")
    proof, start, end = [], 0, size
    while end - start > 1:
        middle = start + _split(end - start)
        if index < middle:
            proof.append(_range(node, middle, end))
            end = middle
        else:
            proof.append(_range(node, start, middle))
            start = middle
    return proof[::-1]


def verify_inclusion(leaf: bytes, index: int, size: int, proof: list[bytes], root: bytes) -> None:
    """Check a proof that a leaf's hash stands at `index` in the tree of that root; raises `ProofError`."""
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


# ---------------------------------------------------------------- consistency (RFC 6962, 2.1.2)


def consistency_proof(node: Node, old: int, size: int) -> list[bytes]:
    """The hashes that prove the tree of `size` leaves to begin with that of `old` leaves."""
    if not 0 <= old <= size:
        raise ProofError(f"a tree of {size} does not continue one of {old}")
    proof, start, end, whole = [], 0, size, True
    if old in (0, size):
        return []
    while old < end:
        middle = start + _split(end - start)
        if old <= middle:
            proof.append(_range(node, middle, end))
            end = middle
        else:
            proof.append(_range(node, start, middle))
            start, whole = middle, False
    if not whole:
        proof.append(_range(node, start, end))
    return proof[::-1]


def verify_consistency(old: int, old_root: bytes, size: int, root: bytes, proof: list[bytes]) -> None:
    """Check a proof that the tree of `size` leaves continues that of `old` leaves; raises `ProofError`."""
    if not 0 <= old <= size:
        raise ProofError(f"a tree of {size} does not continue one of {old}")
    if old in (0, size):
        expected = EMPTY_ROOT if old == 0 else root
        if proof or old_root != expected:
            raise ProofError(f"the trees of {old} and {size} leaves are not one history")
        return
    steps = iter(proof if old & (old - 1) else [old_root, *proof])
    left, last = old - 1, size - 1
    while left % 2:
        left, last = left >> 1, last >> 1
    try:
        before = after = next(steps)
    except StopIteration:
        raise ProofError("the proof is too short") from None
    for step in steps:
        if last == 0:
            raise ProofError("the proof is too long")
        if left % 2 or left == last:
            before, after = node_hash(step, before), node_hash(step, after)
            while not left % 2 and left:
                left, last = left >> 1, last >> 1
        else:
            after = node_hash(after, step)
        left, last = left >> 1, last >> 1
    if last:
        raise ProofError("the proof is too short")
    if before != old_root or after != root:
        raise ProofError(f"the trees of {old} and {size} leaves are not one history")
