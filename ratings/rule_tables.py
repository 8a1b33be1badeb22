"""Tables of the rules for a day, such as ranks, season standings and everybody's rating, computed from the
record as the office knew it by then. Nothing of them is stored; those of a page on the present day are cached
until the next recompute.
"""

from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal, localcontext
from typing import Any

from django.db.models import Max

from players.models import Federation, Ledger
from players.writing import page_cache
from ratings.journal import AFTER_EVERYTHING
from ratings.models import Fact
from ratings.results import AsOf, as_of, state_before
from ratings.rulesets.facts import RuleTable, State
from ratings.rulesets.profile import Page, equipment_of
from ratings.rulesets.ruleset import CONTEXT


# ---- Tables as the rules give them: ranks, season standings, coefficients
def get_shown_tables(federation: Federation, on: date, state: State[Any] | None = None) -> list[RuleTable]:
    """The rule tables that pages show for a day, from `state` or all known facts, by the edition in force."""
    ruleset = federation.ruleset
    rules = ruleset.edition_on(max(on, ruleset.editions[0].in_force)).rules
    state = state_before(federation, AFTER_EVERYTHING) if state is None else state
    with localcontext(CONTEXT):
        return [table for table in rules.tables(state, on) if table.shown]


def get_rank_proposals(federation: Federation, on: date) -> list[dict[str, str]]:
    """The ranks that wait for confirmation on a day, each as text by column (player, rank, clause …)."""
    return [
        {column: str(value) for column, value in zip(table.columns, row, strict=True)}
        for table in get_shown_tables(federation, on)
        if table.confirms
        for row in table.rows
    ]


def ties_on(federation: Federation, on: date) -> dict[str, RuleTable]:
    """The tables of seasons whose first place is shared, by the season's name."""
    return {table.part: table for table in get_shown_tables(federation, on) if table.tied}


# ---- The tables of a page on a day
ONE_DAY = timedelta(1)
ONE_YEAR = timedelta(365)
RATING_COLUMNS = ("rank", "player", "rating", "games")
MOVED_COLUMNS = ("rank", "player", "rating", "before-the-day", "moved", "games")


def get_page_tables(office: Federation, page: Page, on: date, now: date) -> list[RuleTable]:
    """The rule tables of a page on a day. Today's are cached; past days are too many."""
    if on < now:
        return _compute_tables(office, page, on, now)
    key = f"tables-{office.pk}-{get_recompute_number(office)}-{page.code}-{on}"
    if (found := page_cache.get(key)) is None:
        found = _compute_tables(office, page, on, now)
        page_cache.set(key, found)
    return list(found)


def _compute_tables(office: Federation, page: Page, on: date, now: date) -> list[RuleTable]:
    asked = as_of(office, on, now)
    state = asked.state()
    if page.ratings:
        return get_rating_tables(asked, state)
    tables = get_shown_tables(office, on, state)
    return [table for name in page.tables for table in tables if table.name == name]


def get_recompute_number(office: Federation) -> int:
    """The number of the office's last recompute, for cache keys that end with the next one."""
    return Ledger.objects.values_list("done", flat=True).get(federation=office)


def get_rating_tables(asked: AsOf, state: State[Any]) -> list[RuleTable]:
    """Everybody's rating as a table for each track, with what the calendar moved since the last fact."""
    office, moved = asked.federation, find_last_calendar_move_day(asked, state)
    return [_rating_table(office, track.code, asked.day, moved, state) for track in office.ruleset.tracks]


def find_last_calendar_move_day(asked: AsOf, state: State[Any]) -> date | None:
    """The last day, up to that asked for, on which only the calendar moved ratings, or None."""
    office, on = asked.federation, asked.day
    taken_in = Fact.objects.filter(federation=office).in_force(asked.line).aggregate(day=Max("on"))["day"]
    first = max(taken_in + ONE_DAY, on - ONE_YEAR) if taken_in else on
    days = _days_of_change(office, state, first, on)
    return days[-1] if days else None


def find_next_calendar_move_day(asked: AsOf, state: State[Any]) -> date | None:
    """The next day after the one asked for on which the calendar alone will move ratings, or None."""
    days = _days_of_change(asked.federation, state, asked.day + ONE_DAY, asked.day + ONE_YEAR)
    return days[0] if days else None


def _days_of_change(office: Federation, state: State[Any], first: date, last: date) -> list[date]:
    days_of_change = office.ruleset.calendar.days_of_change
    return days_of_change(state.wide, first, last) if days_of_change else []


def _rating_table(
    office: Federation, track: str, on: date, moved: date | None, state: State[Any]
) -> RuleTable:
    ruleset = office.ruleset
    rules = ruleset.rules_on_or_first(on)
    places = Decimal(1).scaleb(-equipment_of(ruleset).publication.decimals)
    with localcontext(CONTEXT):
        rows = rules.rating_list(state, track, on)
        eve = moved - ONE_DAY if moved else None
        earlier = ruleset.rules_on_or_first(eve).rating_list(state, track, eve) if eve else ()
    now = {row.player: row.rating.quantize(places, ROUND_HALF_UP) for row in rows}
    if not moved:
        return RuleTable(
            track, RATING_COLUMNS, tuple((r.rank, r.player, now[r.player], r.games) for r in rows)
        )
    before = {row.player: row.rating.quantize(places, ROUND_HALF_UP) for row in earlier}
    moves = {player: (rating, now[player] - rating) for player, rating in before.items() if player in now}
    unlisted = (None, None)
    return RuleTable(
        track,
        MOVED_COLUMNS,
        tuple((r.rank, r.player, now[r.player], *moves.get(r.player, unlisted), r.games) for r in rows),
    )
