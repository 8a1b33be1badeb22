"""The working of a change: the weighted mean on the day of an admission, competition by competition."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from decimal import Decimal, localcontext

from ratings.rulesets.facts import Fact, Player, PlayerId, RatedSection, State
from ratings.rulesets.mahjong.edition.rating import TRACK, admit, competition_of, has_place, register
from ratings.rulesets.mahjong.edition.weights import (
    COMPETITIONS_NEEDED,
    YEARS_OF_WEIGHT,
    absence_coefficient,
    absences,
    mean,
    rating,
    result,
    scale,
    time_coefficient,
)
from ratings.rulesets.mahjong.standing import Competition, Played, Standing, Wide
from ratings.rulesets.reports import Step, Value, Working
from ratings.rulesets.ruleset import CONTEXT


def explain(state: State[Standing], fact: Fact, player: PlayerId, track: str) -> Working:
    """Why the fact moved that player as it did; `state` is that before the fact."""
    with localcontext(CONTEXT):
        if track != TRACK:
            return Working(())
        if isinstance(fact, RatedSection):
            return Working(tuple(admission_steps(state, fact, player)))
        if isinstance(fact.fact, Player) and fact.fact.id == player:
            return Working(tuple(register_steps(state, fact.fact)))
    return Working(())


def admission_steps(state: State[Standing], fact: RatedSection, player: PlayerId) -> Iterator[Step]:
    outcome = admit(state, fact)
    after = next((change.after for change in outcome.changes if change.player == player), None)
    if after is None:
        return
    yield from own_steps(fact, player)
    if not after.included:
        yield Step("2", "no-place", {})
        return
    yield from before_steps(state, fact, player)
    yield from mean_steps(outcome.wide, after, outcome.wide.on)
    if after.games < COMPETITIONS_NEEDED:
        yield Step("2", "not-listed-yet", {"games": after.games, "needed": COMPETITIONS_NEEDED})


def own_steps(fact: RatedSection, player: PlayerId) -> Iterator[Step]:
    """§4 §5: the competition itself."""
    section = fact.section
    place = next(entry.place for entry in section.entries if entry.player == player)
    players = len(section.entries)
    if place is not None:
        yield Step("5", "result", {"players": players, "place": place}, result(players, place))
    ka = competition_of(section).weight
    yield Step("4", f"ka-{section.status}", {"competition": section.id}, ka)


def before_steps(state: State[Standing], fact: RatedSection, player: PlayerId) -> Iterator[Step]:
    """What the player's rating was that day without this competition: others and time had moved it."""
    before = state.get(player, TRACK)
    if before is None or before.rating is None:
        return
    today = rating(scale(state.wide, fact.on), before.played)
    inputs: dict[str, Value] = {"on": fact.on, "then": before.rating}
    if today is not None:
        yield Step("D-RMF-8", "before", inputs, today)


def mean_steps(wide: Wide, standing: Standing, on: date) -> Iterator[Step]:
    """§5: numerator and denominator on a day, term by term."""
    of_day = scale(wide, on)
    own = {each.competition: each for each in standing.played}
    for competition in wide.competitions:
        if competition.id in own:
            yield term_step(competition, own[competition.id], on)
    yield from absence_steps(wide, own, on)
    above, below = mean(of_day, standing.played)
    if below:
        yield Step("5", "mean", {"above": above, "below": below}, rating(of_day, standing.played))
    else:
        yield Step("D-RMF-4", "nothing-weighs", {})


def term_step(competition: Competition, played: Played, on: date) -> Step:
    """R × kA × kB × 1 of a competition played."""
    kb = time_coefficient(competition.ends, on)
    r = result(competition.players, played.place)
    inputs: dict[str, Value] = {
        "competition": competition.id,
        "ends": competition.ends,
        "r": r,
        "ka": competition.weight,
        "kb": kb,
        "weight": competition.weight * kb,
    }
    return Step("5", "term", inputs, r * competition.weight * kb)


def absence_steps(wide: Wide, own: dict[str, Played], on: date) -> Iterator[Step]:
    """kA × kB × kC of those not played, added year by year; their R is 0 (D-RMF-3)."""
    missed = [each for each in wide.competitions if each.id not in own]
    for year, sum_ in absences(missed, on).items():
        admitted = wide.of_year(year)
        inputs: dict[str, Value] = {
            "year": year,
            "missed": sum(each.ends.year == year for each in missed),
            "weight": Decimal(sum_) / YEARS_OF_WEIGHT,
            "admitted": admitted,
            "kc": absence_coefficient(admitted),
        }
        yield Step("5", "absent", inputs, Decimal(sum_) / YEARS_OF_WEIGHT * absence_coefficient(admitted))


def register_steps(state: State[Standing], player: Player) -> Iterator[Step]:
    """§2, D-RMF-4."""
    for change in register(state, player):
        yield Step("2", "place" if has_place(player) else "no-place", {})
        if change.after.included:
            yield from mean_steps(state.wide, change.after, state.wide.on)
