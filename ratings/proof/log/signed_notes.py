"""Signed notes (C2SP signed-note): text, a blank line, and signature lines, each of a named key.

Ed25519 comes from the `cryptography` package. Without it everything but signing and verifying works, and
`signatures_can_be_checked` is False.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, replace

try:
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
except ImportError:  # a reader who checks a list may have Python alone
    signatures_can_be_checked = False
else:
    signatures_can_be_checked = True

ED25519 = 1
COSIGNATURE = 4
"""The type of a witness's timestamped signature (C2SP tlog-cosignature)."""
MOST_SIGNATURES = 64
_DASH = "— "
_PRIVATE = "PRIVATE+KEY+"


class NoteError(ValueError):
    """Raised where a note, a key or a signature is malformed or wrong; the words say which."""


@dataclass(frozen=True, slots=True)
class VerifierKey:
    """A public key with the name of its owner, whose signatures on notes can be checked."""

    name: str
    public: bytes
    """The public key of Ed25519, 32 bytes."""
    kind: int = ED25519

    @property
    def id(self) -> bytes:
        """The four bytes by which a signature names its key: the beginning of SHA-256(name, newline, type,
        key).
        """
        material = self.name.encode() + b"\n" + bytes([self.kind]) + self.public
        return hashlib.sha256(material).digest()[:4]

    def __str__(self) -> str:
        """The key as text, the vkey: `name+id+base64(type, key)`."""
        return f"{self.name}+{self.id.hex()}+{_base64(bytes([self.kind]) + self.public)}"


@dataclass(frozen=True, slots=True)
class Signer:
    """A private key that signs notes. Its text form is that of Go's `note` package; it is secret."""

    name: str
    seed: bytes
    """The private key of Ed25519, 32 bytes."""

    @property
    def key(self) -> VerifierKey:
        return VerifierKey(self.name, self._private().public_key().public_bytes_raw())

    def __repr__(self) -> str:
        return f"<signer {self.name}>"

    def secret(self) -> str:
        return f"{_PRIVATE}{self.name}+{self.key.id.hex()}+{_base64(bytes([ED25519]) + self.seed)}"

    def sign(self, text: str) -> Signature:
        return Signature(self.name, self.key.id, self._private().sign(text.encode()))

    def _private(self) -> Ed25519PrivateKey:
        return Ed25519PrivateKey.from_private_bytes(self.seed)


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

    def made_by(self, key: VerifierKey) -> bool:
        """Whether the signature names this key as its own, by name and id; it is not checked here."""
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
    raw = _bytes(material, vkey)
    if not is_name(name) or len(raw) != 33 or raw[0] not in (ED25519, COSIGNATURE):
        raise NoteError(f"“{vkey}” is not a verifier key of Ed25519")
    key = VerifierKey(name, raw[1:], raw[0])
    if key_id != key.id.hex():
        raise NoteError(f"the verifier key “{vkey}” has another id than it says")
    return key


def parse_signer(secret: str) -> Signer:
    """Parse a private key in its text form. Raises `NoteError`, whose words never repeat the secret."""
    secret = secret.strip()
    name, _, rest = secret.removeprefix(_PRIVATE).partition("+")
    key_id, _, material = rest.partition("+")
    raw = _bytes(material, "the private key")
    if not secret.startswith(_PRIVATE) or not is_name(name) or len(raw) != 33 or raw[0] != ED25519:
        raise NoteError("the file does not hold a private key of Ed25519")
    signer = Signer(name, raw[1:])
    if key_id != signer.key.id.hex():
        raise NoteError("the private key has another id than it says")
    return signer


def parse_note(text: str) -> SignedNote:
    """Parse a note with its signatures, none of them checked yet. Raises `NoteError`."""
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
    if not line.startswith(_DASH) or not line.endswith("\n") or not is_name(name):
        raise NoteError(f"“{line.strip()}” is not a signature line")
    raw = _bytes(encoded, line.strip())
    if len(raw) < 5:
        raise NoteError(f"“{line.strip()}” is not a signature line")
    return Signature(name, raw[:4], raw[4:])


def verify(note: SignedNote, keys: Iterable[VerifierKey]) -> list[VerifierKey]:
    """Check a note's signatures: those of `keys` that signed it. Signatures by other keys are passed over.

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
    """Check that the key signed the text, as a log does or as a witness that adds the time; raises
    `NoteError`.
    """
    if not signatures_can_be_checked:
        raise RuntimeError("signatures need the cryptography package, which is not installed")
    raw, message = signature.signature, text.encode()
    if key.kind == COSIGNATURE:
        time, raw = int.from_bytes(raw[:8], "big"), raw[8:]
        message = f"cosignature/v1\ntime {time}\n{text}".encode()
    try:
        Ed25519PublicKey.from_public_bytes(key.public).verify(raw, message)
    except (InvalidSignature, ValueError):
        raise NoteError(f"the signature of {key.name} is not by its key") from None


def is_name(name: str) -> bool:
    """Whether a key may have this name: it has no white space, plus signs or control characters."""
    return bool(name) and "+" not in name and not any(c.isspace() or ord(c) < 0x20 for c in name)


def _base64(raw: bytes) -> str:
    return base64.b64encode(raw).decode()


def _bytes(text: str, of: str) -> bytes:
    try:
        raw = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        raise NoteError(f"“{of}” holds no base64") from None
    if _base64(raw) != text:  # only the canonical form is accepted
        raise NoteError(f"“{of}” holds no base64")
    return raw
