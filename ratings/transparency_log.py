"""The formats of the journal's public log: the Merkle tree of RFC 6962, signed notes (C2SP
signed-note), checkpoints (tlog-checkpoint), witnesses' signatures (tlog-cosignature) and tiles (tlog-tiles).
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from ratings import ed25519

# ---- The Merkle tree of RFC 6962, section 2.1
#
# A hash is 32 bytes. A node `(level, index)` spans the leaves from `index * 2**level` up to but without
# `(index + 1) * 2**level`; a full node has a hash that never changes, and only full ones are asked for.
NodeHashGetter = Callable[[int, int], bytes]
"""Returns the hash of a full node, by level and index."""

EMPTY_ROOT = hashlib.sha256().digest()


def log_entry(line: str) -> bytes:
    """The log's entry of a sealed journal line: the hexadecimal SHA-256 of the line without its newline."""
    return hashlib.sha256(line.encode()).hexdigest().encode()


def leaf_hash(entry: bytes) -> bytes:
    return hashlib.sha256(b"\0" + entry).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    return hashlib.sha256(b"\1" + left + right).digest()


class Tree:
    """A log's tree in memory, with every full node's hash: 64 bytes a leaf."""

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
        """The root hash of the first `size` leaves, or of all."""
        return tree_root(self.node, self.size if size is None else size)


def full_nodes(start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the full nodes, from the left, that together span the leaves from `start` up to but without
    `end`, as RFC 6962 splits such a range: `start` is a multiple of the greatest power of two below its
    length.
    """
    while start < end:
        level = (end - start).bit_length() - 1
        yield level, start >> level
        start += 1 << level


def joined_hash(hashes: Iterable[bytes]) -> bytes:
    """The hash of a range of leaves from those of its full nodes, joined from the right."""
    right: bytes | None = None
    for hash_ in reversed(list(hashes)):
        right = hash_ if right is None else node_hash(hash_, right)
    return EMPTY_ROOT if right is None else right


def tree_root(node: NodeHashGetter, size: int) -> bytes:
    """The root hash of the tree of the first `size` leaves, from its full nodes."""
    return joined_hash(node(level, index) for level, index in full_nodes(0, size))


# ---- Proofs that one tree continues another (RFC 6962, section 2.1.2)
class ProofError(ValueError):
    """Raised where a proof does not show what it should."""


def _range_hash(node: NodeHashGetter, start: int, end: int) -> bytes:
    return joined_hash(node(level, index) for level, index in full_nodes(start, end))


def split_size(size: int) -> int:
    """The leaves to the left of a tree's top: the greatest power of two below `size`, which is above 1."""
    return 1 << ((size - 1).bit_length() - 1)


def consistency_proof(node: NodeHashGetter, old: int, size: int) -> list[bytes]:
    """The hashes that prove the tree of `size` leaves to begin with that of `old` leaves."""
    if not 0 <= old <= size:
        raise ProofError(f"a tree of {size} does not continue one of {old}")
    proof, start, end, whole = [], 0, size, True
    if old in (0, size):
        return []
    while old < end:
        middle = start + split_size(end - start)
        if old <= middle:
            proof.append(_range_hash(node, middle, end))
            end = middle
        else:
            proof.append(_range_hash(node, start, middle))
            start, whole = middle, False
    if not whole:
        proof.append(_range_hash(node, start, end))
    return proof[::-1]


def verify_consistency(old: int, old_root: bytes, size: int, root: bytes, proof: list[bytes]) -> None:
    """Check a proof that the tree of `size` leaves continues that of `old` leaves; raise `ProofError`."""
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


# ---- Signed notes: a text, a blank line, and signature lines, each of a named key
ED25519 = 1
COSIGNATURE = 4
"""The type of a witness's timestamped signature (C2SP tlog-cosignature)."""
LAST_TIME = 253_402_300_799
"""The last second of the year 9999, in seconds since 1970."""
MOST_SIGNATURES = 64
_DASH = "— "
_PRIVATE_KEY_PREFIX = "PRIVATE+KEY+"


class NoteError(ValueError):
    """Raised where a note, a key or a signature is malformed or wrong."""


@dataclass(frozen=True, slots=True)
class VerifierKey:
    """A public key with the name of its owner, whose signatures on notes can be checked."""

    name: str
    public: bytes
    """The public key of Ed25519, 32 bytes."""
    kind: int = ED25519

    @property
    def id(self) -> bytes:
        """The key's id in signatures: the first four bytes of SHA-256(name, newline, type, key)."""
        material = self.name.encode() + b"\n" + bytes([self.kind]) + self.public
        return hashlib.sha256(material).digest()[:4]

    def __str__(self) -> str:
        """The vkey: `name+id+base64(type, key)`."""
        return f"{self.name}+{self.id.hex()}+{_base64(bytes([self.kind]) + self.public)}"


@dataclass(frozen=True, slots=True)
class Signer:
    """A private key that signs notes. Its text form, which is secret, is that of Go's `note` package."""

    name: str
    seed: bytes
    """The private key of Ed25519, 32 bytes."""

    @property
    def key(self) -> VerifierKey:
        return VerifierKey(self.name, ed25519.get_public_key(self.seed))

    @property
    def witness_key(self) -> VerifierKey:
        """The key with which a witness's timestamped signatures are checked."""
        return replace(self.key, kind=COSIGNATURE)

    def __repr__(self) -> str:
        return f"<signer {self.name}>"

    def secret(self) -> str:
        return f"{_PRIVATE_KEY_PREFIX}{self.name}+{self.key.id.hex()}+{_base64(bytes([ED25519]) + self.seed)}"

    def sign(self, text: str) -> Signature:
        return Signature(self.name, self.key.id, ed25519.sign(self.seed, text.encode()))

    def cosign(self, text: str, time: int) -> Signature:
        """Sign a checkpoint's text as a witness, at a time in seconds since 1970."""
        raw = ed25519.sign(self.seed, _cosigned_message(text, time))
        return Signature(self.name, self.witness_key.id, time.to_bytes(8, "big") + raw)


@dataclass(frozen=True, slots=True)
class Signature:
    """One signature line of a note."""

    name: str
    key_id: bytes
    signature: bytes

    @property
    def line(self) -> str:
        """The signature line as text, with its newline."""
        return f"{_DASH}{self.name} {_base64(self.key_id + self.signature)}\n"

    @property
    def time(self) -> int:
        """The time in a witness's signature, in seconds since 1970."""
        return int.from_bytes(self.signature[:8], "big")

    def made_by(self, key: VerifierKey) -> bool:
        """Whether the signature names this key as its own, by name and id, without checking it."""
        return (self.name, self.key_id) == (key.name, key.id)


@dataclass(frozen=True, slots=True)
class SignedNote:
    """A text that ends with a newline, and the signatures below it."""

    text: str
    signatures: tuple[Signature, ...] = ()

    def __str__(self) -> str:
        return f"{self.text}\n" + "".join(signature.line for signature in self.signatures)

    def signed(self, *signers: Signer) -> SignedNote:
        return self.beside(signer.sign(self.text) for signer in signers)

    def beside(self, signatures: Iterable[Signature]) -> SignedNote:
        """The note with further signatures below its own, each once."""
        return replace(self, signatures=tuple(dict.fromkeys([*self.signatures, *signatures])))


def parse_key(vkey: str) -> VerifierKey:
    """Parse a verifier key of Ed25519, a log's or a witness's. Raises `NoteError`."""
    name, _, rest = vkey.partition("+")
    key_id, _, material = rest.partition("+")
    raw = _decode_base64(material, vkey)
    if not is_valid_name(name) or len(raw) != 33 or raw[0] not in (ED25519, COSIGNATURE):
        raise NoteError(f"“{vkey}” is not a verifier key of Ed25519")
    key = VerifierKey(name, raw[1:], raw[0])
    if key_id != key.id.hex():
        raise NoteError(f"the verifier key “{vkey}” has another id than it says")
    return key


def read_keys(argument: str) -> list[VerifierKey]:
    """The verifier keys in an argument of a command: the argument itself, with spaces between several, or the
    file that it names, with a key a line. Raises `NoteError`, where there is none too, or OSError.
    """
    path = Path(argument)
    typed = " " in argument or ("+" in argument and not path.is_file())
    text = argument if typed else path.read_text(encoding="utf-8")
    if not text.split():
        raise NoteError(f"{argument} holds no verifier key")
    return [parse_key(line) for line in text.split()]


def parse_signer(secret: str) -> Signer:
    """Parse a private key in its text form. Raises `NoteError`, whose words never repeat the secret."""
    secret = secret.strip()
    name, _, rest = secret.removeprefix(_PRIVATE_KEY_PREFIX).partition("+")
    key_id, _, material = rest.partition("+")
    raw = _decode_base64(material, "the private key")
    if (
        not secret.startswith(_PRIVATE_KEY_PREFIX)
        or not is_valid_name(name)
        or len(raw) != 33
        or raw[0] != ED25519
    ):
        raise NoteError("the file does not hold a private key of Ed25519")
    signer = Signer(name, raw[1:])
    if key_id != signer.key.id.hex():
        raise NoteError("the private key has another id than it says")
    return signer


def parse_note(text: str) -> SignedNote:
    """Parse a note with its signatures, without checking them. Raises `NoteError`."""
    if any(ord(character) < 0x20 and character != "\n" for character in text):
        raise NoteError("a note has no control characters but newlines")
    head, blank, tail = text.rpartition("\n\n")
    lines = tail.split("\n")
    if not blank or lines.pop() or not lines or len(lines) > MOST_SIGNATURES:
        raise NoteError("a note is a text, a blank line and signature lines, each with its newline")
    return SignedNote(f"{head}\n", tuple(parse_signature(f"{line}\n") for line in lines))


def parse_signature(line: str) -> Signature:
    """Parse one signature line with its newline. Raises `NoteError`."""
    name, _, encoded = line.removeprefix(_DASH).removesuffix("\n").partition(" ")
    if not line.startswith(_DASH) or not line.endswith("\n") or not is_valid_name(name):
        raise NoteError(f"“{line.strip()}” is not a signature line")
    raw = _decode_base64(encoded, line.strip())
    if len(raw) < 5:
        raise NoteError(f"“{line.strip()}” is not a signature line")
    return Signature(name, raw[:4], raw[4:])


def verify_note(note: SignedNote, keys: Iterable[VerifierKey]) -> list[VerifierKey]:
    """Check a note's signatures; return those of `keys` that signed it. Signatures by other keys are ignored.
    Raises `NoteError` where none did, or where a signature claims to be by one of the keys and is not.
    """
    found = []
    for key in keys:
        for signature in note.signatures:
            if signature.made_by(key):
                check_signature(signature, key, note.text)
                found.append(key)
    if not found:
        raise NoteError("no known key signed the note")
    return found


def check_signature(signature: Signature, key: VerifierKey, text: str) -> None:
    """Check that the key signed the text, as a log or as a witness with a time; raise `NoteError`."""
    raw, message = signature.signature, text.encode()
    if key.kind == COSIGNATURE:
        if signature.time > LAST_TIME:
            raise NoteError(f"the time in the signature of {key.name} is beyond all dates")
        raw, message = raw[8:], _cosigned_message(text, signature.time)
    if not ed25519.verify(key.public, raw, message):
        raise NoteError(f"the signature of {key.name} is not by its key")


def _cosigned_message(text: str, time: int) -> bytes:
    return f"cosignature/v1\ntime {time}\n{text}".encode()


def is_valid_name(name: str) -> bool:
    """Whether a key may have this name: no white space, plus signs or control characters."""
    return bool(name) and "+" not in name and not any(c.isspace() or ord(c) < 0x20 for c in name)


def _base64(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


def _decode_base64(text: str, of: str) -> bytes:
    try:
        raw = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise NoteError(f"“{of}” holds no base64") from None
    if _base64(raw) != text:  # only the canonical form is accepted
        raise NoteError(f"“{of}” holds no base64")
    return raw


# ---- Checkpoints: signed notes of a log's origin, size and root, and of the newest decision on record
DECISIONS = "decisions"
"""The first word of the extension line with the newest decision's number and hash."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A log's statement of its origin (its name), size (in entries) and root hash."""

    origin: str
    size: int
    root: bytes
    extensions: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The text of the note, which is what is signed."""
        root = base64.b64encode(self.root).decode()
        return "".join(f"{line}\n" for line in (self.origin, self.size, root, *self.extensions))

    @property
    def decisions(self) -> tuple[int, str] | None:
        """The number and hash of the newest decision in the office's record, if the checkpoint has them."""
        for line in self.extensions:
            if found := re.fullmatch(rf"{DECISIONS} (\d+) ([0-9a-f]{{64}})", line, re.ASCII):
                return int(found[1]), found[2]
        return None

    def signed(self, *signers: Signer) -> SignedNote:
        return SignedNote(self.text).signed(*signers)


def decisions_line(number: int, hash_: str) -> str:
    return f"{DECISIONS} {number} {hash_}"


def parse_checkpoint(text: str) -> Checkpoint:
    """Parse the text of a checkpoint. Raises `NoteError`."""
    lines = text.split("\n")
    if len(lines) < 4 or lines.pop() or not all(lines):
        raise NoteError("a checkpoint has an origin, a size and a root, each on its line")
    origin, size, root, *extensions = lines
    if not re.fullmatch(r"0|[1-9]\d{0,18}", size, re.ASCII):
        raise NoteError(f"“{size}” is not the size of a log")
    try:
        hash_ = base64.b64decode(root, validate=True)
    except ValueError:
        hash_ = b""
    if len(hash_) != 32 or base64.b64encode(hash_).decode() != root:
        raise NoteError(f"“{root}” is not the root of a log")
    return Checkpoint(origin, int(size), hash_, tuple(extensions))


def read_checkpoint(note: str) -> Checkpoint:
    """Read a checkpoint as it is served or kept, without checking its signatures. Raises `NoteError`."""
    return parse_checkpoint(parse_note(note).text)


# ---- Tiles and entry bundles: a tree and its entries served as files
#
# A tile holds up to 256 hashes of one tile level, which is eight levels of the tree. A full tile never
# changes; at the right edge of a tree stand partial ones.
WIDTH = 256
"""The number of hashes in a full tile, and of entries in a full bundle."""
HEIGHT = 8
"""The levels of the tree in one level of tiles."""
HASH_SIZE = 32
ENTRIES_LEVEL = -1
"""The `level` of a tile that is a bundle of entries."""
_PATH = re.compile(r"tile/(entries|0|[1-9]\d?)/((?:x\d{3}/)*\d{3})(?:\.p/([1-9]\d{0,2}))?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Tile:
    """The address of a tile in a tree: its level, its index from the left, and the number of its hashes."""

    level: int
    """The level of tiles, from 0; `ENTRIES_LEVEL`: the entries themselves."""
    index: int
    width: int = WIDTH

    @property
    def path(self) -> str:
        """The path below the log's prefix: `tile/0/x001/234`, `tile/1/000.p/17`, `tile/entries/000.p/3`."""
        level = "entries" if self.level == ENTRIES_LEVEL else str(self.level)
        partial = "" if self.width == WIDTH else f".p/{self.width}"
        return f"tile/{level}/{encode_index(self.index)}{partial}"

    @property
    def full(self) -> bool:
        return self.width == WIDTH


def encode_index(index: int) -> str:
    """An index as a path: three digits a step, all but the last behind an `x`; 1234067 is `x001/x234/067`."""
    parts = [f"{index % 1000:03}"]
    while index := index // 1000:
        parts.append(f"x{index % 1000:03}")
    return "/".join(reversed(parts))


def parse_tile_path(path: str) -> Tile | None:
    """The tile that a path names; None unless the path is canonical."""
    found = _PATH.fullmatch(path)
    if not found:
        return None
    level, number, width = found.groups()
    index = int(number.replace("x", "").replace("/", ""))
    tile = Tile(ENTRIES_LEVEL if level == "entries" else int(level), index, int(width or WIDTH))
    fits = tile.path == path and tile.level < 64 and (width is None or tile.width < WIDTH)
    return tile if fits else None


def get_tile_width(level: int, index: int, size: int) -> int:
    """The number of hashes of a tile in a tree of `size`; 0 where it is not there."""
    nodes = size >> (HEIGHT * max(level, 0))
    return max(0, min(WIDTH, nodes - index * WIDTH))


def split_tile(content: bytes) -> list[bytes]:
    """The hashes in a tile's bytes; raises ValueError where they are not those of a tile."""
    if len(content) % HASH_SIZE or not HASH_SIZE <= len(content) <= WIDTH * HASH_SIZE:
        raise ValueError("a tile is 1 to 256 hashes of 32 bytes")
    return [content[at : at + HASH_SIZE] for at in range(0, len(content), HASH_SIZE)]


def tile_root(content: bytes) -> bytes:
    """The one hash above all hashes of a full tile; raises ValueError for a partial one."""
    hashes = split_tile(content)
    if len(hashes) != WIDTH:
        raise ValueError("only a full tile has a hash above it")
    return hash_within_tile(hashes, HEIGHT, 0)


def hash_within_tile(hashes: list[bytes], level: int, index: int) -> bytes:
    """The hash of a node within a tile: at `level` from 0 (the tile's hashes) to 8 (their root)."""
    nodes = hashes[index << level : (index + 1) << level]
    while len(nodes) > 1:
        nodes = [node_hash(*nodes[at : at + 2]) for at in range(0, len(nodes), 2)]
    return nodes[0]


def pack_bundle(entries: Iterable[bytes]) -> bytes:
    """Pack a log's entries into an entry bundle (tlog-tiles), each behind its length (big-endian uint16)."""
    return b"".join(len(entry).to_bytes(2, "big") + entry for entry in entries)


class TileReader:
    """Gives hashes of full nodes of a tree of `size` leaves, from the tiles whose bytes `fetch` gets."""

    def __init__(self, fetch: Callable[[Tile], bytes], size: int) -> None:
        self.fetch, self.size = fetch, size
        self._known: dict[Tile, list[bytes]] = {}

    def node(self, level: int, index: int) -> bytes:
        tile_level, within = divmod(level, HEIGHT)
        tile_index, at = divmod(index, WIDTH >> within)
        tile = Tile(tile_level, tile_index, get_tile_width(tile_level, tile_index, self.size))
        if tile not in self._known:
            self._known[tile] = split_tile(self.fetch(tile))
        if len(self._known[tile]) != tile.width:
            raise ValueError(f"{tile.path} has {len(self._known[tile])} hashes")
        return hash_within_tile(self._known[tile], within, at)
