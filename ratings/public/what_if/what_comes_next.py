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
from ratings.law.facts import Change, State
from ratings.law.ruleset import CONTEXT
from ratings.preview.compare_folds import with_points
from ratings.preview.imagined_section import Imagination, ImaginedGame, ImaginedRating, section_of
from ratings.public.players.player_ratings import answers_in
from ratings.public.rule_tables.calculators import worded_rows
from ratings.results.workings import StepRow

MOST_PLACES = 25
DAYS = 365


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
    waiting: Decimal | None
    """The points that enter the rating with the next list; None: none wait."""
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


def goals_of(
    office: Federation, asked: WhatIf, thresholds: Sequence[Threshold], rating: Decimal | None
) -> list[Goal]:
    """The next round rating above a rating, and the next of the thresholds; none without a rating."""
    if rating is None:
        return []
    with localcontext(CONTEXT):
        following = ((rating / asked.step).to_integral_value(ROUND_FLOOR) + 1) * asked.step
    words = {following: ""}
    words |= {each.rating: _words(office, each) for each in [t for t in thresholds if t.rating > rating][:1]}
    return [Goal(goal, words[goal], goal - rating) for goal in sorted(words)]


def points_that_wait(office: Federation, state: State[Any], number: str, on: date) -> dict[str, Decimal]:
    """The points of a player that enter the ratings with the next list, by track (csa 67)."""
    if not office.ruleset.calendar.waits_for_list:
        return {}
    found = ((each.track, each.further.get("pending")) for each in answers_in(office, state, number, on))
    return {track: points for track, points in found if points}


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
    """The prospects in each track in which a state has the player, in the first if in none; `tracks`: in
    these alone.
    """
    office = request.office
    codes = [each.code for each in office.ruleset.tracks]
    codes = [code for code in codes if state.get(number, code) is not None] or codes[:1]
    ratings = {each.track: each.rating for each in answers_in(office, state, number, on)}
    waiting, edition = points_that_wait(office, state, number, on), office.ruleset.edition_of_day(on)
    found = []
    for code in [code for code in codes if not tracks or code in tracks]:
        with localcontext(CONTEXT):
            listed = office.ruleset.figures.listed(state, number, code, on)
        rating, points = ratings.get(code), waiting.get(code)
        then = rating + (points or 0) if rating is not None else None
        goals = goals_of(office, asked, asked.thresholds(state, number, code), then)
        found.append(NextOfTrack(code, rating, points, goals, worded_rows(listed, request, edition)))
    return found


def said_of_all(found: Sequence[NextOfTrack]) -> list[StepRow]:
    """The sentences on the list that every one of several tracks has; none where they differ."""
    first = found[0].listed if len(found) > 1 else []
    return first if all(each.listed == first for each in found) else []


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
    thresholds = asked.thresholds(imagined.state, number, track)
    for score, other in _variants(asked, said, imagined, track):
        change = imagined.changes(number, section_of(asked, other)).get(track)
        if change is None:
            continue
        before, after = before_and_after(office, said, imagined.state, change)
        goals = goals_of(office, asked, thresholds, before)
        goals = [goal for goal in goals if after is not None and goal.rating <= after]
        found.append(
            ScoreRow(score, change.points, after, [each for each in goals if each.rating not in reached])
        )
        reached |= {goal.rating for goal in goals}
    return found if any(row.after is not None for row in found) else []


def before_and_after(
    office: Federation, said: Imagination, state: State[Any], change: Change[Any]
) -> tuple[Decimal | None, Decimal | None]:
    """A rating before and after an imagined change, each with the points that wait for the next list."""
    before, after = (each.rating if each else None for each in (change.before, change.after))
    if before is None or after is None or not office.ruleset.calendar.waits_for_list:
        return before, with_points(before, change.points, after)
    number, track = said.player.number, change.track
    own: State[Any] = State({(number, track): change.after}, state.wide)
    waiting, left = (
        points_that_wait(office, each, number, said.ends).get(track, Decimal(0)) for each in (state, own)
    )
    return before + waiting, after + left


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
    return found
