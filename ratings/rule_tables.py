"""Tables of the rules for a day, such as ranks, season standings and everybody's rating, worked out from the
record as the office knew it by then. Nothing of them is stored; those of a page on the present day are cached
until the next recompute.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal, localcontext
from typing import Any

from django.db.models import Max

from players.models import Federation, Ledger
from players.storage import cache
from ratings.journal import AFTER_EVERYTHING
from ratings.models import Fact
from ratings.results import AsOf, as_of, state_before
from ratings.rulesets.facts import PlayerId, RuleTable, State
from ratings.rulesets.profile import Page, equipment_of
from ratings.rulesets.ruleset import CONTEXT


# ---- The tables as the rules give them: ranks, season standings, coefficients.
def tables_on(federation: Federation, on: date, state: State[Any] | None = None) -> list[RuleTable]:
    """The rule tables that pages show for a day, from `state` or all facts known, by the edition in force."""
    ruleset = federation.ruleset
    rules = ruleset.edition_on(max(on, ruleset.editions[0].in_force)).rules
    state = state_before(federation, AFTER_EVERYTHING) if state is None else state
    with localcontext(CONTEXT):
        return [table for table in rules.tables(state, on) if table.shown]


def proposals_on(federation: Federation, on: date) -> list[dict[str, str]]:
    """The ranks that wait for confirmation on a day, a dict each: text by column (player, rank, clause …)."""
    return [
        {column: str(value) for column, value in zip(table.columns, row, strict=True)}
        for table in tables_on(federation, on)
        if table.confirms
        for row in table.rows
    ]


def ties_on(federation: Federation, on: date) -> dict[str, RuleTable]:
    """The seasons whose first place is shared, by the season's name, each with its table."""
    return {table.part: table for table in tables_on(federation, on) if table.tied}


# ---- The tables of a page on a day.
A_DAY = timedelta(1)
A_YEAR = timedelta(365)
RATINGS = ("rank", "player", "rating", "games")
MOVED = ("rank", "player", "rating", "before-the-day", "moved", "games")


def tables_of(office: Federation, page: Page, on: date, now: date) -> list[RuleTable]:
    """The rule tables of a page on a day. Today's are cached until the next recompute; those of past days, of
    which there are very many, are not.
    """
    if on < now:
        return _worked_out(office, page, on, now)
    key = f"tables-{office.pk}-{done(office)}-{page.code}-{on}"
    if (found := cache.get(key)) is None:
        found = _worked_out(office, page, on, now)
        cache.set(key, found)
    return list(found)


def _worked_out(office: Federation, page: Page, on: date, now: date) -> list[RuleTable]:
    asked = as_of(office, on, now)
    state = asked.state()
    return ratings(asked, state) if page.ratings else _named(office, page, on, state)


def done(office: Federation) -> int:
    """The number of the office's last recompute; cache keys contain it, so that the next one ends them."""
    return Ledger.objects.values_list("done", flat=True).get(federation=office)


def _named(office: Federation, page: Page, on: date, state: State[Any]) -> list[RuleTable]:
    found = tables_on(office, on, state)
    return [table for name in page.tables for table in found if table.name == name]


# ---------------------------------------------------------------- everybody's rating
def ratings(asked: AsOf, state: State[Any]) -> list[RuleTable]:
    """Everybody's rating as a table for each track, as a list of that day would have it; where the calendar
    moved ratings since the last fact, with the ratings just before that.
    """
    office, moved = asked.federation, moved_last(asked, state)
    return [_ratings(office, track.code, asked.day, moved, state) for track in office.ruleset.tracks]


def moved_last(asked: AsOf, state: State[Any]) -> date | None:
    """The last day, up to that asked for, on which the calendar moved ratings since the last fact; or
    None.
    """
    office, on = asked.federation, asked.day
    taken_in = Fact.objects.filter(federation=office).in_force(asked.line).aggregate(day=Max("on"))["day"]
    first = max(taken_in + A_DAY, on - A_YEAR) if taken_in else on
    days = _days(office, state, first, on)
    return days[-1] if days else None


def moves_next(asked: AsOf, state: State[Any]) -> date | None:
    """The next day after the one asked for on which the calendar alone will move ratings, or None."""
    days = _days(asked.federation, state, asked.day + A_DAY, asked.day + A_YEAR)
    return days[0] if days else None


def _days(office: Federation, state: State[Any], first: date, last: date) -> list[date]:
    days_of_change = office.ruleset.calendar.days_of_change
    return days_of_change(state.wide, first, last) if days_of_change else []


def _ratings(office: Federation, track: str, on: date, moved: date | None, state: State[Any]) -> RuleTable:
    ruleset = office.ruleset
    rules = ruleset.rules_on(on)
    places = Decimal(1).scaleb(-equipment_of(ruleset).publication.decimals)
    with localcontext(CONTEXT):
        rows = rules.rating_list(state, track, on)
        eve = moved - A_DAY if moved else None
        earlier = ruleset.rules_on(eve).rating_list(state, track, eve) if eve else ()
    now = {row.player: row.rating.quantize(places, ROUND_HALF_UP) for row in rows}
    if not moved:
        return RuleTable(track, RATINGS, tuple((r.rank, r.player, now[r.player], r.games) for r in rows))
    before = {row.player: row.rating.quantize(places, ROUND_HALF_UP) for row in earlier}
    return RuleTable(
        track,
        MOVED,
        tuple((r.rank, r.player, now[r.player], *_moved(r.player, now, before), r.games) for r in rows),
    )


def _moved(
    player: PlayerId, now: Mapping[PlayerId, Decimal], before: Mapping[PlayerId, Decimal]
) -> tuple[Decimal | None, Decimal | None]:
    return (before[player], now[player] - before[player]) if player in before else (None, None)
