"""Folds the facts of one step, with no lock held; the results wait to be written."""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from typing import Any, NamedTuple

from players.office import job_lease
from players.office.models import Federation
from players.register.models import Player
from ratings.journal.models import Fact, FactQuerySet
from ratings.law import facts
from ratings.law.facts import ListClosing, Needs, PlayerId, State
from ratings.law.journal import list_content
from ratings.law.rule_outputs import ListedPlayer
from ratings.lists.contents import DrawnRows, closing_of, drawn_up, noted_later, state_of_list
from ratings.lists.models import ListRow, RatingList
from ratings.results.models import Change
from ratings.results.read_states import standings_before, state_before
from ratings.storage.bulk_writing import Spool, escaped, rating_text

CHANGE_COLUMNS = (
    "fact_id",
    "player_id",
    "track",
    "order",
    "before",
    "after",
    "points",
    "games",
    "state",
    "since",
)


Frozen = Mapping[int, tuple[Decimal, str]]
"""Ratings on a list by the player's key, each with its text as written in its column."""


class FoldFailed(Exception):
    """Raised where the rules fail at a fact; the message names the fact for those who mend it."""


@dataclass(slots=True)
class DrawnList:
    """One track's list as the fold drew it up, before it is frozen."""

    fact: int
    """The key of the list's fact."""
    track: str
    closing: ListClosing
    edition: str
    rows: DrawnRows

    def content(self) -> bytes:
        """The canonical bytes, whose checksum is public: lines of `number,rating,games`, without names."""
        return list_content(self.rows)


def checksum(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


class StoredChange(NamedTuple):
    """A stored change, to be compared with what the fold gives for the same fact, player and track."""

    key: int
    before: Decimal | None
    after: Decimal | None
    points: Decimal | None
    games: int
    state: str


@dataclass
class Work:
    """The fold of one step: a state that advances from `start`, and the rows to write. It reads the database
    and never writes. Changes that are stored already and come out the same are left where they are.
    """

    federation: Federation
    start: int
    from_genesis: bool
    folded_to: int = 0
    """The line up to which everything in force was folded before this step."""
    since: int | None = None
    """The line from which new results count as known; None: each change from its own fact's."""
    changes: Spool = field(default_factory=lambda: Spool(Change, CHANGE_COLUMNS))
    touched: dict[facts.Key, int] = field(default_factory=dict)
    """The order of the newest change of each standing."""
    wides: list[tuple[int, str, int]] = field(default_factory=list)
    """Order, text and line of each federation-wide part."""
    stored: dict[tuple[int, int, str], StoredChange] = field(default_factory=dict)
    """The stored changes of the facts that are folded next, by fact, player and track."""
    superseded: array[int] = field(default_factory=lambda: array("q"))
    """Keys of changes that no longer hold."""
    lost: set[tuple[int, str]] = field(default_factory=set)
    """Player's key and track of those changes."""
    lists: list[DrawnList] = field(default_factory=list)
    folded: list[tuple[int, str]] = field(default_factory=list)
    """Facts by key, with the fingerprint with which they were folded."""
    anew: Mapping[str, Sequence[ListedPlayer]] = field(default_factory=dict)
    """The rows that a `revised` line publishes, by track."""
    frozen: dict[str, tuple[date, Frozen]] = field(default_factory=dict)
    """The list last frozen in each track: its day, and its ratings as written."""
    keys: dict[PlayerId, int] = field(default_factory=dict)

    many: bool = False
    """Whether so much is folded that everybody's standing is read at once."""

    def __post_init__(self) -> None:
        self.ruleset = self.federation.ruleset
        self.rating_text = rating_text()
        self.loaded: set[PlayerId] = set()
        self.everyone = self.due = self.from_genesis
        self.state: State[Any] = (
            State() if self.from_genesis else state_before(self.federation, self.start, frozenset())
        )
        if self.many:
            self._load(Needs.EVERYONE)

    def take(self, fact: facts.Fact, row: Fact, fingerprint: str) -> None:
        """Fold one fact into the state and note its changes; raises `FoldFailed` where the rules fail."""
        assert row.order is not None
        try:
            self._load(self.ruleset.rules_for(fact).needs(fact))
            wide = self.state.wide
            outcome = self.ruleset.apply(self.state, fact)
        except job_lease.DATABASE_TROUBLE:  # no failure of the rules
            raise
        except Exception as error:
            raise FoldFailed(
                f"line {row.number} of the journal ({row.kind} {row.subject}): {error!r}"
            ) from error
        self.state.absorb(outcome)
        since = self.since or row.number
        self._spool(outcome.changes, row.pk, row.order, since)
        if outcome.wide != wide:
            self.wides.append((row.order, self.ruleset.storage.dump_wide(outcome.wide), since))
        self.folded.append((row.pk, fingerprint))

    def expect(self, rows: Collection[Fact]) -> None:
        """Look up the stored changes of the facts to be folded next, if they were folded before."""
        self.settle()
        again = [row.pk for row in rows if row.number <= self.folded_to]
        if not again:
            return
        columns = ("fact_id", "player_id", "track", "pk", "before", "after", "points", "games", "state")
        for fact, player, track, *values in Change.objects.filter(fact__in=again).values_list(*columns):
            self.stored[fact, player, track] = StoredChange(*values)

    def folded_before(self) -> FactQuerySet:
        """The facts from the start on that were folded before this step."""
        facts_in_force = Fact.objects.filter(federation=self.federation).in_force(self.folded_to)
        return facts_in_force.filter(order__gte=self.start).order_by()

    def settle(self) -> None:
        """Mark as superseded the stored changes of facts just folded that the fold did not give again."""
        for (_fact, player, track), stored in self.stored.items():
            self.supersede(stored.key, player, track)
        self.stored.clear()

    def supersede(self, change: int, player: int, track: str) -> None:
        self.superseded.append(change)
        self.lost.add((player, track))

    def draw_up(self, fact: facts.Fact, row: Fact) -> None:
        """Draw up the lists that a closing publishes, one for every track with players on it."""
        closing = closing_of(fact)
        if closing is None:
            return
        if noted_later(self.federation, fact):
            state = state_of_list(self.federation, fact)
        else:
            self._load(Needs.EVERYONE)
            state = self.state
        edition = self.ruleset.edition_for(fact).name
        for track, rows in drawn_up(self.ruleset, fact, state).items():
            self.lists.append(DrawnList(row.pk, track, closing, edition, DrawnRows(rows)))

    def key_of(self, player: PlayerId) -> int:
        """The database's key of a player."""
        if player not in self.keys:
            numbers = Player.objects.filter(federation=self.federation)
            if len(self.keys) < 1000 and not self.everyone:
                self.keys[player] = numbers.get(number=player).pk
            else:
                self.keys.update(numbers.values_list("number", "pk"))
        return self.keys[player]

    def _load(self, needs: frozenset[PlayerId] | Needs) -> None:
        """Read the standings that a fact needs into the state, each once, as they stood before `start`."""
        if self.everyone or (needs is Needs.DUE and self.due):
            return
        if isinstance(needs, Needs):
            self._put(standings_before(self.federation, self.start, needs))
            self.due = True
            self.everyone = needs is Needs.EVERYONE
            return
        wanted = needs - self.loaded
        if wanted:
            numbers = Player.objects.filter(federation=self.federation, number__in=wanted)
            self.keys.update(numbers.values_list("number", "pk"))
            self._put(standings_before(self.federation, self.start, wanted))
            self.loaded |= wanted

    def _put(self, standings: Iterable[tuple[facts.Key, Any]]) -> None:
        known = self.state.standings
        for key, standing in standings:
            if key not in known:
                self.state.put(key, standing)

    def _spool(self, changes: Iterable[facts.Change[Any]], fact: int, order: int, since: int) -> None:
        add, dump, touched, key_of = self.changes.add, self.ruleset.storage.dump, self.touched, self.key_of
        text_of, stored = self.rating_text, self.stored
        fact_text, order_text, since_text = str(fact), str(order), str(since)
        for player, track, before, after, points in changes:
            touched[player, track] = order
            key, text = key_of(player), dump(after)
            was = before.rating if before else None
            if stored and (known := stored.pop((fact, key, track), None)):
                if known[1:] == (was, after.rating, points, after.games, text):
                    continue
                self.supersede(known.key, key, track)
            add(
                fact_text,
                str(key),
                track,
                order_text,
                text_of(was),
                text_of(after.rating),
                text_of(points),
                str(after.games),
                escaped(text),
                since_text,
            )

    def keys_of(self, rows: Iterable[ListedPlayer]) -> list[int]:
        """The database's keys of the players of a list's rows."""
        known, key_of = self.keys, self.key_of
        return [known.get(row.player) or key_of(row.player) for row in rows]

    def previous_ratings(self, rating_list: RatingList) -> Frozen:
        """Each player's rating on the list before this one."""
        on, frozen = self.frozen.get(rating_list.track, (None, {}))
        if on is not None and on < rating_list.on:
            return frozen
        same = RatingList.objects.filter(federation=self.federation, track=rating_list.track)
        before = same.filter(on__lt=rating_list.on).order_by("-on", "-revision").first()
        rows = ListRow.objects.filter(rating_list=before) if before else ListRow.objects.none()
        text_of = self.rating_text
        told = rows.values_list("player_id", "rating")
        return {player: (rating, text_of(rating)) for player, rating in told}

    def close(self) -> None:
        self.changes.close()
