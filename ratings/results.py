"""The results of the fold as stored, known now or at a line of the journal: states and standings before any
fact, the changes of a player's rating, and ratings as the office knew them on a past day. Also compares
ratings before and after a correction, and shows how others' results and time alone move a rating.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal, localcontext
from itertools import groupby
from typing import Any, NamedTuple

from django.db import connection, models
from django.db.models import Max
from django.db.models.functions import Coalesce
from django.utils.html import format_html
from django.utils.safestring import SafeString

from players.languages import mark_language
from players.models import Federation, Ledger, Player
from players.writing import batches
from ratings.journal import AFTER_EVERYTHING, aliases, aliases_at, build_foldable_fact
from ratings.models import Change, Fact, FactQuerySet, PastChange, PastWide, RatingList, Standing, Wide
from ratings.rulesets import facts
from ratings.rulesets.facts import (
    Answer,
    Needs,
    PlayerId,
    RatedSection,
    StandingKey,
    State,
    least_play_order_key,
)
from ratings.rulesets.ruleset import CONTEXT, Ruleset
from tournaments.models import Section

_BATCH_SIZE = 500


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
    federation: Federation, order: int, numbers_by_key: Mapping[int, PlayerId], track: str = ""
) -> State[Any]:
    """The state before a folded fact, as known now; players by key and number, to save looking them up."""
    state: State[Any] = State()
    load = federation.ruleset.storage.load
    for row in last_changes_before(federation, order, numbers_by_key, track=track):
        state.put((numbers_by_key[row.player], row.track), load(row.track, row.state))
    state.wide = newest_wide(federation, order)
    return state


def newest_wide(federation: Federation, before: int, line: int | None = None) -> Any:
    """The federation-wide part of the state before a place in the order, or None."""
    ruleset = federation.ruleset
    if ruleset.storage.load_wide is None:
        return None
    found: list[tuple[int, str]] = []
    for rows in get_known_rows(Wide, PastWide, line):
        earlier = rows.filter(federation=federation, order__lt=before).order_by("-order")
        found += earlier.values_list("order", "state")[:1]
    newest = max(found, default=None)
    return ruleset.storage.load_wide(newest[1]) if newest else None


def get_known_rows(
    now: type[models.Model], past: type[models.Model], line: int | None
) -> tuple[models.QuerySet[Any], ...]:
    """Querysets of the results known at a line, present (`now`) and `past`; without a line, the present."""
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
) -> Iterator[tuple[facts.StandingKey, Any]]:
    """Yield each player's last standing before place `order`, with its key (number and track)."""
    load = federation.ruleset.storage.load
    for number, of_track, text in _states_before(federation, order, players, line, track):
        yield (number, of_track), load(of_track, text)


def last_changes_before(
    federation: Federation, order: int, player_keys: Collection[int], line: int | None = None, track: str = ""
) -> Iterator[LastChange]:
    """Yield these players' last changes before place `order`, in each track or in the one named, by key."""
    in_track, named = (" AND change.track = %s", [track]) if track else ("", [])
    for some in batches(sorted(player_keys), _BATCH_SIZE):
        where = f"change.player_id IN ({', '.join(['%s'] * len(some))}){in_track}"
        yield from _fetch_history(where, [*some, *named], order, line)


def last_folded_order(federation: Federation) -> int:
    """The last place in the order of a folded fact, or -1."""
    line = Ledger.objects.values_list("line", flat=True).get(federation=federation)
    facts_in_force = Fact.objects.filter(federation=federation).in_force(line)
    newest: int | None = facts_in_force.aggregate(newest=Max("order"))["newest"]
    return -1 if newest is None else newest


def _states_before(
    federation: Federation,
    order: int,
    players: Collection[PlayerId] | facts.Needs,
    line: int | None,
    track: str,
) -> Iterable[tuple[PlayerId, str, str]]:
    if line is None and last_folded_order(federation) < order:
        return _newest_states(federation, players, track)
    if isinstance(players, facts.Needs):
        keys = dict(Player.objects.filter(federation=federation).values_list("pk", "number"))
        in_track, named = (" AND change.track = %s", [track]) if track else ("", [])
        where = f"player.federation_id = %s{in_track}"
        everyone = _fetch_history(where, [federation.pk, *named], order, line)
        return ((keys[row.player], row.track, row.state) for row in everyone)
    numbers = Player.objects.filter(federation=federation, number__in=list(players))
    keys = dict(numbers.values_list("pk", "number"))
    found = last_changes_before(federation, order, keys, line, track)
    return ((keys[row.player], row.track, row.state) for row in found)


def _newest_states(
    federation: Federation, players: Collection[PlayerId] | facts.Needs, track: str
) -> Iterator[tuple[PlayerId, str, str]]:
    in_track = {"track": track} if track else {}
    rows = Standing.objects.filter(federation=federation, **in_track)
    if players is facts.Needs.DUE:
        rows = rows.filter(due=True)
    if isinstance(players, facts.Needs):
        yield from rows.values_list("player__number", "track", "state").iterator(_BATCH_SIZE * 10)
        return
    for some in batches(sorted(players), _BATCH_SIZE):
        keys = dict(Player.objects.filter(federation=federation, number__in=some).values_list("pk", "number"))
        # By player alone: given the federation too, SQLite would walk through all of its standings.
        theirs = Standing.objects.filter(player_id__in=keys, **in_track)
        for pk, track, text in theirs.values_list("player_id", "track", "state"):
            yield keys[pk], track, text


class LastChange(NamedTuple):
    """The last change of a player in a track before some place in the order."""

    player: int
    """The player's primary key."""
    track: str
    order: int
    state: str


def _fetch_history(where: str, params: list[Any], order: int, line: int | None) -> Iterator[LastChange]:
    query, given = _newest_sql(where, [*params, order], line)
    with connection.cursor() as cursor:
        cursor.execute(query, given)
        while rows := cursor.fetchmany(2_000):
            yield from map(LastChange._make, rows)


def _newest_sql(where: str, params: list[Any], line: int | None) -> tuple[str, list[Any]]:
    """SQL and parameters for the last changes before a place in the order, known now or at a line."""
    if line is None and connection.vendor == "sqlite":
        return _newest_sqlite_sql(where), params
    source, given = _changes_sql(where, params, line)
    if connection.vendor == "postgresql":
        return (
            'SELECT DISTINCT ON (player_id, track) player_id, track, "order", state '
            f'FROM ({source}) AS known ORDER BY player_id, track, "order" DESC'
        ), given
    # SQLite takes the other columns from the row that holds the maximum.
    return (
        f'SELECT player_id, track, MAX("order"), state FROM ({source}) AS known GROUP BY player_id, track'
    ), given


def _newest_sqlite_sql(where: str) -> str:
    """SQL for the present changes: found in the index alone, with one state read a player and track, however
    many changes came before. PostgreSQL would walk through all changes for that.
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


def _changes_sql(where: str, params: list[Any], line: int | None) -> tuple[str, list[Any]]:
    """SQL and parameters for the changes before a place in the order, as known now or at a line."""
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


# ---- The changes of a player's rating, each with its source
class ChangeOfFact(NamedTuple):
    """A player's change with what pages show of its fact, such as the section and its event."""

    order: int
    before: Decimal | None
    after: Decimal | None
    points: Decimal | None
    games: int
    line: int
    """The number of the fact's line."""
    kind: str
    on: date | None
    """The day of the fact: of a section rated again, that of its first rating (D-2)."""
    code: str | None
    """The code of the rated section; None, as for the four below, where it is no section."""
    name: str | None
    ends: date | None
    event: str | None
    """The number of the section's event."""
    event_name: str | None
    text: str = ""
    """The fact's line as stored."""
    state: str = ""
    """The standing after it, if asked for."""

    @property
    def section(self) -> str:
        """The id of the rated section; empty if the change has another source."""
        return f"{self.event}/{self.code}" if self.event is not None else ""


FIRST_RATED_ON = Coalesce("fact__first_rated__on", "fact__on")
CHANGE_COLUMNS = (
    "order",
    "before",
    "after",
    "points",
    "games",
    "fact__number",
    "fact__kind",
    FIRST_RATED_ON,
    "fact__section__code",
    "fact__section__name",
    "fact__section__ends",
    "fact__section__event__number",
    "fact__section__event__name",
    "fact__line",
)


def get_changes(
    player: Player,
    track: str,
    line: int | None = None,
    *,
    with_states: bool = False,
) -> list[ChangeOfFact]:
    """A player's changes in a track, newest first, as known at `line` (None: now); `with_states`: with the
    standing after each.
    """
    columns = (*CHANGE_COLUMNS, "state") if with_states else CHANGE_COLUMNS
    found: list[ChangeOfFact] = []
    for rows in get_known_rows(Change, PastChange, line):
        rows = rows.filter(player=player, track=track)
        found += [ChangeOfFact(*row) for row in rows.values_list(*columns)]
    found.sort(key=lambda move: -move.order)
    return found


# ---- Ratings before and after a correction, for its preview and its erratum
class RatingDifference(NamedTuple):
    """A player's rating in a track before and after a decision, a section, other rules or a history."""

    player: PlayerId
    track: str
    before: Decimal | None
    """None: no rating."""
    after: Decimal | None
    waited: Decimal = Decimal(0)
    """The part of `before` that waits for the next list."""
    waiting: Decimal = Decimal(0)
    """The part of `after` that does."""

    @property
    def by(self) -> Decimal | None:
        return None if self.before is None or self.after is None else self.after - self.before

    def as_json(self) -> list[str | None]:
        return [*self[:2], *(None if each is None else str(each) for each in self[2:])]

    @classmethod
    def from_json(cls, stored: Sequence[Any]) -> RatingDifference:
        player, track, *numbers = stored
        return cls(player, track, *(each and Decimal(each) for each in numbers))


def get_answers(ruleset: Ruleset, state: State[Any], on: date) -> list[Answer]:
    """The rules' answers for a day, by the edition then in force, or the first."""
    with localcontext(CONTEXT):
        return list(ruleset.rules_on_or_first(on).answers(state, on))


def compare_ratings(
    before: Mapping[StandingKey, Decimal | None], after: Mapping[StandingKey, Decimal | None]
) -> list[RatingDifference]:
    """The ratings that differ: ratings gained or lost first, then the largest difference."""
    keys = {key for key in {**before, **after} if before.get(key) != after.get(key)}
    return sort_differences(RatingDifference(*key, before.get(key), after.get(key)) for key in keys)


def sort_differences(found: Iterable[RatingDifference]) -> list[RatingDifference]:
    """Sort differences: ratings gained or lost first, then the largest."""
    return sorted(found, key=lambda each: (-_difference_size(each), each.player, each.track))


def _difference_size(found: RatingDifference) -> Decimal:
    if found.by is None:
        return Decimal(-1) if found.before == found.after else Decimal(10**6)
    return abs(found.by)


@dataclass(frozen=True, slots=True)
class ListDay:
    """The published lists of one day that hold a section's ratings."""

    on: date
    lists: list[RatingList]


def get_both_states(
    federation: Federation,
    start: int,
    folded_to: State[Any],
    people: frozenset[PlayerId],
    *,
    folded: bool = True,
) -> tuple[State[Any], State[Any]]:
    """The stored state, and the state it becomes if the facts from place `start` on give `folded_to` instead.
    Both hold these people; all of the office where ratings move by others' results and time. `folded`:
    whether any fact was folded, so that the federation-wide part is that of `folded_to`.
    """
    moves_others = federation.ruleset.calendar.days_of_change is not None
    before = state_before(federation, AFTER_EVERYTHING, Needs.EVERYONE if moves_others else people)
    earlier = state_before(federation, start, people)
    after: State[Any] = State(wide=folded_to.wide if folded else earlier.wide)
    kept = ((key, standing) for key, standing in before.standings.items() if key[0] not in people)
    moved = ((key, standing) for key, standing in folded_to.standings.items() if key[0] in people)
    for key, standing in (*kept, *earlier.standings.items(), *moved):
        after.put(key, standing)
    return before, after


def find_rated_fact(section: Section) -> Fact | None:
    """The `rated` line in force for a section, or None."""
    return section.facts.filter(kind="rated").in_force().first()


def get_list_days_with_section(federation: Federation, fact: Fact) -> list[ListDay]:
    """The days of published lists that hold a rated section in any version, newest first."""
    assert fact.section is not None
    lists = RatingList.objects.filter(federation=federation, fact__number__gt=fact.first.number)
    lists = lists.filter(on__gte=fact.section.ends)
    if tracks := get_tracks_moved(fact):
        lists = lists.filter(track__in=tracks)
    return list(group_by_day(federation, lists.current().without_content().order_by("-on", "pk")))


def group_by_day(federation: Federation, lists: Iterable[RatingList]) -> Iterable[ListDay]:
    """Yield a `ListDay` for each day of lists that are sorted by day."""
    for on, of_day in groupby(lists, key=lambda each: each.on):
        found = list(of_day)
        for each in found:
            each.federation = federation
        yield ListDay(on, found)


def get_tracks_moved(fact: Fact) -> set[str]:
    """The codes of the tracks in which a fact changed somebody's standing."""
    return set(Change.objects.filter(fact=fact).order_by().values_list("track", flat=True).distinct())


# ---- A day as the office knew it: what a replay with `--as-of` gives, without replaying
def get_last_known_line(federation: Federation, day: date) -> int:
    """The last line of the journal that the office had on a day: that above the first line of a later day."""
    dated = Fact.objects.filter(federation=federation, on__gt=day).order_by("on", "number")
    later: int | None = dated.values_list("number", flat=True).first()
    return AFTER_EVERYTHING if later is None else later - 1


def find_first_journal_day(federation: Federation) -> date | None:
    """The first day that the journal's lines have, or None."""
    dated = Fact.objects.filter(federation=federation, on__isnull=False).order_by("on", "number")
    return dated.values_list("on", flat=True).first()


@dataclass(frozen=True, slots=True)
class AsOf:
    """What an office knew on a day: the journal's lines up to one."""

    federation: Federation
    day: date
    line: int | None
    """The last line known; None: all lines, for today."""

    def state(
        self, players: Collection[PlayerId] | Needs = Needs.EVERYONE, before: int = AFTER_EVERYTHING
    ) -> State[Any]:
        """The state before a place in the order, as the office knew it on the day."""
        return state_before(self.federation, before, players, self.line)

    def player_state(self, player: Player) -> State[Any]:
        """The state of one player, after every fact that the office knew on the day."""
        load = self.federation.ruleset.storage.load
        state: State[Any] = State(wide=newest_wide(self.federation, AFTER_EVERYTHING, self.line))
        if self.line is None:
            for track, text in player.standings.values_list("track", "state"):
                state.put((player.number, track), load(track, text))
            return state
        for row in last_changes_before(self.federation, AFTER_EVERYTHING, [player.pk], self.line):
            state.put((player.number, row.track), load(row.track, row.state))
        return state

    @property
    def place_after(self) -> int:
        """The first place in the order, as known now, that belongs to a later day (D-1): by the days on which
        sections ended where they are folded in the order of play, else by the days of the lines.
        """
        if self.federation.ruleset.in_order_of_play:
            return least_play_order_key(self.day + timedelta(1))
        return AFTER_EVERYTHING if self.line is None else min(self.line + 1, AFTER_EVERYTHING)

    def state_known_now(self, *players: Player) -> State[Any]:
        """The state of a few players at the end of the day, by what is known now."""
        load, place = self.federation.ruleset.storage.load, self.place_after
        numbers = {player.pk: player.number for player in players}
        state: State[Any] = State(wide=newest_wide(self.federation, place))
        for row in last_changes_before(self.federation, place, numbers):
            state.put((numbers[row.player], row.track), load(row.track, row.state))
        return state

    def was_merged(self, number: PlayerId) -> bool:
        """Whether a merged entry's number was already read as another's on that day."""
        return self.line is None or number in aliases_at(self.federation, self.line)


def as_of(federation: Federation, day: date, now: date) -> AsOf:
    """What the office knew on a past day; for today and later days, what it knows now."""
    return AsOf(federation, day, None if day >= now else get_last_known_line(federation, day))


# ---- Moves of a rating between two facts of the player's own, by others' results or by time alone
#
# None of them is stored: the rules answer for each day on which something may have moved.
A_DAY = timedelta(1)


class Cause(NamedTuple):
    """The section that moved the ratings of people who did not play in it."""

    line: int
    """The number of its `rated` line."""
    event: str
    code: str
    name: str
    event_name: str


@dataclass(frozen=True, slots=True)
class Drift:
    """A move of a rating on a day without a game of the player's."""

    on: date
    cause: Cause | None
    """The section rated that day; None: time reduced weights."""
    before: Decimal | None
    after: Decimal | None


@dataclass(frozen=True, slots=True)
class ChangeWithDrifts:
    """A change by the player's own fact, and the drifts after it until the next one, earliest first."""

    move: ChangeOfFact
    drifts: Sequence[Drift] = ()

    @property
    def after(self) -> Decimal | None:
        """The rating after the last drift."""
        return self.drifts[-1].after if self.drifts else self.move.after


class Moment(NamedTuple):
    """A fact that changed the federation-wide part of the state, and so may have moved everybody's rating."""

    order: int
    on: date
    state: str
    cause: Cause | None


def get_changes_with_drifts(
    key: StandingKey, moves: Sequence[ChangeOfFact], asked: AsOf
) -> list[ChangeWithDrifts]:
    """A player's changes in a track up to the day asked for, newest first, with the drifts after each."""
    ruleset = asked.federation.ruleset
    if ruleset.calendar.days_of_change is None or not moves:
        return [ChangeWithDrifts(move) for move in moves]
    calculator = DriftCalculator(key, asked, moves)
    return [
        ChangeWithDrifts(move, calculator.after(move, later))
        for move, later in zip(moves, (None, *moves), strict=False)
    ]


class DriftCalculator:
    """Computes the drifts in a player's history; the moments that moved everybody are read once."""

    def __init__(self, key: StandingKey, asked: AsOf, moves: Sequence[ChangeOfFact]) -> None:
        self.key, self.until = key, asked.day
        self.ruleset = asked.federation.ruleset
        # The moments from a place in the order on, beginning with the one in force there.
        first = moves[-1].order
        here, *past = (
            rows.filter(federation=asked.federation, order__gte=first).values_list("order", "state")
            for rows in get_known_rows(Wide, PastWide, asked.line)
        )
        states: dict[int, str] = dict(here.union(*past, all=True) if past else here)
        if first not in states:  # an earlier state is in force at the first move
            for rows in get_known_rows(Wide, PastWide, asked.line):
                earlier = rows.filter(federation=asked.federation, order__lt=first).order_by("-order")
                states.update(earlier.values_list("order", "state")[:1])
        facts = Fact.objects.filter(federation=asked.federation).in_force(asked.line)
        facts = facts.filter(order__gte=min(states, default=0))
        first_rated_on = Coalesce("first_rated__on", "on")
        columns = (
            *("number", "section__event__number", "section__code"),
            *("section__name", "section__event__name"),
        )
        self.moments = [
            Moment(order, on, states[order], Cause(*cause) if cause[1] else None)
            for order, on, *cause in facts.order_by("order").values_list("order", first_rated_on, *columns)
            if order in states and on is not None
        ]
        self.orders = [moment.order for moment in self.moments]
        self.wides: dict[int, Any] = {}

    def after(self, move: ChangeOfFact, later: ChangeOfFact | None) -> list[Drift]:
        """The drifts after a player's change, up to the next one (`later`) or the day asked for, in order."""
        standing = self.ruleset.storage.load(self.key[1], move.state)
        now, found = move.after, list[Drift]()
        for on, cause, wide in self._days(move, later):
            then = _compute_rating(self.ruleset, self.key, standing, wide, on)
            if then != now:
                found.append(Drift(on, cause, now, then))
                now = then
        return found

    def _days(
        self, move: ChangeOfFact, later: ChangeOfFact | None
    ) -> Iterator[tuple[date, Cause | None, Any]]:
        """Yield each day between two changes of the player's on which the rating may have moved, with the
        section that caused it (None: time), and the federation-wide part of the state then.
        """
        days_of_change = self.ruleset.calendar.days_of_change
        assert days_of_change is not None
        here = bisect_right(self.orders, move.order)
        wide, day = self._wide(here - 1), self._day(move)
        until, end = self.until, len(self.moments)
        if later is not None:
            until, end = min(until, self._day(later)), bisect_left(self.orders, later.order)
        for at in range(here, end):
            _order, on, _state, cause = self.moments[at]
            yield from ((quiet, None, wide) for quiet in days_of_change(wide, day + A_DAY, on - A_DAY))
            wide, day = self._wide(at), on
            yield on, cause, wide
        yield from ((quiet, None, wide) for quiet in days_of_change(wide, day + A_DAY, until))

    def _wide(self, at: int) -> Any:
        if at < 0:
            return None
        if at not in self.wides:
            assert self.ruleset.storage.load_wide is not None
            self.wides[at] = self.ruleset.storage.load_wide(self.moments[at].state)
        return self.wides[at]

    def _day(self, move: ChangeOfFact) -> date:
        """The day of a change's fact; if its line has none, the day of the coefficients by which the rules
        rated it.
        """
        if move.on is not None:
            return move.on
        at = bisect_right(self.orders, move.order) - 1
        return self.moments[at].on if at >= 0 else self.ruleset.editions[0].in_force


def _compute_rating(ruleset: Ruleset, key: StandingKey, standing: Any, wide: Any, on: date) -> Decimal | None:
    if ruleset.calendar.rating_on:
        with localcontext(CONTEXT):
            return ruleset.calendar.rating_on(standing, wide, on)
    state: State[Any] = State(wide=wide)
    state.put(key, standing)
    answers = get_answers(ruleset, state, on)
    return next((each.rating for each in answers if (each.player, each.track) == key), None)


# ---- Sections by the ids that the journal gives them
def get_sections(office: Federation, ids: Collection[str]) -> dict[str, Section]:
    """The sections with these ids, by id; unknown ids are left out."""
    if not ids:
        return {}
    numbers = {each.rpartition("/")[0] for each in ids}
    rows = Section.objects.filter(event__federation=office, event__number__in=numbers)
    found = {row.key: row for row in rows.select_related("event") if row.key in ids}
    for section in found.values():
        section.event.federation = office
    return found


SECTION_FIELDS = (
    *("section__code", "section__name", "section__starts", "section__ends"),
    *("section__event__number", "section__event__name", "section__event__federation"),
)


def get_sections_by_line(office: Federation, lines: Collection[str]) -> dict[str, Section]:
    """The sections whose ratings have these lines of the journal, by line; other lines are left out."""
    if not lines:
        return {}
    rows = Fact.objects.filter(federation=office, number__in=lines, section__isnull=False)
    found = rows.select_related("section__event").only("number", *SECTION_FIELDS)
    sections = {str(row.number): row.section for row in found if row.section}
    for section in sections.values():
        section.event.federation = office
    return sections


def get_section_links(
    office: Federation, ids: Collection[str], lines: Collection[str] = ()
) -> dict[str, SafeString]:
    """Links to sections, by id or by the line of their rating, each in the name of its event and its own."""
    sections = get_sections(office, ids) | get_sections_by_line(office, lines)
    return {
        key: format_html(
            '<a href="{}">{}</a>',
            section.get_absolute_url(),
            mark_language(office, f"{section.event.name}, {section.name}"),
        )
        for key, section in sections.items()
    }


# ---- The state before each of many facts, in a few queries
def iterate_states_before(
    federation: Federation, rated: FactQuerySet, track: str
) -> Iterator[tuple[RatedSection, State[Any]]]:
    """Yield each of these rated sections, in order, with the state before it: its entrants' standings in one
    track. The state is one object that changes as they go, without the federation-wide part.
    """
    names = aliases(federation)
    rows = list(rated.select_related("takes", "first_rated").order_by("order"))
    for row in rows:
        row.federation = federation
    facts = [
        (row.order, fact) for row in rows if isinstance(fact := build_foldable_fact(row, names), RatedSection)
    ]
    if not facts:
        return
    entered = {entry.player for _order, fact in facts for entry in fact.section.entries}
    people = Player.objects.filter(federation=federation, number__in=entered)
    keys = dict(people.values_list("pk", "number"))
    first, last = rows[0].order or 0, rows[-1].order or 0
    state: State[Any] = State()
    load = federation.ruleset.storage.load
    for earlier in last_changes_before(federation, first, keys):
        if earlier.track == track:
            state.put((keys[earlier.player], track), load(track, earlier.state))
    between = Fact.objects.filter(federation=federation, order__gte=first, order__lt=last)
    changes = Change.objects.filter(fact__in=between.values("pk"), track=track)
    moves = changes.order_by("order").values_list("order", "player_id", "state").iterator()
    move = next(moves, None)
    for order, fact in facts:
        while move is not None and move[0] < (order or 0):
            if move[1] in keys:
                state.put((keys[move[1]], track), load(track, move[2]))
            move = next(moves, None)
        yield fact, state
