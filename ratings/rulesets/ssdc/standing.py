"""The standing of a player in a track, and its text for storage."""

import json
from datetime import date
from decimal import Decimal
from typing import NamedTuple

from ratings.rulesets.journal_lines import plain
from ratings.rulesets.ruleset import CONTEXT

KEPT_DECIMALS = 6  # D-4
MILLIONTH = Decimal(1).scaleb(-KEPT_DECIMALS)


def round_kept(value: Decimal) -> Decimal:
    """A rating rounded half up to 6 decimals, as it is kept after each game (D-4)."""
    return CONTEXT.quantize(value, MILLIONTH)


class RankAward(NamedTuple):
    """A rank with the ground that play gave for it; a standing keeps the highest of its track (D-SSDC-7)."""

    rank: str
    clause: str
    """The clause of the ground: `2.4.1` by rating, `2.4.2` by place."""
    figure: int
    """The rating as a whole number, or the place."""
    section: str
    """The section's id."""


class ConfirmedRank(NamedTuple):
    """A rank that an official confirmed."""

    rank: str
    on: date
    ground: str


class SsdcStanding(NamedTuple):
    """All that the rules keep of a player in Classic or Rapid Dots."""

    rating: Decimal | None = None
    """None: only a confirmed rank is known here."""
    games: int = 0
    """The number of rated games."""
    years: tuple[int, ...] = ()
    """The calendar years with a rated game, in order (D-SSDC-9)."""
    award: RankAward | None = None
    confirmed: ConfirmedRank | None = None

    @property
    def due(self) -> bool:
        """Always False: nothing waits for a list here."""
        return False


def dump(standing: SsdcStanding) -> str:
    """The text of a standing for storage: JSON of its fields in order."""
    rating, games, years, award, confirmed = standing
    rank = confirmed and [confirmed.rank, confirmed.on.isoformat(), confirmed.ground]
    fields = [None if rating is None else plain(rating), games, years, award, rank]
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))


def load(track: str, text: str) -> SsdcStanding:
    """The standing of a text that `dump` wrote; ValueError for any other."""
    rating, games, years, award, confirmed = json.loads(text)
    return SsdcStanding(
        rating=None if rating is None else round_kept(Decimal(rating)),
        games=games,
        years=tuple(years),
        award=RankAward(*award) if award else None,
        confirmed=ConfirmedRank(confirmed[0], date.fromisoformat(confirmed[1]), confirmed[2])
        if confirmed
        else None,
    )
