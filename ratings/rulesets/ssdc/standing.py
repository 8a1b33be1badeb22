"""One player's standing in Classic or Rapid Dots, and its text for storage."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal
from typing import NamedTuple

from ratings.rulesets.journal_lines import plain
from ratings.rulesets.ruleset import CONTEXT

MILLIONTH = Decimal(1).scaleb(-6)


def rounded(value: Decimal) -> Decimal:
    """A rating as it enters the state after each game: 6 decimals, half up (D-4)."""
    return CONTEXT.quantize(value, MILLIONTH)


class Award(NamedTuple):
    """A rank for which play gave a ground, and what the ground is; a standing keeps the highest of its track
    (D-SSDC-7).
    """

    rank: str
    clause: str
    """The clause of the ground: `2.4.1` by rating, `2.4.2` by place."""
    figure: int
    """The rating as a whole number, or the place, that gave the ground."""
    section: str
    """The id of the tournament's section."""


class Confirmed(NamedTuple):
    """A rank that an official confirmed."""

    rank: str
    on: date
    ground: str


class SsdcStanding(NamedTuple):
    """A player's standing in Classic or Rapid Dots: all that the rules keep of the player there."""

    rating: Decimal | None = None
    """The rating; None: nothing but a confirmed rank is known of the player here."""
    games: int = 0
    """The number of rated games."""
    years: tuple[int, ...] = ()
    """The calendar years with a rated game, in order (D-SSDC-9)."""
    award: Award | None = None
    confirmed: Confirmed | None = None

    @property
    def due(self) -> bool:
        """Always False: nothing waits for a list here."""
        return False


def dump(standing: SsdcStanding) -> str:
    """The text of a standing for storage, JSON of its fields in order; of equal standings, equal text."""
    rating, games, years, award, confirmed = standing
    told = confirmed and [confirmed.rank, confirmed.on.isoformat(), confirmed.ground]
    fields = [None if rating is None else plain(rating), games, years, award, told]
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))


def load(track: str, text: str) -> SsdcStanding:
    """The standing that `dump` wrote as this text; ValueError where it did not."""
    rating, games, years, award, told = json.loads(text)
    return SsdcStanding(
        rating=None if rating is None else rounded(Decimal(rating)),
        games=games,
        years=tuple(years),
        award=Award(*award) if award else None,
        confirmed=Confirmed(told[0], date.fromisoformat(told[1]), told[2]) if told else None,
    )
