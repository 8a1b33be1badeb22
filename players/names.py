"""Comparing, sorting and searching names, and the model fields that store keys for that.

Names are compared without accents, case, hyphens or alphabet, searched by their words as spelt and as they
sound, and sorted by a key for the office's language.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from typing import Any, NamedTuple

from django.db import models
from django.db.models.lookups import StartsWith
from django.utils.translation import gettext as _

# ---- Sort keys
#
# A key has only digits, so that every collation of every database sorts it in the same way: first the letters
# of surname and first name, then accents, capitals, and blanks and signs. So `Novák` is beside `Novak`, and
# `van der Merwe` beside `Vandermerwe`.
#
# The letters and their order are those of CLDR's collation charts. Python has no collation of its own, PyICU
# has to be compiled, and pyuca (of 2017) lacks both languages' own letters and reordering of scripts, so that
# the alphabets below would come on top of its 8 MB, with keys four times as long.
LONGEST_KEY = 480
"""The digits that are kept; names that differ only beyond them are sorted by number."""
LATIN = "abcdefghijklmnopqrstuvwxyz"
CYRILLIC = "абвгґдђеєжзѕиійјклљмнњопрстћуфхцчџшщъыьэюя"
"""The letters of all languages that write Cyrillic; ё is е with an accent, as ї and ў are і and у."""
LATIN_BY_LANGUAGE: Mapping[str, str] = {
    "cs": "a b c č d e f g h ch i j k l m n o p q r ř s š t u v w x y z ž",
    "pl": "a ą b c ć d e ę f g h i j k l ł m n ń o ó p q r s ś t u v w x y z ź ż",
}
"""The Latin letters of languages that have more than `LATIN`."""
CYRILLIC_FIRST = frozenset({"ru"})
"""The languages in which Cyrillic names come before Latin ones. Other scripts always come last."""
LANGUAGES = ("en", "cs", "pl", "ru")
"""The languages whose order is known; any other is sorted like `en`."""
_ACCENTS = "\u0301\u0300\u0306\u0302\u030c\u030a\u0308\u030b\u0303\u0307\u0338\u0327\u0328\u0304"
"""Accents in their order: acute, grave, breve, circumflex, caron, ring, diaeresis …"""
_STROKE = "\u0338"
_OTHER_FORM = "\ufe00"
"""Stands for the accent of a letter that is another form of others: `ß` of `ss`."""
_WRITTEN_OUT = {
    **{"ø": f"o{_STROKE}", "ł": f"l{_STROKE}", "đ": f"d{_STROKE}", "ħ": f"h{_STROKE}", "ŧ": f"t{_STROKE}"},
    **{"æ": f"a{_OTHER_FORM}e", "œ": f"o{_OTHER_FORM}e", "ß": f"s{_OTHER_FORM}s", "þ": f"t{_OTHER_FORM}h"},
    **{"ð": f"d{_OTHER_FORM}", "ı": f"i{_OTHER_FORM}", "ŋ": f"n{_OTHER_FORM}"},
}
_SIGNS = {" ": "2", "\u00a0": "2", "-": "3", "\u2010": "3", "\u2011": "3", "\u2013": "3", "'": "4", "’": "4"}
_END = "0"
"""The end of a part; it sorts before letters and accents, so that the shorter of two names comes first."""
_NO_ACCENT, _SMALL, _NO_SIGN = "10", "1", "1"


class _Piece(NamedTuple):
    """A letter or sign of a name, with its digits in each part of the key."""

    letter: str = ""
    accents: str = ""
    capital: str = ""
    sign: str = _NO_SIGN


def sort_key(surname: str, first_name: str, language: str) -> str:
    """The key, a text of digits, by which a name is sorted in a language."""
    known = language if language in LANGUAGES else LANGUAGES[0]
    names = [tuple(_pieces(name, known)) for name in (surname, first_name)]
    letters = ("".join(piece.letter for piece in name) for name in names)
    accents = (_part((piece.accents for piece in name), _NO_ACCENT) for name in names)
    capitals = (_part((piece.capital for piece in name), _SMALL) for name in names)
    signs = (_part((piece.sign for piece in name), _NO_SIGN) for name in names)
    return _END.join((*letters, *accents, *capitals, *signs))[:LONGEST_KEY]


def _part(values: Iterable[str], default: str) -> str:
    """A part of a key, without default values at its end."""
    kept = list(filter(None, values))
    while kept and kept[-1] == default:
        kept.pop()
    return "".join(kept)


@cache
def _weights(language: str) -> Mapping[str, str]:
    """The two digits of each letter and numeral in a language's order."""
    latin = LATIN_BY_LANGUAGE[language].split() if language in LATIN_BY_LANGUAGE else list(LATIN)
    scripts = [*CYRILLIC, *latin] if language in CYRILLIC_FIRST else [*latin, *CYRILLIC]
    return {letter: str(weight) for weight, letter in enumerate([*"0123456789", *scripts], start=10)}


def _pieces(name: str, language: str) -> Iterator[_Piece]:
    """The letters and signs of a name; a digraph of the language (`ch`) is one letter."""
    text, weights, at = unicodedata.normalize("NFC", name), _weights(language), 0
    while at < len(text):
        size = 2 if text[at + 1 : at + 2] and text[at : at + 2].lower() in weights else 1
        yield from _pieces_of(text[at : at + size], language)
        at += size


@lru_cache(maxsize=4096)
def _pieces_of(written: str, language: str) -> tuple[_Piece, ...]:
    """The pieces of one letter or sign."""
    small, weights = written.lower(), _weights(language)
    if small in weights:
        return (_Piece(weights[small], _NO_ACCENT, _capital(written)),)
    bare = "".join(_WRITTEN_OUT.get(each, each) for each in unicodedata.normalize("NFKD", small))
    return tuple(_piece_of(each, "1" if written == small else "2", weights) for each in bare)


def _capital(written: str) -> str:
    """The digit of a letter's case: small ones first; in a digraph (`ch`) the second counts least."""
    return str(1 + sum(2**at for at, letter in enumerate(reversed(written)) if letter.isupper()))


def _piece_of(letter: str, capital: str, weights: Mapping[str, str]) -> _Piece:
    """The piece of a small letter without accent, of an accent alone, or of a sign."""
    if letter in weights:
        return _Piece(weights[letter], _NO_ACCENT, capital)
    if letter == _OTHER_FORM or unicodedata.combining(letter):
        return _Piece(accents=_accent_digits(letter), sign="")
    if letter.isalnum():
        return _Piece(f"99{ord(letter):07d}", _NO_ACCENT, capital)
    return _Piece(sign=_SIGNS.get(letter, "5"))


def _accent_digits(mark: str) -> str:
    if mark == _OTHER_FORM:
        return "11"
    return str(12 + _ACCENTS.index(mark)) if mark in _ACCENTS else "99"


# ---- Folding names for comparison
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
"""Cyrillic and Greek letters that look like Latin ones, for words that have Latin letters too."""
_LETTERS_OF_A_WORD = re.compile(r"[^\W\d_]+")
_WORD = re.compile(r"[^\W_]+")
LONGEST_FOLDED = 120


@lru_cache(maxsize=8192)
def fold_words(text: str) -> tuple[str, ...]:
    """The folded words of a name: `O'Brien-Łukasz` → `obrien`, `lukasz`; `Щукин` → `shchukin`."""
    small = unicodedata.normalize("NFC", text).casefold()
    if not small.isascii():
        small = _LETTERS_OF_A_WORD.sub(_latinize_mixed_word, small)
    # Before NFKD, which would decompose й and ё.
    letters = small.translate(_LETTERS)
    bare = "".join(c for c in unicodedata.normalize("NFKD", letters) if not unicodedata.combining(c))
    if not bare.isascii():  # Greek, whose vowels have lost their accents now
        bare = bare.replace("ου", "ou").translate(_LETTERS).translate(_GREEK)
    return tuple(_WORD.findall(bare))


def _latinize_mixed_word(match: re.Match[str]) -> str:
    """Replace letters in words like `Dlаmini` with a Cyrillic а (a keyboard switched too late)."""
    word = match[0]
    latin = any("a" <= letter <= "z" for letter in word)
    return word.translate(_LOOKS_LATIN) if latin else word


def fold(text: str) -> str:
    """A name's folded words joined: `van der Merwe` and `Vandermerwe` → `vandermerwe`."""
    return "".join(fold_words(text))[:LONGEST_FOLDED]


# ---- Transliterations of one name
_SPELLINGS = (
    # The longest first.
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
_SPELLING_RULES = tuple((re.compile(pattern), put) for pattern, put in _SPELLINGS)
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
def compute_sound(key: str) -> str:
    """A folded name without differences of transliteration: `chekhov` and `cechov` become one."""
    for pattern, put in _SPELLING_RULES:
        key = pattern.sub(put, key)
    return key


def beginnings_in_all_spellings(key: str, length: int) -> set[str]:
    """The first `length` letters of a folded name in all its spellings."""
    found = {key[:length]}
    for group in _BEGINNINGS:
        for spelt in group:
            if key.startswith(spelt):
                found |= {(other + key[len(spelt) :])[:length] for other in group}
    return found


# ---- Model fields that are computed when Django saves a row; bulk copies set them themselves
class FoldedNameField(models.CharField):  # type: ignore[type-arg]
    """The folded words of the name in the field `source`, separated by blanks."""

    def __init__(self, source: str, **options: Any) -> None:
        self.source = source
        super().__init__(
            **{"max_length": LONGEST_FOLDED, "blank": True, "default": "", "editable": False, **options}
        )

    def deconstruct(self) -> Any:
        name, path, _args, options = super().deconstruct()
        return name, path, [self.source], options

    def pre_save(self, row: models.Model, add: bool) -> str:
        folded = fold_and_join_words(getattr(row, self.source))
        setattr(row, self.attname, folded)
        return folded


def fold_and_join_words(name: str) -> str:
    return " ".join(fold_words(name))[:LONGEST_FOLDED]


class NameOrderField(models.CharField):  # type: ignore[type-arg]
    """The sort key of a player's name in the office's language."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            **{"max_length": LONGEST_KEY, "blank": True, "default": "", "editable": False, **options}
        )

    def pre_save(self, row: models.Model, add: bool) -> str:
        key = player_sort_key(row)
        setattr(row, self.attname, key)
        return key


def player_sort_key(player: Any) -> str:
    return sort_key(player.surname, player.first_name, player.federation.equipment.office.language)


LAST_CHARACTER = chr(0x10FFFF)


class KeyField(models.CharField):  # type: ignore[type-arg]
    """A key with the lookup `begins`."""


@KeyField.register_lookup
class Begins(StartsWith):
    """`key__begins="abc"`: SQLite uses its index only for a range, PostgreSQL for LIKE too."""

    lookup_name = "begins"

    def get_rhs_op(self, connection: Any, rhs: str) -> str:
        return str(connection.operators["startswith"] % rhs)

    def as_sqlite(self, compiler: Any, connection: Any) -> tuple[str, list[str]]:
        column, params = self.process_lhs(compiler, connection)
        return f"({column} >= %s AND {column} < %s)", [*params, self.rhs, *params, self.rhs + LAST_CHARACTER]


# ---- Search keys: words of names as spelt, and as they sound
LONGEST_SEARCH = 40
SOUND_PREFIX = "~"
"""The beginning of keys that are a sound, not a spelling."""
LETTERS_FOR_SOUND_SEARCH = 4
"""The letters that a search word needs to be found in other spellings."""
_OTHER_SPELLINGS = (
    (re.compile("[yji]o"), "e"),  # ё: Fyodorov, Fedorov
    (re.compile("off$"), "ov"),
    (re.compile("(?<=[bdgt])er$"), "r"),  # Alexander, Aleksandr
)
SHORTEST_SOUND = 2
"""The letters that a sound needs to be searched for: every tenth name begins with that of `zzzz`."""
_ROUND_TRIPS = (
    (re.compile("rzh"), "r"),  # Дворжак, Dvořák
    (re.compile("(?<=[bdfghklmnprstvz])yu"), "u"),  # Мюллер, Müller
    (re.compile("(?<=[aou])[yji](?=e)"), ""),  # Tsvetayev, Цветаев
)
"""Letters that a search word may have and the name in the other alphabet lacks."""
_LETTERS_OF_SOUNDS = "abcdefgiklmnoprstuvz"
LONGEST_TYPO = 20
"""The most letters of a word in which one may be wrong."""
_SEPARATORS = re.compile(r"[\s,;:()\[\]#№]+")
_LABELS = frozenset({"no", "nr", "id"})


class SearchQuery(NamedTuple):
    """A search: numbers, or beginnings of them, and names."""

    numbers: tuple[str, ...]
    names: str


def parse_query(text: str) -> SearchQuery:
    """Separate the numbers of a search (whatever has a digit: `304`, `#304`, `No. 304`) from the names."""
    parts = [part for part in _SEPARATORS.split(text) if part]
    numbers = tuple(part for part in parts if any(letter.isdigit() for letter in part))
    if not numbers:
        return SearchQuery((), text.strip())
    names = (part for part in parts if part not in numbers and fold(part) not in _LABELS)
    return SearchQuery(numbers, " ".join(names))


def keys_of_name(*parts: str) -> set[str]:
    """The search keys of a name's parts (surname, first name).

    They are spelling and sounds of each word and of each whole part (`van der Merwe`: `vandermerwe`).
    """
    spelt = {word for part in parts for word in (*fold_words(part), fold(part)) if word}
    return {key[:LONGEST_SEARCH] for word in spelt for key in (word, *sound_search_keys(word))}


def key_beginnings_of_word(word: str) -> set[str]:
    """The beginnings of search keys that match a folded word, or the beginning of one."""
    heard = _search_sounds(word) if len(word) >= LETTERS_FOR_SOUND_SEARCH else set()
    long = {key for key in heard if len(key) >= len(SOUND_PREFIX) + SHORTEST_SOUND}
    return {key[:LONGEST_SEARCH] for key in (word, *long)}


def _search_sounds(word: str) -> set[str]:
    return sound_search_keys(word).union(
        *(sound_search_keys(pattern.sub(put, word)) for pattern, put in _ROUND_TRIPS)
    )


def keys_with_one_typo(word: str) -> set[str]:
    """The complete keys of words that sound like a folded word with one typing mistake.

    One letter is added, missing or wrong, or two are swapped. Empty if the word is too short or too long.
    """
    if not LETTERS_FOR_SOUND_SEARCH <= len(word) <= LONGEST_TYPO:
        return set()
    swapped = {word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(len(word) - 1)}
    heard = {key.removeprefix(SOUND_PREFIX) for key in _search_sounds(word)}
    near = {SOUND_PREFIX + each for key in heard if len(key) > SHORTEST_SOUND for each in _one_edit(key)}
    return near.union(*(sound_search_keys(each) for each in swapped))


def _one_edit(key: str) -> set[str]:
    splits = [(key[:at], key[at:]) for at in range(len(key) + 1)]
    missing = {before + after[1:] for before, after in splits if after}
    others = {before + put + after[1:] for before, after in splits if after for put in _LETTERS_OF_SOUNDS}
    added = {before + put + after for before, after in splits for put in _LETTERS_OF_SOUNDS}
    return missing | others | added


def sound_search_keys(word: str) -> set[str]:
    """The search keys of a folded word's sound; a `J` at the beginning has two."""
    readings = {word, f"zh{word[1:]}"} if word.startswith("j") else {word}
    for pattern, put in _OTHER_SPELLINGS:
        readings = {pattern.sub(put, each) for each in readings}
    return {SOUND_PREFIX + compute_sound(each) for each in readings}


# ---- Players as plain rows
class PersonRow(NamedTuple):
    """A player's fields without the cost of a model instance, where there are hundreds."""

    pk: int
    number: str
    surname: str
    first_name: str
    sex: str
    born: int | None
    nation: str
    title: str
    withheld: bool

    @property
    def name(self) -> str:
        return surname_comma_first_name(self.surname, self.first_name)

    @property
    def shown_name(self) -> str:
        return shown_name(self.name, self.withheld)


def surname_comma_first_name(surname: str, first_name: str) -> str:
    """A name as in the journal: `Surname, First name`."""
    return f"{surname}, {first_name}" if surname and first_name else surname or first_name


def shown_name(name: str, withheld: bool) -> str:
    """The name that the public sees of a player."""
    return str(_("withheld")) if withheld or not name else name
