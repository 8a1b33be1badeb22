"""The HTTP API under `/api/v1/`: players, events, lists and offices, for programs of others."""

import base64
import binascii
import hashlib
import json
from collections.abc import Callable, Sequence
from datetime import date, datetime
from decimal import Decimal
from functools import wraps
from html import unescape
from typing import Annotated, Any, Generic, Literal, TypeVar

from django.conf import settings
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import get_object_or_404
from django.urls import URLPattern, path, re_path, reverse
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.html import strip_tags
from django.utils.translation import gettext as _
from ninja import NinjaAPI, Router, Schema
from ninja.errors import AuthenticationError, HttpError, ValidationError
from ninja.operation import Operation
from ninja.params.functions import Query
from pydantic import BeforeValidator, Field, create_model

from players.access import PUBLIC, OfficeRequest, page
from players.languages import activate_language, find_accepted_language, force_language
from players.models import Federation, Player
from players.record import Refused
from players.settings import today
from ratings import player_ratings, public_tables, workings
from ratings.disclosure import DisclosureLimits, HiddenPeople, limits_of, read_hidden_people
from ratings.models import Change, ListRow, RatingList, day_taken_over, parse_list_label
from ratings.pages import api_filing
from ratings.pages.filters import NoDay, parse_day
from ratings.pages.players import MOST_FOUND, search_players
from ratings.pages.problems import PROBLEM, ProblemDetails, problem
from ratings.pages.responses import UNINDEXED, cached_page
from ratings.pages.tables import get_track_or_404
from ratings.results import AsOf, as_of
from ratings.rulesets.downloads import API_COLUMNS, Column
from ratings.rulesets.facts import Value, WorkingStep
from ratings.rulesets.journal_lines import plain
from ratings.rulesets.parameters import Grid, Parameter
from ratings.rulesets.ruleset import Edition, Ruleset
from ratings.statement import StatementRow, join_rows, read_section, read_statement
from ratings.workings import StepRow
from tournaments.models import Event, Section, Stage
from tournaments.places import score_by_entry

# ---- Serializing, with what the public may know of people today
JsonObject = dict[str, Any]


def value_text(value: Value) -> str | None:
    """Return a value of the rules as text: numbers with all digits, days in ISO format."""
    if value is None:
        return None
    return plain(value) if isinstance(value, Decimal) else str(value)


def public_record(columns: Sequence[Column], row: Any) -> JsonObject:
    return {column.name: column.value(row) for column in columns}


def plain_text(html: str) -> str:
    return unescape(strip_tags(html))


def serialize_list(request: HttpRequest, shown: RatingList, hidden: HiddenPeople) -> JsonObject:
    return {
        **public_record(public_tables.LIST_COLUMNS, shown),
        "note": hidden.redact(shown.note),
        "page": request.build_absolute_uri(f"{shown.get_absolute_url()}r{shown.revision}/"),
    }


# ---- Code that all operations share
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


def api_view(view: View) -> View:
    """Make a public view of an operation; answers about an office are cached as its pages are."""

    @wraps(view)
    def inner(request: HttpRequest, /, **kwargs: Any) -> HttpResponseBase:
        response = _answer_in("en", view, request, kwargs)  # the same words for all programs
        asked = find_accepted_language(request.headers.get("Accept-Language", ""))
        if response.status_code >= 400 and asked not in ("", "en"):  # people read errors
            told = _answer_in(asked, view, request, kwargs)
            response = told if told.status_code >= 400 else response
        for name, value in OPEN_HEADERS.items():
            response[name] = value
        if response.status_code >= 400:
            response.headers.pop("ETag", None)
            patch_vary_headers(response, ("Accept-Language",))
        return response

    inner.permission = PUBLIC  # type: ignore[attr-defined]
    inner.one_language = True  # type: ignore[attr-defined]
    return inner


def _answer_in(language: str, view: View, request: HttpRequest, kwargs: dict[str, Any]) -> HttpResponseBase:
    force_language(request, language)
    activate_language(request)
    if request.method in READS:
        response = _answer(view, request, kwargs)
    else:
        response = problem(405, _("This is for reading only: ask with GET."))
        response["Allow"] = ", ".join(READS)
    response["Content-Language"] = language
    return response


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
    @page(PUBLIC, caching=cached_page)
    def answer(request: OfficeRequest) -> HttpResponseBase:
        return view(request, **kwargs)

    return answer(request, office=kwargs.get("office"))


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
Plain = BeforeValidator(public_tables.to_plain)
Number = Annotated[str, Plain, Field(pattern=r"^-?\d+(\.\d+)?$", examples=["1523.25"])]
"""A decimal as the journal writes it: no exponent, no trailing zeros."""
Day = Annotated[str, Plain, Field(json_schema_extra={"format": "date"}, examples=["2026-11-01"])]
Moment = Annotated[str, Plain, Field(json_schema_extra={"format": "date-time"})]
Address = Annotated[str, Field(json_schema_extra={"format": "uri"})]
SCHEMA_TYPES: dict[Any, Any] = {
    **{Decimal: Number, date: Day, datetime: Moment},
    **{Decimal | None: Number | None, date | None: Day | None},
    **{each: Literal[tuple(each.values)] for each in (Stage, Event.State)},
}
S = TypeVar("S", bound=Schema)


def schema_with(columns: Sequence[Column]) -> Callable[[type[S]], type[S]]:
    """Give a schema the fields of public columns, above its own."""

    def make_schema(schema: type[S]) -> type[S]:
        fields: dict[str, Any] = {}
        for column in columns:
            words = f"{column.words[0].upper()}{column.words[1:]}. {column.remark}".strip()
            fields[column.name] = SCHEMA_TYPES.get(column.type, column.type), Field(description=words)
        fields |= {name: (own.annotation, own) for name, own in schema.model_fields.items()}
        base: type[Any] = Schema
        return create_model(schema.__name__, __base__=base, __doc__=schema.__doc__, **fields)

    return make_schema


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


@schema_with(public_tables.PLAYER_COLUMNS)
class PublicPlayer(Schema):
    page: Address


@schema_with(public_tables.KNOWN_RATING_COLUMNS)
class KnownRating(Schema):
    """A rating by the record, as the office knew it on the day."""


@schema_with(public_tables.LISTED_RATING_COLUMNS)
class PublicRating(Schema):
    """A rating as the newest list of the day has it."""


class PublicRatingsOfDay(Schema):
    day: Day
    player: str
    as_known: list[KnownRating]
    as_published: list[PublicRating]


@schema_with(public_tables.CHANGE_COLUMNS)
class PublicChange(Schema):
    """A row of a rating's statement: the effect of a line of the journal, or of the calendar."""


class PublicStep(Schema):
    """A step of a working: the clause that it follows, what was put in, and what came out."""

    clause: str
    clause_words: str
    words: str
    key: str
    inputs: dict[str, str | list[str] | None] = Field(description="A list has the numbers that are added up.")
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


@schema_with(public_tables.LIST_COLUMNS)
class PublicList(Schema):
    """A published list. Its rows, bytes and checksum never change."""

    note: str
    page: Address


@schema_with(API_COLUMNS)
class PublicRow(Schema):
    pass


@schema_with(public_tables.SECTION_COLUMNS)
class PublicSectionHead(Schema):
    pass


@schema_with(public_tables.EVENT_COLUMNS)
class PublicEvent(Schema):
    sections: list[PublicSectionHead]
    page: Address


@schema_with(public_tables.ENTRANT_COLUMNS)
class PublicEntrant(Schema):
    """A player's participation; games name entrants by their starting numbers."""


@schema_with(public_tables.GAME_COLUMNS)
class PublicGame(Schema):
    pass


class PublicBye(Schema):
    round: int
    entry: int
    kind: str


@schema_with(public_tables.CHANGE_IN_SECTION_COLUMNS)
class PublicChangeInSection(Schema):
    pass


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


def _serialize_player(request: Any, player: Player, limits: DisclosureLimits) -> JsonObject:
    player.federation = request.office
    return {
        **public_record(public_tables.PLAYER_COLUMNS, public_tables.public_player(player, limits)),
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
        "as_known": [public_record(public_tables.KNOWN_RATING_COLUMNS, row) for row in rows],
        "as_published": [
            public_record(public_tables.LISTED_RATING_COLUMNS, row) for _track, row in sorted(newest.items())
        ],
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
    """The statement of a rating, newest first, as known now: in each row before and at once are after."""
    get_track_or_404(request.office.ruleset, track)
    key, found = decode_cursor(cursor, int), _statement(request.office, number, track)
    left = min(key[0], len(found)) if key and key[0] > 0 else len(found)  # counted from the oldest row
    some = found[len(found) - left :][:AT_ONCE]
    following = encode_cursor(left - AT_ONCE) if left > AT_ONCE else None
    items = [public_record(public_tables.CHANGE_COLUMNS, row) for row in some]
    return build_answer_part(request, response, items, following)


def _statement(office: Federation, number: str, track: str) -> list[StatementRow]:
    """A player's statement as known now, newest first."""
    return read_statement(_current_player(office, number), track, AsOf(office, today(office), None))


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
    row = join_rows(_statement(office_here, found.number, track), change.order)
    steps = workings.step_rows(account, office_here, edition, linked=True)
    summary = workings.summary_rows(account, office_here, edition)
    page = reverse("ratings:working", args=[office_here.code, found.number, track, line])
    return {
        "player": found.number,
        "track": track,
        "edition": edition.name,
        "change": public_record(public_tables.CHANGE_COLUMNS, row),
        "summary": [plain_text(each.words) for each in summary],
        "steps": [_serialize_step(step, row) for step, row in zip(account.steps, steps, strict=True)],
        "games": [
            game._asdict() | {"note": workings.message_in_words(game.note, office_here.ruleset, edition)}
            for game in account.games
        ],
        "page": request.build_absolute_uri(page),
    }


def _serialize_step(step: WorkingStep, row: StepRow) -> JsonObject:
    return {
        "clause": step.clause,
        "clause_words": row.says,
        "words": plain_text(f"{row.words}: {row.formula}" if row.formula else row.words),
        "key": step.key,
        "inputs": {
            name: [value_text(each) for each in value] if isinstance(value, tuple) else value_text(value)
            for name, value in step.inputs.items()
        },
        "result": value_text(step.result),
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
        **public_record(public_tables.EVENT_COLUMNS, event),
        "sections": [public_record(public_tables.SECTION_COLUMNS, each) for each in sections],
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
        **public_record(public_tables.SECTION_COLUMNS, found),
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
    games = list(section.games.select_related("first", "second"))
    byes = list(section.byes.select_related("entry"))
    entries = list(section.entries.select_related("player__merged_into"))
    scores = score_by_entry(office, section, games, byes)
    limits = limits_of(office)
    rated = section.facts.filter(kind="rated").in_force()
    line = rated.order_by("-number").first()
    if line:
        line.federation = office
    return {
        "line": line.number if line else None,
        "taken_over": over.isoformat() if line and (over := day_taken_over(office, line.number)) else None,
        "entrants": [
            public_tables.public_entrant(entry, limits, score)
            for entry in entries
            for score in [scores[entry.pk] if games or byes else entry.points]
        ],
        "games": [public_record(public_tables.GAME_COLUMNS, each) for each in games],
        "byes": [{"round": bye.round, "entry": bye.entry.number, "kind": bye.kind} for bye in byes],
        "changes": [
            public_record(public_tables.CHANGE_IN_SECTION_COLUMNS, each)
            for each in (read_section(line) if line else ())
        ],
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
    hidden, some_lists = (
        read_hidden_people(request.office),
        public_tables.with_days_taken_over(request.office, some[:LISTS]),
    )
    items = [serialize_list(request, each, hidden) for each in some_lists]
    return build_answer_part(request, response, items, following)


@list_router.get(LIST, response={200: PublicList, **ERRORS}, url_name="api_list")
def rating_list(request: Any, office: str, day: str, track: str, revision: int = REVISION) -> JsonObject:
    """One list. `day` is YYYY-MM-DD, or `latest`."""
    found = _found_list(request, day, track, revision)
    return serialize_list(request, found, read_hidden_people(request.office))


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
    found = public_tables.download_rows(some[:ROWS], limits_of(request.office))
    items = [public_record(API_COLUMNS, row) for row in found]
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
    response={200: PublicOffice, **ERRORS},
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
    response={200: list[PublicEdition], **ERRORS},
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
            {"clause": each.clause, "words": _(each.label), "value": value_text(each.value)}
            for each in edition.parameters
            if isinstance(each, Parameter)
        ],
        "grids": [
            {
                "clause": each.clause,
                "words": _(each.label),
                "columns": [_(column) for column in each.columns],
                "rows": [[value_text(value) for value in row] for row in each.shown_rows],
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
        "Everything public of the rating offices of this site, for reading; and with the key of a region the "
        "files of its sections. Ratings and points are text with every digit. Long answers come in parts: "
        "follow `next`. Answers have an ETag, and errors are problem details (RFC 9457). What stands here "
        "stays: a change that breaks a program gets another version."
    ),
    openapi_url=None,
    docs_url=None,
    urls_namespace="ratings-api",
)
for router in (office_router, player_router, list_router, event_router, api_filing.filing_router):
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
    words = _("The value of “%(name)s” cannot be read.")
    return problem(400, " ".join(words % {"name": each["loc"][-1]} for each in errors))


@api.exception_handler(AuthenticationError)
def _wrong_key(request: HttpRequest, error: Any) -> HttpResponse:
    return api_filing.answer_wrong_key(request)


@api.exception_handler(HttpError)
def _http_error(request: HttpRequest, error: Any) -> HttpResponse:
    return problem(error.status_code, str(error))


@api.exception_handler(Refused)
def _refused(request: HttpRequest, error: Any) -> HttpResponse:
    return problem(409, str(error))


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
        path(
            f"{ROOT}{each.pattern}",
            (api_filing.key_view if each.name == "api_file" else api_view)(each.callback),
            name=each.name,
        )
        for each in {str(each.pattern): each for each in api.urls[0]}.values()
        if isinstance(each, URLPattern) and each.name != "api-root"
    ),
    # whatever else is asked for, with line ends too, which the converters of paths do not take
    re_path(rf"^{ROOT}(?P<rest>[\s\S]*)$", api_view(unknown_address), name="api_unknown"),
]
