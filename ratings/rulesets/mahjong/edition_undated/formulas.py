"""§4 §5: the weighted mean and its coefficients, each of numbers and days alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from datetime import date, timedelta
from decimal import Decimal
from math import lcm
from typing import NamedTuple

from ratings.rulesets.mahjong.law.standing import AdmittedCompetition, AdmittedCompetitions, CompetitionPlayed

WEIGHTS = {"city": 1, "region": 2, "foreign": 2, "national": 3, "european": 4, "world": 5}
"""§4, D-RMF-6: the weight kA of a competition by its status."""
SPECIAL_WEIGHTS = (1, 2)  # §4: a special tournament has a kA of its own
COMPETITIONS_NEEDED = 2  # §2: to be listed
YEARS_OF_WEIGHT = 4  # §5: each of the first four years takes a quarter of the weight
ABSENCE = Decimal("0.12")  # §5: kC of all competitions of a year together that one stayed away from
DECIMALS = 16  # D-RMF-8
UNIT = 10**DECIMALS


def weight(status: str | None, coefficient: int | None) -> int:
    """§4: the weight kA of a competition by its status, or a special one's own coefficient; 0: not known."""
    return coefficient or 0 if status == "special" else WEIGHTS.get(status or "", 0)


def anniversary(ends: date, years: int) -> date:
    """The same day so many years after a competition's last day; 28 February for 29 February in a common year
    (D-RMF-2).
    """
    try:
        return ends.replace(year=ends.year + years)
    except ValueError:
        return ends.replace(year=ends.year + years, day=28)


def quarters(ends: date, on: date) -> int:
    """§5: the quarters of its weight that a competition still has on a day: one less from the day after each
    anniversary (D-RMF-2).
    """
    gone = on.year - ends.year
    if gone > 0 and on <= anniversary(ends, gone):
        gone -= 1
    return YEARS_OF_WEIGHT - min(max(gone, 0), YEARS_OF_WEIGHT)


def time_coefficient(ends: date, on: date) -> Decimal:
    """§5: the coefficient kB on a day, from 1 for the newest competitions down to 0."""
    return Decimal(quarters(ends, on)) / YEARS_OF_WEIGHT


def absence_coefficient(admitted: int) -> Decimal:
    """§5: the coefficient kC of each competition that one stayed away from, by the number admitted in its
    year (D-RMF-3).
    """
    return ABSENCE / admitted


def result(players: int, place: int) -> Decimal:
    """§5: the result R of a place, from 1 for the first to 0 for the last of all who played (D-RMF-1)."""
    return Decimal(players - place) / (players - 1)


class Term(NamedTuple):
    """The part of one competition in the rating of whoever played it, on a day, in whole numbers."""

    players: int
    a_place: int
    """The numerator's gain for each player whom one came before: R × kA × kB, in parts."""
    instead: int
    """The denominator's gain over that of an absence, in parts."""


class Scale(NamedTuple):
    """The part of a day's ratings that is the same for all players, worked out once.

    Numerators and denominators are whole numbers of parts, so that a rating divides once, at its end (D-4).
    """

    terms: Mapping[str, Term]
    """The terms of the competitions that weigh anything that day, by the competition's id."""
    absent: int
    """The denominator of somebody who played nothing, in parts."""
    above_parts: int = 1
    """The number of parts of a numerator that make 1."""
    below_parts: int = 1
    """The number of parts of a denominator that make 1."""


def absences(competitions: Iterable[AdmittedCompetition], on: date) -> dict[int, int]:
    """The sum of kA × kB, in quarters, of these competitions by calendar year; years without weight are left
    out.
    """
    sums: defaultdict[int, int] = defaultdict(int)
    for competition in competitions:
        sums[competition.ends.year] += competition.weight * quarters(competition.ends, on)
    return {year: sums[year] for year in sorted(sums) if sums[year]}


def scale(wide: AdmittedCompetitions, on: date, only: Collection[str] | None = None) -> Scale:
    """§5: the scale of a day. `only`: the ids of the competitions to make terms for; None: all."""
    counts = dict(wide.years)
    weighing = [(each, full) for each in wide.competitions if (full := each.weight * quarters(each.ends, on))]
    asked = [(each, full) for each, full in weighing if only is None or each.id in only]
    share, of = ABSENCE.as_integer_ratio()
    above = lcm(*(each.players - 1 for each, _full in asked))
    below = lcm(*(of * counts[each.ends.year] for each, _full in weighing))
    missed = {year: share * below // (of * count) for year, count in counts.items()}
    terms = {
        each.id: Term(
            each.players, full * (above // (each.players - 1)), full * (below - missed[each.ends.year])
        )
        for each, full in asked
    }
    absent = sum(sum_ * missed[year] for year, sum_ in absences(wide.competitions, on).items())
    return Scale(terms, absent, YEARS_OF_WEIGHT * above, YEARS_OF_WEIGHT * below)


def parts(of_day: Scale, played: Iterable[CompetitionPlayed]) -> tuple[int, int]:
    """§5: numerator and denominator, in parts, of the rating of a player who played these competitions."""
    term_of, above, below = of_day.terms.get, 0, of_day.absent
    for competition, place in played:
        if term := term_of(competition):
            players, a_place, instead = term
            above += (players - place) * a_place
            below += instead
    return above, below


def mean(of_day: Scale, played: Iterable[CompetitionPlayed]) -> tuple[Decimal, Decimal]:
    """The numerator and denominator of a rating, as `parts` gives them, in the units that people read."""
    above, below = parts(of_day, played)
    return Decimal(above) / of_day.above_parts, Decimal(below) / of_day.below_parts


def rating(of_day: Scale, played: Iterable[CompetitionPlayed]) -> Decimal | None:
    """§5: the rating, a weighted mean, to 16 decimals, half up (D-4, D-RMF-8); None where nothing weighs
    anything.
    """
    above, below = parts(of_day, played)
    if not below:
        return None
    above, below = above * of_day.below_parts * UNIT, below * of_day.above_parts
    return Decimal((2 * above + below) // (2 * below)).scaleb(-DECIMALS)


def days_of_change(wide: AdmittedCompetitions | None, first: date, last: date) -> list[date]:
    """§5: the days from `first` to `last` on which a kB changes, and so everybody's rating (D-RMF-8)."""
    if wide is None:
        return []
    days = {
        anniversary(competition.ends, years) + timedelta(1)
        for competition in wide.competitions
        for years in range(1, YEARS_OF_WEIGHT + 1)
    }
    return sorted(day for day in days if first <= day <= last)
