"""The one transaction of an import: the register's rows in bulk, and the journal's lines that follow."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date

from players.journal import player_fact
from players.models import BirthDate, Federation, Identifier, Ledger, Player
from players.names import fold
from players.numbers import take_numbers
from ratings.bulk import batches
from ratings.models import Fact
from ratings.pen import Pen
from ratings.register.columns import kind_of
from ratings.register.plan import PAGE
from ratings.register.resource import RegisterResource, with_particulars, without_particulars

UPDATED = (
    *("surname", "first_name", "sex", "born", "nation", "resident", "included_by", "region", "title"),
    "name_key",
)
Changes = dict[str, tuple[str, str]]
"""By column: before and after, as the table writes them."""


@dataclass(frozen=True, slots=True)
class Change:
    """What is to be written of one player; `player` None: a new one, with that number or the next free."""

    changes: Changes
    player: int | None = None
    number: str = ""


@dataclass(slots=True)
class Register:
    """Writes to a register under the ledger's lock; every page of changes is a few statements."""

    federation: Federation
    ledger: Ledger
    on: date
    facts: int = 0
    """Lines that were added to the journal."""
    resource: RegisterResource = field(init=False)
    pen: Pen = field(init=False)

    def __post_init__(self) -> None:
        self.resource = RegisterResource(self.federation, latest=self.on.year)
        self.pen = Pen(self.federation, self.ledger)

    def write(self, changes: Iterator[Change], beat: Callable[[int], None] = lambda count: None) -> None:
        """All of them, page by page; `beat` is told how many are done."""
        done = 0
        for page in batches(changes, PAGE):
            newcomers = [each for each in page if each.player is None]
            self._enter([each for each in newcomers if each.number])
            self._enter(
                [each for each in newcomers if not each.number]
            )  # whom no number of those may be given
            self._change([each for each in page if each.player is not None])
            done += len(page)
            beat(done)

    def close(self) -> bool:
        """Ask for a recompute where the rules fold particulars; says whether the worker is to be woken."""
        wanted = bool(self.facts) and "player" in self.federation.ruleset.folds
        if wanted:
            self.pen.want()
        return wanted

    # ------------------------------------------------------------ new players

    def _enter(self, newcomers: Sequence[Change]) -> None:
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
        Player.objects.bulk_create(players, batch_size=PAGE)
        self._write_births(players)
        self._write_ids(players, newcomers)

    def _set(self, player: Player, changes: Changes) -> None:
        for column, (_before, after) in changes.items():
            self.resource.fields[column].save(player, {column: after})
        birth: str = player.birth  # type: ignore[attr-defined]
        player.born = int(birth[:4]) if birth else None
        player.name_key = fold(player.surname)

    # ------------------------------------------------------------ those who are there

    def _change(self, changes: Sequence[Change]) -> None:
        if not changes:
            return
        keys = [each.player for each in changes]
        found = Player.objects.of(self.federation).in_bulk(keys)
        players = [found[each.player] for each in changes if each.player is not None]
        with_particulars(players)
        for player, each in zip(players, changes, strict=True):
            self._set(player, each.changes)
        Player.objects.bulk_create(
            players,
            update_conflicts=True,
            unique_fields=["federation", "number"],
            update_fields=UPDATED,
            batch_size=PAGE,
        )
        born = [p for p, each in zip(players, changes, strict=True) if "birth" in each.changes]
        BirthDate.objects.filter(player__in=born).delete()
        self._write_births(born)
        self._write_ids(players, changes)
        self._write_facts(players)

    def _write_births(self, players: Sequence[Player]) -> None:
        births: dict[int, str] = {player.pk: player.birth for player in players}  # type: ignore[attr-defined]
        BirthDate.objects.bulk_create(
            BirthDate(player_id=key, day=date.fromisoformat(birth))
            for key, birth in births.items()
            if len(birth) == 10
        )

    def _write_ids(self, players: Sequence[Player], changes: Sequence[Change]) -> None:
        """Of several ids of one kind the one that the table saw is replaced."""
        old, new = [], []
        for player, each in zip(players, changes, strict=True):
            for column, (before, after) in each.changes.items():
                kind = kind_of(column)
                if kind and before:
                    old.append((player.pk, kind, before))
                if kind and after:
                    new.append(Identifier(federation=self.federation, player=player, kind=kind, value=after))
        if old:
            self._remove_ids(old)
        Identifier.objects.bulk_create(new, batch_size=PAGE)

    def _remove_ids(self, old: Sequence[tuple[int, str, str]]) -> None:
        wanted = set(old)
        held = Identifier.objects.filter(player__in=[key for key, _kind, _value in old])
        gone = [one.pk for one in held if (one.player_id, one.kind, one.value) in wanted]
        Identifier.objects.filter(pk__in=gone).delete()

    def _write_facts(self, players: Sequence[Player]) -> None:
        """Who stands in the journal already gets a new line at once (D-6: for later ratings)."""
        numbers = [player.number for player in players]
        written = Fact.objects.filter(federation=self.federation, kind="player", subject__in=numbers)
        subjects = set(written.order_by().values_list("subject", flat=True))
        regions = self.federation.regions.in_bulk()
        told = []
        for player in players:
            if player.number in subjects:
                player.federation = self.federation
                player.region = regions[player.region_id] if player.region_id else None
                told.append(player_fact(player))
        before = self.ledger.facts
        self.pen.write_players(told)
        self.facts += self.ledger.facts - before
