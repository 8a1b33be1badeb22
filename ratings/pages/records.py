"""Pages of what readers come back for: records and years, of an office and of a player, and its regions."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from heapq import nlargest
from typing import Any, NamedTuple

from django.http import Http404, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from players.access import PUBLIC, OfficeRequest, page
from players.models import Federation, Player, Region
from players.settings import today
from ratings.cross_tables import GAME_KINDS
from ratings.disclosure import limits_of, tell_apart, tells_no_juniors
from ratings.models import Gained, ListRow, RatingList
from ratings.pages.events import get_section_results
from ratings.pages.home import running_and_coming_events
from ratings.pages.play import OwnGame, PlayInSection, get_play_by_section, get_ratings_before
from ratings.pages.responses import cached_page
from ratings.pages.tables import EventTable, get_track_or_404, list_sections, sort_into_groups
from ratings.player_ratings import get_published_rows
from ratings.records import (
    Records,
    get_distribution,
    get_movers,
    get_records,
    get_round_step,
    read_marks,
    round_down,
)
from ratings.results import AsOf
from tournaments.models import Event, Section

SHOWN = 10
"""The most rows of a table of records."""
EVENTS_SHOWN = 6
"""The most events of a region shown of each kind; the page of events has the others."""


# ---- Records of an office
@page(PUBLIC, caching=cached_page)
def records(request: OfficeRequest, year: int | None = None) -> HttpResponseBase:
    """Page of an office's records, or of those of a year: the year in review."""
    office = request.office
    newest = _newest_lists(office)
    rating_list = _list_asked_for(request, newest)
    years = list(read_marks(office))
    if year is not None and year not in years:
        raise Http404(_("There is no list of that year."))
    found = get_records(office, year) if years else None
    context: dict[str, Any] = {
        "year": year,
        "years": years,
        "tracks": newest,
        "list": rating_list,
        "working": bool(years) and found is None,
        "juniors_missing": tells_no_juniors(office),
    }
    if found and rating_list:
        context |= _feats(office, found, rating_list.track)
    if year is None and rating_list:
        context |= _newest_context(request, rating_list)
    return render(request, "ratings/records.html", context)


def _newest_lists(office: Federation) -> list[RatingList]:
    found = list(RatingList.objects.of(office).on_newest_day().current().without_content())
    for each in found:
        each.federation = office
    return [each for _name, members in sort_into_groups(office.ruleset, found) for each in members]


def _list_asked_for(request: OfficeRequest, newest: Sequence[RatingList]) -> RatingList | None:
    """The newest list of the track that the address asks for, else the first; None if there is none."""
    if not (track := request.GET.get("track")):
        return next(iter(newest), None)
    get_track_or_404(request.office.ruleset, track)
    return next((each for each in newest if each.track == track), None)


def _feats(office: Federation, found: Records, track: str) -> dict[str, Any]:
    """The context of the feats in a track, without those of people who asked not to be named."""
    kinds: dict[str, Sequence[Any]] = {
        "highest": found.highest.get(track, ()),
        "rises": found.rises.get(track, ()),
        "wins": found.wins.get(track, ()),
        "runs": found.runs,
        "most": found.most,
    }
    keys = {each.player for feats in kinds.values() for each in feats} | {
        each.loser for each in kinds["wins"]
    }
    people = _named_people(office, keys)
    lists = _in_bulk(
        RatingList.objects.without_content(),
        office,
        (each.rating_list for name in ("highest", "rises") for each in kinds[name]),
    )
    sections = Section.objects.select_related("event").in_bulk({each.section for each in kinds["wins"]})
    for section in sections.values():
        section.event.federation = office
    shown: dict[str, Any] = {
        name: [
            {
                "feat": each,
                "player": people[each.player],
                "list": lists.get(getattr(each, "rating_list", 0)),
                "section": sections.get(getattr(each, "section", 0)),
                "loser": people.get(getattr(each, "loser", 0)),
            }
            for each in feats
            if each.player in people and getattr(each, "loser", each.player) in people
        ][:SHOWN]
        for name, feats in kinds.items()
    }
    return {"records": found, **shown}


def _named_people(office: Federation, keys: Collection[int]) -> dict[int, Player]:
    """Those players, or whom they were merged into, who did not ask not to be named."""
    found = Player.objects.select_related("merged_into").in_bulk(keys)
    people = {key: player.merged_into or player for key, player in found.items()}
    named = {key: player for key, player in people.items() if not player.withheld and player.name}
    for player in named.values():
        player.federation = office
    tell_apart(office, named.values())
    return named


def _in_bulk(lists: Any, office: Federation, keys: Iterable[int]) -> dict[int, RatingList]:
    found: dict[int, RatingList] = lists.in_bulk(set(keys))
    for each in found.values():
        each.federation = office
    return found


# ---- The newest list: its distribution, who moved, who reached a round rating
def _newest_context(request: OfficeRequest, rating_list: RatingList) -> dict[str, Any]:
    bars = get_distribution(rating_list)
    own = _row_of(request, rating_list)
    context: dict[str, Any] = {
        "bars": [(bar, own is not None and bar.least <= own.rating < bar.below) for bar in bars],
        "tallest": max((bar.players for bar in bars), default=0),
        "own": own,
        **_movers(rating_list),
    }
    if own is not None:
        lower = ListRow.objects.filter(rating_list=rating_list, rank__gt=own.rank).count()
        context["better_than"] = 100 * lower // rating_list.players
    return context


def _row_of(request: OfficeRequest, rating_list: RatingList) -> ListRow | None:
    """The row of the player whom the address names as the reader."""
    rows = ListRow.objects.filter(rating_list=rating_list, player__number=request.GET.get("player", ""))
    row = rows.select_related("player").first()
    if row:
        row.player.federation = request.office
    return row


def _movers(rating_list: RatingList) -> dict[str, Any]:
    """The context of the greatest gains and losses since the list before, and of round ratings reached."""
    movers = get_movers(rating_list, get_round_step(rating_list.federation))
    keys = {*movers.up, *movers.down, *(key for key, _goal in movers.reached)}
    rows = ListRow.objects.in_bulk(keys)
    people = _named_people(rating_list.federation, {row.player_id for row in rows.values()})
    known = {key: (row, people[row.player_id]) for key, row in rows.items() if row.player_id in people}
    return {
        "up": [known[key] for key in movers.up if key in known][:SHOWN],
        "down": [known[key] for key in movers.down if key in known][:SHOWN],
        "reached": [(*known[key], goal) for key, goal in movers.reached if key in known][:SHOWN],
    }


# ---- Records of a player
class OwnWin(NamedTuple):
    """A win with the opponent's rating before the section."""

    play: PlayInSection
    game: OwnGame
    rating: Decimal


@dataclass(slots=True)
class OwnYear:
    """A year of a player."""

    year: int
    events: int = 0
    won: int = 0
    drawn: int = 0
    lost: int = 0
    rows: list[ListRow] = field(default_factory=list)
    """The player's rows on the year's lists in a track, oldest first."""

    @property
    def games(self) -> int:
        return self.won + self.drawn + self.lost

    @property
    def first(self) -> Decimal | None:
        return self.rows[0].rating if self.rows else None

    @property
    def last(self) -> Decimal | None:
        return self.rows[-1].rating if self.rows else None

    @property
    def highest(self) -> Decimal | None:
        return max((row.rating for row in self.rows), default=None)


@page(PUBLIC, caching=cached_page)
def player_records(request: OfficeRequest, number: str) -> HttpResponseBase:
    """Page of a player's records and years, in one of the ratings."""
    office = request.office
    people = Player.objects.of(office).select_related("federation", "merged_into__federation")
    player = get_object_or_404(people, number=number)
    if player.merged_into:
        return redirect("ratings:player_records", office.code, player.merged_into.number)
    rows = get_published_rows(player)
    rated = {row.rating_list.track for row in rows}
    codes = [each.code for each in office.ruleset.tracks if each.code in rated]
    track = request.GET.get("track", "")
    if track:
        get_track_or_404(office.ruleset, track)
    track = track or next(iter(codes), "")
    own = [row for row in reversed(rows) if row.rating_list.track == track]
    plays = list(get_play_by_section(player, AsOf(office, today(office), None)).values())
    limits = limits_of(office)
    context = {
        "player": player,
        "unindexed": player.withheld or not limits.is_adult(player),
        "tracks": codes,
        "track": track,
        "newest": own[-1] if own else None,
        "highest": max(own, key=lambda row: row.rating, default=None),
        "rise": _greatest_rise(own),
        "run": _longest_run(plays),
        "wins": _best_wins(player, plays, track),
        "reached": list(_list_reached(own, get_round_step(office)))[::-1],
        "near": _next_goal(own, get_round_step(office)),
        "years": _years(plays, own),
    }
    return render(request, "ratings/player_records.html", context)


def _greatest_rise(rows: Iterable[ListRow]) -> ListRow | None:
    """The row with the greatest gain since the list before."""
    risen = [row for row in rows if row.previous is not None and row.rating > row.previous]
    return max(risen, key=lambda row: row.rating - (row.previous or 0), default=None)


def _longest_run(plays: Iterable[PlayInSection]) -> tuple[int, date, date] | None:
    """The number of games won one after the other, with the last days of the first and the last section."""
    best: tuple[int, date, date] | None = None
    run: tuple[int, date, date] | None = None
    for play in sorted(plays, key=lambda play: play.ends):
        for game in play.games:
            if not game.played:
                continue
            if game.kind != "won":
                run = None
                continue
            count, since, _until = run or (0, play.ends, play.ends)
            run = (count + 1, since, play.ends)
            if best is None or run[0] > best[0]:
                best = run
    return best if best and best[0] > 1 else None


def _best_wins(player: Player, plays: Sequence[PlayInSection], track: str) -> list[OwnWin]:
    """The wins against the highest rated opponents."""
    others = {game.opponent.pk for play in plays for game in play.games if game.opponent}
    ratings = get_ratings_before(player, others)
    wins = (
        OwnWin(play, game, rating)
        for play in plays
        for game in play.games
        if game.played and game.kind == "won" and game.opponent
        if (rating := ratings.get((play.key, track), {}).get(game.opponent.pk)) is not None
    )
    return nlargest(SHOWN // 2, wins, key=lambda win: win.rating)


def _list_reached(rows: Iterable[ListRow], step: Decimal) -> Iterator[tuple[Decimal, ListRow]]:
    """Yield each round rating that a list brought for the first time, with the row."""
    most: Decimal | None = None
    for row in rows:
        goal = round_down(row.rating, step)
        if most is not None and goal > most:
            yield goal, row
        most = goal if most is None else max(most, goal)


def _next_goal(rows: Sequence[ListRow], step: Decimal) -> tuple[Decimal, Decimal] | None:
    """The next round rating, and how much is missing on the newest list."""
    if not rows:
        return None
    goal = round_down(rows[-1].rating, step) + step
    return goal, goal - rows[-1].rating


def _years(plays: Iterable[PlayInSection], rows: Iterable[ListRow]) -> list[OwnYear]:
    """The years in which the player played or was on a list, newest first."""
    years: dict[int, OwnYear] = {}
    for play in plays:
        year = years.setdefault(play.ends.year, OwnYear(play.ends.year))
        year.events += 1
        for game in play.games:
            if game.played:
                kind = GAME_KINDS[game.score]
                setattr(year, kind, getattr(year, kind) + 1)
    for row in rows:
        on = row.rating_list.on.year
        years.setdefault(on, OwnYear(on)).rows.append(row)
    return [years[each] for each in sorted(years, reverse=True)]


# ---- Regions
@page(PUBLIC, caching=cached_page)
def regions(request: OfficeRequest) -> HttpResponseBase:
    """Page of an office's regions; 404 where there is only one."""
    if not request.office.regional:
        raise Http404(_("This office has no regions."))
    found = request.office.regions.order_by("name")
    return render(request, "ratings/regions.html", {"regions": found})


@page(PUBLIC, caching=cached_page)
def region(request: OfficeRequest, code: str) -> HttpResponseBase:
    """Page of a region: its best players and those who gained most, its next and its newest events."""
    office = request.office
    if not office.regional:
        raise Http404(_("This office has no regions."))
    found = get_object_or_404(Region, federation=office, code=code)
    newest = _newest_lists(office)
    rating_list = _list_asked_for(request, newest)
    context: dict[str, Any] = {
        "region": found,
        "tracks": newest,
        "list": rating_list,
        **_events_of_region(office, found),
    }
    if rating_list:
        here = ListRow.objects.filter(
            rating_list=rating_list, player__region=found, player__withheld=False
        ).select_related("player")
        top = list(here.order_by("position")[:SHOWN])
        gained = here.moved().annotate(gained=Gained("rating", "previous")).filter(gained__gt=0)
        movers = list(gained.order_by("-gained", "position")[: SHOWN // 2])
        for row in (*top, *movers):
            row.player.federation = office
        tell_apart(office, [row.player for row in (*top, *movers)])
        context |= {"count": here.count(), "top": top, "movers": movers}
    return render(request, "ratings/region.html", context)


def _events_of_region(office: Federation, region: Region) -> dict[str, Any]:
    coming = running_and_coming_events(office).filter(region=region).prefetch_related("sections")
    past = Event.objects.filter(federation=office, region=region, ends__lt=today(office)).not_withdrawn()
    past = past.select_related("region", "federation").prefetch_related("sections")
    to_come = list(coming.select_related("federation")[:EVENTS_SHOWN])
    played = list(past.order_by("-starts", "-number")[:EVENTS_SHOWN])
    results = get_section_results(office, [each for event in played for each in list_sections(event)])
    return {
        "coming": EventTable(to_come, office=office) if to_come else None,
        "past": EventTable(played, office=office, results=results) if played else None,
    }
