"""The same event twice: another section with nearly the same players, days and results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date

from ratings.hints.hint import HintFound, HintKind

NEARLY_PERCENT = 80
"""The share of players, and of results, of the smaller section from which two sections are nearly the same.
Four of five leaves room for a latecomer and a corrected result; two evenings of one club hardly ever have
four of five results alike.
"""
DAYS_APART = 31
"""The most days between two sections that may be one: a month, so that the file of a club's last monthly
evening, sent once more for this month's, is seen.
"""
FEWEST_RESULTS = 6
"""The fewest results alike: all games of four players. With fewer, the stronger winning again is no news."""

Result = tuple[str, ...]
"""A game as (first by number, second by number, result from the former's side), or (player, place)."""


@dataclass(frozen=True, slots=True)
class ComparedPlay:
    """The play of a section, as far as it tells whether another is the same."""

    pk: int
    key: str
    starts: date
    ends: date
    players: frozenset[str]
    results: Counter[Result]


def same_event(own: ComparedPlay, others: Iterable[ComparedPlay]) -> Iterator[HintFound]:
    """Yield a hint for each other section that is nearly the same as this one."""
    for other in others:
        players = own.players & other.players
        alike = sum((own.results & other.results).values())
        fewer_players = min(len(own.players), len(other.players))
        fewer_results = min(own.results.total(), other.results.total())
        if alike < FEWEST_RESULTS or days_between(own, other) > DAYS_APART:
            continue
        if is_nearly_all(len(players), fewer_players) and is_nearly_all(alike, fewer_results):
            evidence = {
                "section": other.pk,
                "key": other.key,
                "players": len(players),
                "of_players": fewer_players,
                "results": alike,
                "of_results": fewer_results,
                "starts": other.starts.isoformat(),
                "ends": other.ends.isoformat(),
            }
            identity = (other.key, len(players), fewer_players, alike, fewer_results)
            yield HintFound(HintKind.SAME_EVENT, identity, evidence)


def is_nearly_all(some: int, of: int) -> bool:
    return some * 100 >= of * NEARLY_PERCENT


def days_between(one: ComparedPlay, other: ComparedPlay) -> int:
    """The days from the end of the earlier section to the start of the later; 0 where their days overlap."""
    gap = max(one.starts, other.starts) - min(one.ends, other.ends)
    return max(0, gap.days)
