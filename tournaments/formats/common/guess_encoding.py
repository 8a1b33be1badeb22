"""Guesses the old encoding of a text: western, central European, Cyrillic, Greek. The guess is noted."""

import re

_HIGH_WORD = re.compile(rb"(?<![A-Za-z\x80-\xff])[\x80-\xff]{3,}(?![A-Za-z\x80-\xff])")  # no Żółkowska
_HIGH = re.compile(rb"[\x80-\xff]")
NO_COUNTRY = "XXX"
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


# Letters of DOS (é ü â ä … á í ó ú ñ Ñ, cp850), where Windows has signs that follow no letter so.
_DOS_LETTERS = re.compile(
    rb"[A-Za-z](?:[\x81\x82\x84\x86-\x89\x8b\x90\xa1\xa2\xa4]|[\x85\x93\x94\x96\x97\x99\x9b\xa0](?=[A-Za-z]))"
)
_WINDOWS_LETTERS = re.compile(rb"[A-Za-z][\xc0-\xff]|[\xc0-\xff][A-Za-z]")
_SIGNS_IN_WESTERN = frozenset(b"\x8d\x9d\x8f\xb9\xb3\xbf\xa3\xa5\xaf\xbe\xbc\xa9\xae")
"""The bytes of `_CENTRAL` that are signs in cp1252, and letters in central Europe alone."""
CENTRAL_COUNTRIES = frozenset({"POL", "CZE", "SVK", "HUN", "SLO", "CRO", "BIH", "ROU", "ALB"})
_WIDE_MARKS = ((b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_MANY = 5  # a fifth of a text's bytes are NUL on one side only where each letter takes two


def wide_encoding(data: bytes) -> str:
    """The kind of UTF-16 that a text is saved in, by its mark or by its empty halves; empty if in none."""
    for mark, encoding in _WIDE_MARKS:
        if data.startswith(mark):
            return encoding
    high, low = data[::2].count(0), data[1::2].count(0)
    if max(high, low) <= len(data) // _MANY or min(high, low) > max(high, low) // _MANY:
        return ""
    return "utf-16-be" if high > low else "utf-16-le"


def likely_encoding(data: bytes, country: str = "") -> str:
    """Guess the old encoding of a text, as one of `cp1252`, `cp1250`, `cp1251`, `iso-8859-2`, `iso-8859-7`
    and `cp850`; else it is `latin-1`, which takes every byte. `country`, the office's, decides where letters
    alone would be western as well as central European.
    """
    high = len(_HIGH.findall(data))
    words = _HIGH_WORD.findall(data)
    if high and sum(map(len, words)) / high >= WHOLE_WORDS:
        order = [_alphabet(words), "cp1252", "cp1250"]
    elif len(_DOS_LETTERS.findall(data)) > len(_WINDOWS_LETTERS.findall(data)):
        order = ["cp850"]
    elif _is_central(data, country):
        iso = _counts(data, _ISO_CENTRAL) and not _counts(data, _WINDOWS_ALONE)
        order = ["iso-8859-2" if iso else "cp1250", "cp1252"]
    else:
        order = ["cp1252", "cp1250"]
    return next((encoding for encoding in order if _decodes(data, encoding)), "latin-1")


def _is_central(data: bytes, country: str) -> bool:
    if country and country not in (*CENTRAL_COUNTRIES, NO_COUNTRY) and not _counts(data, _SIGNS_IN_WESTERN):
        return False
    return _counts(data, _CENTRAL) > _counts(data, _WESTERN)


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
