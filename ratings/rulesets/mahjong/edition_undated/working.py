"""The working of a change: the weighted mean on the day of an admission, competition by competition."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from decimal import Decimal

from ratings.law.facts import Fact, Player, PlayerId, RatedSection, State
from ratings.law.rule_outputs import Bar, RuleTable, Value, Working, WorkingStep
from ratings.law.ruleset_helpers.common_workings import NOTHING, Explain, explain_by_kind
from ratings.rulesets.mahjong.edition_undated.apply_facts import (
    TRACK,
    admit,
    competition_of,
    has_place,
    register,
)
from ratings.rulesets.mahjong.edition_undated.formulas import (
    COMPETITIONS_NEEDED,
    YEARS_OF_WEIGHT,
    absence_coefficient,
    absences,
    mean,
    quarters,
    rating,
    result,
    scale,
    time_coefficient,
)
from ratings.rulesets.mahjong.law.standing import (
    AdmittedCompetition,
    AdmittedCompetitions,
    CompetitionPlayed,
    MahjongStanding,
)

MISSED = ("section", "ends", "year", "ka", "kb", "weight")


def explain(state: State[MahjongStanding], fact: Fact, player: PlayerId, track: str) -> Working:
    """Explain what the fact did to that player; `state` is that before the fact."""
    kinds: dict[type, Explain] = {RatedSection: explain_admission, Player: explain_register}
    return explain_by_kind(kinds, state, fact, player, track)


def explain_admission(
    state: State[MahjongStanding], fact: RatedSection, player: PlayerId, track: str
) -> Working:
    outcome = admit(state, fact)
    after = next((change.after for change in outcome.changes if change.player == player), None)
    if after is None or track != TRACK:
        return NOTHING
    steps = tuple(admission_steps(state, fact, player))
    table = missed_table(outcome.wide, after, fact.on) if after.included else None
    return Working(
        steps,
        summary=tuple(summary_steps(fact, player, after)),
        tables=(table,) if table else (),
        bars=tuple(bars_of(state, fact, player, after)),
    )


def bars_of(
    state: State[MahjongStanding], fact: RatedSection, player: PlayerId, after: MahjongStanding
) -> Iterator[Bar]:
    """§5: the result of the competition beside the rating without it, which it pulls towards itself, and
    with it.
    """
    section = fact.section
    place = next(entry.place for entry in section.entries if entry.player == player)
    if place is None or after.rating is None:
        return
    yield Bar("bar-result", result(len(section.entries), place))
    for step in before_steps(state, fact, player):
        if isinstance(step.result, Decimal):
            yield Bar("bar-before", step.result)
    yield Bar("bar-after", after.rating)


def summary_steps(fact: RatedSection, player: PlayerId, after: MahjongStanding) -> Iterator[WorkingStep]:
    """§5 §2: the summary of an admission for a player: the result, its weight, and the rating with all that
    counts.
    """
    section = fact.section
    place = next(entry.place for entry in section.entries if entry.player == player)
    players = len(section.entries)
    if place is not None:
        inputs: dict[str, Value] = {
            "place": place,
            "players": players,
            "ka": competition_of(section).weight,
        }
        yield WorkingStep("5", "in-short-result", inputs, result(players, place))
    if not after.included:
        yield WorkingStep("2", "in-short-no-place", {})
    elif after.rating is None:
        yield WorkingStep("D-RMF-4", "in-short-nothing-weighs", {})
    else:
        yield WorkingStep("5", "in-short-rating", {"on": fact.on}, after.rating)
        if after.games < COMPETITIONS_NEEDED:
            yield WorkingStep("2", "in-short-not-listed", {"needed": COMPETITIONS_NEEDED})


def explain_register(state: State[MahjongStanding], entry: Player, player: PlayerId, track: str) -> Working:
    """§2, D-RMF-4: explain a place in the rating that the player gained or lost by the register."""
    if (entry.id, TRACK) != (player, track):
        return NOTHING
    steps = tuple(register_steps(state, entry))
    changed = next(iter(register(state, entry)), None)
    if changed is None:
        return Working(steps)
    included = changed.after.included
    step = WorkingStep("2", "in-short-place" if included else "in-short-no-place", {}, changed.after.rating)
    table = missed_table(state.wide, changed.after, state.wide.on) if included else None
    return Working(steps, summary=(step,), tables=(table,) if table else ())


def missed_table(wide: AdmittedCompetitions, standing: MahjongStanding, on: date) -> RuleTable | None:
    """§5, D-RMF-3: a table of the competitions that the player did not play and that weigh on a day; None:
    there are none.
    """
    own = {each.competition for each in standing.played}
    rows = [
        (each.id, each.ends, each.ends.year, each.weight, kb, each.weight * kb)
        for each in wide.competitions
        if each.id not in own and (kb := time_coefficient(each.ends, on))
    ]
    return RuleTable("missed", MISSED, tuple(rows), answered=False, about="missed-about") if rows else None


def admission_steps(
    state: State[MahjongStanding], fact: RatedSection, player: PlayerId
) -> Iterator[WorkingStep]:
    outcome = admit(state, fact)
    after = next((change.after for change in outcome.changes if change.player == player), None)
    if after is None:
        return
    yield from own_steps(fact, player)
    if not after.included:
        yield WorkingStep("2", "no-place", {})
        return
    yield from before_steps(state, fact, player)
    yield from mean_steps(outcome.wide, after, outcome.wide.on)
    if after.games < COMPETITIONS_NEEDED:
        yield WorkingStep("2", "not-listed-yet", {"games": after.games, "needed": COMPETITIONS_NEEDED})


def own_steps(fact: RatedSection, player: PlayerId) -> Iterator[WorkingStep]:
    """§4 §5: the steps for the admitted competition itself: the player's result, and its weight kA."""
    section = fact.section
    place = next(entry.place for entry in section.entries if entry.player == player)
    players = len(section.entries)
    if place is not None:
        yield WorkingStep("5", "result", {"players": players, "place": place}, result(players, place))
    ka = competition_of(section).weight
    yield WorkingStep("4", f"ka-{section.status}", {"competition": section.id}, ka)


def before_steps(
    state: State[MahjongStanding], fact: RatedSection, player: PlayerId
) -> Iterator[WorkingStep]:
    """The step for the player's rating on that day without this competition: others' results and time had
    moved it.
    """
    before = state.get(player, TRACK)
    if before is None or before.rating is None:
        return
    today = rating(scale(state.wide, fact.on), before.played)
    inputs: dict[str, Value] = {"on": fact.on, "then": before.rating}
    if today is not None:
        yield WorkingStep("D-RMF-8", "before", inputs, today)


def mean_steps(wide: AdmittedCompetitions, standing: MahjongStanding, on: date) -> Iterator[WorkingStep]:
    """§5: the steps to a player's rating on a day: the terms of numerator and denominator, and the mean."""
    of_day = scale(wide, on)
    own = {each.competition: each for each in standing.played}
    for competition in wide.competitions:
        if competition.id in own:
            yield term_step(competition, own[competition.id], on)
    absent = list(absence_steps(wide, own, on))
    yield from absent
    above, below = mean(of_day, standing.played)
    if below:
        yield WorkingStep("5", "above", {}, above)
        yield WorkingStep("5", "below", {}, below)
        yield WorkingStep("5", "mean", {"above": above, "below": below}, rating(of_day, standing.played))
    else:
        yield WorkingStep("D-RMF-4", "nothing-weighs", {})


def term_step(competition: AdmittedCompetition, played: CompetitionPlayed, on: date) -> WorkingStep:
    """The step for a competition played: R × kA × kB."""
    kb = time_coefficient(competition.ends, on)
    r = result(competition.players, played.place)
    inputs: dict[str, Value] = {
        "competition": competition.id,
        "ends": competition.ends,
        "place": played.place,
        "players": competition.players,
        "r": r,
        "ka": competition.weight,
        "kb": kb,
        "weight": competition.weight * kb,
    }
    return WorkingStep("5", "term", inputs, r * competition.weight * kb)


def absence_steps(
    wide: AdmittedCompetitions, own: dict[str, CompetitionPlayed], on: date
) -> Iterator[WorkingStep]:
    """The steps for the competitions not played, added year by year: kA × kB × kC, with an R of 0 (D-RMF-3).
    `own`: those played, by id.
    """
    missed = [each for each in wide.competitions if each.id not in own]
    for year, sum_ in absences(missed, on).items():
        admitted = wide.of_year(year)
        inputs: dict[str, Value] = {
            "year": year,
            "missed": sum(each.ends.year == year and bool(quarters(each.ends, on)) for each in missed),
            "weight": Decimal(sum_) / YEARS_OF_WEIGHT,
            "admitted": admitted,
            "kc": absence_coefficient(admitted),
        }
        yield WorkingStep(
            "5", "absent", inputs, Decimal(sum_) / YEARS_OF_WEIGHT * absence_coefficient(admitted)
        )


def register_steps(state: State[MahjongStanding], player: Player) -> Iterator[WorkingStep]:
    """§2, D-RMF-4: the steps for a player to whom the register gives a place in the rating, or takes it."""
    for change in register(state, player):
        yield WorkingStep("2", "place" if has_place(player) else "no-place", {})
        if change.after.included:
            yield from mean_steps(state.wide, change.after, state.wide.on)
