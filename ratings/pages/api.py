"""The HTTP API under `/api/v1/`: players, events, lists and offices, for programs of others."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Callable, Sequence
from datetime import date
from decimal import Decimal
from functools import wraps
from html import unescape
from http import HTTPStatus
from typing import Annotated, Any, Generic, Literal, TypeVar

from django.conf import settings
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, re_path, reverse
from django.utils.cache import get_conditional_response
from django.utils.html import strip_tags
from django.utils.translation import gettext as _
from ninja import NinjaAPI, Router, Schema
from ninja.errors import ValidationError
from ninja.operation import Operation
from ninja.params.functions import Query
from pydantic import Field

from players.access import OfficeRequest, public
from players.languages import activate_language, force_language
from players.models import Federation, Player
from players.settings import today
from ratings import player_ratings, workings
from ratings.cross_tables import score_by_entry
from ratings.disclosure import (
    DisclosureLimits,
    HiddenPeople,
    find_public_name,
    format_decimal,
    limits_of,
    read_hidden_people,
)
from ratings.models import Change, DaysTakenOver, ListRow, RatingList, day_taken_over, parse_list_label
from ratings.pages.filters import NoDay, parse_day
from ratings.pages.lists import download_rows
from ratings.pages.players import MOST_FOUND, search_players
from ratings.pages.responses import UNINDEXED, cached_page
from ratings.pages.tables import get_track_or_404
from ratings.results import ChangeOfFact, as_of, get_changes
from ratings.rulesets.downloads import DownloadRow
from ratings.rulesets.facts import GameLine, Grid, Parameter, Value, WorkingStep
from ratings.rulesets.journal_lines import plain
from ratings.rulesets.ruleset import Edition, Ruleset
from ratings.workings import StepRow
from tournaments.models import Entry, Event, Game, Section, Stage

# ---- Serializing, with what the public may know of people today
JsonObject = dict[str, Any]


def value_text(value: Value) -> str | None:
    """Return a value of the rules as text: numbers with all digits, days in ISO format."""
    if value is None:
        return None
    return plain(value) if isinstance(value, Decimal) else str(value)


def plain_text(html: str) -> str:
    return unescape(strip_tags(html))


def serialize_list(
    request: HttpRequest, shown: RatingList, hidden: HiddenPeople, over: DaysTakenOver
) -> JsonObject:
    taken_over = over.day_for_line(shown.fact.number)
    return {
        "day": shown.on.isoformat(),
        "track": shown.track,
        "revision": shown.revision,
        "supersedes": shown.supersedes.revision if shown.supersedes else None,
        "players": shown.players,
        "line": shown.fact.number,
        "edition": shown.edition,
        "sha256": shown.sha256,
        "published_at": shown.published_at.isoformat(),
        "taken_over": taken_over.isoformat() if taken_over else None,
        "note": hidden.redact(shown.note),
        "page": request.build_absolute_uri(f"{shown.get_absolute_url()}r{shown.revision}/"),
    }


def serialize_row(position: int, row: DownloadRow, name: str | None) -> JsonObject:
    return {
        "rank": row.rank,
        "position": position,
        "player": row.number,
        "name": name,
        "title": row.title,
        "region": row.region,
        "rating": plain(row.rating),
        "previous": format_decimal(row.previous),
        "games": row.games,
    }


def serialize_change(move: ChangeOfFact) -> JsonObject:
    return {
        "line": move.line,
        "kind": move.kind,
        "day": move.on.isoformat() if move.on else None,
        "section": move.section or None,
        "before": format_decimal(move.before),
        "points": format_decimal(move.points),
        "after": format_decimal(move.after),
        "games": move.games,
    }


def serialize_section_head(section: Section) -> JsonObject:
    return {
        "code": section.code,
        "name": section.name,
        "stage": section.stage,
        "starts": section.starts.isoformat(),
        "ends": section.ends.isoformat(),
        "rated_on": section.rated_on.isoformat() if section.rated_on else None,
    }


# ---- Code that all operations share
PROBLEM = "application/problem+json"
READS = ("GET", "HEAD")
OPEN_HEADERS = {
    **UNINDEXED,
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "ETag, Link",
    "Cross-Origin-Resource-Policy": "cross-origin",
}
"""Headers of every answer, which pages of other sites may read: none depends on who asks."""
View = Callable[..., HttpResponseBase]


class BadCursor(Exception):
    """Raised for a cursor that no answer gave."""


def problem(status: int, detail: str) -> HttpResponse:
    """Return the details of an error (RFC 9457)."""
    fields = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status, "detail": detail}
    return HttpResponse(json.dumps(fields), status=status, content_type=PROBLEM)


def api_view(view: View) -> View:
    """Make a public view of an operation; answers about an office are cached as its pages are."""

    @wraps(view)
    def inner(request: HttpRequest, /, **kwargs: Any) -> HttpResponseBase:
        force_language(request, "en")  # programs read the words too, so they are the same for all
        activate_language(request)
        if request.method not in READS:
            response: HttpResponseBase = problem(405, _("This is for reading only: ask with GET."))
            response["Allow"] = ", ".join(READS)
        else:
            response = _answer(view, request, kwargs)
        for name, value in OPEN_HEADERS.items():
            response[name] = value
        if response.status_code >= 400:
            response.headers.pop("ETag", None)
        return response

    inner.permission = None  # type: ignore[attr-defined]
    inner.one_language = True  # type: ignore[attr-defined]
    return inner


def _answer(view: View, request: HttpRequest, kwargs: dict[str, Any]) -> HttpResponseBase:
    method, request.method = request.method, "GET"  # a HEAD asks the same; the server leaves the body out
    try:
        return _cached_answer(view, request, kwargs)
    except NoDay as error:
        return problem(400, str(error))
    except Http404 as error:
        words = error.args[0] if error.args and isinstance(error.args[0], str) else ""
        return problem(
            404, words if words and "matches the given" not in words else _("There is no such thing.")
        )
    finally:
        request.method = method


def _cached_answer(view: View, request: HttpRequest, kwargs: dict[str, Any]) -> HttpResponseBase:
    if "office" not in kwargs:
        return public(cached_page(lambda request: view(request, **kwargs)))(request)

    @public
    @cached_page
    def answer_for_office(request: OfficeRequest) -> HttpResponseBase:
        return view(request, **kwargs)

    return answer_for_office(request, office=kwargs["office"])


def encode_cursor(*key: Any) -> str:
    """Encode the key after which the next part of an answer begins; opaque to programs."""
    return base64.urlsafe_b64encode(json.dumps(key).encode()).decode().rstrip("=")


def decode_cursor(cursor: str, *types: type) -> Sequence[Any] | None:
    """Decode a cursor into its key; None for the first part. Raises `BadCursor` if we did not make it."""
    if not cursor:
        return None
    try:
        key = json.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4)))
    except (binascii.Error, ValueError) as error:
        raise BadCursor from error
    if not isinstance(key, list) or [type(each) for each in key] != list(types):
        raise BadCursor
    if not all(each.isprintable() for each in key if isinstance(each, str)):  # no database takes a NUL
        raise BadCursor
    return key


def build_answer_part(
    request: HttpRequest, response: HttpResponse, items: Sequence[Any], next_cursor: str | None
) -> dict[str, Any]:
    """Return a part of a longer answer, with the address of the next in it and in the header `Link`."""
    following = None
    if next_cursor is not None:
        query = request.GET.copy()
        query["cursor"] = next_cursor
        following = f"{request.build_absolute_uri(request.path)}?{query.urlencode()}"
        response["Link"] = f'<{following}>; rel="next"'
    return {"items": items, "next": following}


# ---- Schemas of the answers
# Ratings and points are text with every digit that is stored: a program that wants them as numbers chooses
# how. Days are `YYYY-MM-DD`. No answer has a birth, a sex, a contact, or a withheld name.
T = TypeVar("T")
Number = Annotated[str, Field(pattern=r"^-?\d+(\.\d+)?$", examples=["1523.25"])]
"""A decimal as the journal writes it: no exponent, no trailing zeros."""
Day = Annotated[str, Field(json_schema_extra={"format": "date"}, examples=["2026-11-01"])]
Address = Annotated[str, Field(json_schema_extra={"format": "uri"})]
Points = Annotated[
    Number | None,
    Field(
        description="The points that the line brought. Where they wait for the next list (csa), `after` is "
        "`before` until then, and the line of the list moves the rating with no points of its own."
    ),
]
RatingBefore = Annotated[
    Number | None,
    Field(
        description="The rating after the player's last own change. Where ratings move with the days, too "
        "(mahjong), pages show the rating of the day before instead."
    ),
]


class ProblemDetails(Schema):
    """The reason for which there is no answer (RFC 9457)."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str


class AnswerPart(Schema, Generic[T]):
    """A part of a longer answer; `next` is the address of the next part, null at the end."""

    items: list[T]
    next: Address | None


class PublicTrack(Schema):
    code: str
    name: str


class PublicOffice(Schema):
    """A federation's rating office."""

    code: str
    name: str
    ruleset: str
    tracks: list[PublicTrack]
    page: Address


class PublicPlayer(Schema):
    number: str
    name: str | None = Field(description="Surname, first name; null for who asked not to be named.")
    withheld: bool
    title: str
    region: str
    nation: str
    page: Address


class KnownRating(Schema):
    """A rating by the record, as the office knew it on the day."""

    track: str
    rating: Number | None
    games: int
    status: str


class PublicRating(Schema):
    """A rating as the newest list of the day has it."""

    track: str
    rating: Number
    rank: int
    games: int
    list: Day
    revision: int


class PublicRatingsOfDay(Schema):
    day: Day
    player: str
    as_known: list[KnownRating]
    as_published: list[PublicRating]


class PublicChange(Schema):
    """The effect of one line of the journal on a rating; `line` opens its working."""

    line: int
    kind: str
    day: Day | None
    section: str | None = Field(description="EVENT/CODE of the section; null for another source.")
    before: RatingBefore
    points: Points
    after: Number | None
    games: int


class PublicStep(Schema):
    """A step of a working: the clause that it follows, what was put in, and what came out."""

    clause: str
    clause_words: str
    words: str
    key: str
    inputs: dict[str, str | None]
    result: str | None


class PublicWorkingGame(Schema):
    round: int
    opponent: str
    first: bool
    result: str
    opponent_rating: Number | None
    expected: Number | None
    score: Number | None
    note: str
    clauses: list[str]


class PublicWorking(Schema):
    """The account of a change: a sentence in parts, the steps, and the games that they rest on."""

    player: str
    track: str
    edition: str
    change: PublicChange
    summary: list[str]
    steps: list[PublicStep]
    games: list[PublicWorkingGame]
    page: Address


class PublicList(Schema):
    """A published list. Its rows, bytes and checksum never change."""

    day: Day
    track: str
    revision: int
    supersedes: int | None = Field(description="The revision that this one stands in for.")
    players: int
    line: int = Field(description="The line of the journal that closed it.")
    edition: str
    sha256: str
    published_at: str = Field(json_schema_extra={"format": "date-time"})
    taken_over: Day | None = Field(
        description="The day on which it was computed afterwards, with a history; null: it was published."
    )
    note: str
    page: Address


class PublicRow(Schema):
    rank: int
    position: int
    player: str
    name: str | None
    title: str
    region: str
    rating: Number
    previous: Number | None
    games: int


class PublicSectionHead(Schema):
    code: str
    name: str
    stage: Literal[
        "registered",
        "filed",
        "submitted",
        "rated",
        "returned",
        "refused",
        "unrated",
        "cancelled",
        "withdrawn",
    ]
    starts: Day
    ends: Day
    rated_on: Day | None


class PublicEvent(Schema):
    number: str
    name: str
    place: str
    country: str
    region: str
    starts: Day
    ends: Day
    state: Literal["planned", "cancelled", "withdrawn"] = Field(
        description="Whether it stays in the calendar: `planned`, whatever became of it since, which the "
        "stages of its sections tell."
    )
    sections: list[PublicSectionHead]
    page: Address


class PublicEntrant(Schema):
    """A player's participation; games name entrants by their starting numbers."""

    entry: int
    player: str | None
    name: str | None
    title: str
    team: str
    place: int | None
    score: Number | None = Field(description="Null where the section's file tells places alone.")


class PublicGame(Schema):
    round: int
    first: int
    second: int
    result: str = Field(description="As the journal writes it, the first mover's side first.")


class PublicBye(Schema):
    round: int
    entry: int
    kind: str


class PublicChangeInSection(Schema):
    player: str
    track: str
    before: RatingBefore
    points: Points
    after: Number | None


class PublicSection(PublicSectionHead):
    """A section; entrants, games and changes are there once it is rated."""

    event: str
    line: int | None = Field(description="The line of the journal that rated it.")
    taken_over: Day | None = Field(
        description="The day on which it was taken over with a history; null: the office rated it itself."
    )
    finals: list[str] = Field(description="Names of the rounds behind the scheduled ones, such as finals.")
    entrants: list[PublicEntrant]
    games: list[PublicGame]
    byes: list[PublicBye]
    changes: list[PublicChangeInSection]
    page: Address


class PublicParameter(Schema):
    """A number of the regulations, with the clause that sets it."""

    clause: str
    words: str
    value: str | None


class PublicGrid(Schema):
    """A table of numbers of the regulations."""

    clause: str
    words: str
    columns: list[str]
    rows: list[list[str | None]]


class PublicEdition(Schema):
    """The regulations as they hold for sections that begin on a day or later; null: from the beginning."""

    name: str
    in_force: Day | None
    clauses: dict[str, str]
    parameters: list[PublicParameter]
    grids: list[PublicGrid]


# ---- Operations on players
AT_ONCE = 100
"""The most players, changes or events of one part."""
PLAYER = "/offices/{slug:office}/players/{str:number}"
ERRORS = {400: ProblemDetails, 404: ProblemDetails}
CURSOR = Query("", description="The place to go on from, as `next` gave it.", max_length=200)

player_router = Router(tags=["players"])


@player_router.get(
    "/offices/{slug:office}/players",
    response={200: AnswerPart[PublicPlayer], **ERRORS},
    url_name="api_players",
)
def players(
    request: Any,
    response: HttpResponse,
    office: str,
    q: str = Query(
        "", description="Parts of the name in any order, or the number's beginning.", max_length=60
    ),
    cursor: str = CURSOR,
) -> JsonObject:
    """The players of the register by number; with `q` those found by name or number, the likeliest first, at
    most fifty. Nobody withheld is found by a name.
    """
    if wanted := q.strip():
        found, following = search_players(request.office, wanted)[:MOST_FOUND], None
    else:
        key = decode_cursor(cursor, str)
        people = Player.objects.of(request.office).current().select_related("region").order_by("number")
        some = list((people.filter(number__gt=key[0]) if key else people)[: AT_ONCE + 1])
        found = some[:AT_ONCE]
        following = encode_cursor(found[-1].number) if len(some) > AT_ONCE else None
    limits = limits_of(request.office)
    return build_answer_part(
        request, response, [_serialize_player(request, each, limits) for each in found], following
    )


def _serialize_player(request: Any, player: Player, limits: Any) -> JsonObject:
    player.federation = request.office
    hidden = player.withheld
    return {
        "number": player.number,
        "name": find_public_name(player),
        "withheld": hidden or not player.name,
        "title": limits.title(player),
        "region": player.region.code if player.region and not hidden else "",
        "nation": "" if hidden else player.nation,
        "page": request.build_absolute_uri(player.get_absolute_url()),
    }


@player_router.get(PLAYER, response={200: PublicPlayer, **ERRORS}, url_name="api_player")
def player(request: Any, office: str, number: str) -> JsonObject:
    """One player. The number of a merged entry gives the player who stays."""
    return _serialize_player(request, _current_player(request.office, number), limits_of(request.office))


def _current_player(office: Federation, number: str) -> Player:
    found = _entry(office, number)
    current = found.merged_into or found
    current.federation = office
    return current


def _entry(office: Federation, number: str) -> Player:
    people = Player.objects.of(office).select_related("region", "merged_into__region")
    found = get_object_or_404(people.prefetch_related("merged"), number=number)
    found.federation = office
    return found


@player_router.get(f"{PLAYER}/ratings", response={200: PublicRatingsOfDay, **ERRORS}, url_name="api_ratings")
def ratings(
    request: Any,
    office: str,
    number: str,
    day: str = Query("", description="YYYY-MM-DD; today if it is left out.", max_length=10),
) -> JsonObject:
    """The player's ratings on a day in each track: as the office knew them then, and as published by then."""
    now = today(request.office)
    found, on = _entry(request.office, number), parse_day(request.office, day, now)
    asked = as_of(request.office, on or now, now)
    if found.merged_into and asked.was_merged(found.number):
        found = _current_player(request.office, number)
    lists = player_ratings.get_published_rows(found, on)
    rows = player_ratings.get_track_rows(found, lists, asked, asked.player_state(found))
    newest: dict[str, ListRow] = {}
    for each in lists:
        newest.setdefault(each.rating_list.track, each)
    return {
        "day": asked.day.isoformat(),
        "player": found.number,
        "as_known": [_serialize_known_rating(row) for row in rows],
        "as_published": [_serialize_published_rating(row) for _track, row in sorted(newest.items())],
    }


def _serialize_known_rating(row: player_ratings.TrackRow) -> JsonObject:
    return {
        "track": row.track,
        "rating": format_decimal(row.rating),
        "games": row.games,
        "status": row.status,
    }


def _serialize_published_rating(row: ListRow) -> JsonObject:
    return {
        "track": row.rating_list.track,
        "rating": format_decimal(row.rating),
        "rank": row.rank,
        "games": row.games,
        "list": row.rating_list.on.isoformat(),
        "revision": row.rating_list.revision,
    }


@player_router.get(
    f"{PLAYER}/changes/{{slug:track}}",
    response={200: AnswerPart[PublicChange], **ERRORS},
    url_name="api_changes",
)
def changes(
    request: Any,
    response: HttpResponse,
    office: str,
    number: str,
    track: str,
    cursor: str = CURSOR,
) -> JsonObject:
    """The changes of a rating, newest first, as known now."""
    get_track_or_404(request.office.ruleset, track)
    key = decode_cursor(cursor, int)
    moves = get_changes(_current_player(request.office, number), track, before_order=key[0] if key else None)
    following = encode_cursor(moves[AT_ONCE - 1].order) if len(moves) > AT_ONCE else None
    return build_answer_part(
        request, response, [serialize_change(move) for move in moves[:AT_ONCE]], following
    )


@player_router.get(
    f"{PLAYER}/workings/{{slug:track}}/{{int:line}}",
    response={200: PublicWorking, **ERRORS},
    url_name="api_working",
)
def working(request: Any, office: str, number: str, track: str, line: int) -> JsonObject:
    """The reasons for which a line of the journal changed a rating, clause by clause, worked out by the rules
    now.
    """
    office_here = request.office
    get_track_or_404(office_here.ruleset, track)
    found = _current_player(office_here, number)
    try:
        change = workings.change_at(office_here, found.number, track, line)
    except Change.DoesNotExist as error:
        raise Http404(_("That line of the journal changed no rating of this player.")) from error
    account, edition = workings.explain_change(change), workings.edition_of(change)
    move = next(each for each in get_changes(found, track) if each.order == change.order)
    steps = workings.step_rows(account, office_here, edition, linked=True)
    summary = workings.summary_rows(account, office_here, edition)
    page = reverse("ratings:working", args=[office_here.code, found.number, track, line])
    return {
        "player": found.number,
        "track": track,
        "edition": edition.name,
        "change": serialize_change(move),
        "summary": [plain_text(each.words) for each in summary],
        "steps": [_serialize_step(step, row) for step, row in zip(account.steps, steps, strict=True)],
        "games": [_serialize_working_game(office_here, each) for each in account.games],
        "page": request.build_absolute_uri(page),
    }


def _serialize_step(step: WorkingStep, row: StepRow) -> JsonObject:
    return {
        "clause": step.clause,
        "clause_words": row.says,
        "words": plain_text(f"{row.words}: {row.formula}" if row.formula else row.words),
        "key": step.key,
        "inputs": {name: value_text(value) for name, value in step.inputs.items()},
        "result": value_text(step.result),
    }


def _serialize_working_game(office: Federation, game: GameLine) -> JsonObject:
    messages = office.ruleset.words.messages
    return {
        "round": game.round,
        "opponent": game.opponent,
        "first": game.first,
        "result": game.result,
        "opponent_rating": format_decimal(game.opponent_rating),
        "expected": format_decimal(game.expected),
        "score": format_decimal(game.score),
        "note": _(messages.get(game.note, game.note)) if game.note else "",
        "clauses": list(game.clauses),
    }


# ---- Operations on events
EVENT = "/offices/{slug:office}/events/{str:event}"

event_router = Router(tags=["events"])


@event_router.get(
    "/offices/{slug:office}/events",
    response={200: AnswerPart[PublicEvent], **ERRORS},
    url_name="api_events",
)
def events(request: Any, response: HttpResponse, office: str, cursor: str = CURSOR) -> JsonObject:
    """The calendar of events, the latest first, with the sections of each."""
    found = _events(request).order_by("-starts", "-number")
    if key := decode_cursor(cursor, str, str):
        day = _day(key[0])
        found = found.filter(Q(starts__lt=day) | Q(starts=day, number__lt=key[1]))
    some = list(found[: AT_ONCE + 1])
    last = some[AT_ONCE - 1] if len(some) > AT_ONCE else None
    following = encode_cursor(last.starts.isoformat(), last.number) if last else None
    return build_answer_part(
        request, response, [_serialize_event(request, each) for each in some[:AT_ONCE]], following
    )


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise BadCursor from error


@event_router.get(EVENT, response={200: PublicEvent, **ERRORS}, url_name="api_event")
def event(request: Any, office: str, event: str) -> JsonObject:
    """One event."""
    return _serialize_event(request, get_object_or_404(_events(request), number=event))


def _events(request: Any) -> Any:
    events = Event.objects.filter(federation=request.office).not_withdrawn()
    return events.select_related("region").prefetch_related("sections")


def _serialize_event(request: Any, event: Event) -> JsonObject:
    event.federation = request.office
    sections = [each for each in event.sections.all() if each.stage != Stage.WITHDRAWN]
    return {
        "number": event.number,
        "name": event.name,
        "place": event.place,
        "country": event.country,
        "region": event.region.code,
        "starts": event.starts.isoformat(),
        "ends": event.ends.isoformat(),
        "state": event.state,
        "sections": [serialize_section_head(each) for each in sections],
        "page": request.build_absolute_uri(event.get_absolute_url()),
    }


@event_router.get(
    f"{EVENT}/sections/{{str:code}}",
    response={200: PublicSection, **ERRORS},
    url_name="api_section",
)
def section(request: Any, office: str, event: str, code: str) -> JsonObject:
    """One section: once it is rated, with entrants, games and the change of each rating."""
    here = Section.objects.filter(event__federation=request.office, event__number=event)
    found = get_object_or_404(here.select_related("event"), code=code)
    if Stage.WITHDRAWN in (found.stage, found.event.state):
        raise Http404(_("This section was withdrawn: it had been registered by mistake."))
    found.event.federation = request.office
    fields = {
        **serialize_section_head(found),
        "event": found.event.number,
        "line": None,
        "taken_over": None,
        "entrants": [],
        "finals": found.finals,
        "games": [],
        "byes": [],
        "changes": [],
        "page": request.build_absolute_uri(found.get_absolute_url()),
    }
    return fields | _serialize_rated(found) if found.stage == Stage.RATED else fields


def _serialize_rated(section: Section) -> JsonObject:
    office = section.event.federation
    games, byes = list(section.games.all()), list(section.byes.all())
    entries = list(section.entries.select_related("player__merged_into"))
    scores = score_by_entry(office, section, games, byes)
    numbers, limits = {entry.pk: entry.number for entry in entries}, limits_of(office)
    rated = section.facts.filter(kind="rated").in_force()
    line = rated.order_by("-number").first()
    changes = Change.objects.filter(fact=line).select_related("player") if line else Change.objects.none()
    return {
        "line": line.number if line else None,
        "taken_over": over.isoformat() if line and (over := day_taken_over(office, line.number)) else None,
        "entrants": [
            _serialize_entrant(
                entry, limits, format_decimal(scores[entry.pk] if games or byes else entry.points)
            )
            for entry in entries
        ],
        "games": [_serialize_game(game, numbers) for game in games],
        "byes": [{"round": bye.round, "entry": numbers[bye.entry_id], "kind": bye.kind} for bye in byes],
        "changes": [
            _serialize_change_in_section(each) for each in changes.order_by("track", "player__number")
        ],
    }


def _serialize_entrant(entry: Entry, limits: DisclosureLimits, score: str | None) -> JsonObject:
    player = entry.player and (entry.player.merged_into or entry.player)
    return {
        "entry": entry.number,
        "player": player.number if player else None,
        "name": find_public_name(player) if player else entry.name,
        "title": limits.title(player, entry.title) if player else "",
        "team": "" if player and player.withheld else entry.team,
        "place": entry.place,
        "score": score,
    }


def _serialize_game(game: Game, numbers: dict[int, int]) -> JsonObject:
    return {
        "round": game.round,
        "first": numbers[game.first_id],
        "second": numbers[game.second_id],
        "result": game.result,
    }


def _serialize_change_in_section(change: Change) -> JsonObject:
    return {
        "player": change.player.number,
        "track": change.track,
        "before": format_decimal(change.before),
        "points": format_decimal(change.points),
        "after": format_decimal(change.after),
    }


# ---- Operations on published lists
LISTS, ROWS = 100, 500
"""The most lists, and the most rows, of one part."""
LIST = "/offices/{slug:office}/lists/{str:day}/{slug:track}"
REVISION = Query(0, ge=0, le=10_000, description="0: the newest.")

list_router = Router(tags=["lists"])


@list_router.get(
    "/offices/{slug:office}/lists",
    response={200: AnswerPart[PublicList], **ERRORS},
    url_name="api_lists",
)
def lists(
    request: Any,
    response: HttpResponse,
    office: str,
    track: str = Query("", description="The lists of one track alone.", max_length=24),
    cursor: str = CURSOR,
) -> JsonObject:
    """All published lists, each revision by itself, as they were published, the newest first."""
    key, found = decode_cursor(cursor, int), _lists(request).order_by("-pk")
    if track:
        found = found.filter(track=get_track_or_404(request.office.ruleset, track).code)
    some = list((found.filter(pk__lt=key[0]) if key else found)[: LISTS + 1])
    following = encode_cursor(some[LISTS - 1].pk) if len(some) > LISTS else None
    hidden, over = read_hidden_people(request.office), DaysTakenOver(request.office)
    for each in some:
        each.federation = request.office
    items = [serialize_list(request, each, hidden, over) for each in some[:LISTS]]
    return build_answer_part(request, response, items, following)


@list_router.get(LIST, response={200: PublicList, **ERRORS}, url_name="api_list")
def rating_list(request: Any, office: str, day: str, track: str, revision: int = REVISION) -> JsonObject:
    """One list. `day` is YYYY-MM-DD, or `latest`."""
    found, over = _found_list(request, day, track, revision), DaysTakenOver(request.office)
    return serialize_list(request, found, read_hidden_people(request.office), over)


@list_router.get(f"{LIST}/rows", response={200: AnswerPart[PublicRow], **ERRORS}, url_name="api_rows")
def rows(
    request: Any,
    response: HttpResponse,
    office: str,
    day: str,
    track: str,
    revision: int = REVISION,
    cursor: str = CURSOR,
) -> JsonObject:
    """The rows of a list in its order; further parts are of the same list, whatever is published since."""
    key = decode_cursor(cursor, int, int)
    shown = _list_by_key(request, key[0]) if key else _found_list(request, day, track, revision)
    of_list = ListRow.objects.filter(rating_list=shown).select_related("player__region")
    some = of_list.after(key[1] if key else -1, ROWS + 1)
    pairs = zip(some[:ROWS], download_rows(some[:ROWS], limits_of(request.office)), strict=True)
    items = [serialize_row(row.position, line, find_public_name(row.player)) for row, line in pairs]
    following = encode_cursor(shown.pk, some[ROWS - 1].position) if len(some) > ROWS else None
    return build_answer_part(request, response, items, following)


def _list_by_key(request: Any, key: int) -> RatingList:
    found: RatingList | None = _lists(request).filter(pk=key).first() if 0 < key < 2**63 else None
    if found is None:
        raise BadCursor
    found.federation = request.office
    return found


def _lists(request: Any) -> Any:
    lists = RatingList.objects.of(request.office).without_content()
    return lists.select_related("fact", "supersedes").defer("supersedes__content")


def _found_list(request: Any, day: str, track: str, revision: int) -> RatingList:
    of_track = _lists(request).filter(track=get_track_or_404(request.office.ruleset, track).code)
    if day != "latest" and parse_list_label(day) is None:
        raise NoDay
    of_day = of_track.on_newest_day() if day == "latest" else of_track.with_label(day)
    if revision:
        of_day = of_day.filter(revision=revision)
    found: RatingList | None = of_day.order_by("-on", "-revision").first()
    if found is None:
        raise Http404(_("No list was published then."))
    found.federation = request.office
    return found


# ---- Operations on offices
office_router = Router(tags=["offices"])


@office_router.get("/offices", response={200: list[PublicOffice]}, url_name="api_offices")
def offices(request: HttpRequest) -> list[JsonObject]:
    """All offices of this site."""
    return [_serialize_office(request, each) for each in Federation.objects.order_by("code")]


@office_router.get(
    "/offices/{slug:office}",
    response={200: PublicOffice, 400: ProblemDetails, 404: ProblemDetails},
    url_name="api_office",
)
def office(request: Any, office: str) -> JsonObject:
    """One office."""
    return _serialize_office(request, request.office)


def _serialize_office(request: HttpRequest, office: Federation) -> JsonObject:
    return {
        "code": office.code,
        "name": office.name,
        "ruleset": office.ruleset_slug,
        "tracks": [{"code": each.code, "name": _(each.name)} for each in office.ruleset.tracks],
        "page": request.build_absolute_uri(office.get_absolute_url()),
    }


@office_router.get(
    "/offices/{slug:office}/regulations",
    response={200: list[PublicEdition], 400: ProblemDetails, 404: ProblemDetails},
    url_name="api_regulations",
)
def regulations(request: Any, office: str) -> list[JsonObject]:
    """The editions of the office's regulations: clauses in our words, numbers and tables as the program
    computes with them.
    """
    ruleset = request.office.ruleset
    return [_serialize_edition(ruleset, each) for each in ruleset.editions]


def _serialize_edition(ruleset: Ruleset, edition: Edition) -> JsonObject:
    return {
        "name": edition.name,
        "in_force": None if edition.in_force == date.min else edition.in_force.isoformat(),
        "clauses": {number: _(words) for number, words in ruleset.clauses_of(edition).items()},
        "parameters": [
            {"clause": each.clause, "words": _(each.words), "value": value_text(each.value)}
            for each in edition.parameters
            if isinstance(each, Parameter)
        ],
        "grids": [
            {
                "clause": each.clause,
                "words": _(each.words),
                "columns": [_(column) for column in each.columns],
                "rows": [[value_text(value) for value in row] for row in each.rows],
            }
            for each in edition.parameters
            if isinstance(each, Grid)
        ],
    }


# ---- The API as a whole
ROOT = "api/v1/"


class PublicAPI(NinjaAPI):
    """An API whose operations are named by their functions alone: no move of a module renames them."""

    def get_openapi_operation_id(self, operation: Operation) -> str:
        return operation.view_func.__name__


api = PublicAPI(
    title="Federation Ratings",
    version="1",
    description=(
        "Everything public of the rating offices of this site, for reading. Ratings and points are text with "
        "every digit. Long answers come in parts: follow `next`. Answers have an ETag, and errors are "
        "problem details (RFC 9457). What stands here stays: a change that breaks a program gets another "
        "version."
    ),
    openapi_url=None,
    docs_url=None,
    urls_namespace="ratings-api",
)
for router in (office_router, player_router, list_router, event_router):
    api.add_router("", router)


@api.exception_handler(Http404)
def _not_found(request: HttpRequest, error: Http404 | type[Http404]) -> HttpResponse:
    raise error  # the view answers it, as it does for an unknown office


@api.exception_handler(BadCursor)
def _bad_cursor(request: HttpRequest, error: BadCursor | type[BadCursor]) -> HttpResponse:
    return problem(400, _("This cursor is none of ours: begin without one, and follow “next”."))


@api.exception_handler(ValidationError)
def _bad_query(request: HttpRequest, error: ValidationError | type[ValidationError]) -> HttpResponse:
    errors = error.errors if isinstance(error, ValidationError) else []
    return problem(400, "; ".join(f"{each['loc'][-1]}: {each['msg']}" for each in errors))


def description(request: HttpRequest) -> HttpResponseBase:
    """The description of the API (OpenAPI 3.1)."""
    schema: dict[str, Any] = json.loads(json.dumps(api.get_openapi_schema(path_prefix="/"), default=str))
    schema["info"]["version"] = f"1 ({settings.VERSION})"
    schema["servers"] = [{"url": request.build_absolute_uri(request.path).rpartition("/")[0]}]
    for operations in schema["paths"].values():
        for operation in operations.values():
            for status, answer in operation["responses"].items():
                if int(status) >= 400:
                    answer["content"] = {PROBLEM: answer["content"].pop("application/json")}
    content = json.dumps(schema, ensure_ascii=False).encode()
    etag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    response = get_conditional_response(request, etag=etag) or HttpResponse(
        content, content_type="application/json"
    )
    response["ETag"] = etag
    return response


def unknown_address(request: HttpRequest, rest: str) -> HttpResponseBase:
    raise Http404(_("The API has no such address: /api/v1/openapi.json describes all of them."))


api_patterns = [
    path(f"{ROOT}openapi.json", api_view(description), name="api_description"),
    *(
        path(f"{ROOT}{each.pattern}", api_view(each.callback), name=each.name)
        for each in api.urls[0]
        if isinstance(each, URLPattern) and each.name != "api-root"
    ),
    # whatever else is asked for, with line ends too, which the converters of paths do not take
    re_path(rf"^{ROOT}(?P<rest>[\s\S]*)$", api_view(unknown_address), name="api_unknown"),
]
