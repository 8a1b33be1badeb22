"""The effect of publishing lists on a day: who moves, who is new, who leaves."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal

from players.office.models import Federation, Ledger
from players.register.models import Player
from ratings.journal.read_facts import AFTER_EVERYTHING
from ratings.law import facts, rule_outputs
from ratings.law.facts import ListClosing, Placed
from ratings.lists.contents import drawn_up
from ratings.lists.models import ListRow, RatingList
from ratings.results.read_states import state_before


@dataclass(frozen=True, slots=True)
class TrackPreview:
    """One track of the list to publish, compared with the newest list: who comes, goes and moves."""

    track: str
    players: int
    came: dict[str, Decimal] = field(default_factory=dict)
    """By number, the rating of each player who is new on the list, the highest first."""
    gone: dict[str, Decimal] = field(default_factory=dict)
    """By number, the rating on the newest list of each who stands there and not here, the highest first."""
    movers: list[tuple[Player, Decimal, Decimal]] = field(default_factory=list)
    """Player, rating on the newest list, rating on the next; the largest moves first."""

    @property
    def newcomers(self) -> int:
        return len(self.came)

    @property
    def dropped(self) -> int:
        return len(self.gone)


@dataclass(frozen=True, slots=True)
class ListPreview:
    tracks: list[TrackPreview]


def preview_list(federation: Federation, on: date, movers: int = 10) -> ListPreview:
    """Preview publishing the list of a day, track by track, with up to `movers` players who move most."""
    closing = Placed(Ledger.objects.get(federation=federation).facts + 1, ListClosing(on))
    state = state_before(federation, AFTER_EVERYTHING, facts.Needs.EVERYONE)
    state.absorb(federation.ruleset.apply(state, closing))
    drawn = drawn_up(federation.ruleset, closing, state)
    listed = {track.code for track in federation.ruleset.tracks} & (drawn.keys() | _listed(federation, on))
    tracks = [
        _track_preview(federation, track.code, drawn.get(track.code, []), on, movers)
        for track in federation.ruleset.tracks
        if track.code in listed
    ]
    return ListPreview(tracks)


def _listed(federation: Federation, on: date) -> set[str]:
    """The tracks of the newest lists before a day: those listed there are gone where nobody is listed now."""
    lists = RatingList.objects.filter(federation=federation, on__lt=on)
    newest = lists.order_by("-on").values_list("on", flat=True).first()
    return set(lists.filter(on=newest).values_list("track", flat=True)) if newest else set()


def _track_preview(
    federation: Federation, track: str, rows: list[rule_outputs.ListedPlayer], on: date, movers: int
) -> TrackPreview:
    newest = (
        RatingList.objects.filter(federation=federation, track=track, on__lt=on)
        .order_by("-on", "-revision")
        .first()
    )
    listed = ListRow.objects.filter(rating_list=newest) if newest else ListRow.objects.none()
    before = dict(listed.order_by("position").values_list("player__number", "rating"))
    after = {row.player: row.rating for row in rows}
    both = sorted((number for number in after if number in before), key=lambda n: -abs(after[n] - before[n]))[
        :movers
    ]
    players = Player.objects.filter(federation=federation, number__in=both).select_related("federation")
    named = {player.number: player for player in players}
    return TrackPreview(
        track=track,
        players=len(rows),
        came={number: rating for number, rating in after.items() if number not in before},
        gone={number: rating for number, rating in before.items() if number not in after},
        movers=[(named[n], before[n], after[n]) for n in both if after[n] != before[n]],
    )
