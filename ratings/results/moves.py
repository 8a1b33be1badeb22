"""What moved a player's rating, with what brought each move: as it is known now, or was at a line."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import NamedTuple

from players.register.models import Player
from ratings.results.models import Change, PastChange
from ratings.results.standings import known


class Move(NamedTuple):
    """A change, with as much as a page says of its fact."""

    order: int
    before: Decimal | None
    """The rating in force before."""
    after: Decimal | None
    points: Decimal | None
    games: int
    line: int
    """The number of its fact's line."""
    kind: str
    on: date | None
    code: str | None
    """Of the section that was rated; None, as all below: none was."""
    name: str | None
    ends: date | None
    event: str | None
    """The number of the section's event."""
    event_name: str | None
    state: str = ""
    """The standing after it, where it was asked for."""

    @property
    def section(self) -> str:
        """The section's id, empty where there is none."""
        return f"{self.event}/{self.code}" if self.event is not None else ""


COLUMNS = (
    "order",
    "before",
    "after",
    "points",
    "games",
    "fact__number",
    "fact__kind",
    "fact__on",
    "fact__section__code",
    "fact__section__name",
    "fact__section__ends",
    "fact__section__event__number",
    "fact__section__event__name",
)


def moves_of(
    player: Player, track: str, line: int | None = None, *, before: int | None = None, states: bool = False
) -> list[Move]:
    """Newest first. `line`: as known by the lines up to it, None: by all; `before`: up to a place in the
    order.
    """
    columns = (*COLUMNS, "state") if states else COLUMNS
    found: list[Move] = []
    for rows in known(Change, PastChange, line):
        rows = rows.filter(player=player, track=track)
        rows = rows if before is None else rows.filter(order__lt=before)
        found += [Move(*row) for row in rows.values_list(*columns)]
    found.sort(key=lambda move: -move.order)
    return found
