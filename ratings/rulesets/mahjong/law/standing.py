"""A player's competitions, the competitions of all, and their texts.

A rating here is a function of the admitted competitions and a day, so a state holds what the function reads.
The rating that stands in it is that of the day of the last admission; `answers` has that of any later day.
"""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal
from typing import NamedTuple

from ratings.law.journal.values import plain


class Played(NamedTuple):
    """A player's part in one admitted competition."""

    competition: str
    place: int


class Standing(NamedTuple):
    """What the rules remember of a player, foreigners too: the register may change (D-RMF-4)."""

    included: bool = False
    """Whether the player has a place in the rating by the register (§2)."""
    games: int = 0
    """Admitted competitions played, however long ago."""
    played: tuple[Played, ...] = ()
    """Those that had not lost all weight at the player's last."""
    rating: Decimal | None = None
    """On the day of the last admission that moved it; None: not included, or nothing to weigh."""

    @property
    def due(self) -> bool:
        """Nothing waits for a list here."""
        return False


class Competition(NamedTuple):
    """An admitted competition."""

    ends: date
    """Its last day."""
    id: str
    weight: int
    """kA."""
    players: int


class Wide(NamedTuple):
    """The competitions that everybody's rating rests on."""

    on: date
    """The day of the last admission."""
    competitions: tuple[Competition, ...] = ()
    """Those that had not lost all weight on that day, by their last day and id."""
    years: tuple[tuple[int, int], ...] = ()
    """How many were admitted of each calendar year, with and without weight."""

    def of_year(self, year: int) -> int:
        return dict(self.years)[year]


def dump(standing: Standing) -> str:
    """JSON without spaces; of equal standings, equal text."""
    rating = None if standing.rating is None else plain(standing.rating)
    return _text([standing.included, standing.games, standing.played, rating])


def load(track: str, text: str) -> Standing:
    """The standing that `dump` wrote; ValueError or TypeError where it did not."""
    included, games, played, rating = json.loads(text)
    return Standing(
        included=included,
        games=games,
        played=tuple(Played(competition, place) for competition, place in played),
        rating=None if rating is None else Decimal(rating),
    )


def dump_wide(wide: Wide) -> str:
    competitions = [[each.ends.isoformat(), *each[1:]] for each in wide.competitions]
    return _text([wide.on.isoformat(), competitions, wide.years])


def load_wide(text: str) -> Wide:
    on, competitions, years = json.loads(text)
    return Wide(
        on=date.fromisoformat(on),
        competitions=tuple(Competition(date.fromisoformat(ends), *rest) for ends, *rest in competitions),
        years=tuple((year, count) for year, count in years),
    )


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
