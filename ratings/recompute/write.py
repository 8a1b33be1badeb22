"""Writes a step of a recompute in one transaction: results, superseded results, and drawn lists."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, time, timedelta
from decimal import Decimal
from typing import Any

from django.db import connection, models, transaction
from django.utils import timezone

from players.office.models import Decision, Federation, Ledger
from ratings.journal.models import Fact, FactQuerySet
from ratings.lists.models import ListRow, RatingList
from ratings.proof.program.keeping import keep
from ratings.recompute import errata_of_corrections
from ratings.recompute.fold import CHANGE_COLUMNS, DrawnList, Frozen, Work, checksum
from ratings.recompute.revised_lists import drawn_lists
from ratings.recompute.steps import FoldStep
from ratings.results.models import Change, PastChange, PastWide, Standing, Wide
from ratings.results.rating_differences import RatingDifference
from ratings.results.read_states import history_before
from ratings.storage.bulk_writing import MANY, Spool, batches, escaped, insert_rows, room_for_many, take_stock

ONE_DAY = timedelta(days=1)
"""The most by which time zones can part a list's day from today."""
_AT_ONCE = 500
_KEYS_AT_ONCE = 10_000
STANDING_COLUMNS = ("federation_id", "player_id", "track", "order", "rating", "games", "due", "state")
LIST_COLUMNS = ("rating_list_id", "player_id", "rank", "position", "rating", "previous", "games", "status")
WIDE_COLUMNS = ("federation_id", "order", "state", "since")


def write(work: Work, step: FoldStep, ledger: Ledger) -> bool:
    """Write a step's results in one transaction; False, with nothing written, if another was faster.

    What a correction changes is worked out before the transaction, in which others who write wait. It holds:
    whoever wrote results meanwhile was faster, and moved the ledger's line.
    """
    line = errata_of_corrections.correction_of(work, step) if step.line > step.published else None
    found = errata_of_corrections.differences_made(work, step, line) if line else []
    with room_for_many():
        return _write(work, step, ledger, line, found)


@transaction.atomic
def _write(
    work: Work, step: FoldStep, ledger: Ledger, line: Fact | None, found: Sequence[RatingDifference]
) -> bool:
    now = timezone.now()
    mine = Ledger.objects.filter(pk=ledger.pk, done=ledger.done, line=ledger.line, rules=ledger.rules)
    if not mine.update(line=step.line, heartbeat=now, holder=ledger.holder):
        return False
    _supersede_left(work, step)
    _move(Change, PastChange, CHANGE_COLUMNS, work.superseded, step.line)
    work.changes.write()
    _write_wides(work, step)
    _restore_lost(work)
    _write_standings(work)
    _mark_folded(work, step)
    for drawn in work.lists:
        decided = publishing_of(work.federation, drawn)
        at = published_at(decided, drawn, now)
        freeze(work, drawn, ledger=ledger.wanted, at=at, note=note_of(decided))
    if line is not None and line.kind == "revised":
        _revise(work, line, ledger=ledger.wanted, now=now)
    if line is not None:
        errata_of_corrections.write_erratum(work, line, found)
    if work.changes.rows >= MANY:
        take_stock(Change, Standing)
    return True


def _supersede_left(work: Work, step: FoldStep) -> None:
    """Mark the changes of facts that the step leaves out as superseded: they are in force no more."""
    taken = {key for key, _fingerprint in step.rows}
    left = [key for key in work.folded_before().values_list("pk", flat=True) if key not in taken]
    for some in batches(left, _AT_ONCE):
        for row in Change.objects.filter(fact__in=some).values_list("pk", "player_id", "track"):
            work.supersede(*row)


def _move(
    source: type[models.Model],
    target: type[models.Model],
    columns: Sequence[str],
    keys: Sequence[int],
    until: int,
) -> None:
    """Move rows of these keys from the table of what is known now (`source`) to that of the past (`target`),
    with `until`, the first line by which they no longer hold.
    """
    quote = connection.ops.quote_name
    names = ", ".join(map(quote, columns))
    here, there = quote(source._meta.db_table), quote(target._meta.db_table)
    postgres = connection.vendor == "postgresql"
    chosen = "id = ANY(%s)" if postgres else "id IN (SELECT value FROM json_each(%s))"
    with connection.cursor() as cursor:
        for some in batches(keys, _KEYS_AT_ONCE):
            given = some if postgres else str(some)
            cursor.execute(
                f"INSERT INTO {there} ({names}, {quote('until')}) "
                f"SELECT {names}, %s FROM {here} WHERE {chosen}",
                [until, given],
            )
            cursor.execute(f"DELETE FROM {here} WHERE {chosen}", [given])


def _write_wides(work: Work, step: FoldStep) -> None:
    stored = Wide.objects.filter(federation=work.federation, order__gte=step.start)
    known = {order: (key, state) for key, order, state in stored.values_list("pk", "order", "state")}
    new = []
    for order, state, since in work.wides:
        if order in known and known[order][1] == state:
            del known[order]
        else:
            new.append(Wide(federation=work.federation, order=order, state=state, since=since))
    _move(Wide, PastWide, WIDE_COLUMNS, [key for key, _state in known.values()], step.line)
    Wide.objects.bulk_create(new)


def _restore_lost(work: Work) -> None:
    """Give players whose newest change was superseded, with no other in its place, the standing that they had
    before `start`, or none.
    """
    touched = {(work.key_of(player), track) for player, track in work.touched} if work.lost else set()
    lost = work.lost - touched
    players = {player for player, _track in lost}
    for player, track in lost:
        Standing.objects.filter(player_id=player, track=track)._raw_delete("default")
    load, federation, text_of = work.ruleset.storage.load, str(work.federation.pk), work.rating_text
    spool = Spool(Standing, STANDING_COLUMNS)
    for row in history_before(work.federation, work.start, players):
        if (row.player, row.track) not in lost:
            continue
        standing = load(row.track, row.state)
        spool.add(
            federation,
            str(row.player),
            row.track,
            str(row.order),
            text_of(standing.rating),
            str(standing.games),
            "1" if standing.due else "0",
            escaped(row.state),
        )
    spool.write()
    spool.close()


def _write_standings(work: Work) -> None:
    dump, federation, text_of = work.ruleset.storage.dump, str(work.federation.pk), work.rating_text
    spool = Spool(Standing, STANDING_COLUMNS)
    for (player, track), order in work.touched.items():
        standing = work.state.standings[player, track]
        spool.add(
            federation,
            str(work.key_of(player)),
            track,
            str(order),
            text_of(standing.rating),
            str(standing.games),
            "1" if standing.due else "0",
            escaped(dump(standing)),
        )
    spool.upsert(key=("player_id", "track"), update=("order", "rating", "games", "due", "state"))
    spool.close()


def _mark_folded(work: Work, step: FoldStep) -> None:
    """Note on each fact the fingerprint with which it was folded, an empty one where it is in force no more;
    the one wanted may have changed meanwhile, and then the fact is folded again.
    """
    rows = Fact.objects.filter(federation=work.federation, order__gte=work.start)
    taken = {key for key, _fingerprint in work.folded}
    gone = [key for key in rows.exclude(folded="").values_list("pk", flat=True) if key not in taken]
    for some in batches(gone, _AT_ONCE):
        Fact.objects.filter(pk__in=some).update(folded="")
    table = connection.ops.quote_name(Fact._meta.db_table)
    with connection.cursor() as cursor:
        for column, marks in (("fingerprint", step.renamed.items()), ("folded", _new_marks(work, rows))):
            cursor.executemany(
                f"UPDATE {table} SET {column} = %s WHERE id = %s",
                [(fingerprint, key) for key, fingerprint in marks],
            )


def _new_marks(work: Work, rows: FactQuerySet) -> list[tuple[int, str]]:
    known = dict(rows.exclude(folded="").values_list("pk", "folded"))
    return [(key, fingerprint) for key, fingerprint in work.folded if known.get(key) != fingerprint]


def publishing_of(federation: Federation, drawn: DrawnList) -> Decision | None:
    """The office's decision that published a drawn list; None: it came with an imported journal."""
    decisions = Decision.objects.filter(federation=federation, kind="publish")
    return decisions.filter(about=f"list {drawn.closing.on}").prefetch_related("words").first()


def note_of(decided: Decision | None) -> str:
    """The note that officials wrote for everybody when they published a list; empty: none."""
    return str(decided.details.get("note") or "") if decided else ""


def published_at(decided: Decision | None, drawn: DrawnList, now: datetime) -> datetime:
    """The hour at which a list counts as published: that of the office's decision. A list that came with an
    imported journal has noon of its day.
    """
    on = drawn.closing.on
    if decided is not None:
        return decided.at
    return now if on >= now.date() - ONE_DAY else datetime.combine(on, time(12), UTC)


def _revise(work: Work, line: Fact, *, ledger: int, now: datetime) -> None:
    """Freeze the lists that a `revised` line changes, with the note that officials wrote for everybody."""
    federation = work.federation
    decisions = Decision.objects.filter(federation=federation, kind="revise").prefetch_related("words")
    decided = next((each for each in decisions if each.details.get("fact") == line.number), None)
    at = decided.at if decided else datetime.combine(line.on or now.date(), time(12), UTC)
    for drawn, standing in drawn_lists(federation, line, work.anew):
        freeze(work, drawn, ledger=ledger, at=at, supersedes=standing, note=note_of(decided))


def freeze(
    work: Work,
    drawn: DrawnList,
    *,
    ledger: int,
    at: datetime,
    supersedes: RatingList | None = None,
    note: str = "",
) -> RatingList:
    """Write a drawn list for ever: rows, bytes and their checksum. `ledger`: the recompute's number."""
    content, program = drawn.content(), keep()
    rating_list = RatingList.objects.create(
        federation=work.federation,
        track=drawn.track,
        on=drawn.closing.on,
        revision=supersedes.revision + 1 if supersedes else 1,
        supersedes=supersedes,
        fact_id=drawn.fact,
        ledger=ledger,
        edition=drawn.edition,
        program_version=program.version,
        program_sha256=program.sha256,
        players=len(drawn.rows),
        content=content,
        sha256=checksum(content),
        note=note,
        published_at=at,
    )
    work.frozen[drawn.track] = rating_list.on, _freeze_rows(work, drawn, rating_list)
    return rating_list


def _freeze_rows(work: Work, drawn: DrawnList, rating_list: RatingList) -> Frozen:
    """Write a list's rows, and return the ratings on it by the player's key."""
    previous, text_of, keys = work.previous_ratings(rating_list), work.rating_text, work.keys_of(drawn.rows)
    frozen: dict[int, tuple[Decimal, str]] = {}

    def rows() -> Iterator[tuple[Any, ...]]:
        for position, (key, row) in enumerate(zip(keys, drawn.rows, strict=True), start=1):
            rating, was = previous.get(key, (None, None))
            # Most ratings are the very objects of the list before.
            text = was if was is not None and rating is row.rating else text_of(row.rating)
            frozen[key] = row.rating, text
            yield rating_list.pk, key, row.rank, position, text, was, row.games, row.status

    insert_rows(ListRow, LIST_COLUMNS, rows())
    return frozen
