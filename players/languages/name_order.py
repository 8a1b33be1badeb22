"""Keys by which names stand in the order of an office's language, the same on every database.

A key is digits alone, so every collation of every database compares two keys in one way. It tells, one behind
the other: the letters of the surname and of the first name, then accents, then capitals, then blanks and
signs. So `Novák` and `Novak` stand together, and `van der Merwe` beside `Vandermerwe`.

The letters and their order are those of CLDR's collation charts. Python has no collation of its own. PyICU
has to be compiled; pyuca, of 2017, has neither the languages' own letters nor scripts in another order, so
that the alphabets below would come on top of its 8 MB, for keys four times as long.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from typing import NamedTuple

LONGEST_KEY = 480
"""The digits that are kept; names that differ only beyond them stand by number."""
LATIN = "abcdefghijklmnopqrstuvwxyz"
CYRILLIC = "абвгґдђеєжзѕиійјклљмнњопрстћуфхцчџшщъыьэюя"
"""The letters of all languages that write Cyrillic; ё is е with an accent, as ї and ў are і and у."""
LATIN_OF: Mapping[str, str] = {
    "cs": "a b c č d e f g h ch i j k l m n o p q r ř s š t u v w x y z ž",
    "pl": "a ą b c ć d e ę f g h i j k l ł m n ń o ó p q r s ś t u v w x y z ź ż",
}
"""The Latin letters by language where they are more than `LATIN`: each a letter of its own."""
CYRILLIC_FIRST = frozenset({"ru"})
"""The languages in which Cyrillic names come first; in all others Latin ones do. Other scripts come last."""
LANGUAGES = ("en", "cs", "pl", "ru")
"""The languages whose order is known; any other has that of `en`."""
_ACCENTS = "\u0301\u0300\u0306\u0302\u030c\u030a\u0308\u030b\u0303\u0307\u0338\u0327\u0328\u0304"
"""Accents in their order: acute, grave, breve, circumflex, caron, ring, diaeresis …"""
_STROKE = "\u0338"
_OTHER_FORM = "\ufe00"
"""The sign, in place of an accent, of a letter that is written for others: `ß` for `ss`."""
_WRITTEN_OUT = {
    **{"ø": f"o{_STROKE}", "ł": f"l{_STROKE}", "đ": f"d{_STROKE}", "ħ": f"h{_STROKE}", "ŧ": f"t{_STROKE}"},
    **{"æ": f"a{_OTHER_FORM}e", "œ": f"o{_OTHER_FORM}e", "ß": f"s{_OTHER_FORM}s", "þ": f"t{_OTHER_FORM}h"},
    **{"ð": f"d{_OTHER_FORM}", "ı": f"i{_OTHER_FORM}", "ŋ": f"n{_OTHER_FORM}"},
}
_SIGNS = {" ": "2", "\u00a0": "2", "-": "3", "\u2010": "3", "\u2011": "3", "\u2013": "3", "'": "4", "’": "4"}
_END = "0"
"""The end of a part, before every letter and every accent: the shorter of two names stands first."""
_NO_ACCENT, _SMALL, _NO_SIGN = "10", "1", "1"


class _Piece(NamedTuple):
    """A letter of a name, or a sign among letters, with what each part of the key tells of it."""

    letter: str = ""
    accents: str = ""
    capital: str = ""
    sign: str = _NO_SIGN


def sort_key(surname: str, first_name: str, language: str) -> str:
    """The key by which a name stands in a language's order: text of digits."""
    known = language if language in LANGUAGES else LANGUAGES[0]
    names = [tuple(_pieces(name, known)) for name in (surname, first_name)]
    letters = ("".join(piece.letter for piece in name) for name in names)
    accents = (_part((piece.accents for piece in name), _NO_ACCENT) for name in names)
    capitals = (_part((piece.capital for piece in name), _SMALL) for name in names)
    signs = (_part((piece.sign for piece in name), _NO_SIGN) for name in names)
    return _END.join((*letters, *accents, *capitals, *signs))[:LONGEST_KEY]


def _part(told: Iterable[str], usual: str) -> str:
    """The part of a key that something is told in, without what is usual at its end."""
    values = list(filter(None, told))
    while values and values[-1] == usual:
        values.pop()
    return "".join(values)


@cache
def _weights(language: str) -> Mapping[str, str]:
    """The two digits of each letter and numeral of a language's order."""
    latin = LATIN_OF[language].split() if language in LATIN_OF else list(LATIN)
    scripts = [*CYRILLIC, *latin] if language in CYRILLIC_FIRST else [*latin, *CYRILLIC]
    return {letter: str(weight) for weight, letter in enumerate([*"0123456789", *scripts], start=10)}


def _pieces(name: str, language: str) -> Iterator[_Piece]:
    """The letters and signs of a name; what a language writes with two letters (`ch`) is one."""
    text, weights, at = unicodedata.normalize("NFC", name), _weights(language), 0
    while at < len(text):
        size = 2 if text[at + 1 : at + 2] and text[at : at + 2].lower() in weights else 1
        yield from _pieces_of(text[at : at + size], language)
        at += size


@lru_cache(maxsize=4096)
def _pieces_of(written: str, language: str) -> tuple[_Piece, ...]:
    """The pieces of one letter as it is written, or of one sign."""
    small, weights = written.lower(), _weights(language)
    if small in weights:
        return (_Piece(weights[small], _NO_ACCENT, _capital(written)),)
    bare = "".join(_WRITTEN_OUT.get(each, each) for each in unicodedata.normalize("NFKD", small))
    return tuple(_piece_of(each, "1" if written == small else "2", weights) for each in bare)


def _capital(written: str) -> str:
    """The digit of a letter's case: small ones first, and of two (`ch`) the second counts least."""
    return str(1 + sum(2**at for at, letter in enumerate(reversed(written)) if letter.isupper()))


def _piece_of(letter: str, capital: str, weights: Mapping[str, str]) -> _Piece:
    """The piece of a small letter without accent, of an accent alone, or of a sign."""
    if letter in weights:
        return _Piece(weights[letter], _NO_ACCENT, capital)
    if letter == _OTHER_FORM or unicodedata.combining(letter):
        return _Piece(accents=_accent(letter), sign="")
    if letter.isalnum():
        return _Piece(f"99{ord(letter):07d}", _NO_ACCENT, capital)
    return _Piece(sign=_SIGNS.get(letter, "5"))


def _accent(mark: str) -> str:
    """The two digits of an accent: more than those of none."""
    if mark == _OTHER_FORM:
        return "11"
    return str(12 + _ACCENTS.index(mark)) if mark in _ACCENTS else "99"
