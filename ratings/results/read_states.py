"""Reads states of the fold from the database: standings, and the federation-wide part, at any place."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from django.db import connection, models
from django.db.models import Max

from players.office.models import Federation, Ledger
from players.register.models import Player
from ratings.journal.models import Fact
from ratings.law import facts
from ratings.law.facts import PlayerId, State
from ratings.results.models import Change, PastChange, PastWide, Standing, Wide
from ratings.storage.bulk_writing import batches

_AT_ONCE = 500


def state_before(
    federation: Federation,
    order: int,
    players: Collection[PlayerId] | facts.Needs = facts.Needs.EVERYONE,
    line: int | None = None,
    track: str = "",
) -> State[Any]:
    """The state before the fact at place `order`: these players' standings in all tracks, or in the one that
    is named, and the federation-wide part. `line`: as known by the journal's lines up to that one; None: by
    all.
    """
    state: State[Any] = State()
    for key, standing in standings_before(federation, order, players, line, track):
        state.put(key, standing)
    state.wide = newest_wide(federation, order, line)
    return state


def state_before_folded(
    federation: Federation, order: int, players: Mapping[int, PlayerId], track: str = ""
) -> State[Any]:
    """The same, as known now, before a fact that is folded, for players whose keys in the database are known
    with their numbers: nothing is looked up but their changes.
    """
    state: State[Any] = State()
    load = federation.ruleset.storage.load
    for row in history_before(federation, order, players, track=track):
        state.put((players[row.player], row.track), load(row.track, row.state))
    state.wide = newest_wide(federation, order)
    return state


def newest_wide(federation: Federation, before: int, line: int | None = None) -> Any:
    """The federation-wide part of the state before a place in the order; None where the ruleset has none or
    nothing is folded yet.
    """
    ruleset = federation.ruleset
    if ruleset.storage.load_wide is None:
        return None
    found = [
        rows.filter(federation=federation, order__lt=before)
        .order_by("-order")
        .values_list("order", "state")[:1]
        for rows in known(Wide, PastWide, line)
    ]
    newest = max((row for rows in found for row in rows), default=None)
    return ruleset.storage.load_wide(newest[1]) if newest else None


def known(
    now: type[models.Model], past: type[models.Model], line: int | None
) -> tuple[models.QuerySet[Any], ...]:
    """Querysets of the results known at a line, from the table of present ones (`now`) and of `past` ones.
    `line` None: the present ones alone.
    """
    if line is None:
        return (now._default_manager.all(),)
    since = now._default_manager.filter(since__lte=line), past._default_manager.filter(since__lte=line)
    return since[0], since[1].filter(until__gt=line)


def standings_before(
    federation: Federation,
    order: int,
    players: Collection[PlayerId] | facts.Needs,
    line: int | None = None,
    track: str = "",
) -> Iterator[tuple[facts.Key, Any]]:
    """Each player's last standing before place `order`: pairs of key (number and track) and standing."""
    load = federation.ruleset.storage.load
    for number, of_track, text in _texts_before(federation, order, players, line, track):
        yield (number, of_track), load(of_track, text)


def history_before(
    federation: Federation, order: int, players: Collection[int], line: int | None = None, track: str = ""
) -> Iterator[HistoryRow]:
    """The last change before place `order` of each of these players (by database key), one row a track, or
    one row in the track that is named.
    """
    in_track, named = (" AND change.track = %s", [track]) if track else ("", [])
    for some in batches(sorted(players), _AT_ONCE):
        where = f"change.player_id IN ({', '.join(['%s'] * len(some))}){in_track}"
        yield from _history(where, [*some, *named], order, line)


def newest_order(federation: Federation) -> int:
    """The last place in the order of a fact that is folded, by the line to which the fold has come; -1 if
    there is none.
    """
    line = Ledger.objects.values_list("line", flat=True).get(federation=federation)
    facts_in_force = Fact.objects.filter(federation=federation).in_force(line)
    found: int | None = facts_in_force.aggregate(newest=Max("order"))["newest"]
    return -1 if found is None else found


def _texts_before(
    federation: Federation,
    order: int,
    players: Collection[PlayerId] | facts.Needs,
    line: int | None,
    track: str,
) -> Iterable[tuple[PlayerId, str, str]]:
    if line is None and newest_order(federation) < order:
        return _newest_texts(federation, players, track)
    if isinstance(players, facts.Needs):
        keys = dict(Player.objects.filter(federation=federation).values_list("pk", "number"))
        in_track, named = (" AND change.track = %s", [track]) if track else ("", [])
        where = f"player.federation_id = %s{in_track}"
        everyone = _history(where, [federation.pk, *named], order, line)
        return ((keys[row.player], row.track, row.state) for row in everyone)
    numbers = Player.objects.filter(federation=federation, number__in=list(players))
    keys = dict(numbers.values_list("pk", "number"))
    found = history_before(federation, order, keys, line, track)
    return ((keys[row.player], row.track, row.state) for row in found)


def _newest_texts(
    federation: Federation, players: Collection[PlayerId] | facts.Needs, track: str
) -> Iterator[tuple[PlayerId, str, str]]:
    in_track = {"track": track} if track else {}
    rows = Standing.objects.filter(federation=federation, **in_track)
    if players is facts.Needs.DUE:
        rows = rows.filter(due=True)
    if isinstance(players, facts.Needs):
        yield from rows.values_list("player__number", "track", "state").iterator(_AT_ONCE * 10)
        return
    for some in batches(sorted(players), _AT_ONCE):
        keys = dict(Player.objects.filter(federation=federation, number__in=some).values_list("pk", "number"))
        # By player alone: given the federation too, SQLite would walk through all of its standings.
        theirs = Standing.objects.filter(player_id__in=keys, **in_track)
        for pk, track, text in theirs.values_list("player_id", "track", "state"):
            yield keys[pk], track, text


class HistoryRow(NamedTuple):
    """The last change of a player in a track before some place in the order."""

    player: int
    """The player's key in the database."""
    track: str
    order: int
    state: str


def _history(where: str, params: list[Any], order: int, line: int | None) -> Iterator[HistoryRow]:
    query, given = _newest_known(where, [*params, order], line)
    with connection.cursor() as cursor:
        cursor.execute(query, given)
        while rows := cursor.fetchmany(2_000):
            yield from map(HistoryRow._make, rows)


def _newest_known(where: str, params: list[Any], line: int | None) -> tuple[str, list[Any]]:
    """The SQL, with parameters, for the last changes before a place in the order, known now or at a line."""
    if line is None and connection.vendor == "sqlite":
        return _newest_present_on_sqlite(where), params
    source, given = _source(where, params, line)
    if connection.vendor == "postgresql":
        return (
            'SELECT DISTINCT ON (player_id, track) player_id, track, "order", state '
            f'FROM ({source}) AS known ORDER BY player_id, track, "order" DESC'
        ), given
    # SQLite takes the other columns from the row that holds the maximum.
    return (
        f'SELECT player_id, track, MAX("order"), state FROM ({source}) AS known GROUP BY player_id, track'
    ), given


def _newest_present_on_sqlite(where: str) -> str:
    """The SQL for the present changes: found in the index alone, of which one state a player and track is
    read, however many changes came before. PostgreSQL would rather walk through all changes for that.
    """
    change, player = Change._meta.db_table, Player._meta.db_table
    return (
        'SELECT change.player_id, change.track, change."order", change.state FROM ('
        'SELECT change.player_id, change.track, MAX(change."order") AS newest '
        f"FROM {change} AS change JOIN {player} AS player ON player.id = change.player_id "
        f'WHERE {where} AND change."order" < %s GROUP BY change.player_id, change.track'
        f") AS last JOIN {change} AS change ON change.player_id = last.player_id "
        'AND change.track = last.track AND change."order" = last.newest'
    )


def _source(where: str, params: list[Any], line: int | None) -> tuple[str, list[Any]]:
    """The SQL, with parameters, for the changes before a place in the order, as known now or at a line."""
    player = Player._meta.db_table

    def rows(model: type[models.Model], further: str) -> str:
        return (
            'SELECT change.player_id, change.track, change."order", change.state '
            f"FROM {model._meta.db_table} AS change JOIN {player} AS player ON player.id = change.player_id "
            f'WHERE {where} AND change."order" < %s{further}'
        )

    if line is None:
        return rows(Change, ""), params
    now = rows(Change, " AND change.since <= %s")
    past = rows(PastChange, " AND change.since <= %s AND change.until > %s")
    return f"{now} UNION ALL {past}", [*params, line, *params, line, line]
