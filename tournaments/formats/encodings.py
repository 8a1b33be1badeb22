"""Which old encoding a text is in: western, central European or Cyrillic. It is a guess, and is told."""

import re

_HIGH_WORD = re.compile(rb"[\x80-\xff]{3,}")
_HIGH = re.compile(rb"[\x80-\xff]")
CYRILLIC = 0.5
"""The share of the letters above ASCII that stand in runs of three and more: whole words of them."""
# Bytes that are a letter of names in one encoding, and in the other a sign or a letter that hardly occurs.
_CENTRAL = frozenset(b"\x8d\x9d\x8f\x9f\x9c\xb9\xb3\xbf\xa3\xa5\xaf\xbe\xec\xcc\xf9\xd9\xf2\xd2\xbc\xfb")
_WESTERN = frozenset(b"\xe0\xe5\xc0\xc5\xe3\xff")


def likely_encoding(data: bytes) -> str:
    """`cp1252`, `cp1250`, `cp1251`; `latin-1`, which takes every byte, where it can be none of them."""
    high = len(_HIGH.findall(data))
    in_words = sum(len(word) for word in _HIGH_WORD.findall(data))
    order = ["cp1252", "cp1250"]
    if high and in_words / high >= CYRILLIC:
        order.insert(0, "cp1251")
    elif sum(byte in _CENTRAL for byte in data) > sum(byte in _WESTERN for byte in data):
        order.reverse()
    return next((encoding for encoding in order if _decodes(data, encoding)), "latin-1")


def _decodes(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True
