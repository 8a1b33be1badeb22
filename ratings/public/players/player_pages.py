"""Public pages of the register: search, a player's page, and the working of each change."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet
from django.http import Http404, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from players.office.access import OfficeRequest, Permission, public
from players.office.models import Federation, Ledger
from players.office.settings_schema import today
from players.register.models import Player
from ratings.journal.models import Fact
from ratings.journal.read_facts import aliases_at
from ratings.law.journal import root
from ratings.lists.models import ListRow, RatingList
from ratings.proof.program import current
from ratings.public.common.asked_day import day_asked
from ratings.public.common.caching import cached_page
from ratings.public.common.disclosure_limits import limits_of
from ratings.public.common.page_tables import PlayerTable
from ratings.public.common.track_groups import by_group, track_of
from ratings.public.common.worded_errata import corrections_of_player
from ratings.public.common.worded_tables import worded_tables
from ratings.public.events.cross_tables import scores_of
from ratings.public.players import player_ratings
from ratings.public.players.history import HistoryWriter, with_errata
from ratings.public.players.ranks_and_counted_results import holdings
from ratings.recompute.progress_words import state_of
from ratings.results import changes_between_facts, workings
from ratings.results.as_of import AsOf, as_of, first_day
from ratings.results.changes_between_facts import ChangeWithDrifts
from ratings.results.models import Change, CorrectedRating
from ratings.results.rating_changes import moves_of
from tournaments.events.models import Entry, Stage

FOUND, CHANGES, EVENTS = 50, 30, 20


@public
@cached_page
def search(request: OfficeRequest) -> HttpResponseBase:
    wanted = request.GET.get("q", "").strip()[:60]
    people = found_by(request.office, wanted) if wanted else []
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


def found_by(office: Federation, wanted: str) -> list[Player]:
    """Players with all words of the text in their names, those of that surname first, or whose number begins
    with it; at most one more than a page shows. The number of a merged entry finds the entry that stays.
    """
    register = Player.objects.of(office).current().select_related("region")
    numbered = any(letter.isdigit() for letter in wanted)
    matching = register.matching(wanted)
    matching = matching.order_by("number") if numbered else matching.likeliest_first(wanted)
    people = list(matching[: FOUND + 1])
    stays = register.filter(merged__number=wanted).first() if numbered else None
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
    first = first_day(request.office) or now
    on = day_asked(request.office, request.GET.get("on"), now, first)
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
        "first": first,
        "groups": groups,
        "extracts": request.office.ruleset.figures.extract is not None and bool(rows),
        "pends": any(row.pending for row in rows),
        "track": track,
        "working": _working_out(request),
        "events": events_of(found, asked),
        "published": [],
        "curve": [],
    }
    if track:
        here = [row for row in lists if row.rating_list.track == track]
        context |= course_of(request, found, track, asked, here)
        context |= holdings(request, found, track, state, asked.day)
    return render(request, "ratings/player.html", context)


def _found(request: OfficeRequest, number: str) -> Player:
    return get_object_or_404(
        Player.objects.of(request.office)
        .select_related("region", "federation", "merged_into__federation")
        .prefetch_related("merged"),
        number=number,
    )


def _same_question(request: OfficeRequest, player: Player) -> str:
    query = request.GET.urlencode()
    return f"{player.get_absolute_url()}?{query}" if query else player.get_absolute_url()


def course_of(
    request: OfficeRequest, player: Player, track: str, asked: AsOf, lists: Sequence[ListRow]
) -> dict[str, Any]:
    """The context of a player's page for one track: the rating's curve, the published ratings to mark on it,
    and a page of the history, newest first.
    """
    drifts = request.office.ruleset.calendar.days_of_change is not None
    legs = changes_between_facts.legs(
        (player.number, track), moves_of(player, track, asked.line, states=drifts), asked
    )
    points = player_ratings.curve(legs)
    published = player_ratings.compared_with_lists(points, lists, request.office.publication.decimals)
    return {
        "curve": points,
        "published": published,
        "marks": [each.mark for each in published],
        **_changes(request, legs, HistoryWriter(player, track, asked)),
    }


def _changes(
    request: OfficeRequest, legs: Sequence[ChangeWithDrifts], teller: HistoryWriter
) -> dict[str, Any]:
    """The context of one page of the history: the moves before the place in the order that the address asks
    for (`before`), and the link to older ones.
    """
    text = request.GET.get("before", "")
    before = int(text) if text.isascii() and text.isdigit() and len(text) < 19 else None
    later = [leg for leg in legs if before is None or leg.move.order < before]
    found = later[: CHANGES + 1]
    older = ""
    if len(found) > CHANGES:
        query = {"track": teller.track, "before": str(found[CHANGES - 1].move.order)}
        day = {} if teller.asked.line is None else {"on": f"{teller.asked.day:%Y-%m-%d}"}
        older = f"?{urlencode({**query, **day})}#changes"
    lines = list(teller.lines(found, newest=before is None))
    if older:
        lines = lines[:-1]  # the extra line only gave the rating before
    newest = next((leg.move.on for leg in legs if leg.move.order == before), teller.asked.day)
    errata = corrections_of_player(teller.player, teller.track)
    return {
        "changes": with_errata(lines, errata, newest, lines[-1].on if older else None),
        "older": older,
        "later": text,
    }


def entries_of(player: Player) -> QuerySet[Entry]:
    """Entries in rated sections, newest first, by the player or entries merged into the player's."""
    return _newest(
        Entry.objects.filter(player__in=[player, *player.merged.all()], section__stage=Stage.RATED)
    )


def _newest(entries: QuerySet[Entry]) -> QuerySet[Entry]:
    related = entries.select_related("section__event__federation").order_by("-section__ends", "-pk")
    return related.defer("section__particulars", "section__permissions", "section__remarks")


def events_of(player: Player, asked: AsOf) -> list[Entry]:
    """The player's entries in the newest rated sections as of a day. Place and score are left empty where the
    section was corrected since.
    """
    if asked.line is None:
        return with_scores(player.federation, entries_of(player)[:EVENTS])
    entries = Entry.objects.filter(player__in=_entries_read_as(player, asked))
    # By section alone: given the federation too, SQLite would walk through all of its rated lines for each.
    here = Fact.objects.filter(section=OuterRef("section"), kind="rated").in_force(asked.line)
    entries = entries.filter(Exists(here)).annotate(corrected=Exists(here.exclude(taken_back=None)))
    found = with_scores(player.federation, _newest(entries)[:EVENTS])
    for entry in found:
        if entry.corrected:  # type: ignore[attr-defined]
            entry.place, entry.score = None, ""  # type: ignore[attr-defined]
    return found


def _entries_read_as(player: Player, asked: AsOf) -> list[Player]:
    merged = list(player.merged.all())
    if merged and asked.line is not None:
        names = aliases_at(asked.federation, asked.line)
        merged = [each for each in merged if root(names, each.number) == player.number]
    return [player, *merged]


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
    """The track asked for, or the one with most games, the first of the ruleset's if several."""
    asked = request.GET.get("track", "")
    if asked:
        return track_of(request.office.ruleset, asked).code
    return max(rows, key=lambda row: row.games).track if rows else ""


@public
@cached_page
def working(request: OfficeRequest, number: str, track: str, line: int) -> HttpResponseBase:
    track_of(request.office.ruleset, track)
    now = today(request.office)
    asked = as_of(request.office, day_asked(request.office, request.GET.get("on"), now) or now, now)
    try:
        change = workings.change_at(request.office, number, track, line, asked.line)
    except Change.DoesNotExist as error:
        whom = Player.objects.of(request.office).filter(merged__number=number).first()
        if whom:
            return redirect("ratings:working", request.office.code, whom.number, track, line)
        raise Http404(_("That line of the journal changed no rating of this player.")) from error
    account = workings.working_of(change, asked.line)
    edition = workings.edition_of(change)
    steps = workings.step_rows(account, request.office, edition)
    drifts = request.office.ruleset.calendar.days_of_change is not None
    moves = moves_of(change.player, track, asked.line, states=drifts)
    legs = changes_between_facts.legs((number, track), moves, asked)
    at = next(at for at, move in enumerate(moves) if move.order == change.order)
    earlier = legs[at + 1] if at + 1 < len(legs) else None
    context = {
        "change": change,
        "on": asked.day if asked.line is not None else None,
        "line": HistoryWriter(change.player, track, asked).line(moves[at], earlier),
        "told": player_ratings.worded_move(moves[at], request.office),
        "working": {
            "summary": workings.summary_rows(account, request.office, edition),
            "steps": steps,
            "games": workings.game_rows(account, request.office),
            "tables": worded_tables(request.office, account.tables, edition),
        },
        "exact": list(workings.exact_numbers(steps)),
        "edition": edition,
        "earlier": earlier.move if earlier else None,
        "later": moves[at - 1] if at else None,
    }
    return render(request, "ratings/working.html", context)
