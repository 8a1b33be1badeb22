"""Operations on events: the calendar, an event, a section with its games."""

from __future__ import annotations

from datetime import date
from typing import Any

from django.db.models import Q
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from ninja import Router

from ratings.journal.days_taken_over import day_taken_over
from ratings.public.api import schemas
from ratings.public.api.doors import BadCursor, cursor_of, key_of, part
from ratings.public.api.players import CURSOR, ERRORS
from ratings.public.api.told import Told, named, number, section_head
from ratings.public.common.disclosure_limits import DisclosureLimits, limits_of
from ratings.public.events.cross_tables import score_by_entry
from ratings.results.models import Change
from tournaments.events.models import Bye, Entry, Event, Game, Section, Stage

AT_ONCE = 100
"""The most events of one part."""
EVENT = "/offices/{slug:office}/events/{str:event}"

router = Router(tags=["events"])


@router.get(
    "/offices/{slug:office}/events",
    response={200: schemas.AnswerPart[schemas.PublicEvent], **ERRORS},
    url_name="api_events",
)
def events(request: Any, response: HttpResponse, office: str, cursor: str = CURSOR) -> Told:
    """The calendar of events, the latest first, with the sections of each."""
    found = _events(request).order_by("-starts", "-number")
    if key := key_of(cursor, str, str):
        day = _day(key[0])
        found = found.filter(Q(starts__lt=day) | Q(starts=day, number__lt=key[1]))
    some = list(found[: AT_ONCE + 1])
    last = some[AT_ONCE - 1] if len(some) > AT_ONCE else None
    following = cursor_of(last.starts.isoformat(), last.number) if last else None
    return part(request, response, [_told(request, each) for each in some[:AT_ONCE]], following)


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError as error:
        raise BadCursor from error


@router.get(EVENT, response={200: schemas.PublicEvent, **ERRORS}, url_name="api_event")
def event(request: Any, office: str, event: str) -> Told:
    """One event."""
    return _told(request, get_object_or_404(_events(request), number=event))


def _events(request: Any) -> Any:
    events = Event.objects.filter(federation=request.office).not_withdrawn()
    return events.select_related("region").prefetch_related("sections")


def _told(request: Any, event: Event) -> Told:
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
        "sections": [section_head(each) for each in sections],
        "page": request.build_absolute_uri(event.get_absolute_url()),
    }


@router.get(
    f"{EVENT}/sections/{{str:code}}",
    response={200: schemas.PublicSection, **ERRORS},
    url_name="api_section",
)
def section(request: Any, office: str, event: str, code: str) -> Told:
    """One section: once it is rated, with entrants, games and the change of each rating."""
    here = Section.objects.filter(event__federation=request.office, event__number=event)
    found = get_object_or_404(here.select_related("event"), code=code)
    if Stage.WITHDRAWN in (found.stage, found.event.state):
        raise Http404(_("This section was withdrawn: it had been registered by mistake."))
    found.event.federation = request.office
    told = {
        **section_head(found),
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
    return told | _rated(found) if found.stage == Stage.RATED else told


def _rated(section: Section) -> Told:
    """The public part of a section once it is rated."""
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
            _entrant(entry, limits, number(scores[entry.pk] if games or byes else entry.points))
            for entry in entries
        ],
        "games": [_game(game, numbers) for game in games],
        "byes": [_bye(bye, numbers) for bye in byes],
        "changes": [_change(each) for each in changes.order_by("track", "player__number")],
    }


def _entrant(entry: Entry, limits: DisclosureLimits, score: str | None) -> Told:
    """An entrant as the player for whom the entry counts today."""
    player = entry.player and (entry.player.merged_into or entry.player)
    return {
        "entry": entry.number,
        "player": player.number if player else None,
        "name": named(player) if player else entry.name,
        "title": limits.title(player, entry.title) if player else "",
        "team": "" if player and player.withheld else entry.team,
        "place": entry.place,
        "score": score,
    }


def _game(game: Game, numbers: dict[int, int]) -> Told:
    return {
        "round": game.round,
        "first": numbers[game.first_id],
        "second": numbers[game.second_id],
        "result": game.result,
    }


def _bye(bye: Bye, numbers: dict[int, int]) -> Told:
    return {"round": bye.round, "entry": numbers[bye.entry_id], "kind": bye.kind}


def _change(change: Change) -> Told:
    return {
        "player": change.player.number,
        "track": change.track,
        "before": number(change.before),
        "points": number(change.points),
        "after": number(change.after),
    }
