"""One player's standing in the ranking, with their seasons; the federation-wide part; and their texts."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import NamedTuple

from ratings.law.facts import PlayerId


class Season(NamedTuple):
    """The results of a player in one season (§16 §17)."""

    label: str
    best: tuple[int, ...] = ()
    """The points of up to four tournaments, highest first."""
    won: int = 0
    """Tournaments won, shared or not."""
    games_won: int = 0
    """Games won in Grand Prix tournaments."""
    championship: int | None = None
    """The best place at the season's championship, not for the women's title; None: none."""
    maks: int = 0
    """§16: tournaments in which every game was won."""
    women: int | None = None
    """The best place there for the women's title (§preamble); None: did not play for it."""

    @property
    def entered(self) -> bool:
        """Whether the player entered the season's championship."""
        return self.championship is not None or self.women is not None

    @property
    def points(self) -> int:
        return sum(self.best)


class PfoStanding(NamedTuple):
    """The state that the rules keep of a player."""

    rating: Decimal
    """A whole number (D-4)."""
    games: int = 0
    """Rated games."""
    citizen: bool = True
    """§14: of Poland, when last seen in a section."""
    excused: tuple[str, ...] = ()
    """Seasons whose championship had begun before the player had a rating (D-PFO-5)."""
    seasons: tuple[Season, ...] = ()
    """By label."""

    @property
    def due(self) -> bool:
        """Always False: nothing waits for a list here."""
        return False

    def season(self, label: str) -> Season:
        return next((season for season in self.seasons if season.label == label), Season(label))


class Seasons(NamedTuple):
    """The federation-wide part of the state: championships under way, and play-offs."""

    running: tuple[str, ...] = ()
    """Seasons of whose championships a section was played, and not yet the last (D-PFO-5)."""
    playoffs: tuple[tuple[str, PlayerId], ...] = ()
    """The winner of the last play-off of each season, by season (D-PFO-7)."""


def dump(standing: PfoStanding) -> str:
    """JSON without spaces; of equal standings, equal text."""
    return _text([int(standing.rating), *standing[1:]])


def load(track: str, text: str) -> PfoStanding:
    """The standing that `dump` wrote; ValueError or TypeError where it did not."""
    rating, games, citizen, excused, seasons = json.loads(text)
    return PfoStanding(
        rating=Decimal(rating),
        games=games,
        citizen=citizen,
        excused=tuple(excused),
        seasons=tuple(Season(label, tuple(best), *rest) for label, best, *rest in seasons),
    )


def dump_wide(wide: Seasons) -> str:
    return _text(wide)


def load_wide(text: str) -> Seasons:
    running, playoffs = json.loads(text)
    return Seasons(tuple(running), tuple((season, winner) for season, winner in playoffs))


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
