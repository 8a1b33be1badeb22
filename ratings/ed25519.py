"""Ed25519 signatures (RFC 8032, section 5.1) by the standard library alone.

Every signature is verified here. Secret keys are handed to the `cryptography` package where it is installed,
because Python's whole numbers take longer for some secrets than for others; without it they are used here.
"""

from functools import lru_cache
from hashlib import sha512

try:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
except ImportError:  # a reader who checks a list, or another federation's witness, may have Python alone
    Ed25519PrivateKey = None  # type: ignore[assignment,misc]

_P = 2**255 - 19
_ORDER = 2**252 + 27742317777372353535851937790883648493
"""The order of the base point."""
_D = -121665 * pow(121666, -1, _P) % _P
_ROOT_OF_MINUS_1 = pow(2, (_P - 1) // 4, _P)
_Point = tuple[int, int, int, int]
"""A point (x, y) in extended coordinates: X, Y, Z, T with x = X/Z, y = Y/Z, xy = T/Z."""
_NEUTRAL: _Point = (0, 1, 1, 0)


def _add(p: _Point, q: _Point) -> _Point:
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % _P, (p[1] + p[0]) * (q[1] + q[0]) % _P
    c, d = 2 * p[3] * q[3] * _D % _P, 2 * p[2] * q[2] % _P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % _P, g * h % _P, f * g % _P, e * h % _P


def _multiply_two(s: int, p: _Point, t: int, q: _Point) -> _Point:
    """[s]p + [t]q, by doubling once for both."""
    both, total = _add(p, q), _NEUTRAL
    for bit in reversed(range(max(s.bit_length(), t.bit_length()))):
        total = _add(total, total)
        if addend := {(1, 0): p, (0, 1): q, (1, 1): both}.get((s >> bit & 1, t >> bit & 1)):
            total = _add(total, addend)
    return total


def _encode(p: _Point) -> bytes:
    inverse = pow(p[2], -1, _P)
    x, y = p[0] * inverse % _P, p[1] * inverse % _P
    return (y | (x & 1) << 255).to_bytes(32, "little")


def _decode(raw: bytes) -> _Point | None:
    """The point of 32 bytes; None if they are none, or not the one encoding of a point."""
    number = int.from_bytes(raw, "little")
    y, sign = number & (1 << 255) - 1, number >> 255
    if y >= _P:
        return None
    square = (y * y - 1) * pow(_D * y * y + 1, -1, _P) % _P
    x = pow(square, (_P + 3) // 8, _P)
    if x * x % _P != square:
        x = x * _ROOT_OF_MINUS_1 % _P
    if x * x % _P != square or (x == 0 and sign):
        return None
    x = _P - x if x & 1 != sign else x
    return x, y, 1, x * y % _P


_BASE_POINT = _decode((4 * pow(5, -1, _P) % _P).to_bytes(32, "little")) or _NEUTRAL


@lru_cache
def _decode_key(raw: bytes) -> _Point | None:
    """The point of a public key. One of small order is none: almost any signature would be right for it."""
    point = _decode(raw) if len(raw) == 32 else None
    small = point is None or _encode(_multiply_two(8, point, 0, _NEUTRAL)) == _encode(_NEUTRAL)
    return None if small else point


def verify(public: bytes, signature: bytes, message: bytes) -> bool:
    """Whether the owner of a public key signed the message. Strict: False too for a key of small order, and
    for a key or signature of another length or not in its one form. Encoded points are compared, without the
    cofactor, as most libraries do.
    """
    key, s = _decode_key(public), int.from_bytes(signature[32:], "little")
    if key is None or len(signature) != 64 or s >= _ORDER:
        return False
    minus_key = (_P - key[0], key[1], 1, _P - key[3])
    k = int.from_bytes(sha512(signature[:32] + public + message).digest(), "little") % _ORDER
    return _encode(_multiply_two(s, _BASE_POINT, k, minus_key)) == signature[:32]


def get_public_key(seed: bytes) -> bytes:
    """The public key of a private one of 32 bytes."""
    if Ed25519PrivateKey is not None:
        return Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw()
    return _encode(_multiply_two(_expand(seed)[0], _BASE_POINT, 0, _NEUTRAL))


def sign(seed: bytes, message: bytes) -> bytes:
    """The signature (64 bytes) of a message by a private key of 32 bytes."""
    if Ed25519PrivateKey is not None:
        return Ed25519PrivateKey.from_private_bytes(seed).sign(message)
    secret, prefix = _expand(seed)
    r = int.from_bytes(sha512(prefix + message).digest(), "little") % _ORDER
    point, public = _encode(_multiply_two(r, _BASE_POINT, 0, _NEUTRAL)), get_public_key(seed)
    k = int.from_bytes(sha512(point + public + message).digest(), "little")
    return point + ((r + k * secret) % _ORDER).to_bytes(32, "little")


def _expand(seed: bytes) -> tuple[int, bytes]:
    """The secret whole number of a private key, and the prefix from which each signature's own one comes."""
    digest = sha512(seed).digest()
    return int.from_bytes(digest[:32], "little") & (1 << 254) - 8 | 1 << 254, digest[32:]
