"""The standing of a player, with seasons, the federation-wide part, and their texts for storage."""

import json
from decimal import Decimal
from typing import NamedTuple

from ratings.rulesets.facts import PlayerId


class Season(NamedTuple):
    """One player's results in one season (§16 §17)."""

    label: str
    best: tuple[int, ...] = ()
    """The points of the player's best tournaments, up to four, highest first."""
    won: int = 0
    """Tournaments won, alone or shared."""
    games_won: int = 0
    """Games won in Grand Prix tournaments."""
    championship: int | None = None
    """The best place in the championship outside the women's title; None: did not play there."""
    maks: int = 0
    """§16: tournaments in which every game was won."""
    women: int | None = None
    """The best place in it for the women's title (§preamble); None: did not play for it."""

    @property
    def entered(self) -> bool:
        """Whether the player entered the season's championship."""
        return self.championship is not None or self.women is not None

    @property
    def points(self) -> int:
        return sum(self.best)


class PfoStanding(NamedTuple):
    """All that the rules keep of a player."""

    rating: Decimal
    """The rating, a whole number (D-4)."""
    games: int = 0
    """The number of rated games."""
    citizen: bool = True
    """§14: whether the player was a citizen of Poland when last in a section."""
    excused: tuple[str, ...] = ()
    """The labels of seasons whose championship had begun before the player had a rating (D-PFO-5)."""
    seasons: tuple[Season, ...] = ()
    """Sorted by label."""

    @property
    def due(self) -> bool:
        """Always False: nothing waits for a list here."""
        return False

    def season(self, label: str) -> Season:
        return next((season for season in self.seasons if season.label == label), Season(label))


class Seasons(NamedTuple):
    """The federation-wide part of the state: championships under way, and play-offs."""

    running: tuple[str, ...] = ()
    """The labels of seasons whose championship has begun and not ended (D-PFO-5)."""
    playoffs: tuple[tuple[str, PlayerId], ...] = ()
    """The label of each season with a play-off, and the winner of the last one (D-PFO-7)."""


def dump(standing: PfoStanding) -> str:
    """The text of a standing for storage, JSON without spaces."""
    return _text([int(standing.rating), *standing[1:]])


def load(track: str, text: str) -> PfoStanding:
    """The standing of a text that `dump` wrote; ValueError or TypeError for any other."""
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
