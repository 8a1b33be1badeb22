"""Replays the journal from its first line and compares everything that is stored: the proof that nothing
lies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from players.models import Federation, Ledger, Player
from ratings.closings import closing_of, drawn_up, moved_since, state_of_line
from ratings.models import Change, Fact, RatingList, Standing, Wide
from ratings.rulesets import facts, journal
from ratings.rulesets.facts import State
from ratings.transfer import journal_lines
from ratings.work import checksum, list_content
from tournaments.models import Archive, Upload

MOST = 20
"""Differences that are named; the others are counted."""


@dataclass
class Report:
    """What was compared, and every difference found."""

    facts: int = 0
    changes: int = 0
    standings: int = 0
    lists: int = 0
    files: int = 0
    differences: list[str] = field(default_factory=list)
    more: int = 0

    def differs(self, words: str) -> None:
        if len(self.differences) < MOST:
            self.differences.append(words)
        else:
            self.more += 1


def verify(federation: Federation, on_fact: Callable[[int, int], None] | None = None) -> Report:
    """Compare changes, standings, lists and files with a replay. Says so where a recompute is pending."""
    report = Report()
    if Ledger.objects.get(federation=federation).pending:
        report.differs("a recompute is pending: run it first (manage.py recompute --pending)")
        return report
    ordered = journal.resolve(journal.read_journal(journal_lines(federation)))
    rows = {
        row.number: row
        for row in Fact.objects.filter(federation=federation).exclude(folded="").defer("line", "particulars")
    }
    keys = dict(Player.objects.filter(federation=federation).values_list("pk", "number"))
    lists = _lists_by_fact(federation)
    report.lists = sum(map(len, lists.values()))
    state: State[Any] = State()
    for done, (fact, changes, state) in enumerate(federation.ruleset.fold(ordered), start=1):
        row = rows.pop(fact.number, None)
        if row is None:
            report.differs(f"line {fact.number} is not folded")
            continue
        _compare_changes(report, federation, row, changes, keys)
        _compare_lists(report, federation, fact, state, lists.pop(row.pk, []))
        if on_fact:
            on_fact(done, len(ordered))
    report.facts = len(ordered)
    for number in rows:
        report.differs(f"line {number} is folded, but the journal does not fold it")
    _compare_standings(report, federation, state, keys)
    _compare_wide(report, federation, state)
    _compare_files(report, federation)
    return report


def _compare_changes(
    report: Report, federation: Federation, row: Fact, changes: list[facts.Change[Any]], keys: dict[int, str]
) -> None:
    dump = federation.ruleset.dump
    stored = {
        (keys.get(player, "?"), track): values
        for player, track, *values in Change.objects.filter(fact=row).values_list(
            "player_id", "track", "order", "before", "after", "points", "games", "state"
        )
    }
    report.changes += len(changes)
    for change in changes:
        before = change.before.rating if change.before else None
        expected = [
            row.order,
            before,
            change.after.rating,
            change.points,
            change.after.games,
            dump(change.after),
        ]
        found = stored.pop((change.player, change.track), None)
        if found != expected:
            report.differs(
                f"line {row.number}, player {change.player}, {change.track}: {found} is not {expected}"
            )
    for player, track in stored:
        report.differs(f"line {row.number}, player {player}, {track}: a change that no rule made")


def _lists_by_fact(federation: Federation) -> dict[int, list[RatingList]]:
    found: dict[int, list[RatingList]] = {}
    for rating_list in RatingList.objects.filter(federation=federation).defer("content"):
        found.setdefault(rating_list.fact_id, []).append(rating_list)
    return found


def _compare_lists(
    report: Report, federation: Federation, fact: facts.Fact, state: State[Any], lists: list[RatingList]
) -> None:
    """A list's rows must be its bytes, and its bytes what a replay draws up of the journal as it stood that
    day.
    """
    if closing_of(fact) is None:
        return
    published = state_of_line(federation, fact.number) if moved_since(federation, fact) else state
    expected = drawn_up(federation.ruleset, fact, published)
    for rating_list in lists:
        content = bytes(RatingList.objects.values_list("content", flat=True).get(pk=rating_list.pk))
        if checksum(content) != rating_list.sha256:
            report.differs(f"list {rating_list}: its bytes are not those of its checksum")
        rows = rating_list.rows.order_by("position").values_list("player__number", "rating", "games")
        if (
            "".join(f"{number},{journal.plain(rating)},{games}\n" for number, rating, games in rows).encode()
            != content
        ):
            report.differs(f"list {rating_list}: its rows are not its bytes")
        replayed = expected if rating_list.revision == 1 else drawn_up(federation.ruleset, fact, state)
        if list_content(replayed.get(rating_list.track, ())) != content:
            report.differs(f"list {rating_list}: a replay draws it up differently")
    for track in expected.keys() - {rating_list.track for rating_list in lists}:
        report.differs(f"line {fact.number}: the list of {track} is missing")


def _compare_standings(
    report: Report, federation: Federation, state: State[Any], keys: dict[int, str]
) -> None:
    dump = federation.ruleset.dump
    expected = dict(state.standings)
    for player, track, rating, games, due, text in _standings(federation):
        standing = expected.pop((keys.get(player, "?"), track), None)
        report.standings += 1
        if standing is None:
            report.differs(f"player {keys.get(player)}, {track}: a standing that no fact made")
        elif (rating, games, due, text) != (standing.rating, standing.games, standing.due, dump(standing)):
            report.differs(f"player {keys.get(player)}, {track}: {rating} is not {standing.rating}")
    for player_number, track in expected:
        report.differs(f"player {player_number}, {track}: the standing is missing")


def _standings(federation: Federation) -> Iterator[tuple[Any, ...]]:
    rows = Standing.objects.filter(federation=federation)
    yield from rows.values_list("player_id", "track", "rating", "games", "due", "state").iterator(5_000)


def _compare_wide(report: Report, federation: Federation, state: State[Any]) -> None:
    newest = Wide.objects.filter(federation=federation).order_by("-order").first()
    if (newest.state if newest else "") != (
        federation.ruleset.dump_wide(state.wide) if state.wide is not None else ""
    ):
        report.differs("the federation-wide state is not that of the replay")


def _compare_files(report: Report, federation: Federation) -> None:
    for kept in (Upload.objects.all(), Archive.objects.all()):
        for file in kept.filter(federation=federation, content__isnull=False).iterator(20):
            report.files += 1
            if checksum(bytes(file.content or b"")) != file.sha256:
                report.differs(f"file {file.name}: its bytes are not those of its checksum")
