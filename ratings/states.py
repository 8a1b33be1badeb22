"""The state of the fold as the database holds it: standings before any place in the order, and the folded
facts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import Max

from players.models import Federation, Player
from ratings.bulk import batches
from ratings.models import Change, Fact, Standing, Wide
from ratings.rulesets import facts, journal
from ratings.rulesets.facts import PlayerId, State
from ratings.rulesets.ruleset import Ruleset

_AT_ONCE = 500
AFTER_EVERYTHING = 2**63 - 1
"""A place in the order behind every fact's: order keys have 63 bits, and no day fills them up."""


def aliases(federation: Federation) -> dict[PlayerId, PlayerId]:
    """Merged register entries: the number that the journal wrote, and the one it is read as."""
    merged = Player.objects.filter(federation=federation, merged_into__isnull=False)
    return dict(merged.order_by().values_list("number", "merged_into__number"))


def folded_fact(fact: Fact, names: Mapping[PlayerId, PlayerId] | None = None) -> facts.Fact:
    """A row of the journal as the fold takes it: a `rated` line with its section and its players'
    particulars.
    """
    names = aliases(fact.federation) if names is None else names
    ruleset = fact.federation.ruleset
    spoken = journal.parse_line(fact.line, ruleset)
    if not isinstance(spoken, facts.Rated):
        return journal.placed(fact.number, spoken, names)
    if fact.takes is None:
        raise LookupError(f"line {fact.number}: a rated line without its section")
    section = journal.parse_line(fact.takes.line, ruleset)
    players = _entrants(fact, names)
    return journal.rated_section(fact.number, spoken.on, section, players, names)  # type: ignore[arg-type]


def _entrants(fact: Fact, names: Mapping[PlayerId, PlayerId]) -> dict[PlayerId, facts.Player]:
    """The particulars with which a `rated` line was written; of who was merged since, the last line of either
    that stands above it.
    """
    ruleset = fact.federation.ruleset
    lines = fact.particulars.splitlines()
    if names:
        above = Fact.objects.filter(federation=fact.federation, kind="player", number__lt=fact.number)
        entrants = {journal.root(names, _player(line, ruleset).id) for line in lines}
        read_as = [number for number in names if journal.root(names, number) in entrants]
        people = {*read_as, *(journal.root(names, number) for number in read_as)}
        if people:
            lines += above.filter(subject__in=people).order_by("number").values_list("line", flat=True)
    players = (_player(line, ruleset) for line in lines)
    return {journal.root(names, player.id): player for player in players}


@lru_cache(maxsize=50_000)
def _player(line: str, ruleset: Ruleset) -> facts.Player:
    """A player's line is read once, not with every section that the player enters."""
    player = journal.parse_line(line, ruleset)
    if not isinstance(player, facts.Player):
        raise TypeError("a line of particulars speaks of a player")
    return player


def state_before(
    federation: Federation,
    order: int,
    players: Collection[PlayerId] | facts.Needs = facts.Needs.EVERYONE,
) -> State[Any]:
    """The standings before the fact at `order`, of these players in all their tracks, with the federation-
    wide part.
    """
    state: State[Any] = State()
    for key, standing in standings_before(federation, order, players):
        state.put(key, standing)
    state.wide = newest_wide(federation, order)
    return state


def newest_wide(federation: Federation, before: int) -> Any:
    """The federation-wide part of the state before a place in the order; None where there is none."""
    wide = Wide.objects.filter(federation=federation, order__lt=before).order_by("-order").first()
    return federation.ruleset.load_wide(wide.state) if wide else None


def standings_before(
    federation: Federation, order: int, players: Collection[PlayerId] | facts.Needs
) -> Iterator[tuple[facts.Key, Any]]:
    """Each player's last stored standing before `order`, track by track."""
    load = federation.ruleset.load
    for number, track, text in _texts_before(federation, order, players):
        yield (number, track), load(track, text)


def history_before(federation: Federation, order: int, players: Collection[int]) -> Iterator[HistoryRow]:
    """The last change before `order` of each of these players (by their keys in the database), track by
    track.
    """
    for some in batches(sorted(players), _AT_ONCE):
        yield from _history(f"change.player_id IN ({', '.join(['%s'] * len(some))})", list(some), order)


def newest_order(federation: Federation) -> int:
    """The place of the newest fact that is folded, or -1."""
    newest = Fact.objects.filter(federation=federation, order__isnull=False).exclude(folded="")
    found: int | None = newest.aggregate(newest=Max("order"))["newest"]
    return -1 if found is None else found


def _texts_before(
    federation: Federation, order: int, players: Collection[PlayerId] | facts.Needs
) -> Iterable[tuple[PlayerId, str, str]]:
    if newest_order(federation) < order:
        return _newest_texts(federation, players)
    if isinstance(players, facts.Needs):
        keys = dict(Player.objects.filter(federation=federation).values_list("pk", "number"))
        everyone = _history("player.federation_id = %s", [federation.pk], order)
        return ((keys[row.player], row.track, row.state) for row in everyone)
    numbers = Player.objects.filter(federation=federation, number__in=list(players))
    keys = dict(numbers.values_list("pk", "number"))
    return ((keys[row.player], row.track, row.state) for row in history_before(federation, order, keys))


def _newest_texts(
    federation: Federation, players: Collection[PlayerId] | facts.Needs
) -> Iterator[tuple[PlayerId, str, str]]:
    rows = Standing.objects.filter(federation=federation)
    if players is facts.Needs.DUE:
        rows = rows.filter(due=True)
    if isinstance(players, facts.Needs):
        yield from rows.values_list("player__number", "track", "state").iterator(_AT_ONCE * 10)
        return
    for some in batches(sorted(players), _AT_ONCE):
        keys = dict(Player.objects.filter(federation=federation, number__in=some).values_list("pk", "number"))
        # By player alone: told the federation too, SQLite would walk through all of its standings.
        theirs = Standing.objects.filter(player_id__in=keys)
        for pk, track, text in theirs.values_list("player_id", "track", "state"):
            yield keys[pk], track, text


class HistoryRow(NamedTuple):
    """The last change of a player in a track before some place in the order."""

    player: int
    """The player's key in the database."""
    track: str
    order: int
    state: str


def _history(where: str, params: list[Any], order: int) -> Iterator[HistoryRow]:
    change, player = Change._meta.db_table, Player._meta.db_table
    source = (
        f"FROM {change} AS change JOIN {player} AS player ON player.id = change.player_id "
        f'WHERE {where} AND change."order" < %s'
    )
    if connection.vendor == "postgresql":
        query = (
            "SELECT DISTINCT ON (change.player_id, change.track) "
            f'change.player_id, change.track, change."order", change.state {source} '
            'ORDER BY change.player_id, change.track, change."order" DESC'
        )
    else:  # SQLite takes the other columns from the row that holds the maximum
        query = (
            'SELECT change.player_id, change.track, MAX(change."order"), change.state '
            f"{source} GROUP BY change.player_id, change.track"
        )
    with connection.cursor() as cursor:
        cursor.execute(query, [*params, order])
        while rows := cursor.fetchmany(2_000):
            yield from map(HistoryRow._make, rows)
