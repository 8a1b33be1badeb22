"""§4 §5: the weighted mean and its coefficients, each of numbers and days alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from decimal import Decimal
from typing import NamedTuple

from ratings.rulesets.mahjong.standing import Competition, Played, Wide
from ratings.rulesets.ruleset import CONTEXT, SIXTEEN

# §4, D-RMF-6: kA by status; a special tournament has its own
WEIGHTS = {"city": 1, "region": 2, "foreign": 2, "national": 3, "european": 4, "world": 5}
SPECIAL_WEIGHTS = (1, 2)
COMPETITIONS_NEEDED = 2  # §2: to be listed
YEARS_OF_WEIGHT = 4  # §5: each of the first four years takes a quarter of the weight
ABSENCE = Decimal("0.12")  # §5: kC of all competitions of a year together that one stayed away from
ZERO, ONE = Decimal(0), Decimal(1)


def weight(status: str | None, coefficient: int | None) -> int:
    """§4: kA."""
    return coefficient or 0 if status == "special" else WEIGHTS.get(status or "", 0)


def anniversary(ends: date, years: int) -> date:
    """So many years after a last day; of 29 February in a common year, 28 February (D-RMF-2)."""
    try:
        return ends.replace(year=ends.year + years)
    except ValueError:
        return ends.replace(year=ends.year + years, day=28)


def quarters(ends: date, on: date) -> int:
    """§5: kB in quarters: one less from the day after each anniversary, until nothing is left (D-RMF-2)."""
    gone = on.year - ends.year
    if gone > 0 and on <= anniversary(ends, gone):
        gone -= 1
    return YEARS_OF_WEIGHT - min(max(gone, 0), YEARS_OF_WEIGHT)


def time_coefficient(ends: date, on: date) -> Decimal:
    """§5: kB."""
    return Decimal(quarters(ends, on)) / YEARS_OF_WEIGHT


def absence_coefficient(admitted: int) -> Decimal:
    """§5: kC of a competition that one stayed away from, by how many its year has (D-RMF-3)."""
    return ABSENCE / admitted


def result(players: int, place: int) -> Decimal:
    """§5: R, from 1 for the first to 0 for the last of all who played (D-RMF-1)."""
    return Decimal(players - place) / (players - 1)


class Term(NamedTuple):
    """What having played one competition brings a player on some day."""

    players: int
    a_place: Decimal
    """kA × kB for each player whom one came before, out of all but oneself: R × kA × kB in small."""
    instead: Decimal
    """What the weight is more than that of an absence."""


class Scale(NamedTuple):
    """Everything about a day that is the same for all players: worked out once."""

    terms: Mapping[str, Term]
    """By competition, of those that weigh anything."""
    absent: Decimal
    """The denominator of somebody who played nothing."""


def absences(competitions: Iterable[Competition], on: date) -> dict[int, int]:
    """Of each calendar year, the sum of kA × kB in quarters: whole numbers, whatever their order."""
    sums: defaultdict[int, int] = defaultdict(int)
    for competition in competitions:
        sums[competition.ends.year] += competition.weight * quarters(competition.ends, on)
    return {year: sums[year] for year in sorted(sums) if sums[year]}


def scale(wide: Wide, on: date) -> Scale:
    """§5: the common sum of a day, and how each competition corrects it for whoever played."""
    counts = dict(wide.years)
    terms = {}
    for competition in wide.competitions:
        full = competition.weight * time_coefficient(competition.ends, on)
        if full:
            missed = absence_coefficient(counts[competition.ends.year])
            a_place = full / (competition.players - 1)
            terms[competition.id] = Term(competition.players, a_place, full * (ONE - missed))
    absent = ZERO
    for year, sum_ in absences(wide.competitions, on).items():
        absent += Decimal(sum_) / YEARS_OF_WEIGHT * absence_coefficient(counts[year])
    return Scale(terms, absent)


def mean(of_day: Scale, played: Iterable[Played]) -> tuple[Decimal, Decimal]:
    """§5: numerator and denominator of a player who played these."""
    term_of, above, below = of_day.terms.get, ZERO, of_day.absent
    for competition, place in played:
        if term := term_of(competition):
            players, a_place, instead = term
            above += (players - place) * a_place
            below += instead
    return above, below


def rating(of_day: Scale, played: Iterable[Played]) -> Decimal | None:
    """§5: the weighted mean, to 16 decimals (D-RMF-8); None where nothing weighs anything."""
    above, below = mean(of_day, played)
    return CONTEXT.quantize(above / below, SIXTEEN) if below else None


def days_of_change(wide: Wide | None, first: date, last: date) -> list[date]:
    """§5: the days from `first` to `last` on which a kB changes, and so everybody's rating (D-RMF-8)."""
    if wide is None:
        return []
    days = {
        anniversary(competition.ends, years) + timedelta(1)
        for competition in wide.competitions
        for years in range(1, YEARS_OF_WEIGHT + 1)
    }
    return sorted(day for day in days if first <= day <= last)
