"""Operations on players: search, ratings of a day, changes, and the working of each."""

from __future__ import annotations

from typing import Any

from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext as _
from ninja import Router
from ninja.params.functions import Query

from players.office.models import Federation
from players.office.settings_schema import today
from players.register.models import Player
from ratings.law.rule_outputs import GameLine, WorkingStep
from ratings.lists.models import ListRow
from ratings.public.api import schemas
from ratings.public.api.doors import cursor_of, key_of, part
from ratings.public.api.told import Told, change_told, number, player_told, value_text, words_of
from ratings.public.common.asked_day import day_asked
from ratings.public.common.disclosure_limits import limits_of
from ratings.public.common.track_groups import track_of
from ratings.public.players import player_ratings
from ratings.public.players.player_pages import FOUND, found_by
from ratings.results import workings
from ratings.results.as_of import as_of
from ratings.results.models import Change
from ratings.results.rating_changes import moves_of
from ratings.results.workings import StepRow

AT_ONCE = 100
"""The most players or changes of one part."""
PLAYER = "/offices/{slug:office}/players/{str:number}"
ERRORS = {400: schemas.ProblemDetails, 404: schemas.ProblemDetails}
CURSOR = Query("", description="The place to go on from, as `next` gave it.", max_length=200)

router = Router(tags=["players"])


@router.get(
    "/offices/{slug:office}/players",
    response={200: schemas.AnswerPart[schemas.PublicPlayer], **ERRORS},
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
) -> Told:
    """The players of the register by number; with `q` those found by name or number, the likeliest first, at
    most fifty. Nobody withheld is found by a name.
    """
    if wanted := q.strip():
        found, following = found_by(request.office, wanted)[:FOUND], None
    else:
        key = key_of(cursor, str)
        people = Player.objects.of(request.office).current().select_related("region").order_by("number")
        some = list((people.filter(number__gt=key[0]) if key else people)[: AT_ONCE + 1])
        found = some[:AT_ONCE]
        following = cursor_of(found[-1].number) if len(some) > AT_ONCE else None
    limits = limits_of(request.office)
    return part(request, response, [_told(request, each, limits) for each in found], following)


def _told(request: Any, player: Player, limits: Any) -> Told:
    player.federation = request.office
    return player_told(request, player, limits)


@router.get(PLAYER, response={200: schemas.PublicPlayer, **ERRORS}, url_name="api_player")
def player(request: Any, office: str, number: str) -> Told:
    """One player. The number of a merged entry gives the player who stays."""
    return _told(request, _found(request.office, number), limits_of(request.office))


def _found(office: Federation, number: str) -> Player:
    """The player of a number, or whoever stays of a merged one."""
    found = _entry(office, number)
    stays = found.merged_into or found
    stays.federation = office
    return stays


def _entry(office: Federation, number: str) -> Player:
    people = Player.objects.of(office).select_related("region", "merged_into__region")
    found = get_object_or_404(people.prefetch_related("merged"), number=number)
    found.federation = office
    return found


@router.get(f"{PLAYER}/ratings", response={200: schemas.PublicRatingsOfDay, **ERRORS}, url_name="api_ratings")
def ratings(
    request: Any,
    office: str,
    number: str,
    day: str = Query("", description="YYYY-MM-DD; today if it is left out.", max_length=10),
) -> Told:
    """The player's ratings on a day in each track: as the office knew them then, and as published by then."""
    now = today(request.office)
    found, on = _entry(request.office, number), day_asked(request.office, day, now)
    asked = as_of(request.office, on or now, now)
    if found.merged_into and asked.reads_as_another(found.number):
        found = _found(request.office, number)
    lists = player_ratings.published(found, on)
    rows = player_ratings.rows_of_player(found, lists, asked, asked.state_of(found))
    newest: dict[str, ListRow] = {}
    for each in lists:
        newest.setdefault(each.rating_list.track, each)
    return {
        "day": asked.day.isoformat(),
        "player": found.number,
        "as_known": [_known(row) for row in rows],
        "as_published": [_published(row) for _track, row in sorted(newest.items())],
    }


def _known(row: player_ratings.TrackRow) -> Told:
    return {"track": row.track, "rating": number(row.rating), "games": row.games, "status": row.status}


def _published(row: ListRow) -> Told:
    return {
        "track": row.rating_list.track,
        "rating": number(row.rating),
        "rank": row.rank,
        "games": row.games,
        "list": row.rating_list.on.isoformat(),
        "revision": row.rating_list.revision,
    }


@router.get(
    f"{PLAYER}/changes/{{slug:track}}",
    response={200: schemas.AnswerPart[schemas.PublicChange], **ERRORS},
    url_name="api_changes",
)
def changes(
    request: Any,
    response: HttpResponse,
    office: str,
    number: str,
    track: str,
    cursor: str = CURSOR,
) -> Told:
    """The changes of a rating, newest first, as known now."""
    track_of(request.office.ruleset, track)
    key = key_of(cursor, int)
    moves = moves_of(_found(request.office, number), track, before=key[0] if key else None)
    following = cursor_of(moves[AT_ONCE - 1].order) if len(moves) > AT_ONCE else None
    return part(request, response, [change_told(move) for move in moves[:AT_ONCE]], following)


@router.get(
    f"{PLAYER}/workings/{{slug:track}}/{{int:line}}",
    response={200: schemas.PublicWorking, **ERRORS},
    url_name="api_working",
)
def working(request: Any, office: str, number: str, track: str, line: int) -> Told:
    """The reasons for which a line of the journal changed a rating, clause by clause, worked out by the rules
    now.
    """
    office_here = request.office
    track_of(office_here.ruleset, track)
    found = _found(office_here, number)
    try:
        change = workings.change_at(office_here, found.number, track, line)
    except Change.DoesNotExist as error:
        raise Http404(_("That line of the journal changed no rating of this player.")) from error
    account, edition = workings.working_of(change), workings.edition_of(change)
    move = next(each for each in moves_of(found, track) if each.order == change.order)
    steps = workings.step_rows(account, office_here, edition, linked=True)
    summary = workings.summary_rows(account, office_here, edition)
    page = reverse("ratings:working", args=[office_here.code, found.number, track, line])
    return {
        "player": found.number,
        "track": track,
        "edition": edition.name,
        "change": change_told(move),
        "summary": [words_of(each.words) for each in summary],
        "steps": [_step(step, row) for step, row in zip(account.steps, steps, strict=True)],
        "games": [_game(office_here, each) for each in account.games],
        "page": request.build_absolute_uri(page),
    }


def _step(step: WorkingStep, row: StepRow) -> Told:
    return {
        "clause": step.clause,
        "clause_words": row.says,
        "words": words_of(f"{row.words}: {row.formula}" if row.formula else row.words),
        "key": step.key,
        "inputs": {name: value_text(value) for name, value in step.inputs.items()},
        "result": value_text(step.result),
    }


def _game(office: Federation, game: GameLine) -> Told:
    messages = office.ruleset.words.messages
    return {
        "round": game.round,
        "opponent": game.opponent,
        "first": game.first,
        "result": game.result,
        "opponent_rating": number(game.opponent_rating),
        "expected": number(game.expected),
        "score": number(game.score),
        "note": _(messages.get(game.note, game.note)) if game.note else "",
        "clauses": list(game.clauses),
    }
