"""Tells a day as the office knew it: the last line of its journal by then, and the state by the lines up to
it.

Gives what a replay with `--as-of` gives, without replaying.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from players.office.models import Federation
from players.register.models import Player
from ratings.journal.models import Fact
from ratings.journal.read_facts import AFTER_EVERYTHING, aliases_at
from ratings.law.facts import Needs, PlayerId, State
from ratings.law.fold_order import first_place_of
from ratings.results.read_states import history_before, newest_wide, state_before


def line_of_day(federation: Federation, day: date) -> int:
    """The last line of the journal that the office had on a day: that above the first line of a later day."""
    dated = Fact.objects.filter(federation=federation, on__gt=day).order_by("on", "number")
    later: int | None = dated.values_list("number", flat=True).first()
    return AFTER_EVERYTHING if later is None else later - 1


def first_day(federation: Federation) -> date | None:
    """The first day that the journal's lines have; None while no line has one."""
    dated = Fact.objects.filter(federation=federation, on__isnull=False).order_by("on", "number")
    return dated.values_list("on", flat=True).first()


@dataclass(frozen=True, slots=True)
class AsOf:
    """The knowledge of an office on a day: the day, and the journal's lines up to one."""

    federation: Federation
    day: date
    line: int | None
    """The last line known; None: today, by all of them."""

    def state(
        self,
        players: Collection[PlayerId] | Needs = Needs.EVERYONE,
        before: int = AFTER_EVERYTHING,
    ) -> State[Any]:
        """The state before a place in the order, as the office knew it on the day."""
        return state_before(self.federation, before, players, self.line)

    def state_of(self, player: Player) -> State[Any]:
        """The state of one player alone, after every fact that the office knew on the day."""
        load = self.federation.ruleset.storage.load
        state: State[Any] = State(wide=newest_wide(self.federation, AFTER_EVERYTHING, self.line))
        if self.line is None:
            for track, text in player.standings.values_list("track", "state"):
                state.put((player.number, track), load(track, text))
            return state
        for row in history_before(self.federation, AFTER_EVERYTHING, [player.pk], self.line):
            state.put((player.number, row.track), load(row.track, row.state))
        return state

    @property
    def place_after(self) -> int:
        """The first place in the order, as known now, that belongs to a later day (D-1): by the days on which
        sections ended where they are folded in the order of play, else by the days of the lines.
        """
        if self.federation.ruleset.in_order_of_play:
            return first_place_of(self.day + timedelta(1))
        return AFTER_EVERYTHING if self.line is None else min(self.line + 1, AFTER_EVERYTHING)

    def state_known_now_of(self, *players: Player) -> State[Any]:
        """The state of a few players alone at the end of the day, by what is known now."""
        load, place = self.federation.ruleset.storage.load, self.place_after
        numbers = {player.pk: player.number for player in players}
        state: State[Any] = State(wide=newest_wide(self.federation, place))
        for row in history_before(self.federation, place, numbers):
            state.put((numbers[row.player], row.track), load(row.track, row.state))
        return state

    def reads_as_another(self, number: PlayerId) -> bool:
        """Whether on that day a merged entry's number was already read as another's."""
        return self.line is None or number in aliases_at(self.federation, self.line)


def as_of(federation: Federation, day: date, now: date) -> AsOf:
    """The office's knowledge on a past day; for today and later days, what it knows now."""
    return AsOf(federation, day, None if day >= now else line_of_day(federation, day))
