"""Replays the journal from its first line and compares everything that is stored with the replay."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from django.db.models import Max

from players.office.job_lease import DATABASE_TROUBLE
from players.office.models import Federation, Ledger
from players.office.write_once_triggers import unguarded
from players.register.models import Player
from ratings.journal.export import sealed_lines
from ratings.journal.models import Fact
from ratings.law import facts, journal
from ratings.law.facts import State
from ratings.recompute.rules_change.effects_report import why_left_alone
from ratings.recompute.rules_change.published_seal import newest_seal
from ratings.results.models import Change, Standing, Wide
from ratings.signing.verify_decisions import lost_at_a_restore
from ratings.signing.verify_record import differences as signed_differences
from ratings.verify import errata, files, journal_columns, names, old_lists, past_days, section_contents
from ratings.verify.lists import compare_closing, compare_heads, compare_revisions, lists_by_fact
from ratings.verify.report import Report

LOOKED_AT, FEW_DAYS = 4_000, 2
"""Facts that are replayed for past days, and the days that are looked at however many facts there are."""


def verify(federation: Federation, on_fact: Callable[[int, int], None] | None = None) -> Report:
    """Compare everything stored of an office with a replay of its journal; while a recompute is pending,
    report only that, and while other rules wait, that and what no rule moves. `on_fact` is told of the
    progress.
    """
    report = Report()
    if why := why_left_alone(federation):
        report.differs(why)
        return _what_no_rule_moves(report, federation)
    if Ledger.objects.get(federation=federation).pending:
        report.differs("a recompute is pending: run it first (manage.py recompute --pending)")
        return report
    report.notices += lost_at_a_restore(federation)
    for found in signed_differences(federation):
        report.differ(found)
    report.record_altered = bool(report.differences)
    seal = newest_seal(federation)
    report.settled = seal.line if seal else 0
    try:
        _compare_with_replay(report, federation, on_fact)
    except journal.JournalError as error:
        report.differs(f"the journal cannot be read any more: {error}")
    except DATABASE_TROUBLE:
        raise
    except Exception as error:  # whoever alters rows may leave what no code here would ever write
        report.differs(f"what is stored cannot be compared, so is it altered: {error!r}")
    report.differ(
        f"{table} can be altered: its triggers are off, manage.py migrate puts them back"
        for table in unguarded()
    )
    return report


def _compare_with_replay(
    report: Report, federation: Federation, on_fact: Callable[[int, int], None] | None
) -> None:
    record = journal.read_journal(sealed_lines(federation))
    ordered = journal.resolve(record)
    report.differ(journal_columns.differences(federation, record))
    report.begin()
    keys = dict(Player.objects.filter(federation=federation).values_list("pk", "number"))
    state = _compare_fold(report, federation, ordered, keys, on_fact)
    report.differ(_left_over(federation, ordered))
    report.begin()
    old_lists.compare(report, federation)
    report.begin()
    _compare_standings(report, federation, state, keys)
    _compare_wide(report, federation, state)
    found = len(report.differences)
    report.differ(past_days.unreadable(federation))
    if len(report.differences) > found:
        return  # what follows reads these rows
    past_days.compare(report, federation, record, most=max(FEW_DAYS, LOOKED_AT // (len(ordered) or 1)))
    report.differ(errata.differences(federation, report.settled))
    report.differ(section_contents.differences(federation, record))
    report.differ(names.differences(federation))
    report.begin()
    files.compare(report, federation)


def _left_over(federation: Federation, ordered: list[facts.Fact]) -> Iterator[str]:
    """Name each line that has changes of ratings and is not folded: pages would show them."""
    folded = {fact.number for fact in ordered}
    with_changes = Change.objects.filter(fact__federation=federation).order_by("fact__number")
    for number in with_changes.values_list("fact__number", flat=True).distinct():
        if number not in folded:
            yield f"line {number} is not in force, and has changes of ratings"


def _what_no_rule_moves(report: Report, federation: Federation) -> Report:
    for found in signed_differences(federation):
        report.differ(found)
    report.differ(names.differences(federation))
    report.begin()
    files.compare(report, federation)
    return report


def _compare_fold(
    report: Report,
    federation: Federation,
    ordered: list[facts.Fact],
    keys: dict[int, str],
    on_fact: Callable[[int, int], None] | None,
) -> State[Any]:
    """Replay the journal and compare each fact's changes and lists with the stored ones; return the last
    state. `keys`: players' numbers by database key.
    """
    rows = {
        row.number: row
        for row in Fact.objects.filter(federation=federation).exclude(folded="").defer("line", "particulars")
    }
    lists = lists_by_fact(federation)
    report.lists = sum(map(len, lists.values()))
    state: State[Any] = State()
    for done, (fact, changes, state) in enumerate(federation.ruleset.fold(ordered), start=1):
        row = rows.pop(fact.number, None)
        if row is None:
            report.differs(f"line {fact.number} is not folded")
            continue
        if (row.fingerprint, row.folded) != _fingerprints(federation, fact):
            report.differs(f"line {fact.number}: it was folded as something else than it says")
        _compare_changes(report, federation, row, changes, keys)
        compare_closing(report, federation, fact, state, lists.pop(row.pk, []))
        if on_fact:
            on_fact(done, len(ordered))
    report.facts = len(ordered)
    compare_revisions(report, federation, lists)
    compare_heads(report, federation)
    for number in rows:
        report.differs(f"line {number} is folded, but the journal does not fold it")
    for fact_lists in lists.values():
        for rating_list in fact_lists:
            report.differs(f"list {rating_list}: no line of the journal published it")
    return state


def _fingerprints(federation: Federation, fact: facts.Fact) -> tuple[str, str]:
    """The two fingerprints that a fact's row must have: that of its lines alone, and that of the fact as
    folded, with the ruleset's notes.
    """
    ruleset = federation.ruleset
    folded = journal.fingerprint(fact, ruleset)
    if isinstance(fact, facts.RatedSection) and fact.notes:
        return journal.fingerprint(replace(fact, notes=()), ruleset), folded
    return folded, folded


def _compare_changes(
    report: Report, federation: Federation, row: Fact, changes: list[facts.Change[Any]], keys: dict[int, str]
) -> None:
    dump = federation.ruleset.storage.dump
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


def _compare_standings(
    report: Report, federation: Federation, state: State[Any], keys: dict[int, str]
) -> None:
    dump = federation.ruleset.storage.dump
    expected, moved = dict(state.standings), _moved_last(federation)
    for player, track, order, *told in _standings(federation):
        standing = expected.pop((keys.get(player, "?"), track), None)
        report.standings += 1
        if standing is None:
            report.differs(f"player {keys.get(player)}, {track}: a standing that no fact made")
        elif told != [standing.rating, standing.games, standing.due, dump(standing)]:
            report.differs(f"player {keys.get(player)}, {track}: {told[0]} is not {standing.rating}")
        elif order != moved.get((player, track)):
            report.differs(f"player {keys.get(player)}, {track}: another fact moved the standing last")
    for player_number, track in expected:
        report.differs(f"player {player_number}, {track}: the standing is missing")


def _moved_last(federation: Federation) -> dict[tuple[int, str], int]:
    """The place in the order of the last change of each player (by key) in each track."""
    rows = Change.objects.filter(player__federation=federation).order_by().values_list("player_id", "track")
    return {(player, track): order for player, track, order in rows.annotate(Max("order"))}


def _standings(federation: Federation) -> Iterator[tuple[Any, ...]]:
    rows = Standing.objects.filter(federation=federation)
    yield from rows.values_list("player_id", "track", "order", "rating", "games", "due", "state").iterator(
        5_000
    )


def _compare_wide(report: Report, federation: Federation, state: State[Any]) -> None:
    newest = Wide.objects.filter(federation=federation).order_by("-order").first()
    if (newest.state if newest else "") != (
        federation.ruleset.storage.dump_wide(state.wide) if state.wide is not None else ""
    ):
        report.differs("the federation-wide state is not that of the replay")
