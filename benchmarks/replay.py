"""`ratings.replay` on a generated csa journal: its parts apart, the fold against a bare loop.

    python -m benchmarks.replay [GAMES …]        default: 10000 100000 1000000

The bare loop does the decimal operations of the rules and nothing else, on plain lists, fact by fact in the
same run: four tracks a game; for every entrant the performance, the change, the weight performance; at a list
what is pending. Beside them, for information, the Elo of `elote` on the same games where it is installed.
"""

from __future__ import annotations

import argparse
import gc
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from decimal import Decimal, localcontext
from typing import Any

from benchmarks.generate import journal_lines
from benchmarks.scratch import peak_megabytes
from ratings import replay
from ratings.rulesets import facts, journal, journal_lines as journal_form
from ratings.rulesets.csa.edition_2020 import rating
from ratings.rulesets.csa.edition_2020.formulas import tracks_of
from ratings.rulesets.facts import RatedSection, State
from ratings.rulesets.ruleset import CONTEXT, SIXTEEN_DECIMALS, without_gc

ONE, HALF, SPAN = Decimal(1), Decimal("0.5"), Decimal(850)
EQUAL, SLOPE, MOST, LEAST = Decimal("0.541767"), Decimal("0.001164"), Decimal(390), Decimal(-460)
DIVISOR = Decimal(100 * 15 * 2920)
K, PENALTY, FLOOR, RISE, NOTHING = Decimal(24), Decimal(20), Decimal(100), Decimal(500), Decimal(0)


def bare(
    ratings: list[Decimal],
    pairings: Sequence[tuple[int, int]],
    entrants: Sequence[tuple[int, Decimal, Decimal]],
    values: Sequence[tuple[Decimal, ...]],
) -> None:
    """Do the decimal operations of the rules for one track of a section, and nothing else.

    `ratings`: of each player; `pairings`: places in `ratings`; `entrants`: games, score and pending points of
    each player; `values`: their latest performances.
    """
    expected, opposition = [Decimal(0)] * len(ratings), [Decimal(0)] * len(ratings)
    for white, black in pairings:
        white_rating, black_rating = ratings[white], ratings[black]
        difference = white_rating - black_rating
        difference = MOST if difference > MOST else LEAST if difference < LEAST else difference
        score = EQUAL + SLOPE * difference
        expected[white] += score
        expected[black] += ONE - score
        opposition[white] += black_rating
        opposition[black] += white_rating
    quantize = CONTEXT.quantize
    for (games, score, pending), hoped, met, five in zip(entrants, expected, opposition, values, strict=True):
        rating = FLOOR
        if games:
            rating = max(FLOOR, quantize(met / games + SPAN * (score / games - HALF), SIXTEEN_DECIMALS))
        raw = K * (score - hoped)
        counted = raw if raw > 0 or raw < 0 else NOTHING
        change = quantize(counted - PENALTY * 0, SIXTEEN_DECIMALS)
        pending += change
        official = rating
        if len(five) == 5:
            total = NOTHING
            for turn, value in enumerate(five, start=1):
                total += value * (turn * 190_000)
            weight = quantize(total / DIVISOR, SIXTEEN_DECIMALS)
            if weight > rating:
                rating = min(weight, rating + RISE)
        change + (rating - official)  # the points that the change brings


def bare_seconds(state: State[Any], fact: RatedSection) -> float:
    """Seconds of the bare loop over one section's tracks; its inputs are prepared beforehand."""
    surveyed = rating.survey_section(fact)
    spent = 0.0
    for track in tracks_of(fact.section):
        standings = [state.standings.get((tally.player, track)) for tally in surveyed.tallies]
        ratings = [rating.effective_rating(t, s) for t, s in zip(surveyed.tallies, standings, strict=True)]
        entrants = [
            (tally.games, Decimal(tally.score), standing.pending if standing else Decimal(0))
            for tally, standing in zip(surveyed.tallies, standings, strict=True)
        ]
        values = [tuple(p.value for p in s.performances) if s else () for s in standings]
        begun = time.perf_counter()
        bare(ratings, surveyed.pairings, entrants, values)
        spent += time.perf_counter() - begun
    return spent


def bare_list(state: State[Any]) -> float:
    """Seconds of the bare loop at the closing of a list, which adds what is pending."""
    due = [(state.standings[key].rating, state.standings[key].pending) for key in state.due]
    begun = time.perf_counter()
    for rating_now, pending in due:
        max(FLOOR, rating_now + pending)
        rating_now - rating_now - pending
    return time.perf_counter() - begun


def fold(ordered: list[facts.Fact]) -> tuple[float, float]:
    """Fold the facts, and run the bare loop on each beside it; return the seconds of both."""
    from ratings.rulesets import rulesets

    ruleset, state, folded, alone = rulesets()["csa"], State[Any](), 0.0, 0.0
    with localcontext(CONTEXT):
        for fact in ordered:
            alone += bare_seconds(state, fact) if isinstance(fact, RatedSection) else bare_list(state)
            begun = time.perf_counter()
            state.absorb(ruleset.apply(state, fact))
            folded += time.perf_counter() - begun
    return folded, alone


def elote_rate(games: list[facts.Game]) -> str:
    """Games a second of the Elo in the `elote` package, or why there is no figure."""
    try:
        from elote import EloCompetitor  # type: ignore[import-not-found]
    except ImportError:
        return "elote is not installed"
    players: dict[str, Any] = {}
    begun = time.perf_counter()
    for game in games:
        first = players.setdefault(game.first, EloCompetitor())
        second = players.setdefault(game.second, EloCompetitor())
        if game.result == "1/2":
            first.tied(second)
        elif game.result == "1-0":
            first.beat(second)
        else:
            second.beat(first)
    return f"elote's Elo {len(games) / (time.perf_counter() - begun):,.0f} games/s"


def measure(games: int) -> None:
    lines = list(journal_lines(games))
    with without_gc():
        begun = time.perf_counter()
        record = journal.read_journal(lines)
        ordered = journal.resolve(record)
        read = time.perf_counter() - begun
        folded, alone = fold(ordered)
    begun = time.perf_counter()
    written = sum(len(journal_form.write_line(fact, record.ruleset)) for _, fact in record.lines)
    write = time.perf_counter() - begun
    played = [
        game
        for fact in ordered
        if isinstance(fact, RatedSection)
        for game in fact.section.games
        if game.played
    ]
    print(
        f"{games:>9,} games: fold {folded:6.2f} s ({games / folded:,.0f} games/s), bare loop {alone:6.2f} s, "
        f"ratio {folded / alone:.2f}; reading {read:5.2f} s, writing {write:5.2f} s "
        f"({written / 1e6:.0f} MB); {elote_rate(played)}",
        flush=True,
    )


def measure_whole(games: int) -> None:
    """Print the peak memory of the whole program, as a user runs it: journal in, JSON out."""
    lines = "".join(journal_lines(games)).encode()
    gc.collect()
    answer = replay.replay(lines, None)
    json.dumps(answer)
    print(f"{games:>9,} games: the whole replay's peak is {peak_megabytes():.0f} MB", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("games", type=int, nargs="*", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--measure", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--whole", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.measure:
        measure(options.measure)
    elif options.whole:
        measure_whole(options.whole)
    else:
        for size in options.games:
            for kind in ("--measure", "--whole"):
                subprocess.run([sys.executable, "-m", "benchmarks.replay", kind, str(size)], check=True)
