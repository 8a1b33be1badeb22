"""The world's list of othello players, `joueurs.txt`, as the federation gives it out and PAPP keeps it.

    pays = ARG
    280016 ACUNA, Ricardo   %_<1714>

A line names the country of those below it; a player has a number, a name, and in a remark a rating.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

HEADINGS = ("wof_id", "surname", "first_name", "nation", "rating")
_COUNTRY = re.compile(r"\s*pays\s*=\s*(\w*)\s*(%.*)?", re.IGNORECASE)
_PLAYER = re.compile(r"\s*\+?([0-9]{1,9})\s+([^%]+?)\s*(?:%(.*))?")
_RATING = re.compile(r"<\s*([0-9]+(?:\.[0-9]+)?)\s*>")
_WORD = re.compile(r"[^\W\d_]+")


def is_othello_list(lines: Iterable[str]) -> bool:
    """Whether the first of these lines that is no remark names a country, as this list does."""
    for line in lines:
        if line.strip() and not line.lstrip().startswith(("%", "#")):
            return _COUNTRY.fullmatch(line) is not None
    return False


def rows_of(lines: Iterable[tuple[int, str]]) -> Iterator[tuple[int, list[str] | None]]:
    """Read the list; yield headings, then each player; None in place of a line that is neither."""
    yield 1, list(HEADINGS)
    country = ""
    for number, line in lines:
        if not line.strip() or line.lstrip().startswith(("%", "#")):
            continue
        if named := _COUNTRY.fullmatch(line):
            country = named[1].upper()
        elif found := _PLAYER.fullmatch(line):
            yield number, _player(found, country)
        else:
            yield number, None


def _player(found: re.Match[str], country: str) -> list[str]:
    surname, _comma, first_name = found[2].partition(",")
    rating = _RATING.search(found[3] or "")
    return [found[1], _quiet(surname.strip()), first_name.strip(), country, rating[1] if rating else ""]


def _quiet(surname: str) -> str:
    """`VAN DEN BERG` as `Van Den Berg`; what has small letters stays."""
    if not surname.isupper():
        return surname
    return _WORD.sub(lambda word: word[0][0] + word[0][1:].lower(), surname)
