"""One player's standing in one of the twelve tracks, and its text for storage."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import NamedTuple

from ratings.rulesets.ruleset import CONTEXT, SIXTEEN_DECIMALS

ZERO = Decimal(0)
quantize = CONTEXT.quantize


def round_kept(value: Decimal) -> Decimal:
    """§28, D-CSA-17: a value rounded to the 16 decimals that are kept (D-4)."""
    return quantize(value, SIXTEEN_DECIMALS)


class Performance:
    """A performance that qualifies for the weight performance (D-CSA-9); it is not to be changed."""

    __slots__ = ("_text", "day", "kind", "number", "value")

    def __init__(self, day: int, number: int, kind: str, value: Decimal, text: str = "") -> None:
        self.day = day
        """The last day of its section, as `date.toordinal` counts."""
        self.number = number
        """The number of the journal line that first rated the section."""
        self.kind = kind
        """`standard`, `rapid` or `blitz`."""
        self.value = value
        self._text = text

    @classmethod
    def of(cls, ends: date, number: int, kind: str, value: Decimal) -> Performance:
        return cls(ends.toordinal(), number, kind, value)

    @classmethod
    def read(cls, text: str) -> Performance:
        ends, number, kind, value = text.split(" ")
        return cls(date.fromisoformat(ends).toordinal(), int(number), kind, round_kept(Decimal(value)), text)

    @property
    def ends(self) -> date:
        return date.fromordinal(self.day)

    @property
    def order(self) -> tuple[int, int]:
        """The key to sort by: the section's last day, then the order of rating."""
        return self.day, self.number

    @property
    def text(self) -> str:
        """The performance as `dump` writes it, cached because every later change writes it again."""
        if not self._text:
            self._text = f"{self.ends.isoformat()} {self.number} {self.kind} {plain(self.value)}"
        return self._text

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Performance) and self.text == other.text

    def __hash__(self) -> int:
        return hash(self.order)

    def __repr__(self) -> str:
        return f"Performance({self.text})"


class CsaStanding(NamedTuple):
    """All that the rules keep of a player in one of the twelve tracks.

    A named tuple, not a dataclass, because a re-rate makes millions of them, in a quarter of the time.
    """

    rating: Decimal | None = None
    """The official rating; None: the player is still collecting games."""
    pending: Decimal = ZERO
    """The points since the last list, which the next one adds (§67)."""
    games: int = 0
    """The number of played games counted in the track."""
    activity: int = 0
    """§53: the played games, allocated byes and forfeit wins (D-CSA-15)."""
    score: Decimal = ZERO
    """Points collected while unrated (D-CSA-8)."""
    opposition: Decimal = ZERO
    """The sum of the opponents' ratings collected while unrated."""
    performances: tuple[Performance, ...] = ()
    """The newest five qualified performances, newest first (D-CSA-11)."""

    @property
    def due(self) -> bool:
        """Whether a list would move the rating: there are pending points."""
        return bool(self[1])


def plain(value: Decimal) -> str:
    """A decimal as text without exponent or trailing zeros, so that equal values have equal text."""
    text = str(value)
    if "E" in text:
        text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def dump(standing: CsaStanding) -> str:
    """The text of a standing for storage: `rating;pending;games;activity;score;opposition;performance|…`."""
    rating, pending, games, activity, score, opposition, performances = standing
    newest = "|".join([performance.text for performance in performances])
    if rating is None:
        return f";;{games};{activity};{plain(score)};{plain(opposition)};{newest}"
    return f"{plain(rating)};{plain(pending)};{games};{activity};;;{newest}"


def load(track: str, text: str) -> CsaStanding:
    """The standing of a text that `dump` wrote; ValueError for any other."""
    rating, pending, games, activity, score, opposition, newest = text.split(";")
    return CsaStanding(
        rating=round_kept(Decimal(rating)) if rating else None,
        pending=round_kept(Decimal(pending or 0)),
        games=int(games),
        activity=int(activity),
        score=Decimal(score or 0),
        opposition=Decimal(opposition or 0),
        performances=tuple(Performance.read(part) for part in newest.split("|")) if newest else (),
    )
