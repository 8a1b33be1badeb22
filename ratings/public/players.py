"""The register as the public sees it: search, a player's page, and the working of each change."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any

from django.http import Http404, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from players.access import OfficeRequest, Permission, public
from players.curve import Point
from players.models import Federation, Ledger, Player
from players.offices import today
from ratings import workings
from ratings.models import Change, ListRow, RatingList
from ratings.office.progress import state_of
from ratings.public import standings
from ratings.public.crosstables import scores_of
from ratings.public.history import history, line_of
from ratings.public.holdings import holdings
from ratings.public.kept import kept
from ratings.public.privacy import is_minor
from ratings.public.tables import PlayerTable
from ratings.public.tracks import by_group, track_of
from tournaments.models import Entry, Stage

FOUND, CHANGES, EVENTS = 50, 50, 20


@public
@kept
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
    """By the beginning of name or number, one more than a page; a merged number finds the one that stays."""
    register = Player.objects.of(office).current().select_related("region")
    people = list(register.matching(wanted)[: FOUND + 1])
    numbered = any(letter.isdigit() for letter in wanted)
    stays = register.filter(merged__number=wanted).first() if numbered else None
    return people if stays is None or stays in people else [stays, *people]


def somebody(office: Federation) -> Player | None:
    """Of the newest lists' best, whom a reader may look for as an example."""
    newest = RatingList.objects.of(office).of_newest_day().current().without_content().first()
    rows = (
        ListRow.objects.filter(rating_list=newest, player__withheld=False)
        if newest
        else ListRow.objects.none()
    )
    row = rows.select_related("player").order_by("position").first()
    return row.player if row else None


def with_ratings(office: Federation, people: Sequence[Player], now: date) -> None:
    """Give each player `shown_ratings`: track and rating, in the order of the tracks, at most three."""
    known = standings.ratings_of(office, people, now) if people else {}
    for player in people:
        keys = [(track, (player.number, track.code)) for track in office.ruleset.tracks]
        ratings = [(track, known[key]) for track, key in keys if key in known]
        player.shown_ratings = ratings[:3]  # type: ignore[attr-defined]


@public
@kept
def player(request: OfficeRequest, number: str) -> HttpResponseBase:
    found = get_object_or_404(
        Player.objects.of(request.office).select_related("region", "federation", "merged_into__federation"),
        number=number,
    )
    if found.merged_into:
        return redirect(found.merged_into)
    now = today(request.office)
    on = _day(request.GET.get("on"))
    cut = None if on is None else standings.last_order(request.office, on)
    lists = standings.published(found, on)
    rows = standings.of_player(found, lists, cut, on or now)
    groups = by_group(request.office.ruleset, rows)
    track = _chosen(request, [row for _name, of_group in groups for row in of_group])
    context: dict[str, Any] = {
        "player": found,
        "minor": is_minor(found, now),
        "on": on,
        "today": now,
        "groups": groups,
        "pends": any(row.pending for row in rows),
        "track": track,
        "curve": curve_of(found, track, cut, rows, on or now) if track else [],
        "published": [row for row in lists if row.rating_list.track == track],
        "working": _working_out(request),
        "events": with_scores(entries_of(found)[:EVENTS]),
    }
    context |= changes_of(request, found, track, cut, on or now) | holdings(
        request, found, track, cut, on or now
    )
    return render(request, "ratings/player.html", context)


def curve_of(
    player: Player, track: str, cut: int | None, rows: Sequence[standings.Row], day: date
) -> list[Point]:
    """The curve up to a day: time and others may have moved the rating since the player's last fact."""
    points = standings.curve(player, track, cut)
    rating = next((row.rating for row in rows if row.track == track), None)
    if player.federation.ruleset.days_of_change and points and rating not in (None, points[-1][1]):
        points.append((day, rating, _("Others’ results, and time")))
    return points


def changes_of(
    request: OfficeRequest, player: Player, track: str, cut: int | None, until: date
) -> dict[str, Any]:
    """A page of what moved a rating up to a place in the order, newest first, and the way to older ones."""
    changes = Change.objects.filter(player=player, track=track).told()
    if cut is not None:
        changes = changes.before(cut + 1)
    before = request.GET.get("before", "")
    if before.isascii() and before.isdigit() and len(before) < 19:
        changes = changes.before(int(before))
    found = list(changes[: CHANGES + 1])
    for change in found:
        change.player, change.fact.federation = player, request.office
    older = f"?track={track}&before={found[CHANGES - 1].order}#changes" if len(found) > CHANGES else ""
    lines = list(history(found, None if before else until))
    return {
        "changes": lines[:-1] if older else lines,  # the one more only says what was before
        "older": older,
        "later": before,
    }


def entries_of(player: Player) -> Any:
    """Rated sections in which the player stood, newest first, under whichever entry of the register."""
    entries = Entry.objects.filter(player__in=[player, *player.merged.all()], section__stage=Stage.RATED)
    return entries.select_related("section__event__federation").order_by("-section__ends", "-pk")


def _working_out(request: OfficeRequest) -> dict[str, Any] | None:
    """For officials, whose decision it may be: how far the worker is with what follows from it."""
    if Permission.SECTIONS_REVIEW not in request.rights:
        return None
    ledger = Ledger.objects.get(federation=request.office)
    return state_of(request.office, ledger) if ledger.pending and not ledger.last_error else None


def with_scores(entries: Iterable[Entry]) -> list[Entry]:
    """Give each entry `score`, as its section's cross table shows it: what a file claims is not told."""
    own = list(entries)
    scores = scores_of(own)
    for entry in own:
        entry.score = scores[entry.pk]  # type: ignore[attr-defined]
    return own


def _day(text: str | None) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError as error:
        raise Http404(_("Write the day as YYYY-MM-DD.")) from error


def _chosen(request: OfficeRequest, rows: Sequence[standings.Row]) -> str:
    """The track that was asked for, or the one with most games, the ruleset's first of several."""
    asked = request.GET.get("track", "")
    if asked:
        return track_of(request.office.ruleset, asked).code
    return max(rows, key=lambda row: row.games).track if rows else ""


@public
@kept
def working(request: OfficeRequest, number: str, track: str, line: int) -> HttpResponseBase:
    track_of(request.office.ruleset, track)
    try:
        change = workings.change_at(request.office, number, track, line)
    except Change.DoesNotExist as error:
        whom = Player.objects.of(request.office).filter(merged__number=number).first()
        if whom:
            return redirect("ratings:working", request.office.code, whom.number, track, line)
        raise Http404(_("No rating of this player was moved by that line of the journal.")) from error
    account = workings.working_of(change)
    steps = workings.step_rows(account, request.office)
    beside = Change.objects.filter(player=change.player, track=track).select_related("fact")
    earlier = beside.filter(order__lt=change.order).order_by("-order").first()
    if earlier:
        earlier.player, earlier.fact.federation = change.player, request.office
    context = {
        "change": change,
        "line": line_of(change, earlier),
        "told": standings.told(change),
        "working": {"steps": steps, "games": workings.game_rows(account, request.office)},
        "exact": list(workings.exact_numbers(steps)),
        "edition": workings.edition_of(change),
        "earlier": earlier,
        "later": beside.filter(order__gt=change.order).order_by("order").first(),
    }
    return render(request, "ratings/working.html", context)
