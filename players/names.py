"""Names: how they are compared, put in order, and found by a search.

Names are compared without accents, case, hyphens or alphabet, searched by their words as spelt and as they
sound, and ordered by a key for the office's language. The model fields that keep such keys are here too.
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

# ---- Keys by which names stand in the order of an office's language, the same on every database.
#
# A key is digits alone, so every collation of every database compares two keys in one way. It tells, one
# behind the other: the letters of the surname and of the first name, then accents, then capitals, then blanks
# and signs. So `Novák` and `Novak` stand together, and `van der Merwe` beside `Vandermerwe`.
#
# The letters and their order are those of CLDR's collation charts. Python has no collation of its own. PyICU
# has to be compiled; pyuca, of 2017, has neither the languages' own letters nor scripts in another order, so
# that the alphabets below would come on top of its 8 MB, for keys four times as long.
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


# ---- Names as they are compared: without accents, case, hyphens or alphabet. Pages show them unchanged.
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


# ---- Model fields that follow from a name and are set whenever Django writes a row.
class FoldedNameField(models.CharField):  # type: ignore[type-arg]
    """A column with the folded words of a name, a blank between them; a bulk copy brings its own."""

    def __init__(self, source: str, **options: Any) -> None:
        self.source = source
        super().__init__(
            **{"max_length": LONGEST, "blank": True, "default": "", "editable": False, **options}
        )

    def deconstruct(self) -> Any:
        name, path, _args, options = super().deconstruct()
        return name, path, [self.source], options

    def pre_save(self, row: models.Model, add: bool) -> str:
        folded = folded_words(getattr(row, self.source))
        setattr(row, self.attname, folded)
        return folded


def folded_words(name: str) -> str:
    """The folded words of a name with one blank between them."""
    return " ".join(words(name))[:LONGEST]


class NameOrderField(models.CharField):  # type: ignore[type-arg]
    """A column with the place of a name in the order of the office's language; a bulk copy brings its own."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            **{"max_length": LONGEST_KEY, "blank": True, "default": "", "editable": False, **options}
        )

    def pre_save(self, row: models.Model, add: bool) -> str:
        key = name_order_of(row)
        setattr(row, self.attname, key)
        return key


def name_order_of(player: Any) -> str:
    """The key of a player's name in the order of the office's language."""
    return sort_key(player.surname, player.first_name, player.federation.equipment.office.language)


LAST = chr(0x10FFFF)
"""The character behind all others: what begins with a word stands before the word and this."""


class KeyField(models.CharField):  # type: ignore[type-arg]
    """A column of keys, with the lookup `begins`."""


@KeyField.register_lookup
class Begins(StartsWith):
    """`key__begins="abc"`: PostgreSQL looks a LIKE up in its index, SQLite only a range."""

    lookup_name = "begins"

    def get_rhs_op(self, connection: Any, rhs: str) -> str:
        return str(connection.operators["startswith"] % rhs)

    def as_sqlite(self, compiler: Any, connection: Any) -> tuple[str, list[str]]:
        column, params = self.process_lhs(compiler, connection)
        return f"({column} >= %s AND {column} < %s)", [*params, self.rhs, *params, self.rhs + LAST]


# ---- Keys by which names are found: each word of a name as it is spelt, and as it sounds in any alphabet.
LONGEST_SEARCH = 40
SOUNDS = "~"
"""The sign that a key begins with that tells a sound, not a spelling."""
SOUND_FROM = 4
"""The letters from which a word that is looked for may be spelt in another way."""
_OTHER_SPELLINGS = (
    (re.compile("[yji]o"), "e"),  # ё: Fyodorov, Fedorov
    (re.compile("off$"), "ov"),
    (re.compile("(?<=[bdgt])er$"), "r"),  # Alexander, Aleksandr
)
SHORTEST_SOUND = 2
"""The letters that a sound must have to be looked for: with one (`zzzz`) every tenth name begins."""
_OVER_AND_BACK = (
    (re.compile("rzh"), "r"),  # Дворжак, Dvořák
    (re.compile("(?<=[bdfghklmnprstvz])yu"), "u"),  # Мюллер, Müller
    (re.compile("(?<=[aou])[yji](?=e)"), ""),  # Tsvetayev, Цветаев
)
"""Letters of a word that is looked for which a name may not have in the other alphabet."""
_LETTERS_OF_SOUNDS = "abcdefgiklmnoprstuvz"
"""The letters that are left in a key that tells a sound."""
LONGEST_SLIP = 20
"""The letters of a word up to which one of them may be amiss."""
_BETWEEN = re.compile(r"[\s,;:()\[\]#№]+")
_LABELS = frozenset({"no", "nr", "id"})


class Asked(NamedTuple):
    """A search taken apart: numbers, or beginnings of them, and names."""

    numbers: tuple[str, ...]
    names: str


def taken_apart(text: str) -> Asked:
    """A text's numbers (whatever has a digit: `304`, `#304`, `No. 304`) apart from its names."""
    parts = [part for part in _BETWEEN.split(text) if part]
    numbers = tuple(part for part in parts if any(letter.isdigit() for letter in part))
    if not numbers:
        return Asked((), text.strip())
    names = (part for part in parts if part not in numbers and fold(part) not in _LABELS)
    return Asked(numbers, " ".join(names))


def keys_of_name(*parts: str) -> set[str]:
    """The keys under which a name is found, of its parts (surname, first name) in any order.

    Each word has its spelling and its sounds; so has each part as a whole (`van der Merwe`: `vandermerwe`).
    """
    spelt = {word for part in parts for word in (*words(part), fold(part)) if word}
    return {key[:LONGEST_SEARCH] for word in spelt for key in (word, *sounds(word))}


def keys_of_word(word: str) -> set[str]:
    """The beginnings of keys under which a folded word is looked for, whole or only begun."""
    asked = _sounds_asked(word) if len(word) >= SOUND_FROM else set()
    told = {key for key in asked if len(key) >= len(SOUNDS) + SHORTEST_SOUND}
    return {key[:LONGEST_SEARCH] for key in (word, *told)}


def _sounds_asked(word: str) -> set[str]:
    return sounds(word).union(*(sounds(pattern.sub(put, word)) for pattern, put in _OVER_AND_BACK))


def keys_near(word: str) -> set[str]:
    """The whole keys of words that sound like a folded word but for one letter: added, left out or another,
    or two that changed places; none of a word too short or too long for that.
    """
    if not SOUND_FROM <= len(word) <= LONGEST_SLIP:
        return set()
    swapped = {word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(len(word) - 1)}
    told = {key.removeprefix(SOUNDS) for key in _sounds_asked(word)}
    near = {SOUNDS + each for key in told if len(key) > SHORTEST_SOUND for each in _one_letter_amiss(key)}
    return near.union(*(sounds(each) for each in swapped))


def _one_letter_amiss(key: str) -> set[str]:
    splits = [(key[:at], key[at:]) for at in range(len(key) + 1)]
    missing = {before + after[1:] for before, after in splits if after}
    others = {before + put + after[1:] for before, after in splits if after for put in _LETTERS_OF_SOUNDS}
    added = {before + put + after for before, after in splits for put in _LETTERS_OF_SOUNDS}
    return missing | others | added


def sounds(word: str) -> set[str]:
    """Keys that tell how a folded word sounds; a `J` at the beginning is read in two ways."""
    read = {word, f"zh{word[1:]}"} if word.startswith("j") else {word}
    return {SOUNDS + sound(_in_one_spelling(each)) for each in read}


def _in_one_spelling(word: str) -> str:
    for pattern, put in _OTHER_SPELLINGS:
        word = pattern.sub(put, word)
    return word


# ---- People of the register as plain rows: pages and files tell of hundreds, and change none.
class PersonRow(NamedTuple):
    """One player's row, with the fields of `Player` that the public may see some of."""

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
        return full_name(self.surname, self.first_name)

    @property
    def shown_name(self) -> str:
        return shown_name(self.name, self.withheld)


def full_name(surname: str, first_name: str) -> str:
    """A name as the journal writes it: `Surname, First name`."""
    return f"{surname}, {first_name}" if surname and first_name else surname or first_name


def shown_name(name: str, withheld: bool) -> str:
    """The name that the public sees of a player whose full name is `name`."""
    return str(_("withheld")) if withheld or not name else name
