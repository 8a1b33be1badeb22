"""A player's rating in one track as a statement of account: row by row what stood before, what came at once,
what waits for the next list (csa 67) and what stands after, by what is known of the facts.

Pages, downloads, the API, letters and previews take these numbers from here. Before and at once are after, to
the last digit and as shown, in each row and over each run of rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import Any, NamedTuple

from django.db.models import Max, QuerySet

from players.display import round_rating
from players.models import Federation, Player
from ratings.journal import build_foldable_fact
from ratings.models import Change, Fact
from ratings.results import (
    FIRST_RATED_ON,
    AsOf,
    ChangeOfFact,
    ChangeWithDrifts,
    Drift,
    RatingDifference,
    compare_ratings,
    get_answers,
    get_changes,
    get_changes_with_drifts,
    newest_wide,
    state_before,
)
from ratings.rulesets.facts import Answer, PlayerId, RatedSection, StandingKey, State
from ratings.rulesets.ruleset import Ruleset

ZERO = Decimal(0)
AT_ONCE = 2_000
"""The number of changes that are read at once."""
FLOOR = "floor"
"""The kind of a row with what the least rating adds to a list's payment (csa 45)."""
CALENDAR = "calendar"
"""The kind of a row that no line of the journal brought: a day on which a coefficient changed (D-RMF-8)."""


# ---- What stands at a moment, and its movement
class Balance(NamedTuple):
    """A rating, and the points that enter it with the next list."""

    rating: Decimal | None = None
    """The rating in force; None: there is none, and nothing waits."""
    waiting: Decimal = ZERO

    @property
    def total(self) -> Decimal | None:
        """The rating with what waits."""
        return None if self.rating is None else self.rating + self.waiting

    def as_shown(self, places: int) -> Balance:
        """The balance in the digits that readers see, so that sums and differences of such balances agree."""
        rating, total = round_rating(self.rating, places), round_rating(self.total, places)
        return Balance() if rating is None or total is None else Balance(rating, total - rating)


class Movement(NamedTuple):
    """What a row, or a run of rows, makes of a balance. No rating counts as nothing: a first rating comes at
    once as a whole, and so does one go that is lost.
    """

    before: Balance
    after: Balance

    @property
    def at_once(self) -> Decimal:
        return (self.after.rating or ZERO) - (self.before.rating or ZERO)

    @property
    def waits(self) -> Decimal:
        """The points that wait since then; negative where a list pays out what waited."""
        return self.after.waiting - self.before.waiting

    @property
    def points(self) -> Decimal:
        return self.at_once + self.waits

    @property
    def moves(self) -> bool:
        return bool(self.at_once or self.waits)

    def as_shown(self, places: int) -> Movement:
        return Movement(self.before.as_shown(places), self.after.as_shown(places))


class Moved:
    """What columns of tables read of a row with a movement."""

    __slots__ = ()
    movement: Movement

    @property
    def before(self) -> Decimal | None:
        return self.movement.before.rating

    @property
    def at_once(self) -> Decimal:
        return self.movement.at_once

    @property
    def waits(self) -> Decimal:
        return self.movement.waits

    @property
    def points(self) -> Decimal:
        return self.movement.points

    @property
    def after(self) -> Decimal | None:
        return self.movement.after.rating

    @property
    def first(self) -> bool:
        """Whether the player gets a rating, and had none."""
        return self.before is None and self.after is not None


def find_waits(before: Decimal | None, points: Decimal | None, after: Decimal | None) -> Decimal:
    """The part of a stored change's points that does not move the rating at once."""
    return ZERO if before is None or points is None or after is None else points - (after - before)


# ---- A player's statement
@dataclass(frozen=True, slots=True)
class StatementRow(Moved):
    """A row of a statement: a change by the player's own line, or a drift."""

    movement: Movement
    move: ChangeOfFact
    """The player's own change; of a drift, the one that it follows."""
    drift: Drift | None = None
    """The move by another's section or by the calendar alone; None: the player's own change."""

    @property
    def kind(self) -> str:
        if self.drift is None:
            return self.move.kind
        return CALENDAR if self.drift.cause is None else "rated"

    @property
    def on(self) -> date | None:
        return self.move.on if self.drift is None else self.drift.on

    @property
    def line(self) -> int | None:
        """The number of the line of the journal; None: the calendar."""
        if self.drift is None:
            return self.move.line
        return self.drift.cause and self.drift.cause.line

    @property
    def section(self) -> str | None:
        """The id of the rated section, or None."""
        if self.drift is None:
            return self.move.section or None
        return self.drift.cause and f"{self.drift.cause.event}/{self.drift.cause.code}"

    @property
    def games(self) -> int:
        return self.move.games


def read_statement(player: Player, track: str, asked: AsOf) -> list[StatementRow]:
    """A player's statement in a track up to the day asked for, newest first."""
    by_calendar = asked.federation.ruleset.calendar.days_of_change is not None
    moves = get_changes(player, track, asked.line, with_states=by_calendar)
    return write_statement(get_changes_with_drifts((player.number, track), moves, asked))


def join_rows(rows: Iterable[StatementRow], order: int) -> StatementRow:
    """The rows of the player's own change at a place in the order as one: a list's payment with what the
    floor adds. `rows`: newest first.
    """
    own = [row for row in rows if row.drift is None and row.move.order == order]
    return replace(own[-1], movement=Movement(own[-1].movement.before, own[0].movement.after))


def write_statement(legs: Sequence[ChangeWithDrifts]) -> list[StatementRow]:
    """The statement of all changes of a player's rating and the drifts after each; both are newest first."""
    rows: list[StatementRow] = []
    balance = Balance()
    for leg in reversed(legs):
        move = leg.move
        for kind, movement in split_change(balance, move.kind, move.before, move.points, move.after):
            rows.append(StatementRow(movement, move._replace(kind=kind)))
            balance = movement.after
        for drift in leg.drifts:
            after = balance._replace(rating=drift.after)
            rows.append(StatementRow(Movement(balance, after), move, drift))
            balance = after
    rows.reverse()
    return rows


def split_change(
    balance: Balance, kind: str, before: Decimal | None, points: Decimal | None, after: Decimal | None
) -> Iterator[tuple[str, Movement]]:
    """Yield the kinds and movements of a stored change's rows, from the balance before it.

    What waited ends with the rating, and where another is taken over. A list pays it, and then the floor adds
    the list's own points.
    """
    begins_anew = after is None or kind == "opening"
    waiting = ZERO if begins_anew else balance.waiting + find_waits(before, points, after)
    if after is not None and points and kind == "list" and balance.waiting:
        paid = Balance(after - points, waiting)
        yield kind, Movement(balance, paid)
        yield FLOOR, Movement(paid, Balance(after, waiting))
    else:
        yield kind, Movement(balance, Balance(after, waiting))


# ---- All statements of an office
@dataclass(frozen=True, slots=True)
class OfficeRow(Moved):
    """A row of somebody's statement, for tables of a whole office."""

    player: PlayerId
    track: str
    line: int | None
    kind: str
    on: date | None
    event: str | None
    """The number of the section's event, or None."""
    section: str | None
    """The code of the section, or None."""
    games: int
    movement: Movement


def iterate_statements(office: Federation) -> Iterator[OfficeRow]:
    """Yield the rows of all statements, each with its oldest row first; what the calendar moves (D-RMF-8) up
    to the journal's last day.
    """
    changes = Change.objects.filter(fact__federation=office)
    if office.ruleset.calendar.days_of_change is not None:
        last = Fact.objects.filter(federation=office).aggregate(last=Max("on"))["last"] or date.min
        yield from _iterate_with_drifts(AsOf(office, last, None), changes)
        return
    columns = (
        *("player__number", "track", "fact__number", "fact__kind", FIRST_RATED_ON),
        *("fact__section__event__number", "fact__section__code", "games", "before", "points", "after"),
    )
    rows = changes.order_by("order", "track", "player__number").values_list(*columns)
    balances: dict[StandingKey, Balance] = {}
    for number, track, line, cause, on, event, code, games, before, points, after in rows.iterator(AT_ONCE):
        balance = balances.get((number, track), Balance())
        for kind, movement in split_change(balance, cause, before, points, after):
            balances[number, track] = movement.after
            yield OfficeRow(number, track, line, kind, on, event, code, games, movement)


def _iterate_with_drifts(asked: AsOf, changes: QuerySet[Change]) -> Iterator[OfficeRow]:
    keys = set(changes.order_by().values_list("player_id", "track").distinct())
    people = Player.objects.in_bulk([player for player, _track in keys])
    for number, track, pk in sorted((people[player].number, track, player) for player, track in keys):
        for row in reversed(read_statement(people[pk], track, asked)):
            event, _slash, code = (row.section or "").rpartition("/")
            place = event or None, code or None
            yield OfficeRow(number, track, row.line, row.kind, row.on, *place, row.games, row.movement)


# ---- What a rated section moves
@dataclass(frozen=True, slots=True)
class SectionMovement(Moved):
    """What a rated section makes of one player's rating in a track."""

    player: PlayerId
    track: str
    movement: Movement
    own: bool
    """Whether the line changed the player's standing; others it moves by coefficients alone (D-RMF-8)."""
    games: int | None = None
    """The games counted after it; None: not asked."""


def read_section(rated: Fact, track: str = "") -> list[SectionMovement]:
    """What a `rated` line moves, as known now, by track and player's number: of each entrant, and of others
    who move without having played. `track`: in that one alone.
    """
    office = rated.federation
    changes = Change.objects.filter(fact=rated, **({"track": track} if track else {}))
    columns = ("player__number", "track", "before", "points", "after", "state", "games")
    rows = list(changes.values_list(*columns))
    if office.ruleset.calendar.days_of_change is not None:
        found = list(
            _move_everybody(rated, {(number, of): after for number, of, _b, _p, after, _s, _g in rows})
        )
    else:
        states = {(number, of): state for number, of, *_rest, state, _games in rows}
        waiting = compute_waiting(office, states)
        ended = any(before is not None and after is None for _n, _t, before, _p, after, _s, _g in rows)
        waited = _read_waiting_before(rated) if ended else {}
        found = [
            SectionMovement(number, of, compute_movement(before, points, after, *waits), True, games)
            for number, of, before, points, after, _state, games in rows
            if (waits := [each.get((number, of), ZERO) for each in (waiting, waited)])
        ]
    return sorted(found, key=lambda each: (each.track, each.player))


def _read_waiting_before(rated: Fact) -> dict[StandingKey, Decimal]:
    office, order = rated.federation, rated.order
    assert order is not None  # a `rated` line in force
    found = read_balances(office.ruleset, state_before(office, order), date.max)
    return {key: balance.waiting for key, balance in found.items()}


def sort_movements(found: Iterable[SectionMovement]) -> list[SectionMovement]:
    """First the ratings that come or go, then the largest moves."""

    def rank(each: SectionMovement) -> tuple[bool, Decimal, PlayerId, str]:
        comes_or_goes = (each.before is None) != (each.after is None)
        return not comes_or_goes, -abs(each.points), each.player, each.track

    return sorted(found, key=rank)


def compute_movement(
    before: Decimal | None,
    points: Decimal | None,
    after: Decimal | None,
    waiting: Decimal,
    waited: Decimal = ZERO,
) -> Movement:
    """The movement of a stored change. `waiting`: what waits after it. `waited`: what did before it; read
    only where the rating ends, since elsewhere the change says it.
    """
    if after is not None:
        waited = ZERO if before is None else waiting - find_waits(before, points, after)
    return Movement(Balance(before, waited), Balance(after, waiting))


def compute_waiting(office: Federation, states: Mapping[StandingKey, str]) -> dict[StandingKey, Decimal]:
    """The points that wait in these stored standings, by player's number and track; none where none wait."""
    ruleset = office.ruleset
    if not ruleset.calendar.waits_for_list:
        return {}
    state: State[Any] = State()
    for key, text in states.items():
        state.put(key, ruleset.storage.load(key[1], text))
    return {key: each.waiting for key, each in read_balances(ruleset, state, date.max).items()}


def read_balances(ruleset: Ruleset, state: State[Any], on: date) -> dict[StandingKey, Balance]:
    """Everybody's balances in a state as of a day, by player's number and track; none without a rating."""
    return {
        (each.player, each.track): balance_of(each)
        for each in get_answers(ruleset, state, on)
        if each.rating is not None
    }


def balance_of(answer: Answer) -> Balance:
    return Balance(answer.rating, answer.further.get("pending", ZERO))


def compute_differences(
    ruleset: Ruleset, before: State[Any], after: State[Any], on: date
) -> list[RatingDifference]:
    """The ratings that differ between two states on a day, with what waits, as `compare_ratings` sorts."""
    balances = [read_balances(ruleset, state, on) for state in (before, after)]
    totals = ({key: each.total for key, each in found.items()} for found in balances)
    return [
        each._replace(waited=waited, waiting=waiting)
        for each in compare_ratings(*totals)
        for waited, waiting in [
            [found.get((each.player, each.track), Balance()).waiting for found in balances]
        ]
    ]


def movement_of(difference: RatingDifference) -> Movement:
    """A difference in its four parts."""
    _player, _track, before, after, waited, waiting = difference
    return Movement(
        Balance(None if before is None else before - waited, waited),
        Balance(None if after is None else after - waiting, waiting),
    )


def _move_everybody(rated: Fact, own: Mapping[StandingKey, Decimal | None]) -> Iterator[SectionMovement]:
    """Yield what a section moves where it changes the coefficients of everybody's results."""
    office, fact = rated.federation, build_foldable_fact(rated)
    assert rated.order is not None
    assert isinstance(fact, RatedSection)  # a `rated` line
    state = state_before(office, rated.order)
    before = read_balances(office.ruleset, state, fact.on)
    state.wide = newest_wide(office, rated.order + 1)
    after = read_balances(office.ruleset, state, fact.on)
    after |= {key: Balance(rating) for key, rating in own.items()}
    for key in {**before, **after}:
        movement = Movement(before.get(key, Balance()), after.get(key, Balance()))
        if key in own or movement.moves:
            yield SectionMovement(*key, movement, own=key in own)
