"""Folds a history's lines in memory behind the journal's present ones: the ratings that would come out."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from players.drawing.rating_rounding import as_shown
from players.office.models import Federation
from players.register.models import Player
from ratings.history.draw_up_lines import DrawnUp
from ratings.journal.append import federation_fact
from ratings.journal.models import Fact
from ratings.journal.read_facts import AFTER_EVERYTHING, read_lines
from ratings.law import journal
from ratings.law.facts import Key, State
from ratings.results.rating_differences import ratings_told
from ratings.results.read_states import state_before

SHOWN = 20
"""The ratings of each track, and the largest moves, that the outcome names."""


@dataclass(frozen=True, slots=True)
class RatingsAfter:
    """The ratings after a history, and those of today that it would move."""

    after: dict[Key, Decimal]
    moved: list[tuple[Key, Decimal, Decimal]]
    """Ratings of today that would be others, with what they would be; the largest moves first."""

    def as_dict(self, drawn: DrawnUp) -> dict[str, Any]:
        """The part of the outcome that pages show: for each track how many, and the highest; the moves."""
        federation = drawn.plan.history.federation
        rated = {track.code: self._rated(track.code) for track in federation.ruleset.tracks}
        shown = {number for each in rated.values() for number, _rating in each[:SHOWN]}
        names = _names(federation, drawn, shown | {key[0] for key, _now, _then in self.moved[:SHOWN]})
        places, tracks = federation.publication.decimals, []
        for track in federation.ruleset.tracks:
            highest = [
                [number, names.get(number, ""), str(as_shown(rating, places))]
                for number, rating in rated[track.code][:SHOWN]
            ]
            if count := len(rated[track.code]):
                tracks.append({"code": track.code, "name": track.name, "count": count, "highest": highest})
        moved = [
            [key[0], names.get(key[0], ""), key[1], str(as_shown(now, places)), str(as_shown(then, places))]
            for key, now, then in self.moved[:SHOWN]
        ]
        return {"tracks": tracks, "moved": moved, "moves": len(self.moved)}

    def _rated(self, track: str) -> list[tuple[str, Decimal]]:
        """The ratings of a track by number, the highest first."""
        rated = [(number, rating) for (number, of_track), rating in self.after.items() if of_track == track]
        return sorted(rated, key=lambda each: (-each[1], each[0]))


def dry_run(drawn: DrawnUp, on: date) -> RatingsAfter:
    """Fold the journal's lines and a history's behind them, as a replay would, and compare with today."""
    federation = drawn.plan.history.federation
    ruleset, state = federation.ruleset, State[Any]()
    for _step in ruleset.fold(journal.resolve(whole_journal(federation, drawn)), state):
        pass
    after = ratings_told(ruleset, state, on)
    today = ratings_told(ruleset, state_before(federation, AFTER_EVERYTHING), on)
    moved = [(key, now, after[key]) for key, now in today.items() if key in after and after[key] != now]
    return RatingsAfter(after, sorted(moved, key=lambda each: (-abs(each[2] - each[1]), each[0])))


def whole_journal(federation: Federation, drawn: DrawnUp) -> journal.Journal:
    """The office's journal as it stands, with a history's lines behind it."""
    first = federation_fact(federation)
    rows = Fact.objects.filter(federation=federation, number__lte=drawn.above).exclude(kind="federation")
    head = [journal.JournalLine(1, first)] if drawn.above else []
    lines = (*head, *read_lines(federation, rows.order_by("number")), *drawn.lines)
    return journal.Journal(first, federation.ruleset, lines)


def _names(federation: Federation, drawn: DrawnUp, numbers: set[str]) -> dict[str, str]:
    """The names of these players: as the history has them, else as the register has."""
    names = {person.number: person.name for person in drawn.plan.people if person.number in numbers}
    for player in Player.objects.of(federation).filter(number__in=numbers - names.keys()):
        names[player.number] = player.shown_name
    return names
