"""Names as they are compared: without accents, case, hyphens or alphabet. What people read stays as it is."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_LETTERS = str.maketrans(
    {
        **dict(zip("абвгдезийклмнопрстуфыэ", "abvgdeziiklmnoprstufye", strict=True)),
        **{"ё": "e", "ж": "zh", "х": "kh", "ц": "ts", "ч": "ch", "ш": "sh", "щ": "shch", "ъ": "", "ь": ""},
        **{"ю": "yu", "я": "ya", "і": "i", "ї": "i", "є": "e", "ґ": "g", "ў": "u"},
        **{"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ß": "ss"},
        **dict.fromkeys("'’‘`´ʹʼ", ""),
    }
)
_WORD = re.compile(r"[^\W_]+")
LONGEST = 120


@lru_cache(maxsize=8192)
def words(text: str) -> tuple[str, ...]:
    """The words of a name, folded: `O'Brien-Łukasz` → `obrien`, `lukasz`; `Щукин` → `shchukin`."""
    # Letters first: NFKD would take й and ё apart before they are read.
    letters = unicodedata.normalize("NFC", text).casefold().translate(_LETTERS)
    bare = "".join(c for c in unicodedata.normalize("NFKD", letters) if not unicodedata.combining(c))
    return tuple(_WORD.findall(bare))


def fold(text: str) -> str:
    """A name as a key: its folded words in one piece (`van der Merwe` and `Vandermerwe` → `vandermerwe`)."""
    return "".join(words(text))[:LONGEST]
