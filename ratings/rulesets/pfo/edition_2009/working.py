"""The working of a change: the steps of `rating`, told one by one to somebody with a pencil."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from functools import partial

from ratings.law.facts import FORFEITS, PLAYED, Fact, Game, Opening, PlayerId, RatedSection, State
from ratings.law.rule_outputs import Bar, GameLine, Value, Working, WorkingStep
from ratings.law.ruleset_helpers.common_workings import (
    NOTHING,
    Explain,
    explain_by_kind,
    explain_opening,
    in_one_step,
    lines_by_round,
)
from ratings.rulesets.pfo.edition_2009.point_tables import MAKS, START, band_of
from ratings.rulesets.pfo.edition_2009.rating import (
    RATED,
    EntrantResult,
    RatedGame,
    absent,
    miss,
    reckon,
    take_over,
)
from ratings.rulesets.pfo.edition_2009.season_points import EUROPEAN, GRAND_PRIX, TRACK, WORLD
from ratings.rulesets.pfo.law.standing import PfoStanding


def explain(state: State[PfoStanding], fact: Fact, player: PlayerId, track: str) -> Working:
    """Explain what the fact did to that player; `state` is that before the fact."""
    kinds: dict[type, Explain] = {
        RatedSection: explain_section,
        Opening: partial(explain_opening, "8", take_over),
    }
    return explain_by_kind(kinds, state, fact, player, track)


def explain_section(state: State[PfoStanding], fact: RatedSection, player: PlayerId, track: str) -> Working:
    if track != TRACK:
        return NOTHING
    moves, reckonings = reckon(state, fact)
    reckoning = next((each for each in reckonings if each.entry.player == player), None)
    if reckoning is not None:
        own = [move for move in moves if player in move.game[1:3]]
        steps = tuple(section_steps(fact, reckoning, own))
        summary = tuple(summary_steps(fact, reckoning, own))
        return Working(steps, game_lines(fact, player, own), summary, bars=tuple(bars_of(reckoning, own)))
    if player in absent(state, fact):
        steps = tuple(missing_steps(state, fact, player))
        return Working(steps, summary=(missing_summary(state, fact, player),))
    if any(entry.player == player for entry in fact.section.entries):
        return in_one_step(WorkingStep("D-PFO-3", "foreigner-without-rating", {}), "in-short-foreigner")
    return NOTHING


# ------------------------------------------------------------------------------- somebody who took part


def section_steps(
    fact: RatedSection, reckoning: EntrantResult, own: list[RatedGame]
) -> Iterator[WorkingStep]:
    if reckoning.before is None:
        yield WorkingStep("8", "debut", {}, START)
    else:
        yield WorkingStep("9", "rating-before", {}, reckoning.start)
    for move in own:
        yield game_step(move, reckoning.entry.player)
    yield from award_steps(fact, reckoning)
    points = reckoning.after.rating - reckoning.start
    yield WorkingStep("9", "all-points", {}, points)
    inputs: dict[str, Value] = {"before": reckoning.start, "points": points}
    yield WorkingStep("9", "rating-after", inputs, reckoning.after.rating)
    yield from season_steps(fact, reckoning)


def summary_steps(
    fact: RatedSection, reckoning: EntrantResult, own: list[RatedGame]
) -> Iterator[WorkingStep]:
    """§8–§12: the summary of a section for an entrant: the games together, the award, the rating before and
    after.
    """
    if reckoning.before is None:
        yield WorkingStep("8", "in-short-debut", {}, START)
    status = fact.section.status
    if status in RATED:
        gained = points_of(reckoning.entry.player, own)
        inputs: dict[str, Value] = {"games": len(own), **won_and_lost(reckoning.entry.player, own)}
        yield WorkingStep("10", "in-short-games" if own else "in-short-no-games", inputs, sum(gained))
    else:
        yield WorkingStep("12", "in-short-not-rated", {}, None)
    if reckoning.award:
        key = "in-short-took-part" if status == GRAND_PRIX else "in-short-award"
        yield WorkingStep("12", key, {"place": reckoning.entry.place}, reckoning.award)
    yield WorkingStep("9", "in-short-after", {"before": reckoning.start}, reckoning.after.rating)


def bars_of(reckoning: EntrantResult, own: list[RatedGame]) -> Iterator[Bar]:
    """§8–§12: the points gained in games, lost in games and awarded, and what they make together."""
    points = points_of(reckoning.entry.player, own)
    parts = {
        "bar-gained": sum(each for each in points if each > 0),
        "bar-lost": sum(each for each in points if each < 0),
        "bar-award": reckoning.award,
    }
    found = [Bar(key, Decimal(value)) for key, value in parts.items() if value]
    if found:
        yield from found
        yield Bar("bar-all", reckoning.after.rating - reckoning.start)


def won_and_lost(player: PlayerId, own: list[RatedGame]) -> dict[str, Value]:
    scores = [PLAYED[move.game.result][0 if move.game.first == player else 1] for move in own]
    return {"won": scores.count(Decimal(1)), "lost": scores.count(Decimal(0))}


def points_of(player: PlayerId, own: list[RatedGame]) -> list[int]:
    """§10 §11: the points of each of a player's games."""
    return [move.points[0 if move.game.first == player else 1] for move in own]


def missing_summary(state: State[PfoStanding], fact: RatedSection, player: PlayerId) -> WorkingStep:
    """§13: the summary for a player who missed the Polish Championship."""
    change = miss(state, player)
    inputs: dict[str, Value] = {
        "season": fact.section.season,
        "before": state.standings[player, TRACK].rating,
        "points": change.points,
    }
    return WorkingStep("13", "in-short-missed", inputs, change.after.rating)


def game_step(move: RatedGame, player: PlayerId) -> WorkingStep:
    """§10 §11: the step for one game: which row of which table gives its points."""
    side = 0 if move.game.first == player else 1
    own, other = move.ratings[side], move.ratings[1 - side]
    points = move.points[side]
    result = move.game.result
    won = (result == "1-0") == (side == 0)
    by_higher = result != "1/2" and ((own > other) == won)
    low, high = band_of(abs(own - other), higher_won=by_higher)
    inputs: dict[str, Value] = {
        "round": move.game.round,
        "own": own,
        "other": other,
        "gap": abs(own - other),
        "row": f"{low}–{high}" if high else f"{low}–",
    }
    if result == "0-0":
        return WorkingStep("9", "both-lost", {"round": move.game.round}, points)
    if result == "1/2":
        return WorkingStep("11", "draw" if own != other else "draw-of-equals", inputs, points)
    rank = "equal" if own == other else "higher" if other > own else "lower"
    return WorkingStep("10", f"{'won' if won else 'lost'}-against-{rank}", inputs, points)


def award_steps(fact: RatedSection, reckoning: EntrantResult) -> Iterator[WorkingStep]:
    """§12: the steps for points awarded for places and for taking part."""
    status, place = fact.section.status, reckoning.entry.place
    if status == GRAND_PRIX:
        key = "took-part" if reckoning.award else "took-no-part"
        yield WorkingStep("12", key, {}, reckoning.award)
    if status == EUROPEAN:
        yield WorkingStep("12", "award-european", {"place": place}, reckoning.award)
    if status == WORLD:
        key = "award-world" if reckoning.award else "no-award-world"
        yield WorkingStep("12", key, {"place": place}, reckoning.award)


def season_steps(fact: RatedSection, reckoning: EntrantResult) -> Iterator[WorkingStep]:
    """§16 §17: the steps for points towards the season, which move no rating."""
    score, label = reckoning.score, fact.section.season
    if score is None:
        return
    inputs: dict[str, Value] = {"season": label, "place": score.place}
    if fact.section.status == EUROPEAN:
        yield WorkingStep("17", "season-points-own", inputs, score.points)
    else:
        yield WorkingStep("16", "season-points", inputs, score.points)
    if score.maks:
        yield WorkingStep("16", "maks", {"season": label}, MAKS)
    best = reckoning.after.season(label or "")
    yield WorkingStep("17", "season-total", {"season": label, "counted": len(best.best)}, best.points)


# ------------------------------------------------------------------------------- somebody who did not


def missing_steps(state: State[PfoStanding], fact: RatedSection, player: PlayerId) -> Iterator[WorkingStep]:
    """§13: the steps for the tenth lost by a player who missed the Polish Championship."""
    change = miss(state, player)
    before = state.standings[player, TRACK].rating
    yield WorkingStep("9", "rating-before", {}, before)
    yield WorkingStep("13", "missed", {"season": fact.section.season, "rating": before}, change.points)
    yield WorkingStep("9", "rating-after", {"before": before, "points": change.points}, change.after.rating)


# ------------------------------------------------------------------------------- games, one line each


def game_lines(fact: RatedSection, player: PlayerId, own: list[RatedGame]) -> tuple[GameLine, ...]:
    """The lines of a player's working, round by round. `own`: the player's rated games."""
    moves = {id(move.game): move for move in own}

    def line_of(game: Game) -> GameLine:
        return game_line(fact, game, player, moves.get(id(game)))

    return lines_by_round(player, fact.section.games, fact.section.byes, line_of)


def game_line(fact: RatedSection, game: Game, player: PlayerId, move: RatedGame | None) -> GameLine:
    """The line of a game with the opponent's rating before it, or with the reason why it moved nothing."""
    side = 0 if game.first == player else 1
    score = PLAYED.get(game.result)
    return GameLine(
        round=game.round,
        opponent=game.opponent_of(player),
        first=side == 0,
        result=game.result,
        opponent_rating=Decimal(move.ratings[1 - side]) if move else None,
        expected=None,
        score=score[side] if score else None,
        note=note_of(fact, game, side),
    )


def note_of(fact: RatedSection, game: Game, side: int) -> str:
    if game.result in FORFEITS:
        return "forfeit-won" if FORFEITS[game.result][side] else "forfeit-lost"
    if not game.played:
        return "annulled"
    return "" if fact.section.status in RATED else "not-rated"
