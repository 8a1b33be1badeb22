"""A player's ratings: now, on a day, as published, and their moves in words."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from django.db.models import Exists, OuterRef
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from players.display import Mark, Point, round_rating
from players.languages import mark_language
from players.models import Federation, Player
from ratings.journal import AFTER_EVERYTHING
from ratings.models import ListRow, RatingList, Standing
from ratings.results import AsOf, ChangeOfFact, get_answers, newest_wide
from ratings.rulesets import facts, journal_lines
from ratings.rulesets.facts import Answer, StandingKey, State
from ratings.rulesets.ruleset import Ruleset
from ratings.statement import StatementRow, balance_of

LIST_FIELDS = ("federation_id", "track", "on", "revision", "players")
LIST_ROW_FIELDS = ("rank", "rating", "player_id", *(f"rating_list__{name}" for name in LIST_FIELDS))


@dataclass(frozen=True, slots=True)
class TrackRow:
    """A player's rating in one track: by the record, and on the newest list of the day."""

    track: str
    name: str
    rating: Decimal | None
    games: int
    status: str
    status_in_words: str
    pending: Decimal
    """The points that wait for the next list, as shown."""
    published: ListRow | None
    activity: int | None
    """What the rules count as activity; None where they count none."""


def get_track_rows(
    player: Player, list_rows: Iterable[ListRow], asked: AsOf, state: State[Any]
) -> list[TrackRow]:
    """A player's ratings on a day, one row for each track; `list_rows`: the published rows, newest first."""
    federation = player.federation
    newest: dict[str, ListRow] = {}
    for row in list_rows:
        newest.setdefault(row.rating_list.track, row)
    names = {track.code: track.name for track in federation.ruleset.tracks}
    messages = federation.ruleset.words.messages
    return [
        TrackRow(
            track=answer.track,
            name=_(names.get(answer.track, answer.track)),
            rating=answer.rating,
            games=answer.games,
            status=answer.status,
            status_in_words=_(messages.get(answer.status, answer.status)),
            pending=balance_of(answer).as_shown(federation.publication.decimals).waiting,
            published=newest.get(answer.track),
            activity=_get_activity(federation, state, player.number, answer.track),
        )
        for answer in get_answers_from_state(federation, state, player.number, asked.day)
    ]


def _get_activity(federation: Federation, state: State[Any], number: str, track: str) -> int | None:
    step = federation.ruleset.figures.activity(state, number, track)
    return step.result if step is not None and isinstance(step.result, int) else None


def get_ratings(federation: Federation, people: Sequence[Player], day: date) -> dict[StandingKey, Decimal]:
    """The ratings of a few players on a day, by number and track, as the rules answer."""
    load = federation.ruleset.storage.load
    rows = Standing.objects.filter(player__in=people).values_list("player__number", "track", "state")
    standings = (((number, track), load(track, text)) for number, track, text in rows)
    answers = _answers(federation, standings, newest_wide(federation, AFTER_EVERYTHING), day)
    return {(each.player, each.track): each.rating for each in answers if each.rating is not None}


def get_ratings_from_state(
    federation: Federation, state: State[Any], number: str, day: date
) -> dict[str, Decimal]:
    """A player's ratings on a day, by track, computed by the rules from a state."""
    answers = get_answers_from_state(federation, state, number, day)
    return {each.track: each.rating for each in answers if each.rating is not None}


def get_answers_from_state(federation: Federation, state: State[Any], number: str, day: date) -> list[Answer]:
    """The rules' answers on a day for the player with that number, from a state, one for each track."""
    theirs = ((key, standing) for key, standing in state.standings.items() if key[0] == number)
    return _answers(federation, theirs, state.wide, day)


def _answers(
    federation: Federation, standings: Iterable[tuple[StandingKey, Any]], wide: Any, day: date
) -> list[Answer]:
    """Ask the rules for a day's ratings from these standings and the federation-wide part `wide`."""
    state: State[Any] = State(wide=wide)
    for key, standing in standings:
        state.put(key, standing)
    return get_answers(federation.ruleset, state, day)


def get_published_rows(player: Player, on: date | None = None) -> list[ListRow]:
    """A player's rows of the lists up to a day, newest first: of each list the revision then in force."""
    this = {"on": OuterRef("rating_list__on"), "track": OuterRef("rating_list__track")}
    later = RatingList.objects.of(player.federation).filter(**this)
    later = later.filter(revision__gt=OuterRef("rating_list__revision"))
    rows = ListRow.objects.filter(player=player)
    if on is not None:
        later, rows = later.published_by(on), rows.filter(rating_list__fact__on__lte=on)
    rows = rows.filter(~Exists(later)).select_related("rating_list").only(*LIST_ROW_FIELDS)
    found = list(rows.order_by("-rating_list__on", "rating_list__track"))
    for row in found:
        row.rating_list.federation, row.player = player.federation, player
    return found


def iterate_dated(
    rows: Iterable[StatementRow], ruleset: Ruleset
) -> Iterator[tuple[date | None, StatementRow]]:
    """Yield the rows of a statement, newest first, each with the day from which it counts (D-1). Openings
    come first, even those taken in later.
    """
    following: date | None = None
    for row in rows:
        day = get_counting_day(row.move, ruleset) if row.drift is None else row.drift.on
        if day is not None and following is not None:
            day = min(day, following)
        yield day, row
        following = day or following


def get_curve(rows: Sequence[StatementRow], ruleset: Ruleset) -> list[Point]:
    """The points of a rating curve, earliest first: the days from which its moves count. `rows`: newest
    first.
    """
    points: list[Point] = []
    for day, row in iterate_dated(rows, ruleset):
        if day is None or row.after is None:
            continue
        words = _("Other players’ results, and time")
        if row.drift is None:
            words = row.move.event_name or describe_kind(row.move.kind)
        points.append((day, row.after, words))
    points.reverse()
    # Of each day the last point, of equal ratings the first.
    last = [
        point for at, point in enumerate(points) if at + 1 == len(points) or points[at + 1][0] != point[0]
    ]
    return [point for at, point in enumerate(last) if not at or last[at - 1][1] != point[1]]


def compare_with_lists(points: Sequence[Point], rows: Iterable[ListRow], decimals: int) -> list[Mark]:
    """Compare a player's rows of published lists with the curve at each list's day, as marks beside it. Facts
    of that very day may count or not; digits beyond those shown make no difference.
    """
    days, found = [point[0] for point in points], []
    for row in rows:
        on, label = row.rating_list.on, row.rating_list.label
        url = f"{row.rating_list.get_absolute_url()}?player={row.player.number}"
        upto = bisect_right(days, on)
        of_day = {round_rating(points[at - 1][1], decimals) for at in (upto, bisect_left(days, on)) if at}
        known = points[upto - 1][1] if upto else None
        differs = round_rating(row.rating, decimals) not in of_day
        found.append(Mark(on, row.rating, known, differs, label, url, row.rank))
    return found


def get_counting_day(move: ChangeOfFact, ruleset: Ruleset) -> date | None:
    """The day from which a move counts (D-1): of a section its last day of play, if sections are folded in
    the order of play; else that of its fact.
    """
    return move.ends if ruleset.in_order_of_play and move.section else move.on


def describe_move(move: ChangeOfFact, office: Federation) -> tuple[str, str]:
    """The source of a move in words (an event, a list, an opening …), and the section's page, if any."""
    if move.event is not None and move.code is not None:
        return f"{move.event_name}, {move.name}", section_url(office, move.event, move.code)
    if move.kind == "list" and move.on:
        return _("List of %(day)s") % {"day": date_format(move.on, "DATE_FORMAT")}, ""
    if move.kind == "opening":
        return _("%(began)s: %(list)s, %(day)s") % _told_of_opening(move, office), ""
    return describe_kind(move.kind), ""


def opening_html(move: ChangeOfFact, office: Federation) -> SafeString:
    """The words of an opening as HTML, the list marked as the office's own words."""
    opening = _told_of_opening(move, office)
    form = _("%(began)s: %(list)s, %(day)s") % {name: f"{{{name}}}" for name in opening}
    return format_html(form, **{**opening, "list": mark_language(office, opening["list"])})


def _told_of_opening(move: ChangeOfFact, office: Federation) -> dict[str, str]:
    opening = journal_lines.parse_line(move.text, office.ruleset)
    assert isinstance(opening, facts.Opening)
    day = date_format(opening.on, "DATE_FORMAT")
    return {"began": describe_kind("opening"), "list": opening.source, "day": day}


def section_url(office: Federation, event: str, code: str) -> str:
    return reverse("ratings:section", args=[office.code, event, code])


def describe_kind(kind: str) -> str:
    """The source of a move that is no section, in words, from the kind of its journal line."""
    kinds = {
        "list": _("List"),
        "floor": _("Raised to the least rating"),
        "opening": _("Taken over when the record began"),
        "player": _("Change of particulars"),
        "rank": _("Rank confirmed"),
        "playoff": _("Play-off"),
    }
    return kinds.get(kind, kind)
