"""Tools for the demos of several federations: strengths, results, days of lists, sections retold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from random import Random

from ratings.equipment.demo import Lists, Strength
from ratings.law.facts import Entry, Section


def steady(mean: float, spread: float) -> Strength:
    """Make a function that draws the strength of adults who hardly change, from a mean and a spread."""
    return lambda rng, age, sex: (rng.gauss(mean, spread), rng.gauss(0, spread / 20))


def months_before(months: int) -> Callable[[date], date]:
    """Make a function from a day to the first of the month so many months before it: the start of a demo's
    record.
    """

    def first(day: date) -> date:
        year, month = divmod(day.year * 12 + day.month - 1 - months, 12)
        return date(year, month + 1, 1)

    return first


def first_of(months: Sequence[int]) -> Lists:
    """Make a function that gives a demo's list days: the first of each of these months (1 is January)."""

    def days(start: date, rated: Sequence[date], today: date) -> list[date]:
        years = range(start.year, today.year + 1)
        firsts = (date(year, month, 1) for year in years for month in sorted(months))
        return [day for day in firsts if start < day <= today]

    return days


def after_each(start: date, rated: Sequence[date], today: date) -> list[date]:
    """The days of a demo's lists: one day after each day of ratings, but for the last three, whose lists
    people are to publish.
    """
    return sorted({day + timedelta(days=1) for day in rated if day < today - timedelta(days=3)})


def by_elo(*, draws: float, span: float = 400, first: float = 0) -> Callable[[Random, float, float], str]:
    """Make a function that draws the result of a game by Elo's curve.

    `draws`: the share of draws between equals; `span`: the difference of strength that makes odds of ten to
    one; `first`: the worth of moving first.
    """

    def result(rng: Random, one: float, other: float) -> str:
        expected = 1 / (1 + 10 ** ((other - one - first) / span))
        drawn = draws * 4 * expected * (1 - expected)
        chance = rng.random()
        if chance < drawn:
            return "1/2"
        return "1-0" if chance < drawn + (1 - drawn) * expected else "0-1"

    return result


def renamed(section: Section, names: Mapping[str, str]) -> Section:
    """The section with other players in entries, games and byes: `names` gives the new id of each id; those
    without one stay.
    """

    def of(player: str) -> str:
        return names.get(player, player)

    return replace(
        section,
        entries=tuple(replace(entry, player=of(entry.player)) for entry in section.entries),
        games=tuple(g._replace(first=of(g.first), second=of(g.second)) for g in section.games),
        byes=tuple(bye._replace(player=of(bye.player)) for bye in section.byes),
    )


def exchanged(one: str, other: str) -> dict[str, str]:
    """A mapping for `renamed` that exchanges two players."""
    return {one: other, other: one}


def by_place(section: Section) -> Iterator[Entry]:
    """The entries of a section sorted by place, the winner's first."""
    return iter(sorted(section.entries, key=lambda entry: (entry.place or 0, entry.player)))
