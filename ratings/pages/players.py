"""Public pages of the register: the search, a player's page with its curve and history, and the opponents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet
from django.http import Http404, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from players.access import OfficeRequest, Permission, public
from players.display import Point
from players.models import Federation, Ledger, Player, Region
from players.names import taken_apart
from players.settings import today
from ratings import player_ratings, results
from ratings.cross_tables import scores_of
from ratings.disclosure import limits_of
from ratings.journal import aliases
from ratings.models import CorrectedRating, ListRow, RatingList, day_taken_over
from ratings.pages.errata import corrections_of_player
from ratings.pages.filters import day_asked
from ratings.pages.play import (
    HistoryWriter,
    PlayInSection,
    by_side,
    holdings,
    lists_of_sections,
    meetings,
    play_of,
    rows_of,
    with_errata,
)
from ratings.pages.responses import cached_page
from ratings.pages.tables import PlayerTable, by_group, track_of
from ratings.player_ratings import PublishedRating, TrackRow
from ratings.program import current
from ratings.recompute import state_of
from ratings.results import AsOf, ChangeWithDrifts, as_of, moves_of
from ratings.rulesets import journal
from ratings.rulesets.readings import COMMON
from ratings.workings import clause_url
from tournaments.models import IN_RATED, Entry

# ---- The ranges of time in which a player's curve may be looked at: a year, five years, all.
YEARS = {"1": 1, "5": 5, "all": None}
"""The ranges by the word that asks for them (`years`), with their years; None: from the first rating on."""
USUAL = "5"


@dataclass(frozen=True, slots=True)
class Range:
    words: str
    query: str
    chosen: bool


def drawn(
    request: OfficeRequest,
    points: Sequence[Point],
    published: Sequence[PublishedRating],
    legs: Sequence[ChangeWithDrifts],
    until: date,
) -> dict[str, Any]:
    """The context of a curve cut to the range that the address asks for. Ranges that would show no less than
    the whole are not offered.
    """
    asked = request.GET.get("years", "")
    chosen = asked if asked in YEARS else USUAL
    since = _start(until, YEARS[chosen])
    offered = [code for code, years in YEARS.items() if years is None or _cuts(points, _start(until, years))]
    if chosen not in offered:
        chosen = "all"
    marks = [each.mark for each in published]
    return {
        "curve": cut(points, since),
        "marks": [mark for mark in marks if since is None or mark.on >= since],
        "played": {day for leg in legs for day in (leg.move.on, leg.move.ends) if day is not None},
        "ranges": [_range(request, code, code == chosen) for code in offered] if len(offered) > 1 else [],
    }


def cut(points: Sequence[Point], since: date | None) -> list[Point]:
    """The points from a day on, beginning with the rating that held on it."""
    if since is None:
        return list(points)
    later = [point for point in points if point[0] >= since]
    before = [point for point in points if point[0] < since]
    return [(since, before[-1][1], _("the rating held then")), *later] if before else later


def _cuts(points: Sequence[Point], since: date | None) -> bool:
    return since is not None and bool(points) and points[0][0] < since


def _start(until: date, years: int | None) -> date | None:
    """The day so many years before; 28 February for 29 February."""
    if years is None:
        return None
    day = 28 if (until.month, until.day) == (2, 29) else until.day
    return date(until.year - years, until.month, day)


def _range(request: OfficeRequest, code: str, chosen: bool) -> Range:
    words = {"1": _("1 year"), "5": _("5 years"), "all": _("All")}
    kept = {name: request.GET[name] for name in ("track", "on") if request.GET.get(name)}
    return Range(words[code], f"?{urlencode({**kept, 'years': code})}#curve", chosen)


# ---- A player's rating of a past day in three ways: as published then, as known then, and as known now.
@dataclass(frozen=True, slots=True)
class Dating:
    """The words on the day from which a rated section counts, and the clause that says so."""

    words: str
    clause: str
    url: str
    says: str
    """The clause in our own words."""


@dataclass(frozen=True, slots=True)
class FiguresOfDay:
    """A player's rating in one track on a day, in three ways."""

    published: ListRow | None
    """The row of the newest list published by the day; None: no list of then names the player."""
    then: Decimal | None
    """The rating by what the office knew on the day; None: no rating."""
    now: Decimal | None
    """The rating of the day by what is known now; None: no rating."""
    differs: bool
    """Whether what is known now gives another rating for the day than what was known then."""
    dating: Dating
    taken_over: date | None = None
    """The day on which the past of which that day is was taken over; None: the office was there on the day.
    """


def figures_of(player: Player, row: TrackRow | None, track: str, asked: AsOf) -> FiguresOfDay:
    """The three figures of a player's page. `row`: the rating in the track as known on the day. What is known
    now of a merged entry is the rating of the one that stays.
    """
    office, stays = player.federation, _who_stays(player)
    state = asked.state_known_now_of(stays)
    now = player_ratings.ratings_in(office, state, stays.number, asked.day).get(track)
    then = row.rating if row else None
    over = None if asked.line is None else day_taken_over(office, asked.line)
    over = over if over is not None and asked.day < over else None
    published = row.published if row else None
    return FiguresOfDay(published, then, now, then != now, dating_of(office, asked.day), over)


def _who_stays(player: Player) -> Player:
    if player.merged_into_id is None:
        return player
    number = journal.root(aliases(player.federation), player.number)
    return Player.objects.get(federation=player.federation, number=number)


def dating_of(office: Federation, on: date) -> Dating:
    """The day from which a section counts by the regulations of a day, in words, with the clause (D-1)."""
    ruleset = office.ruleset
    clause, edition = ruleset.journal.counts_from, ruleset.edition_of_day(on)
    common = COMMON.get(clause)
    return Dating(
        words=_dating_words(office),
        clause=clause,
        url=clause_url(office, clause, edition),
        says=_(common[1] if common else ruleset.clauses_of(edition)[clause]),
    )


def _dating_words(office: Federation) -> str:
    if office.ruleset.in_order_of_play:
        return _("A section counts from its last day of play, whenever it was rated.")
    if office.ruleset.calendar.waits_for_list:
        return _(
            "A section counts from the day on which it was first rated, and enters the rating with the next "
            "list."
        )
    return _("A section counts from the day on which it was first rated, whenever it was played.")


# ---- The search, and a player's page.
FOUND, CHANGES, OPPONENTS = 50, 15, 8


@public
@cached_page
def search(request: OfficeRequest) -> HttpResponseBase:
    wanted = request.GET.get("q", "").strip()[:60]
    people = found_by(request.office, wanted, by_staff=request.user.is_authenticated) if wanted else []
    for found in people:
        found.federation = request.office
    with_ratings(request.office, people, today(request.office))
    context = {
        "wanted": wanted,
        "more": len(people) > FOUND,
        "table": PlayerTable(people[:FOUND]),
        "example": None if wanted else somebody(request.office),
    }
    return render(request, "ratings/players.html", context)


def found_by(
    office: Federation,
    wanted: str,
    *,
    by_staff: bool = False,
    looked_up: bool = False,
    most: int = FOUND + 1,
) -> list[Player]:
    """Players with all words of the text in their names, those of that surname first, or whose number begins
    with it, or both; as many as a page shows and one more, or `most`. The number of a merged entry finds the
    entry that stays. `by_staff`: those in whose names the words stand anywhere follow. `looked_up`: nobody is
    looked for by what stands inside a name.
    """
    register = Player.objects.of(office).current().select_related("region")
    numbers, names = taken_apart(wanted)
    matching = register.matching(wanted, inside_too=by_staff, looked_up=looked_up)
    matching = matching.order_by("number") if numbers else matching.likeliest_first(wanted)
    people = list(matching[:most])
    stays = register.filter(merged__number=numbers[0]).first() if numbers and not names else None
    return people if stays is None or stays in people else [stays, *people]


def somebody(office: Federation) -> Player | None:
    """A player to offer as an example for the search: the first on a newest list who may be named."""
    newest = RatingList.objects.of(office).of_newest_day().current().without_content().first()
    rows = (
        ListRow.objects.filter(rating_list=newest, player__withheld=False)
        if newest
        else ListRow.objects.none()
    )
    row = rows.select_related("player").order_by("position").first()
    return row.player if row else None


def with_ratings(office: Federation, people: Sequence[Player], now: date) -> None:
    """Set `shown_ratings` on each player for a table of players: pairs of track and rating in the order of
    the tracks, at most three.
    """
    known = player_ratings.ratings_of(office, people, now) if people else {}
    for player in people:
        keys = [(track, (player.number, track.code)) for track in office.ruleset.tracks]
        ratings = [(track, known[key]) for track, key in keys if key in known]
        player.shown_ratings = ratings[:3]  # type: ignore[attr-defined]


@public
@cached_page
def player(request: OfficeRequest, number: str) -> HttpResponseBase:
    others = Region.objects.filter(federation=OuterRef("federation")).exclude(pk=OuterRef("region"))
    found = get_object_or_404(
        Player.objects.of(request.office)
        .select_related("region", "federation", "merged_into__federation")
        .annotate(of_several_regions=Exists(others)),
        number=number,
    )
    now = today(request.office)
    on = day_asked(request.office, request.GET.get("on"), now)
    asked = as_of(request.office, on or now, now)
    if found.merged_into and asked.reads_as_another(number):
        return redirect(_same_question(request, found.merged_into))
    lists = player_ratings.published(found, on)
    state = asked.state_of(found)
    rows = player_ratings.rows_of_player(found, lists, asked, state)
    groups = by_group(request.office.ruleset, rows)
    track = _track(request, found, [row for _name, of_group in groups for row in of_group])
    told = limits_of(request.office)
    context: dict[str, Any] = {
        "player": found,
        "title": told.title(found),
        "unindexed": found.withheld or not told.grown(found),
        "on": on,
        "program": current(),
        "today": now,
        "groups": groups,
        "several": len(rows) > 1,
        "extracts": request.office.ruleset.figures.extract is not None and bool(rows),
        "imaginable": request.office.equipment.what_if is not None and not found.merged_into,
        "pends": any(row.pending for row in rows),
        "track": track,
        "working": _working_out(request),
    }
    if track:
        here = [row for row in lists if row.rating_list.track == track]
        context["row"] = next((row for row in rows if row.track == track), None)
        context |= course_of(request, found, track, asked, here)
        context["figures"] = figures_of(found, context["row"], track, asked) if on else None
        context |= holdings(request, found, track, state, asked.day)
    return render(request, "ratings/player.html", context)


def _same_question(request: OfficeRequest, player: Player) -> str:
    query = request.GET.urlencode()
    return f"{player.get_absolute_url()}?{query}" if query else player.get_absolute_url()


def course_of(
    request: OfficeRequest, player: Player, track: str, asked: AsOf, lists: Sequence[ListRow]
) -> dict[str, Any]:
    """The context of a player's page for one track: the rating's curve, the published ratings to mark on it,
    the play behind it, and a page of the history, newest first.
    """
    by_calendar = request.office.ruleset.calendar.days_of_change is not None
    legs = results.legs(
        (player.number, track), moves_of(player, track, asked.line, states=by_calendar), asked
    )
    points = player_ratings.curve(legs)
    published = player_ratings.compared_with_lists(points, lists, request.office.publication.decimals)
    plays = play_of(player, asked)
    writer = HistoryWriter(player, track, asked)
    drifts = (drift for leg in legs for drift in leg.drifts if drift.on == writer.asked.day)
    drift = next(drifts, None) if writer.asked.line is not None else None
    return {
        "published": published,
        "first": legs[-1].move.on if legs else None,
        "best": max(points, key=lambda point: point[1], default=None),
        **drawn(request, points, published, legs, asked.day),
        "moved": (writer.drifted(drift) if drift else None),
        **_play(request, legs, plays, asked),
        **_changes(request, legs, plays, HistoryWriter(player, track, asked)),
    }


def _play(
    request: OfficeRequest, legs: Sequence[ChangeWithDrifts], plays: Mapping[str, PlayInSection], asked: AsOf
) -> dict[str, Any]:
    """The context of what the player did in the sections behind a rating. Of a past day the last one alone:
    some games of then may have been corrected since.
    """
    own = [plays[leg.move.section] for leg in legs if leg.move.section in plays]
    last = max(own, key=lambda play: play.ends, default=None)
    if asked.line is not None:
        return {"last_played": last}
    met = meetings(own)
    return {
        "last_played": last,
        "tallies": by_side((game for play in own for game in play.games), request.office.publication.sides),
        "opponents": met[:OPPONENTS],
        "opponents_left": len(met[OPPONENTS:]),
    }


def _changes(
    request: OfficeRequest,
    legs: Sequence[ChangeWithDrifts],
    plays: Mapping[str, PlayInSection],
    writer: HistoryWriter,
) -> dict[str, Any]:
    """The context of one page of the history: the moves before the place in the order that the address asks
    for (`before`), and the link to older ones. A list that took points of sections in stands in their rows.
    """
    text = request.GET.get("before", "")
    before = int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None
    lists = lists_of_sections(legs)
    told_of = {move.order for move in lists.values()}
    later = [
        leg for leg in legs if (before is None or leg.move.order < before) and leg.move.order not in told_of
    ]
    found = later[: CHANGES + 1]
    older = ""
    if len(found) > CHANGES:
        query = {"track": writer.track, "before": str(found[CHANGES - 1].move.order)}
        day = {} if writer.asked.line is None else {"on": f"{writer.asked.day:%Y-%m-%d}"}
        older = f"?{urlencode({**query, **day})}#changes"
    lines = list(writer.lines(found, newest=before is None))
    if older:
        lines = lines[:-1]  # the extra line only gave the rating before
    newest = next((leg.move.on for leg in legs if leg.move.order == before), writer.asked.day)
    errata = corrections_of_player(writer.player, writer.track)
    lines = with_errata(lines, errata, newest, lines[-1].on if older else None)
    rows = rows_of(lines, plays, lists, writer)
    shown = {
        "with_score": any(row.play is not None and row.play.score for row in rows),
        "with_games": any(row.games for row in rows),
        "with_expected": any(row.expected is not None for row in rows),
    }
    return {
        **shown,
        "changes": rows,
        "older": older,
        "later": text,
    }


def entries_of(player: Player) -> QuerySet[Entry]:
    """Entries in rated sections, newest first, by the player or entries merged into the player's."""
    entries = Entry.objects.filter(player__in=[player, *player.merged.all()])
    return _newest(entries.filter(IN_RATED))


def _newest(entries: QuerySet[Entry]) -> QuerySet[Entry]:
    related = entries.select_related("section__event__federation").order_by("-section__ends", "-pk")
    return related.defer("section__particulars", "section__permissions", "section__remarks")


def _working_out(request: OfficeRequest) -> dict[str, Any] | None:
    """The context of the progress bar while the worker computes a decision, for officials; None for anybody
    else, and when nothing is being computed.
    """
    if Permission.SECTIONS_REVIEW not in request.rights:
        return None
    ledger = Ledger.objects.get(federation=request.office)
    return state_of(request.office, ledger) if ledger.pending and not ledger.last_error else None


def with_scores(office: Federation, entries: Iterable[Entry]) -> list[Entry]:
    """Set `score` on each entry: that of its section's cross table, not the one that a file claims."""
    own = list(entries)
    scores = scores_of(office, own)
    for entry in own:
        entry.score = scores[entry.pk]  # type: ignore[attr-defined]
    return own


def _track(request: OfficeRequest, found: Player, rows: Sequence[player_ratings.TrackRow]) -> str:
    corrected = CorrectedRating.objects.filter(player=found).values_list("track", flat=True)
    return _chosen(request, rows) or corrected.first() or ""


def _chosen(request: OfficeRequest, rows: Sequence[player_ratings.TrackRow]) -> str:
    """The track asked for, or the player's main one: of the ruleset's, in their order, the first with a
    rating, or if there is none yet, the first with anything.
    """
    asked = request.GET.get("track", "")
    if asked:
        return track_of(request.office.ruleset, asked).code
    rated = {row.track for row in rows if row.rating is not None} or {row.track for row in rows}
    return next((track.code for track in request.office.ruleset.tracks if track.code in rated), "")


# ---- Public pages of a player's opponents: all of them, and two players side by side with their games.
@public
@cached_page
def opponents(request: OfficeRequest, number: str) -> HttpResponseBase:
    found = _person(request, number)
    if found.merged_into:
        return redirect("ratings:opponents", request.office.code, found.merged_into.number)
    now = today(request.office)
    plays = play_of(found, AsOf(request.office, now, None))
    return render(request, "ratings/opponents.html", {"player": found, "meetings": meetings(plays.values())})


@public
@cached_page
def against(request: OfficeRequest, number: str, other: str) -> HttpResponseBase:
    found, opponent = _person(request, number), _person(request, other)
    stays = [each.merged_into or each for each in (found, opponent)]
    if stays != [found, opponent]:
        return redirect("ratings:against", request.office.code, *(each.number for each in stays))
    if found == opponent:
        raise Http404(_("A player has no games against themselves."))
    now = today(request.office)
    asked = AsOf(request.office, now, None)
    plays = play_of(found, asked)
    sides = request.office.publication.sides
    met = next((each for each in meetings(plays.values()) if each.opponent.pk == opponent.pk), None)
    context: dict[str, Any] = {
        "player": found,
        "other": opponent,
        "met": met,
        "tallies": by_side((game for _play, game in met.games), sides) if met else [],
        "sides": sides,
        "rows": _side_by_side(found, opponent, asked),
    }
    return render(request, "ratings/against.html", context)


def _person(request: OfficeRequest, number: str) -> Player:
    people = Player.objects.of(request.office).select_related("federation", "merged_into__federation")
    return get_object_or_404(people, number=number)


def _side_by_side(one: Player, other: Player, asked: AsOf) -> list[dict[str, Any]]:
    """The ratings of two players, one row for each track in which either has one."""
    now = asked.day
    known = player_ratings.ratings_of(asked.federation, [one, other], now)
    tracks = asked.federation.ruleset.tracks
    rows = [(_(each.name), *(known.get((who.number, each.code)) for who in (one, other))) for each in tracks]
    return [
        {"name": name, "own": own, "theirs": theirs}
        for name, own, theirs in rows
        if own is not None or theirs is not None
    ]
