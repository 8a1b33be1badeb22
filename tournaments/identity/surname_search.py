"""Finds, for filed names, the register's players worth a closer look: those of a like surname."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice

from django.db.models import QuerySet
from django.db.models.functions import Substr
from rapidfuzz import fuzz, process

from players.office.models import Federation
from players.register.models import Player
from players.register.name_folding import beginnings, sound, words
from tournaments.events.models import Entry
from tournaments.identity.evidence import alike, born_of, differs_by_a_slip, first_name_evidence

PREFIX = 2  # letters of the surname that one brought over from another alphabet still shares
ROUGHLY = 75  # of 100: what one letter amiss leaves of a name of four
NEAR_MOST = 40  # spellings of one filed surname; the closest
ENOUGH_LETTERS = 12  # with which a section asks for most of the register anyway
AT_ONCE = 10_000  # surnames in one query: a database takes so many and not any number
SLIM = ("pk", "name_key", "first_name", "born")
Slim = tuple[int, str, str, int | None]
"""The few columns of each player that are read, so that thousands cost little."""


def spellings_near(federation: Federation, keys: Collection[str]) -> dict[str, set[str]]:
    """The register's surnames that could be spellings of each filed one (folded), itself among them.

    Only an index of surnames is read, no players; only those of the same first letter, or of one that may
    stand for it, are compared.
    """
    letters = {letter for key in keys for letter in (*beginnings(key, 1), *key[1:2])}
    known = _surnames(federation, letters)
    starts = {start for key in keys for start in beginnings(key, PREFIX)}
    by_sound: dict[str, set[str]] = defaultdict(set)
    for others in known.values():
        for other in others:
            if other[:PREFIX] in starts:
                by_sound[sound(other)].add(other)
    return {key: {*by_sound.get(sound(key), ()), *_misspelt(key, known)} for key in keys}


def _surnames(federation: Federation, letters: Collection[str]) -> dict[str, list[str]]:
    """The folded surnames in the register, by first letter; of merged entries too, which are few."""
    rows = Player.objects.of(federation).order_by()
    if len(letters) < ENOUGH_LETTERS:
        rows = rows.alias(letter=Substr("name_key", 1, 1)).filter(letter__in=letters)
    known: dict[str, list[str]] = defaultdict(list)
    for key in rows.values_list("name_key", flat=True).distinct().iterator(chunk_size=5_000):
        known[key[:1]].append(key)
    return known


def _misspelt(key: str, known: dict[str, list[str]]) -> list[str]:
    others = [other for letter in beginnings(key, 1) for other in known.get(letter, ())]
    swapped = key[1::-1]  # the first two letters may have changed places
    if len(swapped) == PREFIX and swapped[0] not in beginnings(key, 1):
        others += [other for other in known.get(swapped[0], ()) if other.startswith(swapped)]
    close = process.extract(key, others, scorer=fuzz.ratio, score_cutoff=ROUGHLY, limit=NEAR_MOST)
    return [other for other, _score, _at in close if alike(key, other) or differs_by_a_slip(key, other)]


def slim(rows: QuerySet[Player], keys: Iterable[str]) -> Iterator[Slim]:
    """Rows of players with one of these surnames; unordered, since an order would take another index."""
    left = iter(sorted(keys))
    while some := list(islice(left, AT_ONCE)):
        found = rows.filter(name_key__in=some).order_by().select_related(None)
        yield from found.values_list(*SLIM).iterator(chunk_size=5_000)


class Namesakes:
    """Rows of the register by surname; a common one has thousands, of which few share first name or year."""

    def __init__(self, rows: Iterable[Slim]) -> None:
        self.by_year: dict[tuple[str, int | None], list[Slim]] = defaultdict(list)
        self.by_initial: dict[tuple[str, str], list[Slim]] = defaultdict(list)
        for row in rows:
            _pk, key, first_name, born = row
            self.by_year[key, born].append(row)
            self.by_initial[key, _initial(first_name)].append(row)

    def likely(self, entry: Entry, rest: Sequence[str], key: str) -> list[int]:
        """Keys of players of a surname who are worth a closer look: of the year, or of the first letter.

        Nobody likely is left out.
        """
        rows = [row for year in {born_of(entry), None} for row in self.by_year.get((key, year), ())]
        rows += [row for letter in _initials(rest) for row in self.by_initial.get((key, letter), ())]
        fitting = (row[0] for row in rows if not entry.first_name or first_name_fits(rest, row[2]))
        return list(dict.fromkeys(fitting))


@lru_cache(maxsize=8192)
def first_name_fits(filed: Sequence[str], first_name: str) -> bool:
    return first_name_evidence(filed, words(first_name)) != "first-name-differs"


@lru_cache(maxsize=8192)
def _initial(first_name: str) -> str:
    """The first letter of a first name; empty if there is none."""
    return next((word[0] for word in words(first_name)), "")


@lru_cache(maxsize=8192)
def _initials(parts: Sequence[str]) -> set[str]:
    """The letters with which one of these words may begin in another spelling; and the empty text."""
    return {"", *(start for word in parts for start in beginnings(word, 1))}
