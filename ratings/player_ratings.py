"""A player's ratings: now, on a day, as published, and their moves in words."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal, localcontext
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
from ratings.results import AsOf, ChangeOfFact, ChangeWithDrifts, newest_wide
from ratings.rulesets import facts, journal_lines
from ratings.rulesets.facts import Answer, StandingKey, State
from ratings.rulesets.ruleset import CONTEXT

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
    pending: Decimal | None
    published: ListRow | None


@dataclass(frozen=True, slots=True)
class MoveDescription:
    """The source of a rating's move in words (an event, a list, an opening …), and its points."""

    words: str
    url: str
    """The section's page; empty if there is none."""
    gained: Decimal | None
    """The change to show: the step of the rating at a list, elsewhere the points."""
    waits: bool
    """Whether the points move the rating in force only later."""


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
            status=_(messages.get(answer.status, answer.status)),
            pending=answer.further.get("pending"),
            published=newest.get(answer.track),
        )
        for answer in get_answers_from_state(federation, state, player.number, asked.day)
    ]


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
    rules = federation.ruleset.edition_on(max(day, federation.ruleset.editions[0].in_force)).rules
    with localcontext(CONTEXT):
        return list(rules.answers(state, day))


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


def get_curve(changes: Sequence[ChangeWithDrifts]) -> list[Point]:
    """The points of a rating curve, earliest first: the days on which it moved. `changes`: newest first."""
    points: list[Point] = []
    following: date | None = None
    for leg in changes:
        for drift in reversed(leg.drifts):
            if drift.after is not None:
                points.append((drift.on, drift.after, _("Other players’ results, and time")))
        day = get_shown_move_day(leg.move, following)
        if day is not None and leg.move.after is not None:
            words = leg.move.event_name if leg.move.event_name is not None else describe_kind(leg.move.kind)
            points.append((day, leg.move.after, words))
        following = day or following
    points.reverse()
    # Of each day the last point, of equal ratings the first.
    last = [
        point for at, point in enumerate(points) if at + 1 == len(points) or points[at + 1][0] != point[0]
    ]
    return [point for at, point in enumerate(last) if not at or last[at - 1][1] != point[1]]


@dataclass(frozen=True, slots=True)
class PublishedRating:
    """A rating as a list published it, and the rating of that day as known since."""

    row: ListRow
    known: Decimal | None
    differs: bool

    @property
    def mark(self) -> Mark:
        rating_list = self.row.rating_list
        url = f"{rating_list.get_absolute_url()}?player={self.row.player.number}"
        return Mark(
            rating_list.on, self.row.rating, self.known, self.differs, rating_list.label, url, self.row.rank
        )


def compare_with_lists(
    points: Sequence[Point], rows: Iterable[ListRow], decimals: int
) -> list[PublishedRating]:
    """Compare a player's rows of published lists with the curve at each list's day. Facts of that very day
    may count or not; digits beyond those shown make no difference.
    """
    days, found = [point[0] for point in points], []
    for row in rows:
        on = row.rating_list.on
        upto = bisect_right(days, on)
        of_day = {round_rating(points[at - 1][1], decimals) for at in (upto, bisect_left(days, on)) if at}
        known = points[upto - 1][1] if upto else None
        found.append(PublishedRating(row, known, round_rating(row.rating, decimals) not in of_day))
    return found


def get_shown_move_day(move: ChangeOfFact, next_move_day: date | None) -> date | None:
    """The day on which to show a move: its fact's day. Where sections are folded as they were played, one
    rated after the next move (on the day `next_move_day`) gets its last day of play.
    """
    if move.on is None or next_move_day is None or move.on <= next_move_day:
        return move.on
    return min(move.ends, next_move_day) if move.ends is not None else next_move_day


def describe_move(move: ChangeOfFact, office: Federation) -> MoveDescription:
    """Describe the source of a move, with the address of its page and the points to show."""
    step = move.after - move.before if move.after is not None and move.before is not None else None
    if move.event is not None and move.code is not None:
        words, url = f"{move.event_name}, {move.name}", section_url(office, move.event, move.code)
    elif move.kind == "list" and move.on:
        words, url = _("List of %(day)s") % {"day": date_format(move.on, "DATE_FORMAT")}, ""
    elif move.kind == "opening":
        words, url = (_("%(began)s: %(list)s, %(day)s") % _told_of_opening(move, office)), ""
    else:
        words, url = describe_kind(move.kind), ""
    gained = step if move.kind == "list" else move.points
    waits = move.kind != "list" and step is not None and move.points is not None and step != move.points
    return MoveDescription(words, url, gained, waits)


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
        "opening": _("Taken over when the record began"),
        "player": _("Change of particulars"),
        "rank": _("Rank confirmed"),
        "playoff": _("Play-off"),
    }
    return kinds.get(kind, kind)
