"""Rounds in which Swiss-Manager's pairings do not name a player: absent, or a bye that was asked for.

The file does not say which. The points decide if they leave one answer; otherwise a person is asked, and
nothing is guessed.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial

from tournaments.formats.common.reader_notes import Notes
from tournaments.formats.common.reading_result import ByeKind, Param, SheetBye, SheetPlayer
from tournaments.formats.swiss_manager.pairing_lines import SwissManagerGames
from tournaments.formats.swiss_manager.players import SwissManagerPlayers

NOUGHT, HALF, ONE = Decimal(0), Decimal("0.5"), Decimal(1)
_ADJUSTMENTS: Mapping[ByeKind | None, str] = {
    "zero": "sm-absent-zero",
    "half": "sm-absent-half",
    "full": "sm-absent-full",
    None: "sm-absent-unclear",
}
_NOTICES: Mapping[ByeKind, str] = {"half": "sm-bye-half", "full": "sm-bye-full"}
MANY = Decimal("0.5")
"""The share of players with points that do not fit, above which all points are of another round."""


@dataclass(frozen=True, slots=True)
class _Standing:
    row: SheetPlayer
    counted: Decimal
    absent: tuple[int, ...]
    """The rounds that do not name the player."""

    @property
    def over(self) -> Decimal:
        """The player's points in the file beyond those of the results."""
        return self.row.points - self.counted

    @property
    def misfits(self) -> bool:
        return self.over < 0 or self.over > len(self.absent)

    @property
    def kind(self) -> ByeKind | None:
        """The kind of bye in all rounds of the player's absence; None unless the points leave one answer."""
        each: dict[Decimal, ByeKind] = {ONE * len(self.absent): "full", NOUGHT: "zero"}
        if len(self.absent) == 1:
            each[HALF] = "half"
        return each.get(self.over)


def with_absences(
    players: SwissManagerPlayers, play: SwissManagerGames, notes: Notes
) -> Iterable[SheetPlayer]:
    """The rows with their points; adds a bye to `play` for each round that does not name a player."""
    standings = {n: _standing(row, play) for n, row in players.rows.items() if n not in play.unread}
    finish: Callable[[_Standing, SwissManagerGames, Notes], SheetPlayer] = partial(
        _with_points, players=players
    )
    strangers = [standing for standing in standings.values() if standing.misfits]
    if not players.has_points or not any(row.points for row in players.rows.values()):
        finish = _without_points
    elif len(strangers) > MANY * len(standings):
        notes.asks("sm-points-of-another-round", strangers[0].row.line, count=len(strangers))
        finish = _without_points
    return [finish(standings[n], play, notes) if n in standings else row for n, row in players.rows.items()]


def _standing(row: SheetPlayer, play: SwissManagerGames) -> _Standing:
    number = row.start_number
    rounds = range(1, play.last_round + 1)
    absent = tuple(round_ for round_ in rounds if (round_, number) not in play.seats)
    return _Standing(row, play.counted.get(number, NOUGHT), absent)


def _with_points(
    standing: _Standing, play: SwissManagerGames, notes: Notes, *, players: SwissManagerPlayers
) -> SheetPlayer:
    row, place = standing.row, players.cells[standing.row.start_number]["points"].place
    sums = {"filed": _points_text(row.points), "counted": _points_text(standing.counted)}
    if not standing.absent:
        if standing.misfits:
            notes.notice("points-differ", **place, number=row.start_number, **sums)
        return row
    kind = standing.kind
    told: dict[str, Param] = {"number": row.start_number, "rounds": _rounds(standing.absent), **sums}
    if kind is None:
        notes.asks("sm-absences-unclear", **place, **told)
    elif kind in _NOTICES:
        notes.notice(_NOTICES[kind], **place, **told)
    _add(standing, kind, play, notes)
    return row


def _without_points(standing: _Standing, play: SwissManagerGames, notes: Notes) -> SheetPlayer:
    """Give a player the points of the results, and ask a person for the kind of absences: the file has no
    points that would tell it.
    """
    row = standing.row
    if row.points != standing.counted:
        before = _points_text(row.points) if row.points else ""
        notes.adjusts("points-missing", row.line, before, _points_text(standing.counted))
    if standing.absent:
        notes.asks("sm-absences-open", row.line, number=row.start_number, rounds=_rounds(standing.absent))
        _add(standing, None, play, notes)
    return replace(row, points=standing.counted)


def _add(standing: _Standing, kind: ByeKind | None, play: SwissManagerGames, notes: Notes) -> None:
    """Add a bye for each round of absence; while the kind is open, one without points."""
    row, read_as, rounds = standing.row, kind or "zero", _rounds(standing.absent)
    play.byes += [SheetBye(round_, row.start_number, read_as, row.line) for round_ in standing.absent]
    notes.adjusts(_ADJUSTMENTS[kind], row.line, f"{rounds}: –", f"{rounds}: {read_as}")


def _rounds(rounds: Iterable[int]) -> str:
    return ", ".join(map(str, rounds))


def _points_text(points: Decimal) -> str:
    return f"{points:f}"
