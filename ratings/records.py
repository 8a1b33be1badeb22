"""Records of an office, of one year or of all: highest ratings, greatest rises, best wins, runs, most games.

They follow from published lists and rated sections. Each year is worked out by itself and kept; the newest
two again with each list, earlier ones only if a list or a section of any year was corrected since.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import ROUND_FLOOR, Decimal, localcontext
from heapq import nlargest, nsmallest
from operator import attrgetter, itemgetter
from typing import NamedTuple, TypeVar

from django.db.models import Max

from players.models import Federation, Player
from players.writing import batches, page_cache
from ratings.models import Change, Erratum, ListRow, RatingList
from ratings.rulesets.facts import PLAYED
from ratings.rulesets.ruleset import CONTEXT
from tournaments.models import Game, Section, Stage

KEPT = 15
"""The most feats kept of each kind; pages show fewer, without those of people who are not to be named."""
SECTIONS_AT_ONCE, ROWS_AT_ONCE = 200, 2_000
SMALL_YEAR = 20_000
"""The most games of a year that is worked out while a reader waits; others are left to the sweep."""
ROUND_STEP = Decimal(100)
"""The distance between round ratings, where the office imagines no events, which says its own."""
T = TypeVar("T")


# ---- Feats
class High(NamedTuple):
    """A rating on a published list."""

    player: int
    rating: Decimal
    rating_list: int

    @property
    def measure(self) -> Decimal:
        return self.rating


class Rise(NamedTuple):
    """A gain from one list to the next."""

    player: int
    before: Decimal
    after: Decimal
    rating_list: int

    @property
    def measure(self) -> Decimal:
        return self.after - self.before


class Win(NamedTuple):
    """A win against somebody rated higher before the section."""

    player: int
    loser: int
    own: Decimal
    theirs: Decimal
    section: int

    @property
    def measure(self) -> Decimal:
        return self.theirs - self.own


class Run(NamedTuple):
    """Games won one after the other within a year."""

    player: int
    length: int
    since: date
    until: date

    @property
    def measure(self) -> int:
        return self.length


class Games(NamedTuple):
    """The number of games of a player."""

    player: int
    games: int

    @property
    def measure(self) -> int:
        return self.games


@dataclass(slots=True)
class Records:
    """The feats of a time, the greatest first, by track if they are of a rating; and how much was played."""

    highest: dict[str, list[High]] = field(default_factory=dict)
    rises: dict[str, list[Rise]] = field(default_factory=dict)
    wins: dict[str, list[Win]] = field(default_factory=dict)
    runs: list[Run] = field(default_factory=list)
    most: list[Games] = field(default_factory=list)
    sections: int = 0
    games: int = 0
    players: int = 0
    """The number of those who played; of several years, that of the year with most."""


def merge_records(years: Iterable[Records]) -> Records:
    """The records of several years. Whoever is in the first of all is so in a year of their own."""
    found = list(years)
    return Records(
        highest={
            track: _best_of_each(high for each in found for high in each.highest.get(track, ()))
            for track in {track for each in found for track in each.highest}
        },
        rises=_merge_tracks([each.rises for each in found]),
        wins=_merge_tracks([each.wins for each in found]),
        runs=_best_of_each(run for each in found for run in each.runs),
        sections=sum(each.sections for each in found),
        games=sum(each.games for each in found),
        players=max((each.players for each in found), default=0),
    )


def _merge_tracks(years: Sequence[Mapping[str, list[T]]]) -> dict[str, list[T]]:
    tracks: dict[str, list[T]] = defaultdict(list)
    for year in years:
        for track, feats in year.items():
            tracks[track] += feats
    return {track: _greatest(feats) for track, feats in tracks.items()}


def _greatest(feats: Iterable[T], most: int = KEPT) -> list[T]:
    return nlargest(most, feats, key=attrgetter("measure"))


def _best_of_each(feats: Iterable[T]) -> list[T]:
    """The greatest feats, one of each player."""
    best: dict[int, T] = {}
    for each in feats:
        player, measure = each.player, each.measure  # type: ignore[attr-defined]
        if player not in best or measure > best[player].measure:  # type: ignore[attr-defined]
            best[player] = each
    return _greatest(best.values())


# ---- One year
def compute_year(office: Federation, year: int) -> Records:
    """Work out the records of a year from its lists and the sections that ended in it."""
    records = Records()
    lists = RatingList.objects.of(office).current().filter(on__range=_days(year))
    for pk, track in lists.order_by("on").values_list("pk", "track"):
        _add_list(records, pk, track)
    _add_games(records, office, year)
    return records


def _days(year: int) -> tuple[date, date]:
    return date(year, 1, 1), date(year, 12, 31)


def _add_list(records: Records, pk: int, track: str) -> None:
    rows = ListRow.objects.filter(rating_list=pk).order_by()
    highs, rises = list[High](), list[Rise]()
    for player, rating, previous in rows.values_list("player_id", "rating", "previous").iterator(
        ROWS_AT_ONCE
    ):
        highs.append(High(player, rating, pk))
        if previous is not None and rating > previous:
            rises.append(Rise(player, previous, rating, pk))
    known = records.highest.get(track, [])
    records.highest[track] = _best_of_each([*known, *_greatest(highs)])
    records.rises[track] = _greatest([*records.rises.get(track, ()), *rises])


def _add_games(records: Records, office: Federation, year: int) -> None:
    own = Section.objects.filter(event__federation=office, stage=Stage.RATED, ends__range=_days(year))
    merged = Player.objects.of(office).exclude(merged_into=None).values_list("pk", "merged_into")
    stays = {pk: into for pk, into in merged if into is not None}
    played, runs, best = Counter[int](), dict[int, Run](), dict[int, Run]()
    moving = office.ruleset.calendar.days_of_change is not None
    for some in batches(own.order_by("ends", "starts", "pk").values_list("pk", "ends"), SECTIONS_AT_ONCE):
        ends = dict(some)
        ratings = {} if moving else _ratings_before(list(ends))
        wins: dict[str, list[Win]] = defaultdict(list)
        for section, first, second, result in _games(list(ends)):
            records.games += 1
            sides = [stays.get(each, each) for each in (first, second)]
            played.update(sides)
            for side in (0, 1):
                player, score = sides[side], PLAYED[result][side]
                if score != 1:
                    runs.pop(player, None)
                    continue
                day = ends[section]
                run = runs.get(player) or Run(player, 0, day, day)
                runs[player] = run = run._replace(length=run.length + 1, until=day)
                if player not in best or run.length > best[player].length:
                    best[player] = run
                pair = (player, sides[1 - side])
                for track, before in ratings.get(section, {}).items():
                    lower, higher = (before.get(each) for each in pair)
                    if lower is not None and higher is not None and higher > lower:
                        wins[track].append(Win(*pair, lower, higher, section))
        for track, found in wins.items():
            records.wins[track] = _greatest([*records.wins.get(track, ()), *found])
        records.sections += len(ends)
    records.runs = _greatest(run for run in best.values() if run.length > 1)
    records.most = _greatest(Games(*each) for each in played.items())
    records.players = len(played)


def _games(sections: Sequence[int]) -> Iterator[tuple[int, int, int, str]]:
    """The games played in some sections in their order: section, the players' keys, result."""
    games = Game.objects.filter(section__in=sections, result__in=list(PLAYED))
    games = games.exclude(first__player=None).exclude(second__player=None)
    order = games.order_by("section__ends", "section__starts", "section_id", "round", "order")
    return order.values_list("section_id", "first__player_id", "second__player_id", "result").iterator(
        ROWS_AT_ONCE
    )


def _ratings_before(sections: Sequence[int]) -> dict[int, dict[str, dict[int, Decimal]]]:
    """The ratings before some sections by section, track and player's key."""
    found: dict[int, dict[str, dict[int, Decimal]]] = defaultdict(lambda: defaultdict(dict))
    changes = Change.objects.filter(fact__section__in=sections, fact__kind="rated").exclude(before=None)
    rows = changes.order_by().values_list("fact__section_id", "track", "player_id", "before")
    for section, track, player, before in rows.iterator(ROWS_AT_ONCE):
        if before is not None:
            found[section][track][player] = before
    return found


# ---- What is kept
def read_marks(office: Federation) -> dict[int, str]:
    """The office's years with lists, newest first, each with the mark under which its records are kept."""
    lists = RatingList.objects.of(office)
    newest = dict(lists.order_by("-on__year").values_list("on__year").annotate(newest=Max("pk")))
    last, errata = max(newest.values(), default=0), Erratum.objects.filter(fact__federation=office).count()
    recent = sorted(newest, reverse=True)[:2]
    return {
        year: f"records-{office.pk}-{year}-{last if year in recent else pk}-{errata}"
        for year, pk in newest.items()
    }


def get_records(office: Federation, year: int | None) -> Records | None:
    """The records of a year, or of all; None while they are being worked out. Raises LookupError for a year
    without a list.
    """
    marks = read_marks(office)
    if year is not None:
        marks = {year: marks[year]}
    kept: dict[str, Records] = page_cache.get_many(marks.values())
    missing = [each for each, mark in marks.items() if mark not in kept]
    for each in missing:
        if _count_games(office, each) > SMALL_YEAR:
            return None
        kept[marks[each]] = keep_year(office, each, marks[each])
    found = [kept[mark] for mark in marks.values()]
    return found[0] if year is not None else merge_records(found)


def _count_games(office: Federation, year: int) -> int:
    games = Game.objects.filter(section__event__federation=office, section__ends__range=_days(year))
    return games.order_by()[: SMALL_YEAR + 1].count()


def keep_year(office: Federation, year: int, mark: str) -> Records:
    records = compute_year(office, year)
    page_cache.set(mark, records, None)
    return records


def keep_next_year(office: Federation) -> bool:
    """Work out the newest year of an office that is not kept, if any; return whether there was one."""
    marks = read_marks(office)
    kept = page_cache.get_many(marks.values())
    year = next((each for each, mark in marks.items() if mark not in kept), None)
    if year is not None:
        keep_year(office, year, marks[year])
    return year is not None


# ---- The newest list
class Bar(NamedTuple):
    """The players of a list with a rating from one value to below another."""

    least: int
    below: int
    players: int


WIDTHS = (1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000)
MOST_BARS = 24


def get_distribution(rating_list: RatingList) -> list[Bar]:
    """The ratings of a list in equal ranges, lowest first; kept without end, because lists never change."""
    key = f"distribution-{rating_list.pk}"
    bars: list[Bar] | None = page_cache.get(key)
    if bars is None:
        rows = ListRow.objects.filter(rating_list=rating_list).order_by()
        ratings = [int(each) for each in rows.values_list("rating", flat=True).iterator(ROWS_AT_ONCE)]
        bars = _draw_bars(ratings)
        page_cache.set(key, bars, None)
    return bars


def _draw_bars(ratings: Sequence[int]) -> list[Bar]:
    if not ratings:
        return []
    least, most = min(ratings), max(ratings)
    width = next((each for each in WIDTHS if most // each - least // each < MOST_BARS), WIDTHS[-1])
    counts = Counter(each // width for each in ratings)
    ranges = range(least // width, most // width + 1)
    return [Bar(each * width, (each + 1) * width, counts[each]) for each in ranges]


class Movers(NamedTuple):
    """The keys of a list's rows that moved most since the list before, the greatest first."""

    up: list[int]
    down: list[int]
    reached: list[tuple[int, Decimal]]
    """The rows that reached a round rating, with it, the highest first."""


def get_movers(rating_list: RatingList, step: Decimal) -> Movers:
    """The rows of a list that moved most; kept without end, because lists never change. `step`: the distance
    between round ratings.
    """
    key = f"movers-{rating_list.pk}"
    movers: Movers | None = page_cache.get(key)
    if movers is None:
        rows = ListRow.objects.filter(rating_list=rating_list).moved().order_by("position")
        found = list(rows.values_list("pk", "rating", "previous").iterator(ROWS_AT_ONCE))
        moves = [(rating - previous, pk) for pk, rating, previous in found if previous is not None]
        goals = [
            (round_down(rating, step), pk)
            for pk, rating, previous in found
            if previous is not None and round_down(rating, step) > previous
        ]
        movers = Movers(
            [pk for gain, pk in nlargest(KEPT, moves, key=itemgetter(0)) if gain > 0],
            [pk for gain, pk in nsmallest(KEPT, moves, key=itemgetter(0)) if gain < 0],
            [(pk, goal) for goal, pk in nlargest(KEPT, goals, key=itemgetter(0))],
        )
        page_cache.set(key, movers, None)
    return movers


def get_round_step(office: Federation) -> Decimal:
    """The distance between round ratings of an office."""
    asked = office.equipment.what_if
    return asked.step if asked else ROUND_STEP


def round_down(rating: Decimal, step: Decimal) -> Decimal:
    """The round rating at or below a rating."""
    with localcontext(CONTEXT):
        return (rating / step).to_integral_value(ROUND_FLOOR) * step
