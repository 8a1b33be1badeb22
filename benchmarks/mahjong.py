"""A mahjong rating on any day: 5,000 players × 400 competitions.

    python -m benchmarks.mahjong [--players 5000] [--competitions 400] [--played 40]

Prints the seconds for everybody's rating on one day, three ways in one run: as the program does it (the
common sum once, each player's own competitions as corrections); the same where everybody played everything;
and the formula as printed, every competition for every player. The first and the last are compared.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from datetime import date, timedelta
from decimal import Decimal, localcontext
from random import Random
from typing import TypeVar

from ratings.rulesets.facts import PlayerId, State
from ratings.rulesets.mahjong import edition_undated
from ratings.rulesets.mahjong.edition_undated import absence_coefficient, result, time_coefficient
from ratings.rulesets.mahjong.standing import (
    AdmittedCompetition,
    AdmittedCompetitions,
    CompetitionPlayed,
    MahjongStanding,
)
from ratings.rulesets.ruleset import CONTEXT

DAY = date(2026, 6, 1)
T = TypeVar("T")
Ratings = dict[PlayerId, Decimal]


def competitions(count: int, dice: Random) -> AdmittedCompetitions:
    """Random competitions of the last 1,400 days before `DAY`, all of which still weigh."""
    found = sorted(
        AdmittedCompetition(
            DAY - timedelta(dice.randint(1, 1400)), f"C{at:04}/A", dice.randint(1, 5), 24 + at % 100
        )
        for at in range(count)
    )
    years = {each.ends.year for each in found}
    counts = tuple((year, sum(each.ends.year == year for each in found)) for year in sorted(years))
    return AdmittedCompetitions(DAY, tuple(found), counts)


def office(wide: AdmittedCompetitions, players: int, played: int, dice: Random) -> State[MahjongStanding]:
    """A state in which each player has played `played` competitions on average, at least one, at most all."""
    state: State[MahjongStanding] = State(wide=wide)
    for number in range(players):
        most = len(wide.competitions)
        count = most if played >= most else min(most, dice.randint(1, 2 * played - 1))
        own = sorted(
            CompetitionPlayed(each.id, dice.randint(1, each.players))
            for each in dice.sample(wide.competitions, count)
        )
        state.put((f"P{number:05}", edition_undated.TRACK), MahjongStanding(True, count, tuple(own)))
    return state


def as_printed(state: State[MahjongStanding], on: date) -> Ratings:
    """Ratings by the printed formula, every competition for every player; common factors computed once."""
    wide: AdmittedCompetitions = state.wide
    weighed = [
        (
            each,
            each.weight * time_coefficient(each.ends, on),
            absence_coefficient(wide.count_in_year(each.ends.year)),
        )
        for each in wide.competitions
    ]
    ratings: Ratings = {}
    for (player, _track), standing in state.standings.items():
        places = dict(standing.played)
        above = below = Decimal(0)
        for each, weight, absent in weighed:
            place = places.get(each.id)
            if place is None:
                below += weight * absent
            else:
                above += result(each.players, place) * weight
                below += weight
        ratings[player] = above / below
    return ratings


def answered(state: State[MahjongStanding], on: date) -> Ratings:
    return {row.player: row.rating for row in edition_undated.answers(state, on) if row.rating is not None}


def timed(work: Callable[[], T]) -> tuple[T, float]:
    """The result of `work` and the best of three times, in seconds."""
    seconds = []
    for _turn in range(3):
        begun = time.perf_counter()
        found = work()
        seconds.append(time.perf_counter() - begun)
    return found, min(seconds)


def run(players: int, count: int, played: int) -> None:
    dice = Random(1)
    wide = competitions(count, dice)
    state = office(wide, players, played, dice)
    full = office(wide, players, count, dice)
    with localcontext(CONTEXT):
        ours, own = timed(lambda: answered(state, DAY))
        _all, everything = timed(lambda: answered(full, DAY))
        printed, naive = timed(lambda: as_printed(state, DAY))
    apart = max(abs(ours[player] - printed[player]) for player in printed)
    print(f"{players:,} players × {count:,} competitions, {played} played on average")
    print(f"  the common sum once, corrections    {own:7.3f} s")
    print(f"  where everybody played everything   {everything:7.3f} s")
    print(f"  the formula as printed              {naive:7.3f} s   ({naive / own:.1f} times)")
    print(f"  ratings are apart by at most {apart:.1e}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--players", type=int, default=5_000)
    parser.add_argument("--competitions", type=int, default=400)
    parser.add_argument("--played", type=int, default=40)
    given = parser.parse_args()
    run(given.players, given.competitions, given.played)
