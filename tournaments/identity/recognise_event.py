"""Recognises by names that a file may be another event's. Pure; a person decides."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rapidfuzz import fuzz

from players.register.name_folding import words
from tournaments.identity.propose_file_sections import ALIKE

_COMMON = frozenset(
    words(
        "a the of and in de section group division tournament event open cup championship championships "
        "festival league rapid blitz standard classic chess online round swiss final"
    )
)


def own_event_words(*names: str) -> frozenset[str]:
    """The words of names by which one event is told from another: no numbers, and none that many share."""
    return frozenset(
        word for word in words(" ".join(names)) if word not in _COMMON and not _says_little(word)
    )


def shares_a_word(said: Iterable[str], known: Iterable[str]) -> bool:
    """Whether one of the words is among the known, or spelt much like one of them."""
    known = list(known)
    return any(one == other or fuzz.ratio(one, other) >= ALIKE for one in said for other in known)


def says_another(said: str, *registered: str) -> bool:
    """Whether a file's name of its event has nothing of these registered names. False where either has no
    words of its own: then nobody can tell.
    """
    own, known = own_event_words(said), own_event_words(*registered)
    return bool(own and known) and not shares_a_word(own, known)


def more_like(said: str, registered: Iterable[str], others: Mapping[str, Iterable[str]]) -> str:
    """The key of the other event whose names share more words with the file's than the registered ones do;
    empty if none does, or several do so equally. `others`: by key, the names of each.
    """
    own = frozenset(word for word in words(said) if not _says_little(word))
    here = len(own.intersection(words(" ".join(registered))))
    shared = {
        key: len(own.intersection(words(" ".join(names))))
        for key, names in others.items()
        if own_event_words(said) & own_event_words(*names)
    }
    most = max(shared.values(), default=0)
    best = [key for key, count in shared.items() if count == most]
    return best[0] if most > here and len(best) == 1 else ""


def _says_little(word: str) -> bool:
    return len(word) == 1 or word.isdigit()
