"""The page of what changed of a player between two days, and by which decision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

from django.http import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _

from players.office.access import OfficeRequest, public
from players.office.models import Federation
from players.register.models import Player
from ratings.journal.models import Fact
from ratings.public.common.caching import cached_page
from ratings.public.common.disclosure_limits import limits_of
from ratings.public.days.causes import WordedCause, causes_of
from ratings.public.days.known_between import (
    KnownChange,
    KnownMove,
    known_changes,
    lines_between,
    moves_by,
)
from ratings.public.days.two_days import TwoDays, days_between, line_before
from ratings.public.players import player_ratings
from ratings.public.players.figures_of_day import dating_of
from ratings.public.players.history import HistoryLine, HistoryWriter
from ratings.results.changes_between_facts import legs
from ratings.results.rating_changes import moves_of

A_YEAR = timedelta(days=365)
LINES = 30
"""The lines of the journal told on one page."""
DRIFTS = 60
"""The most moves without a game of the player's that one page tells, the newest."""


@dataclass(frozen=True, slots=True)
class TrackOnTwoDays:
    """A player's rating in one track as known on two days."""

    track: str
    before: Decimal | None
    after: Decimal | None


@dataclass(frozen=True, slots=True)
class CausedMove:
    """A move of a rating with what was decided, and the workings of the changes that came with it."""

    move: KnownMove
    cause: WordedCause | None
    """None: of several lines that were taken in together."""
    workings: Sequence[tuple[str, str]]
    """The words and the address of each new change's working."""


@public
@cached_page
def changes_of_player(request: OfficeRequest, number: str) -> HttpResponseBase:
    people = Player.objects.of(request.office).select_related("federation", "merged_into__federation")
    player = get_object_or_404(people, number=number)
    asked = days_between(request, A_YEAR)
    if player.merged_into and asked.since.reads_as_another(number):
        address = reverse("ratings:player_changes", args=[request.office.code, player.merged_into.number])
        return redirect(f"{address}?{request.GET.urlencode()}" if request.GET else address)
    moves, older = _moves(request, player, asked)
    drifts = _drifts(player, asked)
    context: dict[str, Any] = {
        "player": player,
        "title": limits_of(request.office).title(player),
        "asked": asked,
        "tracks": _on_both_days(player, asked),
        "moves": moves,
        "older": older,
        "later": "before" in request.GET,
        "drifts": drifts[:DRIFTS],
        "drifts_left": max(0, len(drifts) - DRIFTS),
        "dating": dating_of(request.office, asked.last),
    }
    return render(request, "ratings/player_changes.html", context)


def _on_both_days(player: Player, asked: TwoDays) -> list[TrackOnTwoDays]:
    """The player's ratings as known on the two days, in the order of the tracks, without those of neither."""
    office, number = player.federation, player.number
    before, after = (
        player_ratings.ratings_in(office, known.state_of(player), number, known.day)
        for known in (asked.then, asked.since)
    )
    codes = [each.code for each in office.ruleset.tracks]
    rows = (TrackOnTwoDays(code, before.get(code), after.get(code)) for code in codes)
    return [row for row in rows if row.before is not None or row.after is not None]


def _moves(request: OfficeRequest, player: Player, asked: TwoDays) -> tuple[list[CausedMove], str]:
    """One page of moves between the two days, newest first, and the query of the next older page."""
    first, last = asked.lines
    found = known_changes(player, last)
    below = line_before(request)
    lines = [each for each in lines_between(player, found, first, last) if below is None or each < below]
    here = lines[:LINES]
    numbers = _numbers(found, here)
    facts = {each.number: each for each in _facts(player.federation, numbers)}
    moves = moves_by(player, found, here, {number: fact.kind for number, fact in facts.items()})
    causes = causes_of(player.federation, list(facts.values()))
    writer = _WorkingLinks(player, {number: fact.on for number, fact in facts.items()}, causes)
    caused = [CausedMove(each, writer.cause(each), writer.workings(each)) for each in moves]
    if len(lines) <= LINES:
        return caused, ""
    days = {"from": f"{asked.first:%Y-%m-%d}", "to": f"{asked.last:%Y-%m-%d}"}
    return caused, f"?{urlencode({**days, 'before': str(here[-1])})}"


def _numbers(found: Sequence[KnownChange], lines: Sequence[int]) -> set[int]:
    """The lines to look up for a page: its own, those of changes that came, and those that ended these."""
    told = set(lines)
    came = [each for each in found if each.since in told]
    return {*told, *(each.fact for each in came), *(each.until for each in came if each.until)}


def _facts(office: Federation, numbers: set[int]) -> Sequence[Fact]:
    lines = Fact.objects.filter(federation=office, number__in=numbers)
    return list(lines.select_related("section__event").defer("particulars", "pres"))


@dataclass(frozen=True, slots=True)
class _WorkingLinks:
    """Leads from a player's moves to what was decided, and to the workings."""

    player: Player
    days: Mapping[int, date | None]
    causes: Mapping[int, WordedCause]

    def cause(self, move: KnownMove) -> WordedCause | None:
        """The decision behind a move: that of its line, or of the one change that came new with it."""
        line = move.own[0].fact if len(move.own) == 1 else move.line
        cause = self.causes.get(line)
        return cause if cause is not None and cause.kind != "section" else None

    def workings(self, move: KnownMove) -> list[tuple[str, str]]:
        told = ((each, self._working(each)) for each in move.own)
        named = len(move.own) > 1
        return [
            (self.causes[each.fact].words if named else _("why"), address)
            for each, address in told
            if address
        ]

    def _working(self, change: KnownChange) -> str:
        """The address of a change's working; of one overturned since, as known on its own day. Empty where it
        was overturned on that very day.
        """
        place = [self.player.federation.code, self.player.number, change.track, change.fact]
        address = reverse("ratings:working", args=place)
        if change.until is None:
            return address
        day, ended = self.days.get(change.since), self.days.get(change.until)
        return f"{address}?on={day:%Y-%m-%d}" if day and ended and day < ended else ""


def _drifts(player: Player, asked: TwoDays) -> list[HistoryLine]:
    """The moves by others' results and by time between the two days, newest first; none where ratings do not
    move so.
    """
    if player.federation.ruleset.calendar.days_of_change is None:
        return []
    since, found = asked.since, list[HistoryLine]()
    for track in player.federation.ruleset.tracks:
        writer = HistoryWriter(player, track.code, since)
        moves = moves_of(player, track.code, since.line, states=True)
        drifts = (drift for leg in legs((player.number, track.code), moves, since) for drift in leg.drifts)
        found += [writer.drifted(drift) for drift in drifts if asked.first < drift.on <= asked.last]
    return sorted(found, key=lambda line: line.on or date.min, reverse=True)
