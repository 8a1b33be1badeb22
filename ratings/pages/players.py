"""Public pages of the register: a player's page with its curve and history, and the opponents."""

from array import array
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from itertools import accumulate
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet
from django.http import Http404, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from players.access import PUBLIC, OfficeRequest, Permission, page
from players.display import Mark, Point
from players.models import Federation, Ledger, Player, Region
from players.names import parse_query
from players.settings import today
from ratings import player_ratings
from ratings.cross_tables import get_score_texts
from ratings.disclosure import limits_of, tell_apart
from ratings.journal import aliases
from ratings.models import CorrectedRating, ListRow, day_taken_over
from ratings.pages.errata import corrections_of_player
from ratings.pages.filters import parse_day
from ratings.pages.play import (
    HistoryWriter,
    Meetings,
    PlayInSection,
    StatementMonth,
    add_published,
    count_by_side_and_in_all,
    explain_games_counted,
    get_play_by_section,
    get_ratings_before,
    holdings_context,
    meetings,
    rows_of,
    sort_into_months,
    statement_months,
)
from ratings.pages.responses import cached_page, cached_part
from ratings.pages.tables import get_track_or_404, sort_into_groups
from ratings.player_ratings import TrackRow
from ratings.program import get_current_program
from ratings.recompute import get_progress_context
from ratings.results import AsOf, as_of
from ratings.rulesets import journal
from ratings.rulesets.readings import COMMON_READINGS
from ratings.rulesets.ruleset import Ruleset
from ratings.statement import Balance, Movement, StatementRow, read_statement
from ratings.workings import clause_url
from tournaments.models import IN_RATED_SECTION, Entry

# ---- The rating curve, its ranges of time, and what is laid over it
RANGES = ("month", "year", "all")
"""The ranges by the value of `range` in the address; the last is shown unless another is asked for."""
KEPT_IN_LINKS = ("track", "on", "range", "also", "beside", "month")
MOST_NAMESAKES = 8
"""The most players offered where the name typed is that of several."""


def curve_context(
    request: OfficeRequest,
    player: Player,
    track: str,
    points: Sequence[Point],
    marks: Sequence[Mark],
    rows: Sequence[StatementRow],
    asked: AsOf,
) -> dict[str, Any]:
    """The context of a curve cut to the range that the address asks for, with what is to be laid over it.

    Ranges that would show the whole curve are not offered.
    """
    month = parse_month(request.GET.get("month")) or asked.day
    starts = {"month": month.replace(day=1), "year": _year_before(asked.day), "all": None}
    offered = [code for code, start in starts.items() if start is None or (points and points[0][0] < start)]
    chosen = request.GET.get("range", "all")
    chosen = chosen if chosen in offered else "all"
    since = starts[chosen]
    until = min(asked.day, _last_of_month(month)) if chosen == "month" else asked.day
    return {
        "curve": cut_curve(points, since, until),
        "marks": [mark for mark in marks if (since is None or mark.on >= since) and mark.on <= until],
        "played": {day for row in rows for day in (row.move.on, row.move.ends) if day is not None},
        "ranges": [_range(request, code, code == chosen) for code in offered] if len(offered) > 1 else [],
        "until": until,
        "month_url": f"?{urlencode({**_kept(request), 'month': ''})}",
        **_beside_context(request, player, track, asked, since, until),
    }


def cut_curve(points: Sequence[Point], since: date | None, until: date = date.max) -> list[Point]:
    """The points from a day on up to another, beginning with the rating in force on the first."""
    upto = [point for point in points if point[0] <= until]
    later = [point for point in upto if since is None or point[0] >= since]
    before = upto[: len(upto) - len(later)]
    if since is None or not before:
        return later
    return [(since, before[-1][1], _("the rating held then")), *later]


def _year_before(day: date) -> date:
    return date(day.year - 1, day.month, 28 if (day.month, day.day) == (2, 29) else day.day)


def _last_of_month(day: date) -> date:
    return (day.replace(day=28) + timedelta(4)).replace(day=1) - timedelta(1)


def parse_month(text: str | None) -> date | None:
    """The first day of a month as addresses write it, `2026-03`; None for any other text."""
    try:
        return datetime.strptime(text or "", "%Y-%m").date()
    except ValueError:
        return None


def _kept(request: OfficeRequest, *but: str) -> dict[str, str]:
    """What an address keeps on the way to another view of the same page."""
    names = [name for name in KEPT_IN_LINKS if name not in ("month", *but)]
    return {name: request.GET[name] for name in names if request.GET.get(name)}


def _range(request: OfficeRequest, code: str, chosen: bool) -> dict[str, Any]:
    words = {"month": _("Month"), "year": _("Year"), "all": _("All")}
    month = {"month": request.GET["month"]} if request.GET.get("month") else {}
    query = f"?{urlencode({**_kept(request, 'range'), **month, 'range': code})}#curve"
    return {"words": words[code], "query": query, "chosen": chosen}


def _beside_context(
    request: OfficeRequest, player: Player, track: str, asked: AsOf, since: date | None, until: date
) -> dict[str, Any]:
    """The context of the curve laid over the player's: of another player (`beside`, a number or a name) in
    the same track, or of the player's own in another (`also`).
    """
    office, wanted, also = request.office, request.GET.get("beside", "").strip()[:60], request.GET.get("also")
    found: dict[str, Any] = {"wanted_beside": wanted, "also": also or ""}
    if wanted:
        people = search_players(office, wanted, most=MOST_NAMESAKES)
        if len(people) != 1:
            return {**found, "namesakes": people, "unknown_beside": not people}
        [player] = people
        player.federation = office
        found |= {"beside": player, "beside_title": player.shown_name}
    elif also:
        track = get_track_or_404(office.ruleset, also).code
        found["beside_title"] = _(get_track_or_404(office.ruleset, also).name)
    else:
        return found
    points = player_ratings.get_curve(read_statement(player, track, asked), office.ruleset)
    return {**found, "beside_curve": cut_curve(points, since, until)}


# ---- A rating of a past day: as published then, as known then, as known now
def figures_of(player: Player, row: TrackRow | None, track: str, asked: AsOf) -> dict[str, Any]:
    """The three figures of a player's page; `row`: the rating in the track as known on the day.

    `published`: the row of the newest list published by the day; None if it does not have the player. `then`
    and `now`: the rating by what the office knew on the day, and of the day by what is known now; None if
    unrated. For a merged entry, that is the rating of the player it was merged into. `taken_over`: the day on
    which the office took over its past, if the day asked for is before it.
    """
    office, remaining = player.federation, player
    if player.merged_into_id is not None:
        number = journal.root(aliases(office), player.number)
        remaining = Player.objects.get(federation=office, number=number)
    state = asked.state_known_now(remaining)
    now = player_ratings.get_ratings_from_state(office, state, remaining.number, asked.day).get(track)
    then = row.rating if row else None
    taken_over = None if asked.line is None else day_taken_over(office, asked.line)
    if taken_over is not None and asked.day >= taken_over:
        taken_over = None
    return {
        "published": row.published if row else None,
        "then": then,
        "now": now,
        "differs": then != now,
        "dating": get_counting_day_rule(office, asked.day),
        "taken_over": taken_over,
    }


def get_counting_day_rule(office: Federation, on: date) -> dict[str, str]:
    """The rule of a day's regulations for when a section counts, in words, with the clause (D-1)."""
    ruleset = office.ruleset
    if ruleset.in_order_of_play:
        words = _("A section counts from its last day of play, whenever it was rated.")
    elif ruleset.calendar.waits_for_list:
        words = _(
            "A section counts from the day on which it was first rated, and enters the rating with the next "
            "list."
        )
    else:
        words = _("A section counts from the day on which it was first rated, whenever it was played.")
    clause, edition = ruleset.journal.counts_from, ruleset.edition_on_or_first(on)
    says = COMMON_READINGS[clause][1] if clause in COMMON_READINGS else ruleset.clauses_of(edition)[clause]
    url = clause_url(office, clause, edition)
    return {"words": words, "clause": clause, "url": url, "says": _(says)}


# ---- The search for players, and a player's page
MOST_FOUND, CHANGES_PER_PAGE, MOST_OPPONENTS = 50, 15, 8
"""The most rows shown of a search, of a page of the history, and of the opponents on a player's page."""


def search_players(
    office: Federation,
    wanted: str,
    *,
    inside_names_too: bool = False,
    word_starts_only: bool = False,
    most: int = MOST_FOUND + 1,
) -> list[Player]:
    """At most `most` players whose names have all words of the text, or whose number begins with it, or both.

    Players of that surname come first. The number of a merged entry finds the player it was merged into.
    `inside_names_too`: players with the words inside their names follow. `word_starts_only`: never search
    inside names.
    """
    register = Player.objects.of(office).current().select_related("region")
    numbers, names = parse_query(wanted)
    matching = register.matching(wanted, inside_too=inside_names_too, looked_up=word_starts_only)
    matching = matching.order_by("number") if numbers else matching.likeliest_first(wanted)
    people = list(matching[:most])
    remaining = register.filter(merged__number=numbers[0]).first() if numbers and not names else None
    return people if remaining is None or remaining in people else [remaining, *people]


def find_named(office: Federation, text: str, most: int = MOST_OPPONENTS) -> list[Player]:
    """The player whose number stands in a text, whatever else does, or those whom a search finds by it."""
    numbers, _names = parse_query(text)
    exact = Player.objects.of(office).filter(number__in=numbers).first() if numbers else None
    return [exact] if exact else search_players(office, text, most=most)


def set_shown_ratings(office: Federation, people: Sequence[Player], now: date) -> None:
    """Set `shown_ratings` on each player: at most three pairs of track and rating, in the order of tracks."""
    known = player_ratings.get_ratings(office, people, now) if people else {}
    for player in people:
        keys = [(track, (player.number, track.code)) for track in office.ruleset.tracks]
        ratings = [(track, known[key]) for track, key in keys if key in known]
        player.shown_ratings = ratings[:3]  # type: ignore[attr-defined]


@page(PUBLIC, caching=cached_page)
def player(request: OfficeRequest, number: str) -> HttpResponseBase:
    others = Region.objects.filter(federation=OuterRef("federation")).exclude(pk=OuterRef("region"))
    found = get_object_or_404(
        Player.objects.of(request.office)
        .select_related("region", "federation", "merged_into__federation")
        .annotate(of_several_regions=Exists(others)),
        number=number,
    )
    now = today(request.office)
    on = parse_day(request.office, request.GET.get("on"), now)
    asked = as_of(request.office, on or now, now)
    if found.merged_into and asked.was_merged(number):
        query = request.GET.urlencode()
        url = found.merged_into.get_absolute_url()
        return redirect(f"{url}?{query}" if query else url)
    lists = player_ratings.get_published_rows(found, on)
    state = asked.player_state(found)
    rows = player_ratings.get_track_rows(found, lists, asked, state)
    groups = sort_into_groups(request.office.ruleset, rows)
    track = _track(request, found, [row for _name, group in groups for row in group])
    limits = limits_of(request.office)
    context: dict[str, Any] = {
        "player": found,
        "title": limits.title(found),
        "unindexed": found.withheld or not limits.is_adult(found),
        "on": on,
        "program": get_current_program(),
        "today": now,
        "groups": groups,
        "several": len(rows) > 1,
        "extracts": request.office.ruleset.figures.extract is not None and bool(rows),
        "imaginable": request.office.equipment.what_if is not None and not found.merged_into,
        "pends": any(row.pending for row in rows),
        "track": track,
        "working": _progress_context(request),
    }
    if track:
        published = [row for row in lists if row.rating_list.track == track]
        context["row"] = row = next((row for row in rows if row.track == track), None)
        if row and row.published:
            context["standing"] = standing_on_list(request, found, row.published)
        context["others"] = [each for each in rows if each.track != track]
        context |= track_context(request, found, track, asked, published)
        context["figures"] = figures_of(found, context["row"], track, asked) if on else None
        context |= holdings_context(request, found, track, state, asked.day)
    return render(request, "ratings/player.html", context)


@dataclass(frozen=True, slots=True)
class StandingOnList:
    """Where a player stands among the others of a list."""

    better_than: int
    """The part of the list with a lower rating, in whole percent, rounded down."""
    rank: int | None = None
    """The rank in the player's region as the register has it today; None without one."""
    players: int = 0
    """The players of that region on the list."""


def standing_on_list(request: OfficeRequest, player: Player, row: ListRow) -> StandingOnList:
    """Where a player stands on a list. The ranks of a list are kept, all of them and by region."""

    def read_ranks() -> dict[int | None, Sequence[int]]:
        found: dict[int | None, list[int]] = defaultdict(list)
        rows = ListRow.objects.filter(rating_list=row.rating_list_id)
        for rank, region in rows.values_list("rank", "player__region").order_by("position"):
            found[None].append(rank)
            if region is not None:
                found[region].append(rank)
        return {region: array("I", ranks) for region, ranks in found.items()}

    ranks = cached_part(request, f"ranks of list {row.rating_list_id} by region", read_ranks, "ranks")
    every = ranks[None]
    better = 100 * (len(every) - bisect_right(every, row.rank)) // len(every)
    told = player.of_several_regions and not player.withheld  # type: ignore[attr-defined]
    here = ranks.get(player.region_id, ()) if told and player.region_id else ()
    return StandingOnList(better, bisect_left(here, row.rank) + 1 if here else None, len(here))


def track_context(
    request: OfficeRequest, player: Player, track: str, asked: AsOf, list_rows: Sequence[ListRow]
) -> dict[str, Any]:
    """The context of a player's page for one track: the curve with the published ratings, the play behind it,
    and a page of the history, newest first.
    """
    rows = read_statement(player, track, asked)
    points = player_ratings.get_curve(rows, request.office.ruleset)
    marks = player_ratings.compare_with_lists(points, list_rows, request.office.publication.decimals)
    plays = get_play_by_section(player, asked)
    writer = HistoryWriter(player, track, asked)
    drifts = (row for row in rows if row.drift is not None and row.on == asked.day)
    drift = next(drifts, None) if asked.line is not None else None
    return {
        "first": rows[-1].on if rows else None,
        "best": max(points, key=lambda point: point[1], default=None),
        **curve_context(request, player, track, points, marks, rows, asked),
        "month_movement": movement_of_month(rows, asked.day.replace(day=1), request.office.ruleset),
        "moved": writer.line(drift) if drift else None,
        **_play_context(request, rows, plays, asked),
        **_history_context(request, rows, plays, marks, writer),
    }


def _play_context(
    request: OfficeRequest, rows: Sequence[StatementRow], plays: Mapping[str, PlayInSection], asked: AsOf
) -> dict[str, Any]:
    """The context of the play behind a rating; for a past day the last section alone, because games of other
    sections may have been corrected since.
    """
    moves = [row.move for row in rows if row.drift is None]
    own = [plays[move.section] for move in moves if move.section in plays]
    last = max(own, key=lambda play: play.ends, default=None)
    if asked.line is not None:
        return {"last_played": last}
    opponents = meetings(own)
    tallies = count_by_side_and_in_all(
        (game for play in own for game in play.games), request.office.publication.sides
    )
    return {
        "last_played": last,
        "tallies": tallies,
        "games_counted": explain_games_counted(request, tallies, moves),
        "opponents": opponents[:MOST_OPPONENTS],
        "opponents_left": len(opponents[MOST_OPPONENTS:]),
    }


def movement_of_month(rows: Sequence[StatementRow], month: date, ruleset: Ruleset) -> Movement:
    """What a month, given by its first day, did to a rating; `rows`: its statement, newest first."""
    upto = [
        row
        for day, row in player_ratings.iterate_dated(rows, ruleset)
        if not day or day <= _last_of_month(month)
    ]
    before = [row for day, row in player_ratings.iterate_dated(rows, ruleset) if not day or day < month]
    opening, closing = (some[0].movement.after if some else Balance() for some in (before, upto))
    return Movement(opening, closing)


def _history_context(
    request: OfficeRequest,
    rows: Sequence[StatementRow],
    plays: Mapping[str, PlayInSection],
    marks: Sequence[Mark],
    writer: HistoryWriter,
) -> dict[str, Any]:
    """The context of the statement: of the month that the address asks for, or of as many whole months as
    make a page, from the newest or from before the one that the address names (`before`).
    """
    ruleset, asked = request.office.ruleset, parse_month(request.GET.get("month"))
    months = sort_into_months(rows, ruleset)
    known = [month for month, _rows in months if month]
    before = parse_month(request.GET.get("before"))
    left = [(month, some) for month, some in months if before is None or month is None or month < before]
    count = accumulate(sum(row.drift is None for row in some) for _month, some in left)
    shown = left[: bisect_left(list(count), CHANGES_PER_PAGE) + 1]
    last = shown[-1][0] if shown and len(shown) < len(left) else None
    if asked:
        shown, last = [(month, some) for month, some in months if month == asked], None
    lines = list(writer.lines(row for _month, some in shown for row in some))
    errata = [told for told, _rating in corrections_of_player(writer.player, writer.track)]
    newest = _last_of_month(asked) if asked else before - timedelta(1) if before else writer.asked.day
    oldest = first - timedelta(1) if (first := asked or last) else None
    if lines or not asked:
        lines = add_published(lines, marks, errata, newest, oldest)
    found = rows_of(lines, plays, writer)
    whole = statement_months(found, newest)
    if asked and not whole:
        whole = [StatementMonth(asked, movement_of_month(rows, asked, ruleset))]

    def link(**chosen: str) -> str:
        kept = {**_kept(request), "track": writer.track}
        return f"?{urlencode({**kept, **{name: value for name, value in chosen.items() if value}})}#changes"

    return {
        "with_score": any(row.play is not None and row.play.score for row in found),
        "with_games": any(row.games for row in found),
        "with_expected": any(row.expected is not None for row in found),
        "changes": found,
        "months": whole,
        "month": asked,
        "month_before": link(month=f"{max(earlier):%Y-%m}")
        if (earlier := [m for m in known if asked and m < asked])
        else "",
        "month_after": link(month=f"{min(later):%Y-%m}")
        if (later := [m for m in known if asked and m > asked])
        else "",
        "older": link(before=f"{last:%Y-%m}") if last else "",
        "newest": link() if before or asked else "",
    }


def list_rated_entries(player: Player) -> QuerySet[Entry]:
    """The entries of the player, and of players merged into this one, in rated sections, newest first."""
    entries = Entry.objects.filter(player__in=[player, *player.merged.all()]).filter(IN_RATED_SECTION)
    related = entries.select_related("section__event__federation").order_by("-section__ends", "-pk")
    return related.defer("section__particulars", "section__permissions", "section__remarks")


def _progress_context(request: OfficeRequest) -> dict[str, Any] | None:
    """The context of the progress bar for officials while ratings are being computed; otherwise None."""
    if Permission.SECTIONS_REVIEW not in request.rights:
        return None
    ledger = Ledger.objects.get(federation=request.office)
    return get_progress_context(request.office, ledger) if ledger.pending and not ledger.last_error else None


def set_shown_scores(office: Federation, entries: Iterable[Entry]) -> list[Entry]:
    """Set `score` on each entry, as its section's cross table has it, not as a file claims it."""
    own = list(entries)
    scores = get_score_texts(office, own)
    for entry in own:
        entry.score = scores[entry.pk]  # type: ignore[attr-defined]
    return own


def _track(request: OfficeRequest, player: Player, rows: Sequence[TrackRow]) -> str:
    """The track asked for; else the ruleset's first in which the player has a rating, else anything, else a
    corrected rating; empty if there is none.
    """
    if asked := request.GET.get("track", ""):
        return get_track_or_404(request.office.ruleset, asked).code
    rated = {row.track for row in rows if row.rating is not None} or {row.track for row in rows}
    main = next((track.code for track in request.office.ruleset.tracks if track.code in rated), "")
    corrected = CorrectedRating.objects.filter(player=player).values_list("track", flat=True)
    return main or corrected.first() or ""


# ---- A player's opponents
@page(PUBLIC, caching=cached_page)
def opponents(request: OfficeRequest, number: str) -> HttpResponseBase:
    found = _get_player(request, number)
    if found.merged_into:
        return redirect("ratings:opponents", request.office.code, found.merged_into.number)
    wanted = request.GET.get("q", "").strip()[:60]
    named = [each for each in find_named(request.office, wanted) if each != found] if wanted else []
    if len(named) == 1:
        return redirect("ratings:against", request.office.code, found.number, named[0].number)
    plays = get_play_by_section(found, AsOf(request.office, today(request.office), None))
    context = {
        "player": found,
        "wanted": wanted,
        "named": named,
        "meetings": meetings(plays.values()),
    }
    return render(request, "ratings/opponents.html", context)


@page(PUBLIC, caching=cached_page)
def against(request: OfficeRequest, number: str, other: str) -> HttpResponseBase:
    found, opponent = _get_player(request, number), _get_player(request, other)
    remaining = [each.merged_into or each for each in (found, opponent)]
    if remaining != [found, opponent]:
        return redirect("ratings:against", request.office.code, *(each.number for each in remaining))
    if found == opponent:
        raise Http404(_("A player has no games against themselves."))
    tell_apart(request.office, (found, opponent))
    asked = AsOf(request.office, today(request.office), None)
    plays = get_play_by_section(found, asked)
    sides = request.office.publication.sides
    met = next((each for each in meetings(plays.values()) if each.opponent.pk == opponent.pk), None)
    context: dict[str, Any] = {
        "player": found,
        "other": opponent,
        "met": met,
        "tallies": count_by_side_and_in_all((game for _play, game in met.games), sides) if met else [],
        "sides": sides,
        "rows": _side_by_side(found, opponent, asked),
        "expected": _expected_in_all(request.office, found, met) if met else None,
    }
    return render(request, "ratings/against.html", context)


def _expected_in_all(office: Federation, player: Player, met: Meetings) -> Decimal | None:
    """The score that the rules expected of the games, by the ratings before each section in the first track
    that has both; None where the rules expect none or a rating is not known.
    """
    expected = office.ruleset.figures.expected
    ratings = get_ratings_before(player, {met.opponent.pk}) if expected else {}
    score = Decimal(0)
    for play, game in met.games:
        known = (ratings.get((play.key, track.code), {}) for track in office.ruleset.tracks)
        pairs = ((each.get(player.pk), each.get(met.opponent.pk)) for each in known)
        own, theirs = next((pair for pair in pairs if None not in pair), (None, None))
        if expected is None or own is None or theirs is None:
            return None
        score += expected(own, theirs, game.side == 0)
    return score


def _get_player(request: OfficeRequest, number: str) -> Player:
    people = Player.objects.of(request.office).select_related("federation", "merged_into__federation")
    return get_object_or_404(people, number=number)


def _side_by_side(one: Player, other: Player, asked: AsOf) -> list[dict[str, Any]]:
    """The ratings of two players, one row for each track in which either has one."""
    known = player_ratings.get_ratings(asked.federation, [one, other], asked.day)
    tracks = asked.federation.ruleset.tracks
    rows = [
        (_(each.name), known.get((one.number, each.code)), known.get((other.number, each.code)))
        for each in tracks
    ]
    return [
        {
            "name": name,
            "own": own,
            "theirs": theirs,
            "expected": _expected_score(asked.federation, own, theirs),
        }
        for name, own, theirs in rows
        if own is not None or theirs is not None
    ]


def _expected_score(office: Federation, own: Decimal | None, theirs: Decimal | None) -> Decimal | None:
    """The score that the rules expect of one game, as the mean of both sides; None if they expect none."""
    expected = office.ruleset.figures.expected
    if expected is None or own is None or theirs is None:
        return None
    return (expected(own, theirs, True) + expected(own, theirs, False)) / 2
