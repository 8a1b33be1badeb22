"""A player in two places on one day: games in two events that were played in different places."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from ratings.hints.hint import HintFound, HintKind


@dataclass(frozen=True, slots=True)
class Attendance:
    """The place of a section, and who was there on which days."""

    pk: int
    key: str
    event: int
    place: str
    """The place, folded; empty: not known."""
    at_home: bool
    """Whether it was played online, where everybody may be anywhere."""
    days: Mapping[str, frozenset[date]]
    """By player's number, the days on which they are known to have played; nobody is listed without any."""


def two_places(own: Attendance, others: Iterable[Attendance]) -> Iterator[HintFound]:
    """Yield a hint for each section of another event and place in which players of this one played on the
    same day.
    """
    for other in others:
        if own.event == other.event or own.at_home or other.at_home or own.place == other.place != "":
            continue
        met = {
            player: sorted(day.isoformat() for day in days & other.days[player])
            for player, days in sorted(own.days.items())
            if player in other.days and days & other.days[player]
        }
        if met:
            evidence = {"section": other.pk, "key": other.key, "days": met}
            identity = (other.key, sorted(met.items()))
            yield HintFound(HintKind.TWO_PLACES, identity, evidence, tuple(met))


def days_of_rounds(
    starts: date, ends: date, rounds: int, round_dates: Sequence[str | None]
) -> Mapping[int, frozenset[date]]:
    """The days of each round, by its number, as far as they are known.

    A round has its date, or all days of a section that has no more days than rounds: such a section is played
    on each of them. The round of a longer section without dates may be on any day, so that nothing is said of
    it.
    """
    span = (ends - starts).days + 1
    every = frozenset(starts + timedelta(n) for n in range(span)) if span <= max(rounds, 1) else frozenset()
    dated = [frozenset({date.fromisoformat(day)}) if day else every for day in round_dates]
    return {n + 1: dated[n] if n < len(dated) else every for n in range(max(rounds, len(dated)))}
