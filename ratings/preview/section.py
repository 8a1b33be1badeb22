"""Previews rating a section or publishing a list, by the very `apply` that will run. Nothing is written."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any

from players.office.models import Federation, Ledger
from players.register.models import Player
from ratings.journal.named_players import named
from ratings.journal.read_facts import AFTER_EVERYTHING
from ratings.law import facts, reports
from ratings.law.facts import Change, ListClosing, Placed
from ratings.lists.contents import drawn_up
from ratings.lists.models import ListRow, RatingList
from ratings.preview.fold_plan import plan_of, previewed_changes
from ratings.results.pre_rating_statement import NO_BIRTHS, Births
from ratings.results.standings import state_before
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


# ---------------------------------------------------------------- the next list


@dataclass(frozen=True, slots=True)
class TrackPreview:
    """One track of the list to publish, compared with the newest list: how many come, go and move."""

    track: str
    players: int
    newcomers: int
    dropped: int
    movers: list[tuple[Player, Decimal, Decimal]] = field(default_factory=list)
    """Player, rating on the newest list, rating on the next; the largest moves first."""


@dataclass(frozen=True, slots=True)
class ListPreview:
    tracks: list[TrackPreview]


def preview_list(federation: Federation, on: date, movers: int = 10) -> ListPreview:
    """Preview publishing the list of a day, track by track, with up to `movers` players who move most."""
    closing = Placed(Ledger.objects.get(federation=federation).facts + 1, ListClosing(on))
    state = state_before(federation, AFTER_EVERYTHING, facts.Needs.EVERYONE)
    state.absorb(federation.ruleset.apply(state, closing))
    tracks = [
        _track_preview(federation, track, rows, on, movers)
        for track, rows in drawn_up(federation.ruleset, closing, state).items()
    ]
    return ListPreview(tracks)


def _track_preview(
    federation: Federation, track: str, rows: list[reports.ListedPlayer], on: date, movers: int
) -> TrackPreview:
    newest = (
        RatingList.objects.filter(federation=federation, track=track, on__lt=on)
        .order_by("-on", "-revision")
        .first()
    )
    listed = ListRow.objects.filter(rating_list=newest) if newest else ListRow.objects.none()
    before = dict(listed.values_list("player__number", "rating"))
    after = {row.player: row.rating for row in rows}
    both = sorted((number for number in after if number in before), key=lambda n: -abs(after[n] - before[n]))[
        :movers
    ]
    players = Player.objects.filter(federation=federation, number__in=both).select_related("federation")
    named = {player.number: player for player in players}
    return TrackPreview(
        track=track,
        players=len(rows),
        newcomers=len(after.keys() - before.keys()),
        dropped=len(before.keys() - after.keys()),
        movers=[(named[n], before[n], after[n]) for n in both if after[n] != before[n]],
    )
