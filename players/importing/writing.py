"""Writes an import in one transaction: the register's rows in bulk, and the journal's lines that follow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from players.importing.cell_values import RegisterResource, with_particulars, without_particulars
from players.importing.columns import kind_of
from players.importing.row_effects import PAGE
from players.office.models import Federation, Ledger
from players.register.folded_name_field import folded_words, name_order_of
from players.register.former_names import keep_former_names, name_before
from players.register.kept_names import rename
from players.register.models import (
    NAMES,
    BirthDate,
    Identifier,
    Player,
    insert_name_words,
    write_name_words,
)
from players.register.name_folding import fold
from players.register.player_numbers import take_numbers
from players.register.player_to_fact import player_fact
from ratings.journal.append import JournalWriter
from ratings.journal.models import Fact
from ratings.storage.bulk_writing import NULL, Spool, batches, escaped

STAYS = ("federation_id", "number", "withheld", "registered_on", "club", "deceased")
UPDATED = (
    *("surname", "first_name", "sex", "born", "nation", "resident", "included_by", "region_id", "title"),
    *("name_key", "first_name_key", "sort_key", "salt", "name_seal"),
)
PLAYERS = (*STAYS, *UPDATED)
"""Columns of a player: those that a table never changes, and those that it may."""
Changes = dict[str, tuple[str, str]]
"""Before and after by column, as the table writes them."""


@dataclass(frozen=True, slots=True)
class RegisterChange:
    """The change of one player; `player` None: a new one, with that number or the next free."""

    changes: Changes
    player: int | None = None
    number: str = ""
    line: int | None = None
    """The row of the dry run that is to get the new player's key and number."""


@dataclass(slots=True)
class RegisterWriter:
    """Writes to a register under the ledger's lock; every page of changes is a few statements."""

    federation: Federation
    ledger: Ledger
    on: date
    facts: int = 0
    """The number of lines added to the journal."""
    entered: list[tuple[int, str, int | None]] = field(default_factory=list)
    """New players: key, number, and the row of the dry run that brought them."""
    resource: RegisterResource = field(init=False)
    writer: JournalWriter = field(init=False)

    def __post_init__(self) -> None:
        self.resource = RegisterResource(self.federation, latest=self.on.year)
        self.writer = JournalWriter(self.federation, self.ledger)

    def write(
        self, changes: Iterator[RegisterChange], beat: Callable[[int], None] = lambda count: None
    ) -> None:
        """Write all changes to register and journal, page by page; `beat` gets the number written so far."""
        done = 0
        for page in batches(changes, PAGE):
            newcomers = [each for each in page if each.player is None]
            self._enter([each for each in newcomers if each.number])
            self._enter(
                [each for each in newcomers if not each.number]
            )  # last, so that no number is given twice
            self._change([each for each in page if each.player is not None])
            done += len(page)
            beat(done)

    def close(self) -> bool:
        """Ask for a recompute if the rules fold players' particulars; return whether to wake the worker."""
        wanted = bool(self.facts) and "player" in self.federation.ruleset.journal.folds
        if wanted:
            self.writer.ask_for_recompute()
        return wanted

    # ------------------------------------------------------------ new players

    def _enter(self, newcomers: Sequence[RegisterChange]) -> None:
        if not newcomers:
            return
        unnumbered = sum(not each.number for each in newcomers)
        following = iter(range(first := take_numbers(self.federation, unnumbered), first + unnumbered))
        players = []
        for each in newcomers:
            player = Player(federation=self.federation, registered_on=self.on)
            without_particulars(player)
            self._set(player, each.changes)
            player.number = each.number or str(next(following))
            players.append(player)
        self._insert(players)
        self.entered += [(p.pk, p.number, each.line) for p, each in zip(players, newcomers, strict=True)]
        self._write_births(players)
        self._write_ids(players, newcomers)

    def _insert(self, players: Sequence[Player]) -> None:
        """Insert new players and read back their keys."""
        with closing(Spool(Player, PLAYERS)) as spool:
            for player in players:
                spool.add(*_cells(player))
            spool.write()
        entered = Player.objects.of(self.federation).filter(number__in=[player.number for player in players])
        keys = dict(entered.order_by().values_list("number", "pk"))
        for player in players:
            player.pk = keys[player.number]
        insert_name_words(players)

    def _set(self, player: Player, changes: Changes) -> None:
        self.resource.learn(changes)
        for column, (_before, after) in changes.items():
            self.resource.fields[column].save(player, {column: after})
        birth: str = player.birth  # type: ignore[attr-defined]
        player.born = int(birth[:4]) if birth else None
        player.name_key = fold(player.surname)
        player.first_name_key = folded_words(player.first_name)
        player.federation = self.federation
        player.sort_key = name_order_of(player)
        if changes.keys() & NAMES:
            rename(player)

    # ------------------------------------------------------------ those who are there

    def _change(self, changes: Sequence[RegisterChange]) -> None:
        if not changes:
            return
        keys = [each.player for each in changes]
        found = Player.objects.of(self.federation).in_bulk(keys)
        players = [found[each.player] for each in changes if each.player is not None]
        with_particulars(players)
        earlier = [name_before(player) for player in players]
        for player, each in zip(players, changes, strict=True):
            self._set(player, each.changes)
        self._update(players)
        write_name_words(p for p, each in zip(players, changes, strict=True) if each.changes.keys() & NAMES)
        keep_former_names(earlier, players, until=self.on)
        born = [p for p, each in zip(players, changes, strict=True) if "birth" in each.changes]
        BirthDate.objects.filter(player__in=born).delete()
        self._write_births(born)
        self._write_ids(players, changes)
        self._write_facts(players)

    def _update(self, players: Sequence[Player]) -> None:
        with closing(Spool(Player, ("id", *PLAYERS))) as spool:
            for player in players:
                spool.add(str(player.pk), *_cells(player))
            spool.upsert(key=["id"], update=UPDATED)

    def _write_births(self, players: Sequence[Player]) -> None:
        births: dict[int, str] = {player.pk: player.birth for player in players}  # type: ignore[attr-defined]
        with closing(Spool(BirthDate, ("player_id", "day"))) as spool:
            for key, birth in births.items():
                if len(birth) == 10:
                    spool.add(str(key), birth)
            spool.write()

    def _write_ids(self, players: Sequence[Player], changes: Sequence[RegisterChange]) -> None:
        """Replace the ids that others gave players; of several of one kind, the one that the table showed."""
        office = str(self.federation.pk)
        old, new = [], []
        for player, each in zip(players, changes, strict=True):
            for column, (before, after) in each.changes.items():
                kind = kind_of(column)
                if kind and before:
                    old.append((player.pk, kind, before))
                if kind and after:
                    new.append((office, str(player.pk), escaped(kind), escaped(after)))
        if old:
            self._remove_ids(old)
        with closing(Spool(Identifier, ("federation_id", "player_id", "kind", "value"))) as spool:
            for row in new:
                spool.add(*row)
            spool.write()

    def _remove_ids(self, old: Sequence[tuple[int, str, str]]) -> None:
        wanted = set(old)
        held = Identifier.objects.filter(player__in=[key for key, _kind, _value in old])
        gone = [one.pk for one in held if (one.player_id, one.kind, one.value) in wanted]
        Identifier.objects.filter(pk__in=gone).delete()

    def _write_facts(self, players: Sequence[Player]) -> None:
        """Append a journal line for each of them who is in the journal already (D-6: for later ratings)."""
        numbers = [player.number for player in players]
        written = Fact.objects.about(self.federation, numbers, "player")
        subjects = set(written.values_list("subject", flat=True))
        regions = self.federation.regions.in_bulk()
        told = []
        for player in players:
            if player.number in subjects:
                player.federation = self.federation
                player.region = regions[player.region_id] if player.region_id else None
                told.append(player_fact(player))
        before = self.ledger.facts
        self.writer.write_players(told)
        self.facts += self.ledger.facts - before


def _cells(player: Player) -> list[str]:
    """A player's values for the columns `PLAYERS`, as text for a `Spool`."""
    return [_cell(getattr(player, column)) for column in PLAYERS]


def _cell(value: Any) -> str:
    if value is None:
        return NULL
    return str(int(value)) if isinstance(value, bool) else escaped(str(value))
