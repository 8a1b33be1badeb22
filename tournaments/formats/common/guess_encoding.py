"""Guesses the old encoding of a text: western, central European, Cyrillic, Greek. The guess is noted."""

import re

_HIGH_WORD = re.compile(rb"(?<![A-Za-z\x80-\xff])[\x80-\xff]{3,}(?![A-Za-z\x80-\xff])")  # no Żółkowska
_HIGH = re.compile(rb"[\x80-\xff]")
WHOLE_WORDS = 0.5
"""The share of letters above ASCII in runs of three and more that shows words of another alphabet."""
# Bytes that are a letter of names in one encoding, and in the other a sign or a letter that hardly occurs.
_CENTRAL = frozenset(
    b"\x8d\x9d\x8f\x9f\x9c\xb9\xb3\xbf\xa3\xa5\xaf\xbe\xec\xcc\xf9\xd9\xf2\xd2\xbc\xfb\xa9\xae"
)
_WESTERN = frozenset(b"\xe0\xe5\xc0\xc5\xe3\xff")
# Letters in ISO 8859-2 that are signs in cp1250; what is below 0xA0 is a letter in cp1250 and nothing in ISO.
_ISO_CENTRAL = frozenset(b"\xa6\xa9\xab\xac\xae\xb1\xb5\xb6\xbb")
_WINDOWS_ALONE = frozenset(range(0x80, 0xA0))
# The last letters of Greek names (ς α η ο υ ώ ς, ISO 8859-7), and of Russian and Bulgarian ones (cp1251).
_GREEK_ENDS = frozenset(b"\xf2\xe1\xe7\xef\xf5\xde\xdc\xd3\xd9")
_CYRILLIC_ENDS = frozenset(b"\xe2\xed\xe9\xe0\xff\xe8\xea\xee\xec\xfc\xf0\xeb\xc2\xcd\xc9\xc0\xdf")


def likely_encoding(data: bytes) -> str:
    """Guess the old encoding of a text, as one of `cp1252`, `cp1250`, `cp1251`, `iso-8859-2` and
    `iso-8859-7`; else it is `latin-1`, which takes every byte.
    """
    high = len(_HIGH.findall(data))
    words = _HIGH_WORD.findall(data)
    if high and sum(map(len, words)) / high >= WHOLE_WORDS:
        order = [_alphabet(words), "cp1252", "cp1250"]
    elif _counts(data, _CENTRAL) > _counts(data, _WESTERN):
        iso = _counts(data, _ISO_CENTRAL) and not _counts(data, _WINDOWS_ALONE)
        order = ["iso-8859-2" if iso else "cp1250", "cp1252"]
    else:
        order = ["cp1252", "cp1250"]
    return next((encoding for encoding in order if _decodes(data, encoding)), "latin-1")


def _alphabet(words: list[bytes]) -> str:
    ends = bytes(word[-1] for word in words)
    return "iso-8859-7" if _counts(ends, _GREEK_ENDS) > _counts(ends, _CYRILLIC_ENDS) else "cp1251"


def _counts(data: bytes, letters: frozenset[int]) -> int:
    return sum(byte in letters for byte in data)


def _decodes(data: bytes, encoding: str) -> bool:
    try:
        data.decode(encoding)
    except UnicodeDecodeError:
        return False
    return True
