"""Lists the changes of a player's rating, each with its source, as known now or at a line."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import NamedTuple

from django.db.models.functions import Coalesce

from players.register.models import Player
from ratings.results.models import Change, PastChange
from ratings.results.read_states import known


class ChangeOfFact(NamedTuple):
    """A player's change with what pages show of its fact, such as the section and its event."""

    order: int
    before: Decimal | None
    """The rating in force before."""
    after: Decimal | None
    points: Decimal | None
    games: int
    line: int
    """The number of the fact's line."""
    kind: str
    on: date | None
    """The day of the fact: of a section rated again, that of its first rating (D-2)."""
    code: str | None
    """The code of the section that was rated; None, as for the four below, where it was no section."""
    name: str | None
    ends: date | None
    event: str | None
    """The number of the section's event."""
    event_name: str | None
    text: str = ""
    """The fact's line as stored."""
    state: str = ""
    """The standing after it, if asked for."""

    @property
    def section(self) -> str:
        """The id of the section that was rated; empty if the change has another source."""
        return f"{self.event}/{self.code}" if self.event is not None else ""


FIRST_DAY = Coalesce("fact__first_rated__on", "fact__on")
COLUMNS = (
    "order",
    "before",
    "after",
    "points",
    "games",
    "fact__number",
    "fact__kind",
    FIRST_DAY,
    "fact__section__code",
    "fact__section__name",
    "fact__section__ends",
    "fact__section__event__number",
    "fact__section__event__name",
    "fact__line",
)


def moves_of(
    player: Player, track: str, line: int | None = None, *, before: int | None = None, states: bool = False
) -> list[ChangeOfFact]:
    """A player's changes in a track, newest first.

    `line`: as known by the lines up to it, None: by all; `before`: only those before a place in the order;
    `states`: with the standing after each.
    """
    columns = (*COLUMNS, "state") if states else COLUMNS
    found: list[ChangeOfFact] = []
    for rows in known(Change, PastChange, line):
        rows = rows.filter(player=player, track=track)
        rows = rows if before is None else rows.filter(order__lt=before)
        found += [ChangeOfFact(*row) for row in rows.values_list(*columns)]
    found.sort(key=lambda move: -move.order)
    return found
