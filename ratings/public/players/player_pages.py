"""Public pages of the register: search, a player's page, and the working of each change."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.http import urlencode

from players.office.access import OfficeRequest, Permission, public
from players.office.models import Federation, Ledger, Region
from players.office.settings_schema import today
from players.register.models import Player
from players.register.name_search import taken_apart
from ratings.lists.models import ListRow, RatingList
from ratings.proof.program import current
from ratings.public.common.asked_day import day_asked
from ratings.public.common.caching import cached_page
from ratings.public.common.disclosure_limits import limits_of
from ratings.public.common.page_tables import PlayerTable
from ratings.public.common.track_groups import by_group, track_of
from ratings.public.common.worded_errata import corrections_of_player
from ratings.public.events.cross_tables import scores_of
from ratings.public.players import player_ratings
from ratings.public.players.curve_ranges import drawn
from ratings.public.players.event_rows import lists_of_sections, rows_of
from ratings.public.players.figures_of_day import figures_of
from ratings.public.players.history import HistoryLine, HistoryWriter, with_errata
from ratings.public.players.play import PlayInSection, by_side, meetings, play_of
from ratings.public.players.ranks_and_counted_results import holdings
from ratings.recompute.progress_words import state_of
from ratings.results import changes_between_facts
from ratings.results.as_of import AsOf, as_of
from ratings.results.changes_between_facts import ChangeWithDrifts
from ratings.results.models import CorrectedRating
from ratings.results.rating_changes import moves_of
from tournaments.events.models import IN_RATED, Entry

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
    found = _found(request, number)
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


def _found(request: OfficeRequest, number: str) -> Player:
    others = Region.objects.filter(federation=OuterRef("federation")).exclude(pk=OuterRef("region"))
    return get_object_or_404(
        Player.objects.of(request.office)
        .select_related("region", "federation", "merged_into__federation")
        .annotate(of_several_regions=Exists(others)),
        number=number,
    )


def _same_question(request: OfficeRequest, player: Player) -> str:
    query = request.GET.urlencode()
    return f"{player.get_absolute_url()}?{query}" if query else player.get_absolute_url()


def course_of(
    request: OfficeRequest, player: Player, track: str, asked: AsOf, lists: Sequence[ListRow]
) -> dict[str, Any]:
    """The context of a player's page for one track: the rating's curve, the published ratings to mark on it,
    the play behind it, and a page of the history, newest first.
    """
    drifts = request.office.ruleset.calendar.days_of_change is not None
    legs = changes_between_facts.legs(
        (player.number, track), moves_of(player, track, asked.line, states=drifts), asked
    )
    points = player_ratings.curve(legs)
    published = player_ratings.compared_with_lists(points, lists, request.office.publication.decimals)
    plays = play_of(player, asked)
    return {
        "published": published,
        "first": legs[-1].move.on if legs else None,
        "best": max(points, key=lambda point: point[1], default=None),
        **drawn(request, points, published, legs, asked.day),
        "moved": _moved_on_that_day(legs, HistoryWriter(player, track, asked)),
        **_play(request, legs, plays, asked),
        **_changes(request, legs, plays, HistoryWriter(player, track, asked)),
    }


def _moved_on_that_day(legs: Sequence[ChangeWithDrifts], writer: HistoryWriter) -> HistoryLine | None:
    """The move of the rating on a past day asked for, where it moved without a game of the player's."""
    drifts = (drift for leg in legs for drift in leg.drifts if drift.on == writer.asked.day)
    drift = next(drifts, None) if writer.asked.line is not None else None
    return writer.drifted(drift) if drift else None


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
