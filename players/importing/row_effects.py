"""Plans the effect of each row of a table on the register, a page of rows at a time. Nothing is written."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from types import MappingProxyType
from typing import Any, NamedTuple

from players.importing.cell_values import (
    CellUnreadable,
    RegisterResource,
    is_unknown_birth,
    may_be_one,
    with_particulars,
)
from players.importing.columns import WHOLE_NAME, kind_of
from players.importing.models import RegisterLine
from players.importing.openings import GAMES, RATING, OpeningReader, TakenOpening
from players.importing.problem_messages import RowProblem
from players.office.models import Federation
from players.register.models import Identifier, Player
from players.register.name_folding import fold
from ratings.storage.bulk_writing import batches

PAGE = 1_000
"""The number of rows that are looked up together."""
EMPTIES = "-"
"""A cell that removes a value from the register; an empty cell leaves it."""
NEW = "new"
"""A value in the column of numbers: a new player, even if somebody else has the name."""
LONGEST_NAME = 201
"""The most characters of surname and first name together, as the journal holds them."""
KEPT = frozenset({"number", "surname", "resident", WHOLE_NAME})
"""Columns that cannot be emptied."""
Kind = RegisterLine.Kind


class TableRow(NamedTuple):
    """A line of the file, its cells by column, and what the reader found wrong with them."""

    line: int
    cells: Mapping[str, str]
    problems: tuple[RowProblem, ...] = ()


@dataclass(frozen=True, slots=True)
class Planned:
    """The planned effect of one row, as the fields of a `RegisterLine`."""

    line: int
    kind: str
    player: Player | None = None
    number: str = ""
    name: str = ""
    changes: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    problems: Sequence[RowProblem] = ()
    opening: Mapping[str, Any] = field(default_factory=dict)

    @property
    def changes_json(self) -> str:
        return json.dumps(self.changes, ensure_ascii=False, separators=(",", ":"))

    @property
    def problems_json(self) -> str:
        told = [problem.as_dict() for problem in self.problems]
        return json.dumps(told, ensure_ascii=False, separators=(",", ":"))


NO_DEFAULTS: Mapping[str, str] = MappingProxyType({})


class Digest:
    """The digest of all planned rows: the same table and register give the same, any other another."""

    def __init__(self) -> None:
        self._sha256 = hashlib.sha256()

    def add(self, planned: Planned) -> None:
        told = (planned.line, planned.kind, planned.number, planned.changes_json, planned.problems_json)
        opening = (dict(planned.opening),) if planned.opening else ()
        self._sha256.update(repr((*told, *opening)).encode())

    def __str__(self) -> str:
        return self._sha256.hexdigest()


@dataclass(slots=True)
class _Parsed:
    line: int
    values: dict[str, str] = field(default_factory=dict)
    problems: list[RowProblem] = field(default_factory=list)
    insists: bool = False
    """Whether the row says “new”."""
    opening: dict[str, Any] = field(default_factory=dict)

    def fault(self, key: str, column: str = "", **params: Any) -> None:
        self.problems.append(RowProblem(key, column, params))

    @property
    def number(self) -> str:
        return self.values.get("number", "")

    @property
    def ids(self) -> dict[tuple[str, str], str]:
        """The ids in the row that others gave the player: (kind, value), and the column of each."""
        pairs = ((kind_of(column), column, value) for column, value in self.values.items())
        return {(kind, value): column for kind, column, value in pairs if kind and value}

    @property
    def name(self) -> str:
        return ", ".join(filter(None, (self.values.get("surname", ""), self.values.get("first_name", ""))))

    @property
    def name_key(self) -> tuple[str, str]:
        return fold(self.values.get("surname", "")), fold(self.values.get("first_name", ""))


class _Alike(NamedTuple):
    number: str
    birth: str


@dataclass(frozen=True, slots=True)
class _Known:
    """The players of the register whom a page of rows may mean, looked up together."""

    by_number: Mapping[str, Player]
    by_id: Mapping[tuple[str, str], Player]
    alike: Mapping[tuple[str, str], Sequence[_Alike]]
    """Players by folded surname and first name."""


class Planner:
    """Plans the effect of each row of a table on a register, in one pass; `latest`: last year of birth.
    `defaults`: by column, the text for players of whom neither row nor register has a value; `known_only`:
    rows of players whom the register does not have are left out; `openings`: reads opening ratings, and lets
    a name find a player whom nothing else names.
    """

    def __init__(
        self,
        federation: Federation,
        *,
        takes_numbers: bool,
        latest: int,
        defaults: Mapping[str, str] = NO_DEFAULTS,
        known_only: bool = False,
        openings: OpeningReader | None = None,
    ) -> None:
        self.openings = openings
        self.federation, self.takes_numbers, self.known_only = federation, takes_numbers, known_only
        self.left_out = 0
        """The rows left out so far, of players whom the register does not have."""
        self.resource = RegisterResource(federation, latest=latest)
        self.defaults = {name: self.resource.read(name, text) for name, text in defaults.items()}
        self._players: dict[int, int] = {}
        self._newcomers: dict[tuple[str, ...], int] = {}
        self._ids: dict[tuple[str, str], int] = {}
        # Each with the line that was first to name it.

    def plan(self, rows: Iterable[TableRow]) -> Iterator[Planned]:
        for page in batches(rows, PAGE):
            parsed = [self._parse(row) for row in page]
            known = self._look_up(parsed)
            for each in parsed:
                player = self._by_number(each, known) if each.number else self._by_id(each, known)
                if player is None and self.openings and not each.number:
                    player = self._by_name(each, known)
                if player is None and self.known_only:
                    self.left_out += 1
                else:
                    yield self._settle(each, player, known)

    # ------------------------------------------------------------ one row by itself

    def _parse(self, row: TableRow) -> _Parsed:
        self.resource.learn(row.cells)
        parsed = _Parsed(row.line, problems=list(row.problems))
        spoilt = {problem.column for problem in row.problems}
        for column, text in row.cells.items():
            if self.openings and column in (RATING, GAMES):
                parsed.opening[column] = text
            elif text and column not in spoilt:
                self._take(parsed, column, text)
        return parsed

    def _take(self, parsed: _Parsed, column: str, text: str) -> None:
        if text == EMPTIES:
            if column in KEPT:
                parsed.fault("cannot-be-emptied", column)
            else:
                parsed.values[column] = ""
        elif column == "number" and text.casefold() == NEW:
            parsed.insists = True
        elif column == WHOLE_NAME:
            surname, _comma, first_name = text.partition(",")
            for part, words in (("surname", surname.strip()), ("first_name", first_name.strip())):
                if words:
                    self._take(parsed, part, words)
        elif not _says_nothing(column, text):
            try:
                parsed.values[column] = self.resource.read(column, text)
            except CellUnreadable as unreadable:
                parsed.fault(unreadable.key, column, **unreadable.params)

    # ------------------------------------------------------------ whom it names

    def _look_up(self, parsed: Sequence[_Parsed]) -> _Known:
        register = Player.objects.of(self.federation).select_related("merged_into").order_by()
        numbers = {each.number for each in parsed if each.number}
        by_number = {player.number: player for player in register.filter(number__in=numbers)}
        by_key = {player.pk: player for player in by_number.values()}
        owners = self._owners(parsed)
        missing = set(owners.values()) - set(by_key)
        by_key |= {player.pk: player for player in register.filter(pk__in=missing)}
        with_particulars(list(by_key.values()))
        alike = self._alike(parsed)
        if self.openings:
            by_number |= self._namesakes(alike)
        return _Known(by_number, {key: by_key[owner] for key, owner in owners.items()}, alike)

    def _namesakes(self, alike: Mapping[tuple[str, str], Sequence[_Alike]]) -> dict[str, Player]:
        numbers = [each.number for several in alike.values() for each in several]
        players = list(
            Player.objects.of(self.federation).select_related("merged_into").filter(number__in=numbers)
        )
        with_particulars(players)
        return {player.number: player for player in players}

    def _owners(self, parsed: Sequence[_Parsed]) -> dict[tuple[str, str], int]:
        """The keys of the players in the register who have these rows' ids, by (kind, value)."""
        values: dict[str, set[str]] = defaultdict(set)
        for each in parsed:
            for kind, value in each.ids:
                values[kind].add(value)
        found: dict[tuple[str, str], int] = {}
        for kind, wanted in values.items():
            held = Identifier.objects.filter(federation=self.federation, kind=kind, value__in=wanted)
            found |= {(kind, value): owner for value, owner in held.values_list("value", "player_id")}
        return found

    def _alike(self, parsed: Sequence[_Parsed]) -> dict[tuple[str, str], list[_Alike]]:
        """The register's players who may be meant by rows without number: those of their surnames, by folded
        (surname, first name).
        """
        keys = {each.name_key[0] for each in parsed if each.name and not each.number and not each.insists}
        found: dict[tuple[str, str], list[_Alike]] = defaultdict(list)
        if keys:
            same = Player.objects.of(self.federation).current().filter(name_key__in=keys).order_by()
            columns = ("name_key", "first_name", "number", "born", "birth_date__day")
            told: Iterable[tuple[str, str, str, int | None, date | None]] = same.values_list(*columns)
            for surname, first_name, number, born, day in told:
                birth = day.isoformat() if day else str(born or "")
                found[surname, fold(first_name)].append(_Alike(number, birth))
        return found

    def _settle(self, parsed: _Parsed, player: Player | None, known: _Known) -> Planned:
        self._default(parsed, player)
        self._check_ids(parsed, player, known)
        _check_name(parsed, player)
        if player:
            self._check_player(parsed, player)
        elif not parsed.problems:
            self._check_newcomer(parsed, known)
        opening = self._opening(parsed, player)
        number = player.number if player else parsed.number
        name = player.name if player else parsed.name
        if parsed.problems:
            return Planned(
                parsed.line, Kind.PROBLEM, player, number[:30], name[:201], problems=parsed.problems
            )
        self._note(parsed, player)
        if player is None:
            return Planned(parsed.line, Kind.NEW, None, number, name, _of_newcomer(parsed), opening=opening)
        changes = self._changes(parsed, player, known)
        kind = Kind.CHANGED if changes or opening else Kind.UNCHANGED
        return Planned(parsed.line, kind, player, number, name, changes, opening=opening)

    def _opening(self, parsed: _Parsed, player: Player | None) -> dict[str, Any]:
        """The opening that a row brings, for its line; empty: none, or there is something wrong with it."""
        if self.openings is None:
            return {}
        number = player.number if player else parsed.number
        taken = self.openings.of(parsed.opening, number)
        if isinstance(taken, RowProblem):
            parsed.problems.append(taken)
        if parsed.problems or not isinstance(taken, TakenOpening):
            return {}
        self.openings.note(parsed.line, number, player.name if player else parsed.name, taken)
        by = {"by": "name"} if player and not parsed.number and not parsed.ids else {}
        return {**taken._asdict(), **by}

    def _default(self, parsed: _Parsed, player: Player | None) -> None:
        """Give the row what was said for all, where neither it nor the register has a value."""
        for column, value in self.defaults.items():
            if column not in parsed.values and not (player and self.resource.of(player, column)):
                parsed.values[column] = value

    def _by_number(self, parsed: _Parsed, known: _Known) -> Player | None:
        player = known.by_number.get(parsed.number)
        if player is None and not self.takes_numbers:
            parsed.fault("number-unknown", "number", number=parsed.number)
        if player and player.merged_into:
            other = player.merged_into.number
            parsed.fault("number-merged", "number", number=player.number, other=other)
        return player

    def _by_id(self, parsed: _Parsed, known: _Known) -> Player | None:
        if parsed.insists:
            return None
        return next((known.by_id[key] for key in parsed.ids if key in known.by_id), None)

    def _by_name(self, parsed: _Parsed, known: _Known) -> Player | None:
        """The one player who has just this name, and a birth that may be the same; several are a problem."""
        birth = parsed.values.get("birth", "")
        alike = known.alike.get(parsed.name_key, ()) if not parsed.insists else ()
        same = [other.number for other in alike if may_be_one(birth, other.birth)]
        if len(same) > 1:
            parsed.fault("several-alike", "number", others=", ".join(sorted(same)[:5]))
        return known.by_number.get(same[0]) if len(same) == 1 else None

    def _check_ids(self, parsed: _Parsed, player: Player | None, known: _Known) -> None:
        for key, column in parsed.ids.items():
            owner = known.by_id.get(key)
            if owner and (player is None or owner.pk != player.pk):
                parsed.fault("id-of-another", column, value=key[1], other=owner.number)
            elif key in self._ids:
                parsed.fault("id-twice", column, first=self._ids[key])

    def _check_player(self, parsed: _Parsed, player: Player) -> None:
        if player.pk in self._players:
            parsed.fault("twice", first=self._players[player.pk])
        surname, birth = parsed.values.get("surname"), parsed.values.get("birth")
        known = self.resource.of(player, "birth")
        if surname and birth and known and fold(surname) != player.name_key and birth[:4] != known[:4]:
            parsed.fault("somebody-else", "number", number=player.number, name=player.name, birth=known[:4])

    def _check_newcomer(self, parsed: _Parsed, known: _Known) -> None:
        if not parsed.values.get("surname"):
            parsed.fault("surname-missing", "surname")
        elif parsed.insists:
            return
        elif (key := _newcomer(parsed)) in self._newcomers:
            parsed.fault("twice", first=self._newcomers[key])
        elif not parsed.number:
            birth = parsed.values.get("birth", "")
            for other in known.alike.get(parsed.name_key, ()):
                if may_be_one(birth, other.birth):
                    parsed.fault("alike", "number", other=other.number)
                    return

    def _note(self, parsed: _Parsed, player: Player | None) -> None:
        """Remember the player whom this row names: a later row that names the same one has a problem."""
        self._ids |= dict.fromkeys(parsed.ids, parsed.line)
        if player:
            self._players[player.pk] = parsed.line
        else:
            self._newcomers[_newcomer(parsed)] = parsed.line

    # ------------------------------------------------------------ what it would change

    def _changes(self, parsed: _Parsed, player: Player, known: _Known) -> dict[str, tuple[str, str]]:
        changes = {}
        held = {column for key, column in parsed.ids.items() if key in known.by_id}
        for column, after in parsed.values.items():
            before = self.resource.of(player, column)
            if (
                column in held
                or before == after
                or (column == "birth" and after and before.startswith(after))
            ):
                continue  # one of several ids, or a year whose day is known
            changes[column] = (before, after)
        return changes


def _says_nothing(column: str, text: str) -> bool:
    """Whether a cell is filled as programs fill what they do not know: `0000` for a birth, `0` for an id."""
    return is_unknown_birth(text) if column == "birth" else bool(kind_of(column)) and not text.strip("0")


def _check_name(parsed: _Parsed, player: Player | None) -> None:
    surname = parsed.values.get("surname") or (player.surname if player else "")
    first_name = parsed.values.get("first_name", player.first_name if player else "")
    if len(surname) + len(", ") + len(first_name) > LONGEST_NAME:
        parsed.fault("name-too-long", "first_name", most=LONGEST_NAME)


def _newcomer(parsed: _Parsed) -> tuple[str, ...]:
    return (parsed.number,) if parsed.number else (*parsed.name_key, parsed.values.get("birth", ""))


def _of_newcomer(parsed: _Parsed) -> dict[str, tuple[str, str]]:
    return {column: ("", after) for column, after in parsed.values.items() if after and column != "number"}
