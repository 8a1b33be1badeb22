"""Keys by which names are found: each word of a name as it is spelt, and as it sounds in any alphabet."""

from __future__ import annotations

import re

from players.register.name_folding import fold, sound, words

LONGEST_KEY = 40
SOUNDS = "~"
"""The sign that a key begins with that tells a sound, not a spelling."""
SOUND_FROM = 4
"""The letters from which a word that is looked for may be spelt in another way."""
_OTHER_SPELLINGS = (
    (re.compile("[yji]o"), "e"),  # ё: Fyodorov, Fedorov
    (re.compile("off$"), "ov"),
    (re.compile("(?<=[bdgt])er$"), "r"),  # Alexander, Aleksandr
)


def keys_of_name(*parts: str) -> set[str]:
    """The keys under which a name is found, of its parts (surname, first name) in any order.

    Each word has its spelling and its sounds; so has each part as a whole (`van der Merwe`: `vandermerwe`).
    """
    spelt = {word for part in parts for word in (*words(part), fold(part)) if word}
    return {key[:LONGEST_KEY] for word in spelt for key in (word, *sounds(word))}


def keys_of_word(word: str) -> set[str]:
    """The beginnings of keys under which a folded word is looked for, whole or only begun."""
    told = sounds(word) if len(word) >= SOUND_FROM else set()
    return {key[:LONGEST_KEY] for key in (word, *told)}


def sounds(word: str) -> set[str]:
    """Keys that tell how a folded word sounds; a `J` at the beginning is read in two ways."""
    read = {word, f"zh{word[1:]}"} if word.startswith("j") else {word}
    return {SOUNDS + sound(_in_one_spelling(each)) for each in read}


def _in_one_spelling(word: str) -> str:
    for pattern, put in _OTHER_SPELLINGS:
        word = pattern.sub(put, word)
    return word
