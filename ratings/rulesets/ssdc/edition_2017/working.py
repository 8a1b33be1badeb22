"""The working of a change: each game in turn, told to somebody with a pencil."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from functools import partial

from ratings.law.facts import Fact, Game, Opening, PlayerId, Rank, RatedSection, Section, State
from ratings.law.rule_outputs import Bar, GameLine, Value, Working, WorkingStep
from ratings.law.ruleset_helpers.common_workings import (
    NOTHING,
    Explain,
    explain_by_kind,
    explain_opening,
    lines_by_round,
    unplayed_line,
)
from ratings.rulesets.ssdc.edition_2017.apply_facts import standing_after, take_over, take_rank
from ratings.rulesets.ssdc.edition_2017.ranks import award_of, grounds, height, rank_of
from ratings.rulesets.ssdc.edition_2017.rate_games import (
    HIGH_FROM,
    NEW_FOR,
    EntrantSection,
    RatedGame,
    is_new,
    play,
    tracks_of,
)
from ratings.rulesets.ssdc.law.standing import SsdcStanding


def explain(state: State[SsdcStanding], fact: Fact, player: PlayerId, track: str) -> Working:
    """Explain the change that the fact made to that player in that track; `state` is that before the fact."""
    kinds: dict[type, Explain] = {
        RatedSection: explain_section,
        Opening: partial(explain_opening, "4.1", take_over),
        Rank: explain_rank,
    }
    return explain_by_kind(kinds, state, fact, player, track)


def explain_section(state: State[SsdcStanding], fact: RatedSection, player: PlayerId, track: str) -> Working:
    section = fact.section
    entry = next((entry for entry in section.entries if entry.player == player), None)
    if entry is None or track not in tracks_of(section):
        return NOTHING
    card = play(state, section)[player]
    after = standing_after(state, section, entry, card)
    held = award_of(state, player)
    steps, summary = [start_step(card), *game_steps(card)], list(summary_steps(card))
    for ground in grounds(section, track, card.rating, entry.place):
        key = "ground-by-rating" if ground.clause == "2.4.1" else "ground-by-place"
        inputs: dict[str, Value] = {"figure": ground.figure, "category": section.category}
        steps.append(WorkingStep(ground.clause, key, inputs, ground.rank))
        summary.append(WorkingStep(ground.clause, "in-short-ground", {}, ground.rank))
    if after.award and (held is None or height(after.award.rank) > height(held.rank)):
        steps.append(WorkingStep("2.5", "proposed", {"before": rank_of(state, player)}, after.award.rank))
    steps.append(WorkingStep("4.1", "rated-after", {"games": card.games}, card.rating))
    return Working(tuple(steps), game_lines(section, player, card), tuple(summary), bars=bars_of(card))


def bars_of(card: EntrantSection) -> tuple[Bar, ...]:
    """§1.4: the score beside the expected score, over all games."""
    if not card.moves:
        return ()
    score = sum((move.score for move in card.moves), Decimal(0))
    expected = sum((move.expected for move in card.moves), Decimal(0))
    return Bar("bar-scored", score), Bar("bar-expected", expected)


def summary_steps(card: EntrantSection) -> Iterator[WorkingStep]:
    """§1.4: the summary of a section for an entrant: score, expected score and K over all games, the rating
    before and after.
    """
    if not card.moves:
        first = card.before is None or card.before.rating is None
        yield WorkingStep("1.6" if first else "1.7", f"in-short-no-game{'-first' * first}", {}, card.rating)
        return
    inputs: dict[str, Value] = {
        "score": sum((move.score for move in card.moves), Decimal(0)),
        "expected": sum((move.expected for move in card.moves), Decimal(0)),
        "k": card.moves[0].k,
        "later": card.moves[-1].k,
        "start": card.start,
        "change": card.rating - card.start,
    }
    several = len({move.k for move in card.moves}) > 1
    yield WorkingStep("1.4.2", "in-short-several-ks" if several else "in-short", inputs, card.rating)


def start_step(card: EntrantSection) -> WorkingStep:
    """The step for the rating before the section; for whoever enters for the first time, the initial one
    (§1.6).
    """
    if card.before is None or card.before.rating is None:
        return WorkingStep("1.6", "initial", {}, card.start)
    return WorkingStep("1.4", "came-with", {"games": card.before.games}, card.start)


def game_steps(card: EntrantSection) -> Iterator[WorkingStep]:
    """§1.4.1 §1.4.2: the steps of each game in turn; K is told where it is another than before."""
    k = None
    for move in card.moves:
        inputs: dict[str, Value] = {"round": move.game.round, "own": move.own, "other": move.other}
        yield WorkingStep("1.4.1", "expected", inputs, move.expected)
        if move.k != k:
            yield k_step(move)
            k = move.k
        inputs = {"own": move.own, "k": move.k, "score": move.score, "expected": move.expected}
        yield WorkingStep("1.4.2", "after-game", inputs, move.after)


def k_step(move: RatedGame) -> WorkingStep:
    inputs: dict[str, Value] = {"number": move.games + 1, "new_for": NEW_FOR, "rating": move.own}
    if is_new(move.games):
        return WorkingStep("1.4.2", "k-new", inputs, move.k)
    return WorkingStep("1.4.2", "k-high" if move.own >= HIGH_FROM else "k-usual", inputs, move.k)


# ------------------------------------------------------------------------------- the games


def game_lines(section: Section, player: PlayerId, card: EntrantSection) -> tuple[GameLine, ...]:
    """The lines of a player's working, by round; rated games in the order of play."""
    moves = iter(card.moves)
    games = sorted(section.games, key=lambda game: game.round)

    def line_of(game: Game) -> GameLine:
        """§1.7.2 §1.7.3: the line of a game; one without play is not rated."""
        return played_line(next(moves)) if game.played else unplayed_line(game, player)

    return lines_by_round(player, games, section.byes, line_of)


def played_line(move: RatedGame) -> GameLine:
    game = move.game
    first = game.first == move.player
    return GameLine(game.round, move.opponent, first, game.result, move.other, move.expected, move.score)


# ------------------------------------------------------------------------------- ranks


def explain_rank(state: State[SsdcStanding], rank: Rank, player: PlayerId, track: str) -> Working:
    steps = tuple(rank_steps(state, rank, player, track))
    return Working(steps, summary=tuple(step._replace(key="in-short-confirmed") for step in steps))


def rank_steps(state: State[SsdcStanding], rank: Rank, player: PlayerId, track: str) -> Iterator[WorkingStep]:
    """§2.5: the steps of a confirmation: the rank before and after, and the ground that the official gave."""
    for change in take_rank(state, rank):
        if (change.player, change.track) == (player, track):
            inputs: dict[str, Value] = {
                "before": rank_of(state, player),
                "ground": rank.ground,
                "on": rank.on,
            }
            yield WorkingStep("2.5", "confirmed", inputs, rank.rank)
