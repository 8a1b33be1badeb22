"""Previews what rating a section would change, by the very `apply` that will run. Nothing is written."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from players.office.models import Federation
from players.register.models import Player
from ratings.journal.players_by_number import named
from ratings.law.facts import Change
from ratings.preview.compare_folds import previewed_changes
from ratings.preview.plan_fold import plan_of
from ratings.results.assign_pre_ratings import NO_BIRTHS, Births
from tournaments.events.models import Section


@dataclass(frozen=True, slots=True)
class PreviewRow:
    """One rating that approving the section would move."""

    player: Player
    track: str
    before: Decimal | None
    points: Decimal | None
    """Points gained or lost, at once or at the next list."""
    after: Decimal | None
    games: int
    first: bool
    """Whether it would be the player's first rating in the track."""


@dataclass(frozen=True, slots=True)
class Preview:
    rows: list[PreviewRow]
    later: int
    """The number of rated sections that would be rated again."""


def preview(section: Section, on: date, births: Births = NO_BIRTHS) -> Preview:
    """Preview rating the section; `births`: an official's word on births that the register does not know.

    Raises `Incomplete` where the section is not whole.
    """
    plan = plan_of(section, on, births=births)
    return Preview(_rows(plan.federation, previewed_changes(plan)), plan.later)


def _rows(federation: Federation, changes: list[Change[Any]]) -> list[PreviewRow]:
    numbers = {change.player for change in changes}
    players = named(federation, numbers)
    return [
        PreviewRow(
            player=players[change.player],
            track=change.track,
            before=change.before.rating if change.before else None,
            points=change.points,
            after=change.after.rating,
            games=change.after.games,
            first=change.after.rating is not None and (change.before is None or change.before.rating is None),
        )
        for change in changes
        if change.player in players
    ]
