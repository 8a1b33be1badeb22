"""§2 §5: the rating of a day, a replay's answers, and the coefficients that they rest on."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal

from ratings.law.facts import PlayerId, State
from ratings.law.rule_outputs import Answer, Counts, ListedPlayer, RuleTable, Value, WorkingStep
from ratings.law.ruleset_helpers.shared_places import ranked
from ratings.rulesets.mahjong.edition_undated.formulas import (
    COMPETITIONS_NEEDED,
    YEARS_OF_WEIGHT,
    Scale,
    absence_coefficient,
    anniversary,
    days_of_change,
    quarters,
    rating,
    result,
    scale,
    time_coefficient,
)
from ratings.rulesets.mahjong.edition_undated.working import mean_steps, missed_table
from ratings.rulesets.mahjong.law.standing import AdmittedCompetitions, MahjongStanding

SHOWN_DECIMALS = 4  # D-RMF-8
SHOWN = Decimal(1).scaleb(-SHOWN_DECIMALS)
NOTHING_WEIGHS = Scale({}, 0)
A_YEAR = timedelta(365)
Cells = tuple[Value | tuple[Value, ...], ...]
COEFFICIENTS = ("section", "ends", "players", "ka", "kb", "kc", "until")
DAYS = ("day", "section", "kb-before", "kb-after")
COUNTS = ("section", "ends", "place-taken", "players", "r", "ka", "kb", "weight")


def answers(state: State[MahjongStanding], on: date) -> Iterator[Answer]:
    """§2: the answers of a replay for all with a place in the rating; on the list from the second competition
    on (D-RMF-4).

    Exact for any day from the last admission on; of an earlier day, the state as it was then has to be asked.
    """
    of_day = scale(state.wide, on) if state.wide else NOTHING_WEIGHS
    for (player, track), standing in state.standings.items():
        if standing.included:
            value = rating(of_day, standing.played)
            listed = value is not None and standing.games >= COMPETITIONS_NEEDED
            yield Answer(player, track, "rated", value, standing.games, listed)


def rating_on(standing: MahjongStanding, wide: AdmittedCompetitions | None, on: date) -> Decimal | None:
    """§5: one player's rating on a day, worked out from that player's competitions alone; None: there is
    none.
    """
    if not standing.included or wide is None:
        return None
    return rating(scale(wide, on, {each.competition for each in standing.played}), standing.played)


def rating_list(state: State[MahjongStanding], track: str, on: date) -> list[ListedPlayer]:
    """The rating list of a day, best first; who shows the same rating shares the rank."""
    listed = (
        (answer.player, answer.rating, answer.games, "rated")
        for answer in answers(state, on)
        if answer.listed and answer.rating is not None and answer.track == track
    )
    return ranked(listed, shown_rating)


def shown_rating(value: Decimal) -> Decimal:
    """A rating as people see it, with four decimals."""
    return value.quantize(SHOWN, ROUND_HALF_UP)


def listed_steps(
    state: State[MahjongStanding], player: PlayerId, track: str, on: date
) -> tuple[WorkingStep, ...]:
    """§2 §5: what puts a player on the list, two competitions (D-RMF-4), and the last day on which anything
    that they played has weight.
    """
    standing = state.get(player, track) or MahjongStanding()
    if not standing.included:
        return (WorkingStep("2", "not-included", {}),)
    played = {each.competition for each in standing.played}
    known = state.wide.competitions if state.wide else ()
    last = max((anniversary(each.ends, YEARS_OF_WEIGHT) for each in known if each.id in played), default=on)
    if last <= on and not any(quarters(each.ends, on) for each in known if each.id in played):
        return (WorkingStep("5", "off-the-list", {}),)
    stays = WorkingStep("5", "stays-listed", {"until": last})
    if standing.games >= COMPETITIONS_NEEDED:
        return (stays,)
    inputs = {"needed": COMPETITIONS_NEEDED, "games": standing.games}
    return (WorkingStep("2", "not-yet-listed", inputs),)


def tables(state: State[MahjongStanding], on: date) -> list[RuleTable]:
    """§4 §5: two tables: the competitions that weigh something on a day, and the days of the coming year on
    which that changes.
    """
    wide: AdmittedCompetitions | None = state.wide
    rows: list[Cells] = []
    for each in wide.competitions if wide else ():
        left = quarters(each.ends, on)
        if wide and left:
            kc = absence_coefficient(wide.of_year(each.ends.year))
            until = anniversary(each.ends, YEARS_OF_WEIGHT + 1 - left)
            kb = time_coefficient(each.ends, on)
            rows.append((each.id, each.ends, each.players, each.weight, kb, kc, until))
    return [
        RuleTable("coefficients", COEFFICIENTS, tuple(rows), answered=False, about="coefficients-about"),
        RuleTable("days", DAYS, tuple(days(wide, on)), answered=False, about="days-about"),
    ]


def days(wide: AdmittedCompetitions | None, on: date) -> Iterator[Cells]:
    """§5: the rows of the table of days: each day of the year after `on` on which a competition loses weight,
    the competition, and its kB before and after.
    """
    for day in days_of_change(wide, on + timedelta(1), on + A_YEAR):
        for each in wide.competitions if wide else ():
            before, after = (time_coefficient(each.ends, at) for at in (day - timedelta(1), day))
            if before != after:
                yield day, each.id, before, after


def counts(state: State[MahjongStanding], player: PlayerId, track: str, on: date) -> Counts | None:
    """§5: a table of the competitions that weigh in a player's rating on a day, with the steps to the rating;
    None: no place in it.
    """
    standing, wide = state.get(player, track), state.wide
    if standing is None or not standing.included or wide is None:
        return None
    own = {each.competition: each.place for each in standing.played}
    rows = [
        (
            each.id,
            each.ends,
            own[each.id],
            each.players,
            shown_rating(result(each.players, own[each.id])),
            each.weight,
            kb,
            each.weight * kb,
        )
        for each in wide.competitions
        if each.id in own and (kb := time_coefficient(each.ends, on))
    ]
    steps = tuple(mean_steps(wide, standing, on))
    table = RuleTable("counts", COUNTS, tuple(rows), answered=False)
    return Counts(table, steps, missed_table(wide, standing, on))
