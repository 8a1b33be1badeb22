"""Reads the expected scores of a section's rated players from the workings that approving it would have, or
works them out by the points of its federation's tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from decimal import localcontext
from typing import Any

from ratings.equipment.publication_profile import ExpectedScore
from ratings.hints.far_scores import ExpectedGame
from ratings.law.facts import PlayerId, State
from ratings.law.rule_outputs import GameLine
from ratings.law.ruleset import CONTEXT
from ratings.preview.compare_folds import state_before_section
from ratings.preview.plan_fold import RatingPlan, plan_of
from tournaments.events.models import Section
from tournaments.events.section_fact import Incomplete

GamesByTrack = dict[str, Sequence[ExpectedGame]]


def expected_games(section: Section, on: date) -> Mapping[PlayerId, GamesByTrack]:
    """By player with a rating, the games against others with a rating in each track that the section moves,
    with the expected scores that the rules would print. Empty where the rules know none, or cannot rate the
    section.
    """
    try:
        plan = plan_of(section, on)
    except (Incomplete, LookupError):
        return {}
    found: dict[PlayerId, GamesByTrack] = {}
    for player, track, games in _games(plan):
        found.setdefault(player, {})[track] = games
    return found


def _games(plan: RatingPlan) -> Iterator[tuple[PlayerId, str, list[ExpectedGame]]]:
    """Yield each rated player's games in a track; stop at the first that shows that the rules know no
    expected score.
    """
    ruleset, fact, state = plan.federation.ruleset, plan.section, state_before_section(plan)
    rules, expects = ruleset.rules_for(fact), plan.federation.publication.expected_score
    for track in ruleset.sections.tracks_of(fact.section):
        for entry in fact.section.entries:
            if not is_rated(state, entry.player, track):
                continue
            with localcontext(CONTEXT):
                lines = rules.explain(state, fact, entry.player, track).games
                between = [line for line in lines if is_between_rated(state, line, track)]
                if expects is not None:
                    between = list(_by_tables(expects, state, entry.player, track, between))
            if any(line.expected is None for line in between):
                return
            if between:
                yield entry.player, track, [_expected(line) for line in between]


def _by_tables(
    expects: ExpectedScore, state: State[Any], player: PlayerId, track: str, lines: Iterable[GameLine]
) -> Iterator[GameLine]:
    """Yield the lines of games that the rules rate, with the ratings before the section and the score that
    the points of the tables imply; without those of which they imply none.
    """
    for line in lines:
        other = state.standings[line.opponent, track]
        expected = expects(state.standings[player, track], other)
        if expected is not None and line.opponent_rating is not None:
            yield line._replace(expected=expected, opponent_rating=other.rating)


def is_rated(state: State[Any], player: PlayerId, track: str) -> bool:
    standing = state.get(player, track)
    return standing is not None and standing.rating is not None


def is_between_rated(state: State[Any], line: GameLine, track: str) -> bool:
    """Whether a line is a played game against somebody with a rating: of others the rules only assume one."""
    return line.score is not None and is_rated(state, line.opponent, track)


def _expected(line: GameLine) -> ExpectedGame:
    assert line.opponent_rating is not None  # the opponent is rated
    assert line.expected is not None  # the caller looked
    assert line.score is not None  # played
    return ExpectedGame(line.round, line.opponent, line.opponent_rating, line.expected, line.score)
