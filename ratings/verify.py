"""Replays the journal from its first line and compares everything that is stored: the proof that nothing
lies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import zip_longest
from random import SystemRandom
from typing import Any

from players.models import Federation, Ledger, Player
from ratings.asof import line_of_day
from ratings.closings import closing_of, drawn_up, moved_since, state_of_list
from ratings.models import Change, Fact, ListRow, RatingList, Standing, Wide
from ratings.pen import subject_of
from ratings.revising import drawn_anew
from ratings.rulesets import facts, journal
from ratings.rulesets.facts import ListClosing, Placed, Revised, State
from ratings.rulesets.reports import Row
from ratings.signing.checks import differences
from ratings.states import AFTER_EVERYTHING, state_before
from ratings.transfer import sealed_lines
from ratings.work import checksum, list_content
from tournaments.models import Archive, Upload

MOST = 20
"""Differences that are named; the others are counted."""
LOOKED_AT, FEW_DAYS = 4_000, 2
"""Facts that are replayed for past days, and the days that are looked at however many facts there are."""


@dataclass
class Report:
    """What was compared, and every difference found."""

    facts: int = 0
    changes: int = 0
    standings: int = 0
    lists: int = 0
    files: int = 0
    days: int = 0
    """Past days that were compared."""
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
    for words in differences(federation):
        report.differs(words)
    try:
        record = journal.read_journal(sealed_lines(federation))
        ordered = journal.resolve(record)
    except journal.JournalError as error:
        report.differs(f"the journal cannot be read any more: {error}")
        return report
    _compare_columns(report, federation, record)
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
    _compare_revisions(report, federation, lists)
    for number in rows:
        report.differs(f"line {number} is folded, but the journal does not fold it")
    for fact_lists in lists.values():
        for rating_list in fact_lists:
            report.differs(f"list {rating_list}: no line of the journal published it")
    _compare_standings(report, federation, state, keys)
    _compare_wide(report, federation, state)
    _compare_past(report, federation, record, most=max(FEW_DAYS, LOOKED_AT // (len(ordered) or 1)))
    _compare_files(report, federation)
    return report


def _compare_columns(report: Report, federation: Federation, record: journal.Journal) -> None:
    """What is looked up beside a line must be what the line says."""
    stored = Fact.objects.filter(federation=federation).order_by("number")
    rows = {number: tuple(rest) for number, *rest in stored.values_list("number", "kind", "subject", "on")}
    for number, fact in record.lines:
        said = (journal.KINDS[type(fact)], subject_of(fact), getattr(fact, "on", None))
        if rows.get(number, said) != said:
            report.differs(f"line {number}: its columns are not what it says")


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
    published = state_of_list(federation, fact) if moved_since(federation, fact) else state
    expected = drawn_up(federation.ruleset, fact, published)
    for rating_list in lists:
        _compare_list(report, federation, rating_list, fact, expected.get(rating_list.track, []))
    for track in expected.keys() - {rating_list.track for rating_list in lists}:
        report.differs(f"line {fact.number}: the list of {track} is missing")


def _compare_list(
    report: Report, federation: Federation, rating_list: RatingList, fact: facts.Fact, drawn: list[Row]
) -> None:
    """A list's bytes, rows, day and edition beside what a replay draws up; `fact`: its closing."""
    content = bytes(RatingList.objects.values_list("content", flat=True).get(pk=rating_list.pk))
    if checksum(content) != rating_list.sha256:
        report.differs(f"list {rating_list}: its bytes are not those of its checksum")
    said, right = content.decode(errors="replace").splitlines(), list_content(drawn).decode().splitlines()
    for position, (here, there) in enumerate(zip_longest(said, right), start=1):
        if here != there:
            words = f"a replay draws it up differently, {there} and not {here}"
            report.differs(f"list {rating_list}, row {position}: {words}")
            break
    _compare_rows(report, rating_list, said, drawn)
    edition = federation.ruleset.edition_for(fact).name
    told = (rating_list.on, rating_list.players, rating_list.edition)
    if told != (getattr(closing_of(fact), "on", None), len(said), edition):
        report.differs(f"list {rating_list}: day, players or edition are not those of its line and rows")


def _compare_revisions(report: Report, federation: Federation, lists: dict[int, list[RatingList]]) -> None:
    """What `revised` lines published must be what the journal says that they publish."""
    for line in Fact.objects.filter(federation=federation, kind="revised", pk__in=list(lists)):
        spoken = journal.parse_line(line.line, federation.ruleset)
        assert isinstance(spoken, Revised)
        drawn, closing = drawn_anew(federation, line), Placed(line.number, ListClosing(spoken.list))
        for rating_list in lists.pop(line.pk):
            _compare_list(report, federation, rating_list, closing, list(drawn.get(rating_list.track, ())))


def _compare_rows(report: Report, rating_list: RatingList, said: list[str], drawn: list[Row]) -> None:
    """The rows that pages show, beside the bytes that the checksum is of, and what a replay adds to them."""
    rows = rating_list.rows.order_by("position").values_list(
        "position", "player__number", "rating", "games", "rank", "status", "player_id", "previous"
    )
    before = _list_before(rating_list)
    for at, (row, line) in enumerate(zip_longest(rows, said), start=1):
        if row is None or line is None:
            report.differs(
                f"list {rating_list}, row {at}: {'missing' if row is None else 'not of its bytes'}"
            )
            break
        position, number, rating, games, rank, status, player, previous = row
        right = drawn[at - 1] if at <= len(drawn) else None
        shown = right is None or (rank, status) == (right.rank, right.status)
        as_said = f"{number},{journal.plain(rating)},{games}" == line and position == at
        if not as_said or not shown or previous != before.get(player):
            report.differs(f"list {rating_list}, row {at} ({number}): it is not the row of its bytes")


def _list_before(rating_list: RatingList) -> dict[int, Decimal]:
    """Ratings on the list before, as it stood when this one was drawn up, by the player's key."""
    same = RatingList.objects.filter(federation=rating_list.federation_id, track=rating_list.track)
    before = same.filter(on__lt=rating_list.on, ledger__lte=rating_list.ledger).order_by("-on", "-revision")
    found = before.values_list("pk", flat=True).first()
    return dict(ListRow.objects.filter(rating_list=found).values_list("player_id", "rating")) if found else {}


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


def _compare_past(report: Report, federation: Federation, record: journal.Journal, most: int) -> None:
    """What pages say of past days, some of them drawn by lot, must be what a replay as of that day gives."""
    ruleset = federation.ruleset
    days = sorted({on for _number, fact in record.lines if (on := getattr(fact, "on", None))})
    for day in sorted(SystemRandom().sample(days, min(most, len(days)))):
        replayed: State[Any] = State()
        for _step in ruleset.fold(journal.resolve(record, day), replayed):
            pass
        known = state_before(federation, AFTER_EVERYTHING, line=line_of_day(federation, day))
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


def _compare_files(report: Report, federation: Federation) -> None:
    for kept in (Upload.objects.all(), Archive.objects.all()):
        for file in kept.filter(federation=federation, content__isnull=False).iterator(20):
            report.files += 1
            if checksum(bytes(file.content or b"")) != file.sha256:
                report.differs(f"file {file.name}: its bytes are not those of its checksum")
