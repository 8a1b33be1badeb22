"""Finds what became known of a player's ratings between two lines of the journal, and by which line."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import NamedTuple

from players.register.models import Player
from ratings.recompute.steps import CORRECTING
from ratings.results.models import Change, CorrectedRating, PastChange

COLUMNS = ("track", "order", "fact__number", "before", "after", "points", "since")


class KnownChange(NamedTuple):
    """A change of a rating as it was known from one line of the journal to another."""

    track: str
    order: int
    fact: int
    """The number of the line that changed the rating."""
    before: Decimal | None
    after: Decimal | None
    points: Decimal | None
    since: int
    """The line from which it was known so."""
    until: int | None = None
    """The line by which it was known so no longer; None: it is known so now."""

    def known_at(self, line: int) -> bool:
        return self.since <= line and (self.until is None or line < self.until)


@dataclass(frozen=True, slots=True)
class KnownMove:
    """A move of a player's rating in one track by one line of the journal."""

    line: int
    track: str
    before: Decimal | None
    after: Decimal | None
    own: tuple[KnownChange, ...] = ()
    """The changes that came new with the line."""
    again: int = 0
    """The number of earlier changes that the line had worked out anew, or taken away."""

    @property
    def points(self) -> Decimal | None:
        """The points gained or lost by one new change, some of which may wait for the next list."""
        return self.own[0].points if len(self.own) == 1 and not self.again else None

    @property
    def by(self) -> Decimal | None:
        return None if self.before is None or self.after is None else self.after - self.before


def known_changes(player: Player, last: int) -> list[KnownChange]:
    """Every version of the player's changes that was known by a line, past ones too."""
    now = Change.objects.filter(player=player, since__lte=last).values_list(*COLUMNS)
    past = PastChange.objects.filter(player=player, since__lte=last).values_list(*COLUMNS, "until")
    return [KnownChange(*row) for row in now] + [KnownChange(*row) for row in past]


def lines_between(player: Player, found: Iterable[KnownChange], first: int, last: int) -> list[int]:
    """The lines after `first` up to `last` by which something of the player's was known otherwise, newest
    first. Where others' results move ratings a correction is one that changed no result of the player's own.
    """
    lines = {line for each in found for line in (each.since, each.until) if line is not None}
    corrected = CorrectedRating.objects.filter(player=player, erratum__fact__number__gt=first)
    lines |= set(corrected.values_list("erratum__fact__number", flat=True))
    return sorted((line for line in lines if first < line <= last), reverse=True)


def moves_by(
    player: Player, found: Sequence[KnownChange], lines: Collection[int], kinds: dict[int, str]
) -> list[KnownMove]:
    """The moves of the player's ratings by these lines, newest first. `kinds`: the kind of each line."""
    corrected = {
        (line, track): (before, after)
        for line, track, before, after in CorrectedRating.objects.filter(
            player=player, erratum__fact__number__in=lines
        ).values_list("erratum__fact__number", "track", "before", "after")
    }
    moves: list[KnownMove] = []
    for line in lines:
        touched = [each for each in found if line in (each.since, each.until)]
        tracks = {each.track for each in touched} | {track for at, track in corrected if at == line}
        for track in sorted(tracks):
            here = [each for each in found if each.track == track]
            moves += _moves(line, track, here, corrects=kinds.get(line) in CORRECTING, told=corrected)
    return moves


def _moves(
    line: int,
    track: str,
    found: Sequence[KnownChange],
    *,
    corrects: bool,
    told: dict[tuple[int, str], tuple[Decimal | None, Decimal | None]],
) -> list[KnownMove]:
    """The moves in one track by one line: one for each new change, or one for all where earlier changes were
    worked out anew.
    """
    gone = {each.fact for each in found if each.until == line}
    came = sorted((each for each in found if each.since == line), key=lambda each: each.order)
    own = [] if corrects else [each for each in came if each.fact not in gone]
    again = len(gone | {each.fact for each in came} - {each.fact for each in own})
    if own and not again:
        return [KnownMove(line, track, each.before, each.after, (each,)) for each in reversed(own)]
    before, after = told.get((line, track)) or (_rating(found, line - 1), _rating(found, line))
    return [KnownMove(line, track, before, after, tuple(own), again)]


def _rating(found: Iterable[KnownChange], line: int) -> Decimal | None:
    """The rating after the last change that was known at a line; None without any."""
    newest = max((each for each in found if each.known_at(line)), key=lambda each: each.order, default=None)
    return newest.after if newest else None
