"""Comparing, sorting and searching names, and the model fields that store keys for that.

Names are compared without accents, case, hyphens or alphabet, searched by their words as spelt and as they
sound, and sorted by a key for the office's language.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import IntEnum
from functools import cache, lru_cache
from itertools import product
from typing import Any, NamedTuple

from django.db import models
from django.db.models.lookups import StartsWith
from django.utils.translation import gettext as _
from rapidfuzz import fuzz
from rapidfuzz.distance import OSA

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
_LOOKS_CYRILLIC = str.maketrans("aeopcyxijskm", "аеорсухіјѕкм")
_ONLY_CYRILLIC = frozenset("бгджзилнпфцчшщъыьэюяйёґ")
"""Cyrillic letters that no Latin one looks like: words that have one are Cyrillic."""
_LETTERS_OF_A_WORD = re.compile(r"[^\W\d_]+")
_WORD = re.compile(r"[^\W_]+")
LONGEST_FOLDED = 120


@lru_cache(maxsize=8192)
def fold_words(text: str) -> tuple[str, ...]:
    """The folded words of a name: `O'Brien-Łukasz` → `obrien`, `lukasz`; `Щукин` → `shchukin`."""
    small = unicodedata.normalize("NFC", text).casefold()
    if not small.isascii():
        small = _LETTERS_OF_A_WORD.sub(_write_in_one_script, small)
    # Before NFKD, which would decompose й and ё.
    letters = small.translate(_LETTERS)
    bare = "".join(c for c in unicodedata.normalize("NFKD", letters) if not unicodedata.combining(c))
    if not bare.isascii():  # Greek, whose vowels have lost their accents now
        bare = bare.replace("ου", "ou").translate(_LETTERS).translate(_GREEK)
    return tuple(_WORD.findall(bare))


def _write_in_one_script(match: re.Match[str]) -> str:
    """Replace letters in words like `Dlаmini` with a Cyrillic а, or `Ковалёв` with a Latin o (a keyboard
    switched too late).
    """
    word = match[0]
    if not any("a" <= letter <= "z" for letter in word):
        return word
    return word.translate(_LOOKS_LATIN if _ONLY_CYRILLIC.isdisjoint(word) else _LOOKS_CYRILLIC)


def fold(text: str) -> str:
    """A name's folded words joined: `van der Merwe` and `Vandermerwe` → `vandermerwe`."""
    return "".join(fold_words(text))[:LONGEST_FOLDED]


# ---- Spellings of one name
_SPELLINGS = (
    ("off$", "ov"),
    ("(?<=[bdgt])er$", "r"),  # Alexander, Aleksandr
    ("[yji]o", "e"),  # ё: Fyodorov, Fedorov
    ("(?<=[aou])[yji]+(?=e)", ""),  # Tsvetayev, Цветаев
    ("(?<=[bdfghklmnprstvwz])[yji]u", "u"),  # Мюллер, Müller
    ("dzh", "z"),
    # The longest first.
    ("schtsch|szcz|shch|sc(?=[eiy])", "s"),
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
_READINGS = (
    (re.compile("^j"), "zh"),  # Jukova, Жукова; but Jan, Ян
    (re.compile("rzh"), "r"),  # Дворжак, Dvořák; but Гжегорж, Grzegorz
    (re.compile("c(?=[aloru]|t)"), "k"),  # Victor, Виктор; but Bican, Бицан
    (re.compile("(ch|sh|zh|cz|sz|c)[yji]?o(?=[vw]a?$)"), r"\1e"),  # Gorbachov, Горбачёв; but Čechov, Чехов
)
"""Letters that are read in two ways: as they are, and so."""
_BEGINNINGS = (
    ("kh", "h", "ch"),
    ("ch", "c", "cz", "ts", "tch", "tsch"),
    ("sh", "s", "sz", "sch", "shch", "szcz"),
    ("zh", "z", "j", "rz", "dzh", "dz", "dj"),
    ("ts", "c", "tz", "z"),
    ("yu", "iu", "ju", "u"),
    ("ya", "ia", "ja"),
    ("ye", "ie", "je", "yo", "jo", "io", "e"),
    ("y", "i", "j"),
    ("v", "w", "b"),
    ("f", "ph"),
    ("k", "c", "q"),
    ("x", "ks", "h"),
)
SIMILAR_RATIO, CLOSE_RATIO = 85, 75  # of 100
SLIP_FROM, TWO_SLIPS_FROM = 4, 8
"""The letters of the shorter name from which one slip, or two, are forgiven."""


class Likeness(IntEnum):
    """How much two folded names are alike."""

    NONE = 0
    SLIPS = 1
    """A letter is added, missing, changed or swapped; in long names two."""
    SIMILAR = 2
    """Most letters are the same."""
    SPELLING = 3
    """One name in two spellings, such as another language's or alphabet's."""
    SAME = 4


@lru_cache(maxsize=65_536)
def get_sounds(key: str) -> frozenset[str]:
    """A folded name without differences of spelling, in each of its readings: `chekhov` and `cechov` have one
    in common.
    """
    readings = {key}
    for pattern, put in _READINGS:
        readings |= {pattern.sub(put, each) for each in readings}
    return frozenset(map(_reduce_spelling, readings))


def _reduce_spelling(key: str) -> str:
    for pattern, put in _SPELLING_RULES:
        key = pattern.sub(put, key)
    return key


def compare(one: str, other: str) -> Likeness:
    """How much two folded names are alike, for all who compare names."""
    if one == other:
        return Likeness.SAME
    sounds, others = get_sounds(one), get_sounds(other)
    if sounds & others:
        return Likeness.SPELLING
    if fuzz.ratio(one, other) >= SIMILAR_RATIO:
        return Likeness.SIMILAR
    if any(_differs_by_slips(*pair) for pair in ((one, other), *product(sounds, others))):
        return Likeness.SLIPS
    if min(len(one), len(other)) < SLIP_FROM or not any(
        fuzz.ratio(*pair) >= CLOSE_RATIO for pair in product(sounds, others)
    ):
        return Likeness.NONE
    # A slip may change how the letters beside it sound.
    slips = any(get_sounds(each) & others for each in _without_a_letter_or_swapped(one))
    slips = slips or any(get_sounds(each) & sounds for each in _without_a_letter_or_swapped(other))
    return Likeness.SLIPS if slips else Likeness.NONE


def _differs_by_slips(one: str, other: str) -> bool:
    shorter = min(len(one), len(other))
    slips = 0 if shorter < SLIP_FROM else 1 if shorter < TWO_SLIPS_FROM else 2
    return OSA.distance(one, other, score_cutoff=slips) <= slips


def _without_a_letter_or_swapped(word: str) -> set[str]:
    splits = [(word[:at], word[at:]) for at in range(len(word))]
    swapped = {before + after[1] + after[0] + after[2:] for before, after in splits[:-1]}
    return swapped.union(before + after[1:] for before, after in splits)


def first_letters_in_all_spellings(key: str) -> set[str]:
    """The letters with which a folded name may begin in other spellings."""
    found = {key[:1]}
    for group in _BEGINNINGS:
        if key.startswith(group):
            found |= {spelt[0] for spelt in group}
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
SHORTEST_SOUND = 2
"""The letters that a sound needs to be searched for: every tenth name begins with that of `zzzz`."""
LONGEST_TYPO = 20
"""The most letters of a word in which one may be wrong."""
MOST_READINGS = 4
"""The most readings of a word that are tried with each wrong letter."""
_SEPARATORS = re.compile(r"[\s,;:()\[\]#№]+")
_LABELS = frozenset({"no", "nr", "id"})


def parse_query(text: str) -> tuple[tuple[str, ...], str]:
    """Separate the numbers of a search, or beginnings of them (whatever has a digit: `304`, `#304`, `No.
    304`), from the names.
    """
    parts = [part for part in _SEPARATORS.split(text) if part]
    numbers = tuple(part for part in parts if any(letter.isdigit() for letter in part))
    if not numbers:
        return (), text.strip()
    names = (part for part in parts if part not in numbers and fold(part) not in _LABELS)
    return numbers, " ".join(names)


def keys_of_name(*parts: str) -> set[str]:
    """The search keys of a name's parts (surname, first name).

    They are spelling and sounds of each word and of each whole part (`van der Merwe`: `vandermerwe`).
    """
    spelt = {word for part in parts for word in (*fold_words(part), fold(part)) if word}
    return {key[:LONGEST_SEARCH] for word in spelt for key in (word, *sound_search_keys(word))}


def begin_words(parts: Sequence[str], *texts: str) -> bool:
    """Whether each of some folded words, of which there is at least one, begins a word of the texts."""
    words = fold_words(" ".join(texts))  # at once, of which thousands are remembered
    return bool(parts) and all(any(word.startswith(part) for word in words) for part in parts)


def key_beginnings_of_word(word: str) -> set[str]:
    """The beginnings of search keys that match a folded word, or the beginning of one."""
    heard = sound_search_keys(word) if len(word) >= LETTERS_FOR_SOUND_SEARCH else set()
    long = {key for key in heard if len(key) >= len(SOUND_PREFIX) + SHORTEST_SOUND}
    return {key[:LONGEST_SEARCH] for key in (word, *long)}


def can_have_typo(word: str) -> bool:
    """Whether one letter of a search word may be wrong."""
    return LETTERS_FOR_SOUND_SEARCH <= len(word) <= LONGEST_TYPO


def keys_with_one_typo(word: str) -> set[str]:
    """The complete keys of words that sound like a folded word with one typing mistake.

    One letter is added, missing or wrong, or two are swapped. Empty if the word is too short or too long.
    """
    if not can_have_typo(word):
        return set()
    splits = [(word[:at], word[at:]) for at in range(len(word) + 1)]
    near = {before + put + after[lost:] for before, after in splits for put in LATIN for lost in (0, 1)}
    near |= _without_a_letter_or_swapped(word)
    readings = get_sounds(word)
    if len(readings) <= MOST_READINGS:
        sounds = {each for spelt in near for each in get_sounds.__wrapped__(spelt)}
    else:
        sounds = set(map(_reduce_spelling, near))
    sounds = sounds.union(*map(_without_a_letter_or_swapped, readings))
    return {SOUND_PREFIX + each for each in sounds if len(each) >= SHORTEST_SOUND}


def sound_search_keys(word: str) -> set[str]:
    """The search keys of a folded word's sounds."""
    return {SOUND_PREFIX + each for each in get_sounds(word)}


# ---- Names as shown
def surname_comma_first_name(surname: str, first_name: str) -> str:
    """A name as in the journal: `Surname, First name`."""
    return f"{surname}, {first_name}" if surname and first_name else surname or first_name


def shown_name(name: str, withheld: bool) -> str:
    """The name that the public sees of a player."""
    return str(_("withheld")) if withheld or not name else name
