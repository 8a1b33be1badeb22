"""The pairings of one round of a rated section: who met whom, with what result, and who had no opponent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from ratings.law.facts import ANNULLED, PLAYED
from ratings.public.events.cross_tables import CrossTable, EntrantRow
from ratings.public.events.round_cells import bye_cell, mark_of
from tournaments.filing.section_files import FiledGame


@dataclass(frozen=True, slots=True)
class Pairing:
    """One game, the first mover first."""

    first: EntrantRow
    second: EntrantRow
    result: str
    """The result with both sides' marks: `1–0`."""
    url: str
    """The form that reports a mistake in it."""
    words: str


@dataclass(frozen=True, slots=True)
class PlayedRound:
    number: int
    name: str
    """The number again, or the name of a final."""
    day: date | None
    """The day of the round, where it is known."""
    pairings: list[Pairing]
    idle: list[tuple[EntrantRow, str]]
    """The rows of entrants without an opponent, each with the kind of bye in words."""


def played_round(table: CrossTable, number: int) -> PlayedRound:
    """Collect one round of a section from its cross table, in the order of play."""
    rows = {entry.pk: row for entry, row in zip(table.entries, table.rows, strict=True)}
    played = sorted((game for game in table.games if game.round == number), key=lambda game: game.order)
    idle = sorted(
        (bye for bye in table.byes if bye.round == number), key=lambda bye: table.number[bye.entry_id]
    )
    return PlayedRound(
        number=number,
        name=table.section.name_of_round(number),
        day=day_of_round(table.section.round_dates, number),
        pairings=list(_pairings(table, rows, played)),
        idle=[(rows[bye.entry_id], bye_cell(bye, table.notation).words) for bye in idle],
    )


def day_of_round(days: list[str | None], number: int) -> date | None:
    """The day of a round, from a section's ISO days; None where the office does not know it."""
    text = days[number - 1] if number <= len(days) else None
    return date.fromisoformat(text) if text else None


def _pairings(table: CrossTable, rows: dict[int, EntrantRow], played: list[FiledGame]) -> Iterator[Pairing]:
    for game in played:
        marks = [mark_of(game.result, side, table.notation)[0] for side in (0, 1)]
        cell, _other = table.played(game)
        between = "–" if game.result in PLAYED else ":"
        result = marks[0] if game.result == ANNULLED else between.join(marks)
        yield Pairing(rows[game.first_id], rows[game.second_id], result, cell.url, cell.words)
