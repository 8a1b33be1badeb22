"""Names as they are compared: without accents, case, hyphens or alphabet. Pages show them unchanged."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_LETTERS = str.maketrans(
    {
        **dict(zip("абвгдезийклмнопрстуфыэ", "abvgdeziiklmnoprstufye", strict=True)),
        **{"ё": "e", "ж": "zh", "х": "kh", "ц": "ts", "ч": "ch", "ш": "sh", "щ": "shch", "ъ": "", "ь": ""},
        **{"ю": "yu", "я": "ya", "і": "i", "ї": "i", "є": "e", "ґ": "g", "ў": "u"},
        **{"ђ": "dj", "ј": "j", "љ": "lj", "њ": "nj", "ћ": "c", "џ": "dz", "ѕ": "dz"},
        **{"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ß": "ss"},
        **dict.fromkeys("'’‘`´ʹʼ", ""),
    }
)
_GREEK = str.maketrans(
    {
        **dict(zip("αβγδεζηικλμνξοπρσςτυφω", "avgdeziiklmnxoprsstyfo", strict=True)),
        **{"θ": "th", "χ": "ch", "ψ": "ps"},
    }
)
_LOOKS_LATIN = str.maketrans("аеорсухіјѕкмтвнαορυικτν", "aeopcyxijskmtbhaopyiktv")
"""Cyrillic and Greek letters read as the Latin ones they look like, in words that have Latin letters too."""
_LETTERS_OF_A_WORD = re.compile(r"[^\W\d_]+")
_WORD = re.compile(r"[^\W_]+")
LONGEST = 120


@lru_cache(maxsize=8192)
def words(text: str) -> tuple[str, ...]:
    """The words of a name, folded: `O'Brien-Łukasz` → `obrien`, `lukasz`; `Щукин` → `shchukin`."""
    small = unicodedata.normalize("NFC", text).casefold()
    if not small.isascii():
        small = _LETTERS_OF_A_WORD.sub(_in_one_alphabet, small)
    # Letters first: NFKD would take й and ё apart before they are read.
    letters = small.translate(_LETTERS)
    bare = "".join(c for c in unicodedata.normalize("NFKD", letters) if not unicodedata.combining(c))
    if not bare.isascii():  # accents are off now, of Greek vowels too
        bare = bare.replace("ου", "ou").translate(_LETTERS).translate(_GREEK)
    return tuple(_WORD.findall(bare))


def _in_one_alphabet(found: re.Match[str]) -> str:
    """Put `Dlаmini` with a Cyrillic а (a keyboard switched too late) into Latin letters."""
    word = found[0]
    latin = any("a" <= letter <= "z" for letter in word)
    return word.translate(_LOOKS_LATIN) if latin else word


def fold(text: str) -> str:
    """A name as a key: its folded words joined (`van der Merwe` and `Vandermerwe` → `vandermerwe`)."""
    return "".join(words(text))[:LONGEST]


# ---------------------------------------------------------------- one name, brought over in several ways

_SPELLINGS = (
    # In this order: the longest first. What one alphabet writes in several ways in another becomes one.
    ("szcz|shch", "s"),
    ("tsch|tch|cz", "c"),
    ("sch|sz|sh", "s"),
    ("zh|rz|dz|dj", "z"),
    ("ph", "f"),
    ("th", "t"),
    ("ch|kh|ts|tz|h", "c"),
    ("ck|q", "k"),
    ("x", "ks"),
    ("w", "v"),
    ("ue", "u"),
    ("oe", "o"),
    ("ae", "a"),
    ("ou", "u"),
    ("[jy]", "i"),
    ("i+e", "e"),
    (r"(.)\1+", r"\1"),
)
_RULES = tuple((re.compile(pattern), put) for pattern, put in _SPELLINGS)
_BEGINNINGS = (
    ("kh", "h", "ch"),
    ("ch", "c", "cz", "ts", "tch"),
    ("sh", "s", "sz", "sch", "shch", "szcz"),
    ("zh", "z", "j", "rz"),
    ("ts", "c", "tz", "z"),
    ("yu", "iu", "ju", "u"),
    ("ya", "ia", "ja"),
    ("ye", "ie", "je", "e"),
    ("y", "i", "j"),
    ("v", "w", "b"),
    ("f", "ph"),
    ("k", "c", "q"),
    ("x", "ks", "h"),
)


@lru_cache(maxsize=65_536)
def sound(key: str) -> str:
    """A folded name without the differences between transliterations: `chekhov` and `cechov` become one."""
    for pattern, put in _RULES:
        key = pattern.sub(put, key)
    return key


def beginnings(key: str, length: int) -> set[str]:
    """The first `length` letters with which a folded name may begin in other spellings, to look it up by."""
    found = {key[:length]}
    for group in _BEGINNINGS:
        for spelt in group:
            if key.startswith(spelt):
                found |= {(other + key[len(spelt) :])[:length] for other in group}
    return found
