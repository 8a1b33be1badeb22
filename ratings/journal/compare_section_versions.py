"""Compares two versions of a section in the journal: particulars, people, games."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ratings.law.facts import Game, PlayerId, Section, TimeControl


class FileChange(NamedTuple):
    """A difference between two versions of a section; `before` or `after` is empty if there was nothing."""

    what: str
    """`entry`, `place`, `game`, `bye`, or the name of a particular (`starts`, `rounds` …)."""
    players: tuple[PlayerId, ...]
    round: int | None
    before: str
    after: str


PARTICULARS = (
    "event",
    "name",
    "starts",
    "ends",
    "country",
    "format",
    "rounds",
    "team",
    "platform",
    "time_class",
    "category",
    "status",
    "season",
    "coefficient",
)
"""Particulars that a page shows. Ratings, pre-ratings and titles in a file are personal, and stay out."""


def file_changes(before: Section, after: Section) -> list[FileChange]:
    """Every difference that the public may see: particulars, people, games by round, byes and places."""
    return [
        *_particulars(before, after),
        *_entries(before, after),
        *_games(before.games, after.games),
        *_byes(before, after),
        *_places(before, after),
    ]


def _particulars(before: Section, after: Section) -> Iterator[FileChange]:
    for name in PARTICULARS:
        old, new = getattr(before, name), getattr(after, name)
        if old != new:
            yield FileChange(name, (), None, _text(old), _text(new))
    old_times, new_times = _times(before.time_controls), _times(after.time_controls)
    if old_times != new_times:
        yield FileChange("time_controls", (), None, old_times, new_times)


def _text(value: object) -> str:
    return "" if value is None else str(value)


def _times(controls: Sequence[TimeControl]) -> str:
    """Time controls in short: `90 + 30` are the minutes of a period and the seconds a move."""
    return "; ".join(
        f"{'/'.join(str(part) for part in each.minutes)} + {each.increment}" for each in controls
    )


def _entries(before: Section, after: Section) -> Iterator[FileChange]:
    old, new = ({entry.player: entry for entry in section.entries} for section in (before, after))
    for player in sorted(old.keys() | new.keys()):
        one, other = old.get(player), new.get(player)
        if one is None or other is None:
            yield FileChange("entry", (player,), None, "1" if one else "", "1" if other else "")


def _places(before: Section, after: Section) -> Iterator[FileChange]:
    old, new = ({entry.player: entry.place for entry in section.entries} for section in (before, after))
    for player in sorted(old.keys() & new.keys()):
        if old[player] != new[player]:
            yield FileChange("place", (player,), None, _text(old[player]), _text(new[player]))


def _games(before: Sequence[Game], after: Sequence[Game]) -> Iterator[FileChange]:
    """The games that differ; several of the same two players in one round are compared in their order."""
    old, new = _by_pairing(before), _by_pairing(after)
    for key in sorted(old.keys() | new.keys()):
        ones, others = old.get(key, []), new.get(key, [])
        for number in range(max(len(ones), len(others))):
            one = ones[number] if number < len(ones) else None
            other = others[number] if number < len(others) else None
            if one is None or other is None or _outcome(one) != _outcome(other):
                game = other or one
                assert game is not None
                players = (game.first, game.second)
                yield FileChange(
                    "game", players, game.round, _result_of(one, players), _result_of(other, players)
                )


Pairing = tuple[int, tuple[PlayerId, ...]]


def _by_pairing(games: Sequence[Game]) -> dict[Pairing, list[Game]]:
    found: dict[Pairing, list[Game]] = defaultdict(list)
    for game in games:
        found[game.round, tuple(sorted((game.first, game.second)))].append(game)
    return found


def _outcome(game: Game) -> tuple[str, str, str]:
    return game.first, game.second, game.result


def _result_of(game: Game | None, players: tuple[PlayerId, ...]) -> str:
    """The result of a game, marked if the sides were exchanged; empty if there is no game."""
    if game is None:
        return ""
    return game.result if (game.first, game.second) == players else f"{game.result} ⇄"


def _byes(before: Section, after: Section) -> Iterator[FileChange]:
    old, new = ({(bye.round, bye.player): bye.kind for bye in section.byes} for section in (before, after))
    for key in sorted(old.keys() | new.keys()):
        if old.get(key) != new.get(key):
            round_, player = key
            yield FileChange("bye", (player,), round_, old.get(key) or "", new.get(key) or "")
