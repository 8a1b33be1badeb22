"""§2 §5: the rating of a day, a replay's answers, and the coefficients that they rest on."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from decimal import ROUND_HALF_UP, Decimal

from ratings.rulesets.facts import State
from ratings.rulesets.mahjong.edition.weights import (
    ZERO,
    Scale,
    absence_coefficient,
    anniversary,
    quarters,
    rating,
    scale,
    time_coefficient,
)
from ratings.rulesets.mahjong.standing import Standing, Wide
from ratings.rulesets.reports import Answer, Row, Table, Value

COMPETITIONS_NEEDED = 2  # §2
SHOWN = Decimal("0.0001")  # D-RMF-8
NOTHING_WEIGHS = Scale({}, ZERO)


def answers(state: State[Standing], on: date) -> Iterator[Answer]:
    """§2: whoever has a place in the rating; listed from the second competition on (D-RMF-4).

    Exact for any day from the last admission on; of an earlier day, the state as it was then has to be asked.
    """
    of_day = scale(state.wide, on) if state.wide else NOTHING_WEIGHS
    for (player, track), standing in state.standings.items():
        if standing.included:
            value = rating(of_day, standing.played)
            listed = value is not None and standing.games >= COMPETITIONS_NEEDED
            yield Answer(player, track, "rated", value, standing.games, listed)


def rating_list(state: State[Standing], track: str, on: date) -> list[Row]:
    """The listed, best first; who shows the same rating shares the rank."""
    listed = [
        (answer.rating, answer.player, answer.games)
        for answer in answers(state, on)
        if answer.listed and answer.rating is not None and answer.track == track
    ]
    listed.sort(key=lambda row: (-row[0], row[1]))
    rows: list[Row] = []
    for number, (value, player, games) in enumerate(listed, start=1):
        level = bool(rows) and shown(rows[-1].rating) == shown(value)
        rows.append(Row(rows[-1].rank if level else number, player, value, games, "rated"))
    return rows


def shown(value: Decimal) -> Decimal:
    """A rating as people see it."""
    return value.quantize(SHOWN, ROUND_HALF_UP)


def tables(state: State[Standing], on: date) -> list[Table]:
    """§4 §5: the competitions that weigh something, with their coefficients and how long kB stays."""
    columns = ("competition", "ends", "players", "ka", "kb", "kc", "until")
    wide: Wide | None = state.wide
    rows: list[tuple[Value | tuple[Value, ...], ...]] = []
    for each in wide.competitions if wide else ():
        left = quarters(each.ends, on)
        if wide and left:
            kc = absence_coefficient(wide.of_year(each.ends.year))
            until = anniversary(each.ends, 5 - left)
            kb = time_coefficient(each.ends, on)
            rows.append((each.id, each.ends, each.players, each.weight, kb, kc, until))
    return [Table("coefficients", columns, tuple(rows), answered=False)]
