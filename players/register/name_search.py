"""Keys by which names are found: each word of a name as it is spelt, and as it sounds in any alphabet."""

from __future__ import annotations

import re
from typing import NamedTuple

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
    return {key[:LONGEST_KEY] for word in spelt for key in (word, *sounds(word))}


def keys_of_word(word: str) -> set[str]:
    """The beginnings of keys under which a folded word is looked for, whole or only begun."""
    asked = _sounds_asked(word) if len(word) >= SOUND_FROM else set()
    told = {key for key in asked if len(key) >= len(SOUNDS) + SHORTEST_SOUND}
    return {key[:LONGEST_KEY] for key in (word, *told)}


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
