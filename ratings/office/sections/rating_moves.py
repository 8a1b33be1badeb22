"""The ratings that a section moves, for pages: by track, the largest moves first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from itertools import groupby

from django.utils.translation import gettext as _

from players.office.models import Federation
from players.register.models import Player
from ratings.journal.models import Fact
from ratings.preview.approval import PreviewRow
from ratings.preview.compare_folds import with_points
from ratings.public.players.player_ratings import ratings_of
from ratings.results.models import Change


@dataclass(frozen=True, slots=True)
class PreviewedChange:
    player: Player
    track: str
    before: Decimal | None
    points: Decimal | None
    then: Decimal | None
    """The rating with these points in it, whether they count at once or from the next list on."""
    games: int
    first: bool
    waits: bool
    """Whether some of the points count from the next list on only."""


def previewed_changes(rows: Iterable[PreviewRow]) -> list[PreviewedChange]:
    return [_move(r.player, r.track, r.before, r.points, r.after, r.games) for r in rows]


def from_today(federation: Federation, moves: list[PreviewedChange], day: date) -> list[PreviewedChange]:
    """The same moves as they look from today's ratings: where the calendar or others' play moves ratings,
    those differ from the ratings after the player's last section.
    """
    if federation.ruleset.calendar.days_of_change is None:
        return moves
    now = ratings_of(federation, [move.player for move in moves], day)
    return [_from(move, now.get((move.player.number, move.track))) for move in moves]


def _from(move: PreviewedChange, now: Decimal | None) -> PreviewedChange:
    points = None if now is None or move.then is None else move.then - now
    return replace(move, before=now, points=points, first=now is None and move.then is not None)


def rated_changes(fact: Fact) -> list[PreviewedChange]:
    """The rating moves that a rated section made, as its stored changes have them."""
    changes = Change.objects.filter(fact=fact).select_related("player__federation")
    return [_move(c.player, c.track, c.before, c.points, c.after, c.games) for c in changes]


def _move(
    player: Player,
    track: str,
    before: Decimal | None,
    points: Decimal | None,
    after: Decimal | None,
    games: int,
) -> PreviewedChange:
    then = with_points(before, points, after)
    return PreviewedChange(
        player=player,
        track=track,
        before=before,
        points=points,
        then=then,
        games=games,
        first=before is None and after is not None,
        waits=then != after,
    )


def by_track(
    federation: Federation, moves: Iterable[PreviewedChange]
) -> list[tuple[str, list[PreviewedChange]]]:
    """Group moves by track: pairs of its name and its moves, the largest first, in the ruleset's order."""
    names = {track.code: track.name for track in federation.ruleset.tracks}
    order = list(names)
    ordered = sorted(moves, key=lambda move: (order.index(move.track), -_size(move), move.player.sort_key))
    return [(_(names[track]), list(rows)) for track, rows in groupby(ordered, key=lambda move: move.track)]


def _size(move: PreviewedChange) -> Decimal:
    """A sort key of moves: the points moved; highest for a first rating, lowest for a mere count of games."""
    if move.first:
        return Decimal(10**6)
    return Decimal(-1) if move.points is None else abs(move.points)
