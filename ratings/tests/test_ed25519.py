"""Ed25519 by the standard library: RFC 8032's examples, and malformed ones beside another program."""

from __future__ import annotations

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from hypothesis import given, settings, strategies as st

from ratings import ed25519

# RFC 8032, section 7.1: secret key, public key, message, signature.
EXAMPLES = [
    (
        "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b"
        "d25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c"
        "387b2eaeb4302aeeb00d291612bb0c00",
    ),
    (
        "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc659"
        "4a7c15e9716ed28dc027beceea1ec40a",
    ),
    (
        "833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42",
        "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd"
        "454d4423643ce80e2a9ac94fa54ca49f",
        "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e030"
        "3dca179c138ac17ad9bef1177331a704",
    ),
]
ORDER = 2**252 + 27742317777372353535851937790883648493
PRIME = 2**255 - 19
SMALL = [
    "0100000000000000000000000000000000000000000000000000000000000000",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0000000000000000000000000000000000000000000000000000000000000080",
    "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
]
"""Points of orders 1, 2, 4, 4, 8, 8."""


def accepted_elsewhere(public: bytes, signature: bytes, message: bytes) -> bool:
    """What the `cryptography` package says."""
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


@pytest.mark.parametrize(("secret", "public", "message", "signature"), EXAMPLES)
@pytest.mark.parametrize("alone", [True, False])
def test_the_published_examples_are_signed_and_verified(
    secret: str, public: str, message: str, signature: str, alone: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if alone:
        monkeypatch.setattr(ed25519, "Ed25519PrivateKey", None)
    seed, said = bytes.fromhex(secret), bytes.fromhex(message)
    assert ed25519.get_public_key(seed).hex() == public
    assert ed25519.sign(seed, said).hex() == signature
    assert ed25519.verify(bytes.fromhex(public), bytes.fromhex(signature), said)


@settings(deadline=None)
@given(st.binary(min_size=32, max_size=32), st.binary(max_size=200))
def test_any_key_and_message_are_signed_alike_by_both_programs(seed: bytes, message: bytes) -> None:
    key = Ed25519PrivateKey.from_private_bytes(seed)
    with pytest.MonkeyPatch.context() as without:
        without.setattr(ed25519, "Ed25519PrivateKey", None)
        assert ed25519.get_public_key(seed) == key.public_key().public_bytes_raw()
        assert ed25519.sign(seed, message) == key.sign(message)
    assert ed25519.verify(key.public_key().public_bytes_raw(), key.sign(message), message)


@settings(deadline=None)
@given(st.integers(0, 96 * 8 - 1), st.binary(max_size=20))
def test_one_bit_of_key_or_signature_is_never_another_right_one(bit: int, message: bytes) -> None:
    key = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
    both = bytearray(key.public_key().public_bytes_raw() + key.sign(message))
    both[bit // 8] ^= 1 << bit % 8
    public, signature = bytes(both[:32]), bytes(both[32:])
    assert not ed25519.verify(public, signature, message)
    assert not accepted_elsewhere(public, signature, message)


def malformed() -> dict[str, tuple[bytes, bytes, bytes]]:
    key, message = Ed25519PrivateKey.from_private_bytes(bytes(range(32))), b"a list"
    public, good = key.public_key().public_bytes_raw(), key.sign(message)
    s = int.from_bytes(good[32:], "little")
    return {
        "empty": (public, b"", message),
        "too short": (public, good[:-1], message),
        "too long": (public, good + b"\0", message),
        "nothing but zeros": (public, bytes(64), message),
        "the half s with the order added": (public, good[:32] + (s + ORDER).to_bytes(32, "little"), message),
        "the half s as the order": (public, good[:32] + ORDER.to_bytes(32, "little"), message),
        "the half s with its top bit": (public, good[:63] + bytes([good[63] | 0x80]), message),
        "the half r beyond the prime": (public, (PRIME + 1).to_bytes(32, "little") + good[32:], message),
        "halves in the other order": (public, good[32:] + good[:32], message),
        "the point negated": (public, good[:31] + bytes([good[31] ^ 0x80]) + good[32:], message),
        "another message": (public, good, message + b"!"),
        "a key that is no point": ((2).to_bytes(32, "little"), good, message),
        "a key beyond the prime": ((PRIME + 3).to_bytes(32, "little"), good, message),
        "a key too short": (public[:-1], good, message),
        "a key too long": (public + b"\0", good, message),
    }


@pytest.mark.parametrize("how", malformed())
def test_what_is_malformed_is_refused_by_both_programs(how: str) -> None:
    assert not ed25519.verify(*malformed()[how])
    assert not accepted_elsewhere(*malformed()[how])


@pytest.mark.parametrize("small", SMALL)
def test_a_key_of_small_order_signs_nothing(small: str) -> None:
    """With such a key r = [s]B is right for one message in eight or more, whoever chose s."""
    s = 7
    r = ed25519.get_public_key(bytes(32))
    for number in range(40):
        assert not ed25519.verify(bytes.fromhex(small), r + s.to_bytes(32, "little"), b"%d" % number)
    assert not ed25519.verify(bytes.fromhex(small), bytes.fromhex(SMALL[0]) + bytes(32), b"anything")
