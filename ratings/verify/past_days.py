"""Compares the results kept of past days with replays as of some of them."""

from __future__ import annotations

from collections.abc import Iterator
from random import SystemRandom
from typing import Any

from players.office.models import Federation
from ratings.journal.read_facts import AFTER_EVERYTHING
from ratings.law import facts, journal
from ratings.law.facts import State
from ratings.results.as_of import line_of_day
from ratings.results.models import PastChange
from ratings.results.read_states import state_before
from ratings.verify.report import Report

Place = tuple[int, facts.PlayerId, str]


def compare(report: Report, federation: Federation, record: journal.Journal, most: int) -> None:
    """Compare the results kept of some past days with replays as of those days; `most` days, drawn by lot."""
    ruleset = federation.ruleset
    days = sorted({on for _number, fact in record.lines if (on := getattr(fact, "on", None))})
    for day in sorted(SystemRandom().sample(days, min(most, len(days)))):
        replayed, line = State[Any](), line_of_day(federation, day)
        kept_changes = _superseded(federation, line)
        for fact, changes, _state in ruleset.fold(journal.resolve(record, day), replayed):
            for change in changes:
                kept = kept_changes.pop((fact.number, change.player, change.track), None)
                if kept is not None and kept != _comparable(change):
                    report.differs(f"{day}, {_place(fact.number, change.player, change.track)}: {kept}")
        for key in kept_changes:
            report.differs(f"{day}, {_place(*key)}: a change that no rule made")
        known = state_before(federation, AFTER_EVERYTHING, line=line)
        report.days += 1
        if known.wide != replayed.wide:
            report.differs(f"{day}: the federation-wide state kept of that day is not that of the replay")
        keys = {**known.standings, **replayed.standings}
        for player, track in keys:
            kept, found = known.get(player, track), replayed.get(player, track)
            if kept != found:
                report.differs(
                    f"{day}, player {player}, {track}: what is kept of that day is not the replay's"
                )


def unreadable(federation: Federation) -> Iterator[str]:
    """Name each past change whose standing the ruleset cannot read."""
    rows = PastChange.objects.filter(fact__federation=federation)
    told = rows.values_list("fact__number", "player__number", "track", "state")
    for line, player, track, text in told.iterator(2_000):
        try:
            federation.ruleset.storage.load(track, text)
        except (ValueError, TypeError, KeyError, ArithmeticError):
            yield f"{_place(line, player, track)}: its standing cannot be read"


def _superseded(federation: Federation, line: int) -> dict[Place, tuple[Any, ...]]:
    """The past changes that still held at a line, by line, player and track: ratings, points and games."""
    rows = PastChange.objects.filter(fact__federation=federation, since__lte=line, until__gt=line)
    told = rows.values_list("fact__number", "player__number", "track", "before", "after", "points", "games")
    return {(number, player, track): tuple(rest) for number, player, track, *rest in told}


def _comparable(change: facts.Change[Any]) -> tuple[Any, ...]:
    before = change.before.rating if change.before else None
    return before, change.after.rating, change.points, change.after.games


def _place(line: int, player: facts.PlayerId, track: str) -> str:
    return f"line {line}, player {player}, {track}, as it was known then"
