"""The prospects of a player: ratings to reach, the effect of each score, days on which ratings move."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from decimal import ROUND_FLOOR, Decimal, localcontext
from typing import Any

from django.utils.translation import gettext as _

from players.office.access import OfficeRequest
from players.office.models import Federation
from ratings.equipment.what_if import SCORES, Threshold, WhatIf
from ratings.law.facts import State
from ratings.law.ruleset import CONTEXT
from ratings.preview.compare_folds import with_points
from ratings.preview.imagined_section import Imagination, ImaginedGame, ImaginedRating, section_of
from ratings.public.players.player_ratings import ratings_in
from ratings.public.rule_tables.calculators import worded_rows
from ratings.results.workings import StepRow

MOST_PLACES = 25
DAYS = 365
MOST_DAYS = 12


@dataclass(frozen=True, slots=True)
class Goal:
    """A rating to reach: the next round one, or one that brings something by the regulations."""

    rating: Decimal
    words: str
    """The words for what it brings; empty for a round rating."""
    missing: Decimal


@dataclass(frozen=True, slots=True)
class NextOfTrack:
    """The prospects in one track."""

    track: str
    rating: Decimal | None
    goals: list[Goal]
    listed: list[StepRow]


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """The effect that another score, or another place, would have."""

    score: int
    points: Decimal | None
    after: Decimal | None
    reaches: list[Goal]
    """The goals that this score is the first to reach."""


@dataclass(frozen=True, slots=True)
class DayAhead:
    """A day on which the calendar alone moves the player's rating."""

    day: date
    before: Decimal | None
    after: Decimal | None


def goals_of(office: Federation, asked: WhatIf, track: str, rating: Decimal | None) -> list[Goal]:
    """The next round rating above a rating, and the next threshold of the regulations; none without one."""
    if rating is None:
        return []
    with localcontext(CONTEXT):
        following = ((rating / asked.step).to_integral_value(ROUND_FLOOR) + 1) * asked.step
    further = [each for each in asked.thresholds(track) if each.rating > rating][:1]
    found = [Goal(following, "", following - rating)]
    found += [Goal(each.rating, _words(office, each), each.rating - rating) for each in further]
    return sorted(found, key=lambda goal: goal.rating)


def _words(office: Federation, threshold: Threshold) -> str:
    return _(office.ruleset.words.messages.get(threshold.key, threshold.key))


def next_of_tracks(
    request: OfficeRequest,
    asked: WhatIf,
    state: State[Any],
    number: str,
    on: date,
    tracks: Sequence[str] = (),
) -> list[NextOfTrack]:
    """The prospects in each track in which a state has the player; `tracks`: in these alone."""
    office = request.office
    ratings, edition = ratings_in(office, state, number, on), office.ruleset.edition_of_day(on)
    found = []
    for track in office.ruleset.tracks:
        if state.get(number, track.code) is None or (tracks and track.code not in tracks):
            continue
        with localcontext(CONTEXT):
            listed = office.ruleset.figures.listed(state, number, track.code, on)
        rating = ratings.get(track.code)
        goals = goals_of(office, asked, track.code, rating)
        found.append(NextOfTrack(track.code, rating, goals, worded_rows(listed, request, edition)))
    return found


def held_steps(request: OfficeRequest, state: State[Any], number: str, on: date) -> list[StepRow]:
    """The player's ranks on a day, held and waiting for an official, as steps in words."""
    with localcontext(CONTEXT):
        held = request.office.ruleset.figures.held(state, number, on)
    return worded_rows(held, request, request.office.ruleset.edition_of_day(on))


def scores_of(
    office: Federation, asked: WhatIf, said: Imagination, imagined: ImaginedRating, track: str
) -> list[ScoreRow]:
    """The effect of each whole score with these opponents, won from the lowest rated on, or of each place."""
    number, found, reached = said.player.number, list[ScoreRow](), set[Decimal]()
    for score, other in _variants(asked, said, imagined, track):
        change = imagined.changes(number, section_of(asked, other)).get(track)
        if change is None:
            continue
        before = change.before.rating if change.before else None
        after = with_points(before, change.points, change.after.rating)
        goals = [goal for goal in goals_of(office, asked, track, before) if after and goal.rating <= after]
        found.append(
            ScoreRow(score, change.points, after, [each for each in goals if each.rating not in reached])
        )
        reached |= {goal.rating for goal in goals}
    return found


def _variants(
    asked: WhatIf, said: Imagination, imagined: ImaginedRating, track: str
) -> Iterator[tuple[int, Imagination]]:
    """The same section with every whole score, or every place (from the last on), at most so many."""
    if not asked.by_games:
        players = said.answers.get("players") or 1
        step = -(-players // MOST_PLACES)
        for place in sorted({*range(1, players + 1, step), players}, reverse=True):
            yield place, replace(said, answers={**said.answers, "place": place})
        return
    order = sorted(range(len(said.games)), key=lambda at: _rating_of(said.games[at], imagined, track))
    for score in range(len(order) + 1 if order else 0):
        won = set(order[:score])
        games = (
            game._replace(result=SCORES["win" if at in won else "loss"]) for at, game in enumerate(said.games)
        )
        yield score, replace(said, games=tuple(games))


def _rating_of(game: ImaginedGame, imagined: ImaginedRating, track: str) -> Decimal:
    standing = imagined.state.get(game.opponent.id, track)
    rating = standing.rating if standing is not None else None
    return rating if rating is not None else Decimal(game.opponent.pre or 0)


def days_ahead(office: Federation, state: State[Any], number: str, track: str, now: date) -> list[DayAhead]:
    """The days of the coming year on which a rating moves though nothing further is rated; none where ratings
    move by play alone.
    """
    calendar, standing = office.ruleset.calendar, state.get(number, track)
    if calendar.days_of_change is None or calendar.rating_on is None or standing is None:
        return []
    found, before = [], calendar.rating_on(standing, state.wide, now)
    for day in calendar.days_of_change(state.wide, now + timedelta(1), now + timedelta(DAYS)):
        with localcontext(CONTEXT):
            after = calendar.rating_on(standing, state.wide, day)
        if after != before:
            found.append(DayAhead(day, before, after))
        before = after
    return found[:MOST_DAYS]
