"""A regulation and a draft of another over the same journal, by the pure core alone.

    python -m ratings.lab JOURNAL DRAFT [--json]             # who moves, the ratings' health, predictions
    python -m ratings.lab JOURNAL DRAFT --player NUMBER      # one player by both laws, with both workings
    python -m ratings.lab JOURNAL [DRAFT] --sweep "30.1.standard=16..40/2"   # a table, in all processors

Nothing but the journal, the draft and the rulesets is read: no database, no clock, no settings, no Django.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date
from decimal import ROUND_FLOOR, Decimal, localcontext
from functools import cache
from hashlib import sha256
from itertools import repeat, zip_longest
from math import isnan, sqrt
from operator import itemgetter
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from ratings.replay import MALFORMED, NOT_UNDERSTOOD
from ratings.rulesets import rulesets
from ratings.rulesets.drafts import Draft, DraftError, apply_draft, read_draft
from ratings.rulesets.facts import Fact, ListedPlayer, Player, PlayerId, RatedSection, RuleTable, State
from ratings.rulesets.journal import Journal, compute_rating_lists, merges, read_journal, resolve, root
from ratings.rulesets.journal_lines import KINDS, JournalError, file_and_end_lines, is_end_line, plain
from ratings.rulesets.parameters import Grid, numbers_by_key
from ratings.rulesets.ruleset import CONTEXT, Ruleset, without_gc


class Refused(Exception):
    """Raised for a draft or an argument that fits nothing here."""


class Malformed(Exception):
    """Raised by a process of a sweep for a malformed journal; the message has its problems."""


FAILURES = (ArithmeticError, AssertionError, LookupError, TypeError, ValueError)
"""What rules raise whose numbers do not go together."""


@dataclass(slots=True)
class AtWork:
    """The fact to which rules are being applied."""

    fact: Fact | None = None


@contextmanager
def naming_failures() -> Iterator[AtWork]:
    """Run a block in which a draft's rules may fail; raise Refused where they do, with the line."""
    at = AtWork()
    try:
        yield at
    except DraftError:
        raise
    except FAILURES as error:
        where = f"at line {at.fact.number} of the journal" if at.fact else "with these numbers"
        raise Refused(f"the rules fail {where}: {type(error).__name__}") from error


# ---- What is measured
NEWCOMER_GAMES = 30
LOTS, DRAWS, SEED = 50, 400, 1
STEPS = 6
"""The most steps of difference, up or down, that are told apart."""
STEPS_OF_CHANGE = 10
QUANTILES = (0, 5, 25, 50, 75, 95, 100)

DEFINITIONS = {
    "players": "with a rating in the track by either law, on the journal's last day",
    "moved": "of these, whose rating differs in any digit, or stands by one law alone",
    "changes": "the rating by the draft less that by the law, of those with both: the least, the greatest, "
    "and what so many per cent lie at or below; distribution: of those who moved, how many in each step",
    "list": "the track's rating list on the last day by each law; ranks gained and lost are of those on both",
    "season": "csa: the performances of the last year that count for the Grand Prix (47, 49): their number, "
    "and the best players' best; otherwise: whose number or best differs",
    "first ratings": "of players without one before: how many, and their mean; otherwise: how many differ",
    "health": "players with a game that counted in the year, by their ratings at its end: number, mean, "
    f"spread (standard deviation); newcomers have fewer than {NEWCOMER_GAMES} games in the track (in mahjong "
    "competitions), regulars more",
    "inflation": "the mean change from one year's end to the next of those who played in both years, so that "
    "nobody comes in or goes out between; and its sum from the first year on",
    "points": "what each clause brought into all ratings of the track together (took out, if negative)",
    "prediction": "the expected score that the rules have (csa 37, ssdc 1.4.1), or that their table implies, "
    "at which a game moves nothing on the average (pfo 10, piskvorky 7); in mahjong 1 for the higher rated "
    "of each pair of players. Ratings are those just before the game or section; a pre-rating counts",
    "error": "the mean squared error, (score - expected) squared: 0 is certainty, 0.25 is a coin without "
    "draws; less is better. By difference: first mover less second; by class and games: each side. "
    "Draft less law: of the same games, so not by class or difference, which each law's ratings make",
    "interval": f"95 of 100 times: the sections are dealt into {LOTS} lots, and as many lots drawn with "
    f"replacement, {DRAWS} times, always alike. A difference whose interval has 0 in it may be chance",
}
"""Each measure, and how it is worked out."""

Cell = list[float]
"""Games, squared errors, expected scores and scores, added up."""
Group = tuple[str, Any]
"""What a cell is of: `("all", "")`, `("year", 2024)`, `("difference", -2)`, `("class", 7)`, `("games", …)`;
differences are counted in half classes, classes from 0.
"""


class Health(NamedTuple):
    """The ratings of some players at the end of a year."""

    players: int
    mean: float
    spread: float


class Inflation(NamedTuple):
    """The mean change of those who played in a year and the one before."""

    players: int
    change: float
    total: float


@dataclass(slots=True)
class TrackMeasures:
    """What one law makes of a journal in one track."""

    ratings: dict[PlayerId, Decimal] = field(default_factory=dict)
    listed: list[ListedPlayer] = field(default_factory=list)
    first: dict[PlayerId, float] = field(default_factory=dict)
    health: dict[int, dict[str, Health]] = field(default_factory=dict)
    """By year, and in it by group: `all`, `newcomers`, `regulars`, `region XX`."""
    inflation: dict[int, Inflation] = field(default_factory=dict)
    points: dict[str, dict[int, float]] = field(default_factory=dict)
    """By clause and year."""
    lots: dict[Group, dict[int, Cell]] = field(default_factory=dict)
    """The sums of predictions by group and lot of sections."""
    season: dict[PlayerId, list[float]] = field(default_factory=dict)
    """The number of performances that count for the last year, and the best, by player."""
    before: dict[PlayerId, float] = field(default_factory=dict)
    """The ratings at the end of the year before, of those who played in it."""


@dataclass(slots=True)
class Measures:
    """What one law makes of a journal."""

    tracks: dict[str, TrackMeasures]
    tables: list[RuleTable]
    class_width: float


def measure(ruleset: Ruleset, facts: Sequence[Fact], day: date) -> Measures:
    """Fold the facts by one law, and measure it; `day`: that of lists and tables. Raises Refused for rules
    that fail.
    """
    fold = _MeasuringFold(ruleset)
    with without_gc(), naming_failures() as at:
        for at.fact in facts:
            fold.take(at.fact)
        fold.end_year(day)
        return fold.finish(day)


class _MeasuringFold:
    """A fold that measures each step."""

    def __init__(self, ruleset: Ruleset) -> None:
        self.ruleset = ruleset
        self.state: State[Any] = State()
        self.tracks = {track.code: TrackMeasures() for track in ruleset.tracks}
        self.year: int | None = None
        self.active: dict[str, set[PlayerId]] = defaultdict(set)
        self.regions: dict[PlayerId, str] = {}
        self.sections = 0
        self.width = float(ruleset.figures.class_width)

    def take(self, fact: Fact) -> None:
        day = _day_of(fact, self.ruleset)
        if day is not None and day.year != self.year:
            if self.year is not None:
                self.end_year(date(self.year, 12, 31))
                for track in self.tracks.values():
                    track.season = {}
            self.year = day.year
        rules = self.ruleset.rules_for(fact)
        with localcontext(CONTEXT):
            outcome = rules.apply(self.state, fact)
            measured = (
                [*rules.measure(self.state, fact, outcome.changes)] if hasattr(rules, "measure") else []
            )
        for each in measured:
            track = self.tracks[each.track]
            for clause, points in each.points:
                by_year = track.points.setdefault(clause, {})
                by_year[self.year or 0] = by_year.get(self.year or 0, 0.0) + points
            for player, performance in each.performances:
                number, best = track.season.get(player, (0, performance))
                track.season[player] = [number + 1, max(best, performance)]
            if each.predictions and isinstance(fact, RatedSection):
                self._add_predictions(track, each.track, each.predictions, fact.section.ends.year)
        played = isinstance(fact, RatedSection)
        for player, code, before, after, _points in outcome.changes:
            if after.rating is not None and (before is None or before.rating is None):
                self.tracks[code].first.setdefault(player, float(after.rating))
            if played and after.games > (before.games if before else 0):
                self.active[code].add(player)
        if isinstance(fact, RatedSection):
            self.sections += 1
            for id_, person in fact.players.items():
                if person.region:
                    self.regions[id_] = person.region
        self.state.absorb(outcome)

    def _add_predictions(
        self, track: TrackMeasures, code: str, predictions: Iterable[tuple[Any, ...]], year: int
    ) -> None:
        """Add a section's predictions to the sums of its lot."""
        step, lot = self.width / 2, self.sections % LOTS
        whole, steps = [0.0] * 4, dict[int, Cell]()
        sides: dict[PlayerId, tuple[Cell, float]] = {}
        for first, second, own, other, expected, score in predictions:
            error = score - expected
            square = error * error
            whole[0] += 1
            whole[1] += square
            whole[2] += expected
            whole[3] += score
            index = int((own - other) // step)
            index = -STEPS if index < -STEPS else STEPS - 1 if index >= STEPS else index
            cell = steps.get(index)
            if cell is None:
                cell = steps[index] = [0.0] * 4
            cell[0] += 1
            cell[1] += square
            cell[2] += expected
            cell[3] += score
            found = sides.get(first)
            if found is None:
                found = sides[first] = [0.0] * 4, own
            cell = found[0]
            cell[0] += 1
            cell[1] += square
            cell[2] += expected
            cell[3] += score
            found = sides.get(second)
            if found is None:
                found = sides[second] = [0.0] * 4, other
            cell = found[0]
            cell[0] += 1
            cell[1] += square
            cell[2] += 1 - expected
            cell[3] += 1 - score
        _add(track, ("all", ""), lot, whole)
        _add(track, ("year", year), lot, whole)
        for index, cell in steps.items():
            _add(track, ("difference", index), lot, cell)
        for player, (cell, rating) in sides.items():
            known = self.state.standings.get((player, code))
            regular = known is not None and known.games >= NEWCOMER_GAMES
            _add(track, ("games", "regulars" if regular else "newcomers"), lot, cell)
            _add(track, ("class", int(rating // self.width)), lot, cell)

    def end_year(self, day: date) -> None:
        """Measure the ratings of those who played in the year."""
        calendar = self.ruleset.calendar.rating_on
        year = self.year or day.year
        for code, players in self.active.items():
            track, groups = self.tracks[code], defaultdict[str, list[float]](list)
            now: dict[PlayerId, float] = {}
            for player in sorted(players):
                standing = self.state.standings[player, code]
                with localcontext(CONTEXT):
                    found = calendar(standing, self.state.wide, day) if calendar else standing.rating
                if found is None:
                    continue
                now[player] = rating = float(found)
                groups["all"].append(rating)
                groups["regulars" if standing.games >= NEWCOMER_GAMES else "newcomers"].append(rating)
                if player in self.regions:
                    groups[f"region {self.regions[player]}"].append(rating)
            track.health[year] = {name: _health(groups[name]) for name in sorted(groups)}
            both = [now[player] - track.before[player] for player in now if player in track.before]
            earlier = track.inflation[max(track.inflation)].total if track.inflation else 0.0
            if both:
                change = sum(both) / len(both)
                track.inflation[year] = Inflation(len(both), change, earlier + change)
            track.before = now
        self.active = defaultdict(set)

    def finish(self, day: date) -> Measures:
        """The measures, with the ratings, lists and tables of a day."""
        rules = self.ruleset.rules_on_or_first(day)
        with localcontext(CONTEXT):
            for row in rules.answers(self.state, day):
                if row.rating is not None:
                    self.tracks[row.track].ratings[row.player] = row.rating
            tables = rules.tables(self.state, day)
        for code, rows in compute_rating_lists(self.ruleset, self.state, day).items():
            self.tracks[code].listed = rows
        return Measures(self.tracks, tables, self.width)


def _add(track: TrackMeasures, group: Group, lot: int, cell: Cell) -> None:
    lots = track.lots.setdefault(group, {})
    into = lots.get(lot)
    if into is None:
        lots[lot] = cell.copy()
        return
    for at in range(4):
        into[at] += cell[at]


def _day_of(fact: Fact, ruleset: Ruleset) -> date | None:
    """The day on which a fact counts in the fold's order."""
    if isinstance(fact, RatedSection):
        return fact.section.ends if ruleset.in_order_of_play else fact.on
    return getattr(fact.fact, "on", None)


def _health(ratings: list[float]) -> Health:
    mean = sum(ratings) / len(ratings)
    return Health(len(ratings), mean, sqrt(sum((each - mean) ** 2 for each in ratings) / len(ratings)))


# ---- Intervals, from lots of sections drawn again
class Interval(NamedTuple):
    """A value, and the bounds within which it lies 95 of 100 times."""

    value: float
    low: float
    high: float


_dice = Random(SEED)
_DRAWS = [itemgetter(*_dice.choices(range(LOTS), k=LOTS)) for _draw in range(DRAWS)]
"""For each draw, a function from the values of all lots to those of the lots drawn."""


class Errors(NamedTuple):
    """The mean squared error of some games, and that of each draw, of which None had no game."""

    value: float
    drawn: tuple[float | None, ...]

    @property
    def interval(self) -> Interval:
        """The error with its bounds; the bounds are no numbers where too few draws had a game."""
        found = sorted(each for each in self.drawn if each is not None)
        if len(found) < DRAWS // 2:
            return Interval(self.value, float("nan"), float("nan"))
        cut = len(found) * 25 // 1000
        return Interval(self.value, found[cut], found[-1 - cut])

    def less(self, other: Errors) -> Errors:
        """What these errors are more than others, draw by draw."""
        pairs = zip(self.drawn, other.drawn, strict=True)
        drawn = (None if one is None or two is None else one - two for one, two in pairs)
        return Errors(self.value - other.value, tuple(drawn))


def mean_errors(lots: Mapping[int, Cell] | None) -> Errors | None:
    """The errors of some sums by lot; None without a game. A lot that stands alone has no draws."""
    if not lots:
        return None
    games, squares = ([lots[lot][at] if lot in lots else 0.0 for lot in range(LOTS)] for at in (0, 1))
    if len(lots) == 1:
        return Errors(sum(squares) / sum(games), (None,) * DRAWS)
    sums = ((sum(drawn(games)), sum(drawn(squares))) for drawn in _DRAWS)
    return Errors(
        sum(squares) / sum(games), tuple(square / number if number else None for number, square in sums)
    )


def calibration(lots: Mapping[int, Cell] | None, errors: Errors | None) -> dict[str, Any] | None:
    """The number of games, the expected and the real score a game, and the error, of some sums by lot."""
    if not lots or not errors:
        return None
    games, _squares, expected, scored = map(sum, zip(*lots.values(), strict=True))
    return {
        "games": round(games),
        "expected": _short(expected / games),
        "scored": _short(scored / games),
        "error": _interval(errors),
    }


# ---- The comparison of both laws
class Case(NamedTuple):
    """A journal with a draft, ready to be measured."""

    journal: Journal
    facts: list[Fact]
    day: date
    sha256: str

    @property
    def names(self) -> dict[PlayerId, str]:
        """The newest published name of each player, by the number after merges."""
        aliases = merges(self.journal.lines)
        people = (fact for _number, fact in self.journal.lines if isinstance(fact, Player))
        return {each.id: each.name or "(name withheld)" for each in people if each.id not in aliases}


def read_case(lines: Iterable[bytes]) -> Case:
    """Read a journal from its lines, line ends included. Raises JournalError."""
    hashed = sha256()

    def read() -> Iterator[bytes]:
        for line in lines:
            if not is_end_line(line):
                hashed.update(line)
            yield line

    with without_gc():
        journal = read_journal(read())
        facts = resolve(journal)
    days = (on for line in reversed(journal.lines) if (on := getattr(line.fact, "on", None)))
    day = next(days, journal.ruleset.editions[0].in_force)
    return Case(journal, facts, day, hashed.hexdigest())


def compare(law: Measures, draft: Measures, names: Mapping[PlayerId, str], most: int) -> dict[str, Any]:
    """Both laws' measures side by side, ready for JSON; `most`: the rows of each list of players."""
    tracks = {}
    for code, one in law.tracks.items():
        other = draft.tracks[code]
        if one.ratings or other.ratings:
            tracks[code] = compare_track(one, other, names, most, law.class_width)
    return {"tracks": tracks, "tables": [*_compare_tables(law.tables, draft.tables, names, most)]}


def compare_track(
    law: TrackMeasures, draft: TrackMeasures, names: Mapping[PlayerId, str], most: int, width: float
) -> dict[str, Any]:
    """Both laws' measures of a track side by side; `width`: that of classes of ratings."""
    players = sorted({*law.ratings, *draft.ratings})
    both = [player for player in players if player in law.ratings and player in draft.ratings]
    changes = sorted(
        ((draft.ratings[each] - law.ratings[each], each) for each in both), key=lambda row: (-row[0], row[1])
    )
    values = sorted(change for change, _player in changes)

    def row(change: Decimal, player: PlayerId) -> dict[str, Any]:
        ratings = {"law": plain(law.ratings[player]), "draft": plain(draft.ratings[player])}
        return {"player": player, "name": names.get(player, ""), **ratings, "change": plain(change)}

    return {
        "players": len(players),
        "moved": sum(law.ratings.get(each) != draft.ratings.get(each) for each in players),
        "changes": {
            str(share): plain(values[(len(values) - 1) * share // 100]) for share in QUANTILES if values
        },
        "distribution": distribution([change for change in values if change]),
        "ratings": {
            each: {
                side: rating and plain(rating)
                for side, rating in _both(law.ratings.get(each), draft.ratings.get(each))
            }
            for each in players
        },
        "up": [row(*each) for each in changes[:most] if each[0] > 0],
        "down": [row(*each) for each in changes[: -most - 1 : -1] if each[0] < 0],
        "list": _compare_lists(law.listed, draft.listed, names, most),
        "first_ratings": {
            "law": _first_ratings(law.first),
            "draft": _first_ratings(draft.first),
            "otherwise": sum(
                law.first.get(each) != draft.first.get(each) for each in {*law.first, *draft.first}
            ),
        },
        "season": _compare_seasons(law.season, draft.season, names, most),
        "health": _health_rows(law, draft),
        "inflation": [
            {"year": year, "law": _inflation(law, year), "draft": _inflation(draft, year)}
            for year in sorted({*law.inflation, *draft.inflation})
        ],
        "points": [
            {"clause": clause, "law": _by_year(law, clause), "draft": _by_year(draft, clause)}
            for clause in sorted({*law.points, *draft.points})
        ],
        "prediction": _compare_predictions(law, draft, width),
    }


def distribution(changes: Sequence[Decimal]) -> list[dict[str, Any]]:
    """How many changes lie in each step from a number up to another; the steps are 1, 2 or 5, with zeros, so
    that there are some twenty at most.
    """
    if not changes:
        return []
    greatest = max(map(abs, changes))
    powers = (Decimal(digit).scaleb(power) for power in range(-16, 8) for digit in (1, 2, 5))
    step = next(each for each in powers if greatest / each <= STEPS_OF_CHANGE)
    counts = Counter(int((change / step).to_integral_value(ROUND_FLOOR)) for change in changes)
    return [
        {"from": plain(at * step), "to": plain((at + 1) * step), "players": counts[at]}
        for at in range(min(counts), max(counts) + 1)
    ]


def _compare_lists(
    law: list[ListedPlayer], draft: list[ListedPlayer], names: Mapping[PlayerId, str], most: int
) -> dict[str, Any]:
    ranks = {row.player: row.rank for row in law}
    gained = [ranks[row.player] - row.rank for row in draft if row.player in ranks]

    def cells(row: ListedPlayer | None) -> dict[str, Any] | None:
        return row and {
            "rank": row.rank,
            "player": row.player,
            "name": names.get(row.player, ""),
            "rating": plain(row.rating),
        }

    return {
        "law": len(law),
        "draft": len(draft),
        "gained": sum(each > 0 for each in gained),
        "lost": sum(each < 0 for each in gained),
        "rows": [{"law": cells(a), "draft": cells(b)} for a, b in zip_longest(law[:most], draft[:most])],
    }


def _compare_seasons(
    law: Mapping[PlayerId, Sequence[float]],
    draft: Mapping[PlayerId, Sequence[float]],
    names: Mapping[PlayerId, str],
    most: int,
) -> dict[str, Any]:
    def best(season: Mapping[PlayerId, Sequence[float]]) -> list[dict[str, Any]]:
        ordered = sorted(season.items(), key=lambda each: (-each[1][1], each[0]))
        return [
            {
                "player": player,
                "name": names.get(player, ""),
                "best": _short(best),
                "performances": int(number),
            }
            for player, (number, best) in ordered[:most]
        ]

    return {
        "law": sum(int(number) for number, _best in law.values()),
        "draft": sum(int(number) for number, _best in draft.values()),
        "otherwise": sum(law.get(each) != draft.get(each) for each in {*law, *draft}),
        "rows": [{"law": one, "draft": two} for one, two in zip_longest(best(law), best(draft))],
    }


def _first_ratings(first: Mapping[PlayerId, float]) -> dict[str, Any]:
    return {"players": len(first), "mean": _short(sum(first.values()) / len(first)) if first else None}


def _health_rows(law: TrackMeasures, draft: TrackMeasures) -> list[dict[str, Any]]:
    def cells(health: Health | None) -> dict[str, Any] | None:
        return health and {"players": health[0], "mean": _short(health[1]), "spread": _short(health[2])}

    rows = []
    for year in sorted({*law.health, *draft.health}):
        one, other = law.health.get(year, {}), draft.health.get(year, {})
        rows += [
            {"year": year, "group": group, "law": cells(one.get(group)), "draft": cells(other.get(group))}
            for group in sorted({*one, *other})
        ]
    return rows


def _inflation(track: TrackMeasures, year: int) -> dict[str, Any] | None:
    found = track.inflation.get(year)
    return found and {"players": found[0], "change": _short(found[1]), "total": _short(found[2])}


def _by_year(track: TrackMeasures, clause: str) -> dict[str, float]:
    years = track.points.get(clause, {})
    return {"all": _short(sum(years.values()))} | {str(year): _short(years[year]) for year in sorted(years)}


def _compare_predictions(law: TrackMeasures, draft: TrackMeasures, width: float) -> dict[str, Any]:
    rows = []
    for group in sorted({*law.lots, *draft.lots}):
        lots = [side.lots.get(group) for side in (law, draft)]
        one, other = map(mean_errors, lots)
        alike = group[0] not in ("class", "difference")  # there each law's ratings choose the games
        rows.append(
            {
                "by": group[0],
                "group": _label(group, width),
                "law": calibration(lots[0], one),
                "draft": calibration(lots[1], other),
                "difference": _interval(other.less(one)) if alike and one and other else None,
            }
        )
    return {"rows": rows}


def _label(group: Group, width: float) -> str:
    """The name of a group: `-200..-100`, `500..` for all from there on."""
    kind, index = group
    if kind == "class":
        return f"{index * width:g}..{(index + 1) * width:g}"
    if kind != "difference":
        return str(index)
    low = f"{index * width / 2:g}" if index > -STEPS else ""
    return f"{low}..{f'{(index + 1) * width / 2:g}' if index < STEPS - 1 else ''}"


def _compare_tables(
    law: Sequence[RuleTable], draft: Sequence[RuleTable], names: Mapping[PlayerId, str], most: int
) -> Iterator[dict[str, Any]]:
    """The further tables of the rules (ranks, qualifications, seasons): the rows that one law alone has."""
    one, other = ({(table.name, table.part): table for table in tables} for tables in (law, draft))
    for key in {**one, **other}:
        found = [table.rows if (table := side.get(key)) else () for side in (one, other)]
        known = [set(rows) for rows in found]
        table = one.get(key) or other[key]
        by_law, by_draft = (
            [row for row in rows if row not in known[1 - side]] for side, rows in enumerate(found)
        )

        def cells(rows: list[Any], columns: Sequence[str] = table.columns) -> list[dict[str, Any]]:
            return [
                {
                    column: _cell(value, names if column == "player" else {})
                    for column, value in zip(columns, row, strict=True)
                }
                for row in rows[:most]
            ]

        yield {
            "table": table.name,
            "part": table.part,
            "rows": {"law": len(found[0]), "draft": len(found[1])},
            "otherwise": {"law": len(by_law), "draft": len(by_draft)},
            "by_law_alone": cells(by_law),
            "by_draft_alone": cells(by_draft),
        }


def _cell(value: Any, names: Mapping[PlayerId, str]) -> Any:
    if isinstance(value, tuple):
        return [_cell(each, names) for each in value]
    if isinstance(value, Decimal):
        return plain(value)
    if isinstance(value, date):
        return value.isoformat()
    return f"{value} {names[value]}" if value in names else value


def _short(value: float) -> float:
    """A measure with six decimals, alike on all machines; never minus nothing."""
    return round(value, 6) + 0.0


def _interval(errors: Errors | None) -> list[float | None] | None:
    """Value, low and high for JSON; None for a bound that nothing can be said of."""
    return errors and [None if isnan(each) else _short(each) for each in errors.interval]


# ---- One player
class Event(NamedTuple):
    """What a fact did to a player's rating by one law, with its working in words."""

    rating: str
    points: str
    steps: tuple[str, ...]


def player_events(ruleset: Ruleset, facts: Iterable[Fact], player: PlayerId) -> dict[tuple[str, int], Event]:
    """What each fact did to a player, by track and line, in the order of the fold."""
    state, found = State[Any](), dict[tuple[str, int], Event]()
    with without_gc(), localcontext(CONTEXT), naming_failures() as at:
        for at.fact in facts:
            fact, rules = at.fact, ruleset.rules_for(at.fact)
            outcome = rules.apply(state, fact)
            for change in outcome.changes:
                if change.player == player:
                    working = rules.explain(state, fact, player, change.track)
                    steps = tuple(_in_words(ruleset, fact, step) for step in working.steps)
                    event = Event(_digits(change.after.rating), _digits(change.points), steps)
                    found[change.track, fact.number] = event
            state.absorb(outcome)
    return found


def compare_player(law: Ruleset, draft: Ruleset, case: Case, player: PlayerId) -> dict[str, Any]:
    """A player's ratings by both laws, event by event, with both workings, ready for JSON."""
    one, other = (player_events(each, case.facts, player) for each in (law, draft))
    what = {fact.number: (str(_day_of(fact, law) or ""), _name_of(fact)) for fact in case.facts}
    tracks: dict[str, Any] = {}
    for key in sorted({*one, *other}, key=lambda key: (key[0], *_position(case, key[1]))):
        track, line = key
        day, name = what[line]
        sides = {side: each and each._asdict() for side, each in _both(one.get(key), other.get(key))}
        rows = tracks.setdefault(track, {"law": None, "draft": None, "events": []})
        rows["events"].append({"line": line, "day": day, "event": name, **sides})
        for side, each in sides.items():
            rows[side] = each["rating"] if each else rows[side]
    return {"player": player, "name": case.names.get(player, ""), "tracks": tracks}


def _both(law: Any, draft: Any) -> tuple[tuple[str, Any], tuple[str, Any]]:
    return ("law", law), ("draft", draft)


def _position(case: Case, line: int) -> tuple[int, ...]:
    order = case.journal.ruleset.journal.order_key
    return tuple(order(fact) for fact in case.facts if fact.number == line)


def _name_of(fact: Fact) -> str:
    if isinstance(fact, RatedSection):
        return f"{fact.section.event}, {fact.section.name} ({fact.section.id})"
    return KINDS[type(fact.fact)]


def _in_words(ruleset: Ruleset, fact: Fact, step: Any) -> str:
    """A step of a working as a line of text: clause, words and numbers."""
    messages, edition = ruleset.words.messages, ruleset.edition_for(fact)
    values = {**ruleset.numbers_of(edition), **step.inputs, "result": step.result}
    shown = {
        name: _digits(messages.get(value, value) if isinstance(value, str) else value)
        for name, value in values.items()
    }
    return f"{step.clause}: {messages.get(step.key, step.key).format_map(defaultdict(str, shown))}"


def _digits(value: Any) -> str:
    """A value as text: numbers with all their digits, terms with their signs."""
    if isinstance(value, tuple):
        return " ".join(f"+ {_digits(each)}" for each in value).removeprefix("+ ").replace("+ -", "- ")
    return "-" if value is None else plain(value) if isinstance(value, Decimal) else str(value)


# ---- The sweep: many values of one parameter
class Sweep(NamedTuple):
    """The values of a parameter to try: `30.1.standard=16..40/2`."""

    key: str
    values: tuple[Decimal, ...]


MOST_VALUES = 1000


def parse_sweep(text: str) -> Sweep:
    """Read `KEY=FROM..TO/STEP`. Raises ValueError with what to write."""
    key, _equals, span = text.partition("=")
    first, dots, rest = span.partition("..")
    last, _slash, step = rest.partition("/")
    try:
        start, end, by = Decimal(first), Decimal(last), Decimal(step or 1)
        values = [start + by * number for number in range(min(MOST_VALUES, int((end - start) / by)) + 1)]
    except ArithmeticError:
        values = []
    if not (key and dots and values):
        raise ValueError(f"{text!r} is no sweep: write KEY=FROM..TO/STEP, such as 30.1.standard=16..40/2")
    if len(values) > MOST_VALUES:
        raise ValueError(f"{text!r} has more than {MOST_VALUES} values: take a longer step")
    return Sweep(key, tuple(values))


def with_value(draft: Draft, key: str, value: Decimal) -> Draft:
    """The draft with one more number. Raises DraftError where the regulations have no such number."""
    text = f'ruleset = "{draft.ruleset}"\nname = "value"\n[parameters]\n{json.dumps(key)} = "{plain(value)}"'
    return replace(draft, parameters={**draft.parameters, **read_draft(text).parameters})


@cache
def _read_once(path: Path) -> Case:
    """The journal, read once in each process of a sweep."""
    return read_case(file_and_end_lines(path))


def _measure_draft(path: Path, draft: Draft | None) -> Measures:
    """Measure a draft, or the law for None, in a process of a sweep."""
    try:
        case = _read_once(path)
    except JournalError as error:
        raise Malformed(str(error)) from None
    return measure(_law_of(draft) if draft else case.journal.ruleset, case.facts, case.day)


def run_sweep(path: Path, draft: Draft, sweep: Sweep) -> list[dict[str, Any]]:
    """The measures of each value, by track, ready for JSON; what is done is said on standard error."""
    drafts = [with_value(draft, sweep.key, value) for value in sweep.values]
    rows: list[dict[str, Any]] = []
    processes = min(os.cpu_count() or 1, len(drafts) + 1)
    pool = ProcessPoolExecutor(processes, mp_context=multiprocessing.get_context("spawn"))
    try:
        measured = pool.map(_measure_draft, repeat(path), [None, *drafts])
        law = next(measured)
        for number, (value, found) in enumerate(zip(sweep.values, measured, strict=True), start=1):
            rows += sweep_rows(value, law, found)
            print(f"{number} of {len(drafts)}: {sweep.key} = {plain(value)}", file=sys.stderr, flush=True)
    except BrokenProcessPool as error:
        raise Refused("a process of the sweep was ended; there may be too little memory") from error
    finally:
        pool.shutdown(cancel_futures=True)
    return rows


def sweep_rows(value: Decimal, law: Measures, draft: Measures) -> Iterator[dict[str, Any]]:
    """The measures of one value, a row for each track."""
    for code, other in draft.tracks.items():
        one = law.tracks[code]
        players = one.ratings.keys() | other.ratings.keys()
        if not players:
            continue
        both = one.ratings.keys() & other.ratings.keys()
        changes = [float(other.ratings[each] - one.ratings[each]) for each in sorted(both)]
        ranks = {row.player: row.rank for row in one.listed}
        last = other.health[max(other.health)].get("all") if other.health else None
        errors = [mean_errors(side.lots.get(("all", ""))) for side in (one, other)]
        yield {
            "track": code,
            "value": plain(value),
            "players": len(players),
            "moved": sum(one.ratings.get(each) != other.ratings.get(each) for each in players),
            "ranks": sum(ranks.get(row.player) != row.rank for row in other.listed),
            "change": _short(sum(changes) / len(changes)) if changes else None,
            "mean": last and _short(last.mean),
            "spread": last and _short(last.spread),
            "inflation": _short(other.inflation[max(other.inflation)].total) if other.inflation else None,
            "first_ratings": len(other.first),
            "error": _interval(errors[1]),
            "difference": _interval(errors[1].less(errors[0]) if errors[0] and errors[1] else None),
            **{
                games: _interval(mean_errors(other.lots.get(("games", games))))
                for games in ("newcomers", "regulars")
            },
        }


def format_sweep(found: Mapping[str, Any]) -> Iterator[str]:
    """The lines of a sweep for people: a table and curves for each track."""
    yield f"{found['key']}; the law is {found['law']}"
    for code in dict.fromkeys(row["track"] for row in found["sweep"]):
        rows = [row for row in found["sweep"] if row["track"] == code]
        yield f"\n== {code}"
        yield from _table([*rows[0]][1:], [[*row.values()][1:] for row in rows])
        for name in CURVES:
            values = [row[name][0] if isinstance(row[name], list) else row[name] for row in rows]
            if None not in values:
                yield f"{name:9}  {_curve(values)}  {_text(min(values))} .. {_text(max(values))}"
    yield "\neach measure is explained by --help; newcomers and regulars: their error"


CURVES = ("error", "inflation", "spread")
BLOCKS = "▁▂▃▄▅▆▇█"


def _curve(values: Sequence[float]) -> str:
    """Values as blocks, the least the lowest."""
    low, span = min(values), (max(values) - min(values)) or 1.0
    return "".join(BLOCKS[min(int((each - low) / span * len(BLOCKS)), len(BLOCKS) - 1)] for each in values)


# ---- The edition of a draft
def edition_lines(draft: Draft) -> Iterator[str]:
    """The data that make an edition of a draft (docs/new-federation.md). Raises Refused without a day."""
    if draft.since is None:
        raise Refused(
            "a draft over the whole history is no edition; give it a day, such as from = 2027-01-01"
        )
    ruleset = rulesets()[draft.ruleset]
    numbers = numbers_by_key(ruleset.newest.parameters)
    day = f"date({draft.since.year}, {draft.since.month}, {draft.since.day})"
    name = json.dumps(draft.name, ensure_ascii=False)
    cells: dict[str, list[str]] = {
        each.key: [] for each in ruleset.newest.parameters if isinstance(each, Grid)
    }
    yield f"# ratings/rulesets/{draft.ruleset}/parameters.py: at the end of the line of each number"
    for key, value in draft.parameters.items():
        written = f'Decimal("{plain(value)}")' if isinstance(value, Decimal) else str(value)
        grid, place = next(
            ((grid, key[len(grid) + 1 :]) for grid in cells if key.startswith(f"{grid}.")), ("", "")
        )
        if grid:
            cells[grid].append(f'"{place}": (Dated({day}, {written}, {name}),)')
        else:
            yield f"{key}: ({day}, {written}, {name}),"
    for grid, amended in cells.items():
        if amended:
            yield f"{grid}: amended={{{', '.join(amended)}}},"
    clauses = sorted({numbers[key].clause for key in draft.parameters})
    words = ", ".join(f'"{clause}": _("")' for clause in clauses)
    yield f"# ratings/rulesets/{draft.ruleset}/clauses.py: in AMENDMENTS, with the new words of each clause"
    yield f"Amendment({day}, _({name}), {{{words}}}),"
    if draft.rules:
        yield "# its rules in Python are code for a release: docs/new-federation.md, a changed rule"


# ---- As text
def format_report(found: Mapping[str, Any]) -> Iterator[str]:
    """The lines of a comparison for people."""
    yield f"{found['ruleset']}: the law and the draft “{found['draft']['name']}”, on {found['day']}"
    yield f"{found['lines']} lines, SHA-256 {found['journal_sha256']}"
    for key, value in found["draft"]["parameters"].items():
        yield f"  {key} = {value}"
    for code, track in found["tracks"].items():
        yield f"\n== {code}: {track['moved']} of {track['players']} players moved"
        yield from format_track(track)
    for table in found["tables"]:
        rows, otherwise = table["rows"], table["otherwise"]
        yield (
            f"\n== {table['table']} {table['part']}".rstrip()
            + f": {_pair(rows)} rows, otherwise {_pair(otherwise)}"
        )
        for sign, side in (("-", "by_law_alone"), ("+", "by_draft_alone")):
            for row in table[side]:
                yield f"{sign} " + ", ".join("" if value is None else str(value) for value in row.values())
    yield "\nlaw | draft; each measure is explained by --help"


def format_track(track: Mapping[str, Any]) -> Iterator[str]:
    if track["changes"]:
        changes = ((share, _text(float(value))) for share, value in track["changes"].items())
        yield "changes: " + ", ".join(f"{share} % {value}" for share, value in changes)
    for side in ("up", "down"):
        if track[side]:
            yield f"\nmost {side}"
            rows = [[*row.values()] for row in track[side]]
            yield from _table(("number", "name", "law", "draft", "change"), rows)
    listed = track["list"]
    yield f"\nlist: {_pair(listed)} players; {listed['gained']} gained ranks, {listed['lost']} lost"
    if listed["rows"]:
        heads = ("rank", "number", "law", "rating", "rank", "number", "draft", "rating")
        yield from _table(heads, [*_side_by_side(listed["rows"])])
    first = track["first_ratings"]
    counts = [first[side]["players"] for side in ("law", "draft")]
    means = [first[side]["mean"] for side in ("law", "draft")]
    yield (
        f"\nfirst ratings: {counts[0]} | {counts[1]}, mean {_text(means[0])} | {_text(means[1])}, "
        f"{first['otherwise']} otherwise"
    )
    season = track["season"]
    if season["rows"]:
        yield f"\nseason: {_pair(season)} performances, {season['otherwise']} players otherwise"
        heads = ("number", "law", "best", "count", "number", "draft", "best", "count")
        yield from _table(heads, [*_side_by_side(season["rows"])])
    measures: tuple[tuple[str, Sequence[str], list[list[Any]]], ...] = (
        (
            "health",
            ("year", "group", "players", "mean", "spread"),
            [
                [row["year"], row["group"], *_columns(row, "players", "mean", "spread")]
                for row in track["health"]
            ],
        ),
        (
            "inflation",
            ("year", "players", "change", "total"),
            [[row["year"], *_columns(row, "players", "change", "total")] for row in track["inflation"]],
        ),
        (
            "points",
            ("clause", "points"),
            [[row["clause"], *_columns(row, "all")] for row in track["points"]],
        ),
        (
            "prediction",
            ("by", "group", "games", "expected", "scored", "error", "draft less law"),
            [
                [
                    row["by"],
                    row["group"],
                    *_columns(row, "games", "expected", "scored", "error"),
                    _text(row["difference"]),
                ]
                for row in track["prediction"]["rows"]
            ],
        ),
    )
    for name, titles, lines in measures:
        if lines:
            yield f"\n{name}"
            yield from _table(titles, lines)


def _side_by_side(rows: Iterable[Mapping[str, Any]]) -> Iterator[list[Any]]:
    """Rows of four columns by the law with those by the draft behind them."""
    for row in rows:
        yield [
            cell for side in ("law", "draft") for cell in (row[side] or dict.fromkeys("1234", "")).values()
        ]


def _pair(found: Mapping[str, Any]) -> str:
    return f"{found['law']} | {found['draft']}"


def _columns(row: Mapping[str, Any], *names: str) -> Iterator[str]:
    """The law's and the draft's value of each measure."""
    for name in names:
        yield " | ".join(_text(row[side] and row[side][name]) for side in ("law", "draft"))


def format_player(found: Mapping[str, Any]) -> Iterator[str]:
    """The lines of one player's comparison for people: `-` by the law alone, `+` by the draft alone."""
    yield f"{found['player']} {found['name']}"
    for code, track in found["tracks"].items():
        yield f"\n== {code}: {_text(track['law'])} | {_text(track['draft'])}"
        for event in track["events"]:
            law, draft = event["law"], event["draft"]
            sides = [(each or {}).get("rating", "") for each in (law, draft)]
            yield f"\n{event['day']} {event['event']}, line {event['line']}: {sides[0]} | {sides[1]}"
            steps = [(each or {}).get("steps", ()) for each in (law, draft)]
            for one, other in zip_longest(*steps, fillvalue=""):
                if one == other:
                    yield f"    {one}"
                else:
                    yield from (f"  {sign} {each}" for sign, each in (("-", one), ("+", other)) if each)


def _table(heads: Sequence[str], rows: Sequence[Sequence[Any]]) -> Iterator[str]:
    """Rows in columns as wide as their widest cell; numbers stand to the right."""
    cells = [[_text(each) for each in row] for row in rows]
    widths = [max(len(line[at]) for line in (heads, *cells)) for at in range(len(heads))]
    numeric = [all(not isinstance(row[at], str) for row in rows) for at in range(len(heads))]
    for line in ([*heads], *cells):
        yield "  ".join(
            each.rjust(width) if right else each.ljust(width)
            for each, width, right in zip(line, widths, numeric, strict=True)
        ).rstrip()


def _text(value: Any) -> str:
    if isinstance(value, list):
        return f"{_text(value[0])} [{_text(value[1])} .. {_text(value[2])}]"
    return (
        "-" if value is None else f"{round(value, 4) + 0.0:.4f}" if isinstance(value, float) else str(value)
    )


# ---- The command
def main(arguments: list[str] | None = None) -> int:
    parser = _parser()
    given = parser.parse_args(arguments)
    if given.edition is None and given.journal is None:
        parser.error("give a JOURNAL and a DRAFT")
    if given.edition is None and given.draft is None and given.sweep is None:
        parser.error("give a DRAFT, a file in TOML, or --sweep")
    try:
        output = _compute_output(given)
    except (JournalError, Malformed) as error:
        print(error, file=sys.stderr)
        return MALFORMED
    except (Refused, DraftError) as error:
        print(error, file=sys.stderr)
        return NOT_UNDERSTOOD
    except OSError as error:
        print(f"{error.filename}: {error.strerror or error}", file=sys.stderr)
        return NOT_UNDERSTOOD
    sys.stdout.buffer.write(output.encode())
    return 0


def _compute_output(given: argparse.Namespace) -> str:
    if given.edition is not None:
        return "".join(f"{line}\n" for line in edition_lines(_read_draft(given.edition, given.trust)))
    draft = _read_draft(given.draft, given.trust) if given.draft else None
    if given.sweep:
        return _sweep_output(given, draft)
    assert draft
    law_and_draft = _law_of(draft)
    case = read_case(sys.stdin.buffer if given.journal == "-" else file_and_end_lines(Path(given.journal)))
    law = case.journal.ruleset
    _check_ruleset(draft, law, given.draft)
    if given.player is not None:
        found = compare_player(law, law_and_draft, case, _find_player(case, given.player))
        return _written(given, found, format_player)
    measures = [measure(each, case.facts, case.day) for each in (law, law_and_draft)]
    head = {
        "federation": case.journal.federation.code,
        "ruleset": law.slug,
        "day": case.day.isoformat(),
        "lines": len(case.journal.lines),
        "journal_sha256": case.sha256,
        "draft": {
            "name": draft.name,
            "parameters": {key: _digits(value) for key, value in draft.parameters.items()},
        },
    }
    return _written(given, head | compare(measures[0], measures[1], case.names, given.top), format_report)


def _sweep_output(given: argparse.Namespace, draft: Draft | None) -> str:
    if given.journal == "-":
        raise Refused("--sweep reads the journal in several processes; give it as a file")
    try:
        sweep = parse_sweep(given.sweep)
    except ValueError as error:
        raise Refused(f"--sweep: {error}") from error
    path = Path(given.journal)
    with path.open("rb") as file:
        law = read_journal(file.readlines(1)[:1]).ruleset
    if draft is None:
        draft = read_draft(f'ruleset = "{law.slug}"\nname = "sweep"\n')
    _check_ruleset(draft, law, given.draft or "")
    rows = run_sweep(path, draft, sweep)
    value = numbers_by_key(law.newest.parameters)[sweep.key].value
    return _written(given, {"key": sweep.key, "law": _digits(value), "sweep": rows}, format_sweep)


def _written(given: argparse.Namespace, found: dict[str, Any], lines: Any) -> str:
    if given.json:
        return (
            json.dumps(found | {"definitions": DEFINITIONS}, ensure_ascii=False, separators=(",", ":")) + "\n"
        )
    return "".join(f"{line}\n" for line in lines(found))


def _read_draft(path: str, trust: bool) -> Draft:
    def read_rules(name: str) -> str:
        return (Path(path).parent / name).read_text(encoding="utf-8-sig")

    try:
        return read_draft(Path(path).read_text(encoding="utf-8-sig"), read_rules if trust else None)
    except (DraftError, UnicodeDecodeError) as error:
        raise Refused(f"{path}: {error}") from error


def _law_of(draft: Draft) -> Ruleset:
    """The regulations under a draft. Raises Refused where its numbers do not go together."""
    with naming_failures():
        return apply_draft(draft)


def _check_ruleset(draft: Draft, law: Ruleset, path: str) -> None:
    if draft.ruleset != law.slug:
        raise Refused(f"{path}: the draft is of {draft.ruleset}, and the journal's ruleset is {law.slug}")


def _find_player(case: Case, number: str) -> PlayerId:
    aliases = merges(case.journal.lines)
    player = root(aliases, number)
    if player not in case.names:
        raise Refused(f"--player: there is no player {number} in this journal")
    return player


def _parser() -> argparse.ArgumentParser:
    words = "\n".join(f"  {name}: {meaning}" for name, meaning in DEFINITIONS.items())
    parser = argparse.ArgumentParser(
        prog="python -m ratings.lab",
        description="Hold a draft of a regulation against the regulation, over a whole journal.",
        epilog=f"measures:\n{words}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "journal", metavar="JOURNAL", nargs="?", help="the file to read; - for standard input"
    )
    parser.add_argument("draft", metavar="DRAFT", nargs="?", help="the draft, a file in TOML")
    parser.add_argument("--trust", action="store_true", help="run the draft's own rules, which are Python")
    parser.add_argument("--json", action="store_true", help="print everything as JSON")
    parser.add_argument("--top", type=_count, default=10, metavar="N", help="the rows of each list (10)")
    parser.add_argument("--player", metavar="NUMBER", help="one player alone, with both workings")
    parser.add_argument(
        "--sweep", metavar="KEY=FROM..TO/STEP", help="all measures for many values of a parameter"
    )
    parser.add_argument("--edition", metavar="DRAFT", help="print the lines of data of a draft's edition")
    return parser


def _count(text: str) -> int:
    if not (text.isascii() and text.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of rows")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
