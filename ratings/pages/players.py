"""Public pages of the register: a player's page with its curve and history, and the opponents."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
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
from players.pages.forms import parse_number
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
    add_published,
    count_by_side_and_in_all,
    explain_games_counted,
    get_play_by_section,
    get_ratings_before,
    holdings_context,
    meetings,
    rows_of,
)
from ratings.pages.responses import cached_page
from ratings.pages.tables import get_track_or_404, sort_into_groups
from ratings.player_ratings import TrackRow
from ratings.program import get_current_program
from ratings.recompute import get_progress_context
from ratings.results import AsOf, as_of
from ratings.rulesets import journal
from ratings.rulesets.readings import COMMON_READINGS
from ratings.statement import StatementRow, read_statement
from ratings.workings import clause_url
from tournaments.models import IN_RATED_SECTION, Entry

# ---- The rating curve and its ranges of time
YEARS = {"1": 1, "5": 5, "all": None}
"""The ranges by the value of `years` in the address, with their years; None: from the first rating on."""
DEFAULT_YEARS = "5"


def curve_context(
    request: OfficeRequest,
    points: Sequence[Point],
    marks: Sequence[Mark],
    rows: Sequence[StatementRow],
    until: date,
) -> dict[str, Any]:
    """The context of a curve cut to the range that the address asks for.

    Ranges that would show the whole curve are not offered.
    """
    asked = request.GET.get("years", "")
    chosen = asked if asked in YEARS else DEFAULT_YEARS
    starts = {code: _start(until, years) for code, years in YEARS.items()}
    since = starts[chosen]
    offered = [code for code, start in starts.items() if start is None or (points and points[0][0] < start)]
    if chosen not in offered:
        chosen = "all"
    return {
        "curve": cut_curve(points, since),
        "marks": [mark for mark in marks if since is None or mark.on >= since],
        "played": {day for row in rows for day in (row.move.on, row.move.ends) if day is not None},
        "ranges": [_range(request, code, code == chosen) for code in offered] if len(offered) > 1 else [],
    }


def cut_curve(points: Sequence[Point], since: date | None) -> list[Point]:
    """The points from a day on, beginning with the rating in force on it."""
    if since is None:
        return list(points)
    later = [point for point in points if point[0] >= since]
    before = [point for point in points if point[0] < since]
    return [(since, before[-1][1], _("the rating held then")), *later] if before else later


def _start(until: date, years: int | None) -> date | None:
    """The day so many years before; 28 February for 29 February."""
    if years is None:
        return None
    day = 28 if (until.month, until.day) == (2, 29) else until.day
    return date(until.year - years, until.month, day)


def _range(request: OfficeRequest, code: str, chosen: bool) -> dict[str, Any]:
    words = {"1": _("1 year"), "5": _("5 years"), "all": _("All")}
    kept = {name: request.GET[name] for name in ("track", "on") if request.GET.get(name)}
    query = f"?{urlencode({**kept, 'years': code})}#curve"
    return {"words": words[code], "query": query, "chosen": chosen}


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
        context["row"] = next((row for row in rows if row.track == track), None)
        context |= track_context(request, found, track, asked, published)
        context["figures"] = figures_of(found, context["row"], track, asked) if on else None
        context |= holdings_context(request, found, track, state, asked.day)
    return render(request, "ratings/player.html", context)


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
        **curve_context(request, points, marks, rows, asked.day),
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


def _history_context(
    request: OfficeRequest,
    rows: Sequence[StatementRow],
    plays: Mapping[str, PlayInSection],
    marks: Sequence[Mark],
    writer: HistoryWriter,
) -> dict[str, Any]:
    """The context of one page of the history: the rows before the order that the address asks for
    (`before`), and the link to older ones.
    """
    before = parse_number(request.GET.get("before"))
    earlier = [row for row in rows if before is None or row.move.order < before]
    orders = [row.move.order for row in earlier if row.drift is None]
    older = ""
    day = {} if writer.asked.line is None else {"on": f"{writer.asked.day:%Y-%m-%d}"}
    if len(orders) > CHANGES_PER_PAGE:
        last = orders[CHANGES_PER_PAGE - 1]
        older = f"?{urlencode({'track': writer.track, 'before': str(last), **day})}#changes"
        earlier = [row for row in earlier if row.move.order >= last]
    lines = list(writer.lines(earlier))
    later = [row.move for row in rows if before is not None and row.move.order >= before]
    errata = [told for told, _rating in corrections_of_player(writer.player, writer.track)]
    newest = writer.line(rows[len(later) - 1]).counts_on if later else writer.asked.day
    lines = add_published(lines, marks, errata, newest, lines[-1].counts_on if older else None)
    found = rows_of(lines, plays, writer)
    return {
        "with_score": any(row.play is not None and row.play.score for row in found),
        "with_games": any(row.games for row in found),
        "with_expected": any(row.expected is not None for row in found),
        "changes": found,
        "older": older,
        "newest": f"?{urlencode({'track': writer.track, **day})}#changes" if "before" in request.GET else "",
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
