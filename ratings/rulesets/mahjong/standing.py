"""The standing of a player, the federation-wide part, and their texts for storage.

A rating is a function of the admitted competitions and a day. That in the state is of the day of the last
admission; `answers` gives that of any later day.
"""

import json
from datetime import date
from decimal import Decimal
from typing import NamedTuple

from ratings.rulesets.journal_lines import plain


class CompetitionPlayed(NamedTuple):
    """A player's place in one admitted competition, named by its section's id."""

    competition: str
    place: int


class MahjongStanding(NamedTuple):
    """All that the rules keep of a player, of foreigners too, because the register may change (D-RMF-4)."""

    included: bool = False
    """Whether the player has a place in the rating by the register (§2)."""
    games: int = 0
    """The number of admitted competitions played, however long ago."""
    played: tuple[CompetitionPlayed, ...] = ()
    """Those that had any weight left at the player's last one."""
    rating: Decimal | None = None
    """The rating on the day of the last admission that changed it; None: not included, or no weight."""

    @property
    def due(self) -> bool:
        """Always False: nothing waits for a list here."""
        return False


class AdmittedCompetition(NamedTuple):
    """The particulars of an admitted competition that ratings use."""

    ends: date
    id: str
    weight: int
    """The weight kA."""
    players: int
    """The number of players who took part."""


class AdmittedCompetitions(NamedTuple):
    """The federation-wide part of the state: the competitions that all ratings use."""

    on: date
    """The day of the last admission."""
    competitions: tuple[AdmittedCompetition, ...] = ()
    """Those that had any weight left on that day, sorted by last day and id."""
    years: tuple[tuple[int, int], ...] = ()
    """Each calendar year, and the number of competitions admitted in it, with or without weight."""

    def count_in_year(self, year: int) -> int:
        return dict(self.years)[year]


def dump(standing: MahjongStanding) -> str:
    """The text of a standing for storage, JSON without spaces."""
    rating = None if standing.rating is None else plain(standing.rating)
    return _text([standing.included, standing.games, standing.played, rating])


def load(track: str, text: str) -> MahjongStanding:
    """The standing of a text that `dump` wrote; ValueError or TypeError for any other."""
    included, games, played, rating = json.loads(text)
    return MahjongStanding(
        included=included,
        games=games,
        played=tuple(CompetitionPlayed(competition, place) for competition, place in played),
        rating=None if rating is None else Decimal(rating),
    )


def dump_wide(wide: AdmittedCompetitions) -> str:
    competitions = [[each.ends.isoformat(), *each[1:]] for each in wide.competitions]
    return _text([wide.on.isoformat(), competitions, wide.years])


def load_wide(text: str) -> AdmittedCompetitions:
    on, competitions, years = json.loads(text)
    return AdmittedCompetitions(
        on=date.fromisoformat(on),
        competitions=tuple(
            AdmittedCompetition(date.fromisoformat(ends), *rest) for ends, *rest in competitions
        ),
        years=tuple((year, count) for year, count in years),
    )


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
