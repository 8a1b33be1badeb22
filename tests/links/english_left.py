"""What is left in English on a page of another language, whoever forgot to mark it for translation.

English words are those of the texts that are marked, but for the words that the other language has too.
People, events and places are named the same in every language, and so are programs, ids and columns of files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import polib

from tests.page_texts import texts_of
from tests.translations import catalogue_file, entries_by_catalogue, read_catalogue

ROOT = Path(__file__).resolve().parents[2]
WORD = re.compile(r"[^\W\d_]{3,}")
PLACE = re.compile(r"%\(\w+\)[sd]|\{\w*\}|<[^>]*>|&\w+;")
NO_LANGUAGE = re.compile(
    r"https?://\S+|\S+@\S+|\b[\w./-]+\.(?:com|org|net|json|ndjson|zip|trf|csv|pdf|xlsx|pyz|py|txt|ini)\b"
    r"|\b[0-9a-f]{8,}…?|\bD-[A-Z]+-\d+|\b[A-Z]{2,}\b"
    r"|\btestserver/\S+|\b(?:Africa|Europe)/\w+|European Mahjong Association"
)
"""Addresses, files, digests, readings, abbreviations, time zones and a society."""
NUMBERS = re.compile(r'class="(?:[^"]* )?(?:num|score|tabular|y)(?: [^"]*)?"[^>]*>([^<]*)<')
DECIMAL = re.compile(r"(?<![\d.])\d+\.\d+(?![\d.])")
CODES = {
    *("player", "section", "opening", "rated", "unrated", "revised", "list", "merged", "parted", "rank"),
    *("players", "sections", "entries", "games", "ratings", "lists", "list_rows"),
}
"""Lines that name facts of the journal and tables of the dump."""
OF_ALL_LANGUAGES = {
    *("federation", "ratings", "english", "fide", "swiss", "manager", "vega", "tornelo", "sharly", "chess"),
    *("results", "lichess", "playok", "swissperfect", "excel", "python", "django", "atom"),
    *("world", "othello", "grand", "prix"),
}
"""Names of programs, of servers and of this one."""


@cache
def english_words(language: str) -> frozenset[str]:
    """The words of English texts that no text of that language has."""
    english: set[str] = set()
    other: set[str] = set()
    for folder, entries in entries_by_catalogue(ROOT):
        translated = read_catalogue(catalogue_file(folder, language))
        for key, marked in entries.items():
            english |= words_in(marked.msgid) | words_in(marked.msgid_plural)
            if entry := translated.get(key):
                other |= set().union(*map(words_in, said_in(entry)))
    return frozenset(english - other - OF_ALL_LANGUAGES)


def said_in(entry: polib.POEntry) -> Iterator[str]:
    yield entry.msgstr
    yield from entry.msgstr_plural.values()


def words_in(text: str) -> set[str]:
    return {word.lower() for word in WORD.findall(PLACE.sub(" ", text))}


def english_left(html: str, language: str, names: Iterable[str] = ()) -> list[str]:
    """The lines of a page with an English word that is no part of a name."""
    words = english_words(language)
    found = []
    for text in texts_of(html, language):
        for line in filter(None, (" ".join(each.split()) for each in text.split("\n"))):
            if line not in CODES and words & spoken_in(line) and words & spoken_in(without(line, names)):
                found.append(line)
    return found


def points_left(html: str) -> list[str]:
    """The numbers in cells and marks of numbers that have a point where the other languages have a comma."""
    return [text.strip() for text in NUMBERS.findall(html) if DECIMAL.search(text)]


def spoken_in(line: str) -> set[str]:
    return words_in(NO_LANGUAGE.sub(" ", line))


def without(line: str, names: Iterable[str]) -> str:
    for name in names:
        line = line.replace(name, " ")
    return line
