"""The ledger: the database row is the job. A recompute starts at the first fact not folded as it should be.

The facts are folded with no lock held; everything that comes of them, and `done`, is written in one
transaction that goes through only if `done` is still what it was. Killed at any point, nothing is half-done;
woken fifty times, the work is done once.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta

from django.db import connection, transaction
from django.db.models import Q
from django.utils import timezone

from players.models import Decision, Federation, Ledger
from ratings.bulk import MANY, NULL, Spool, batches, escaped, take_stock
from ratings.models import Change, Fact, FactQuerySet, ListRow, RatingList, Standing, Wide
from ratings.rulesets import facts, journal
from ratings.rulesets.collector import uncollected
from ratings.states import AFTER_EVERYTHING, aliases, folded_fact, history_before
from ratings.work import DrawnList, Work, checksum

log = logging.getLogger(__name__)

AWAY = timedelta(seconds=5)
"""A recompute whose heartbeat is older than this has died: another may take over."""
BACK_OFF = (timedelta(minutes=1), timedelta(minutes=5), timedelta(minutes=30))
_BEAT = timedelta(seconds=0.5)
ONE_DAY = timedelta(days=1)
"""Beyond which no time zone explains that a list's day is not today."""
_FACTS_AT_ONCE = 50
STANDING_COLUMNS = ("federation_id", "player_id", "track", "order", "rating", "games", "due", "state")
LIST_COLUMNS = ("rating_list_id", "player_id", "rank", "position", "rating", "previous", "games", "status")


OnFact = Callable[[int, int], None]
"""Told now and then how many facts are folded, and of how many."""


def recompute(federation: Federation, on_fact: OnFact | None = None) -> bool:
    """Do what the ledger wants, if nobody else is at it. Returns whether it was done.

    Raises `FoldFailed` where the rules fail at a fact. Whatever it raises, nothing is written but the
    ledger's own account of it.
    """
    now = timezone.now()
    ledger = Ledger.objects.get(federation=federation)
    if not ledger.pending or not _claim(ledger, now):
        return False
    try:
        with uncollected():
            return _fold_and_write(federation, ledger, on_fact)
    except Exception as failure:
        _note_failure(ledger, failure, now)
        raise


def _claim(ledger: Ledger, now: datetime) -> bool:
    idle = Q(heartbeat=None) | Q(heartbeat__lt=now - AWAY)
    mine = Ledger.objects.filter(idle, pk=ledger.pk, done=ledger.done)  # what was done meanwhile is done
    return bool(mine.update(heartbeat=now, folded=0, to_fold=0))


def _fold_and_write(federation: Federation, ledger: Ledger, on_fact: OnFact | None) -> bool:
    plan = plan_for(federation)
    work = Work(federation, plan.start, plan.from_genesis)
    try:
        progress = Progress(ledger, len(plan.rows), on_fact)
        for row, fact, fingerprint in plan.facts(federation):
            work.take(fact, row, fingerprint)
            if row.kind == "list" and not row.folded:  # a list is drawn up once, empty or not
                work.draw_up(fact, row)
            progress.step()
        return _write(work, ledger)
    finally:
        work.close()


@dataclass(slots=True)
class Plan:
    """What is to be folded: from the first fact that differs, everything that is to be folded, in order."""

    start: int
    from_genesis: bool
    rows: list[tuple[int, str]]
    """Keys of facts in order, with the fingerprint that each is to be folded with."""
    annotated: dict[int, facts.Fact]
    """Facts that the ruleset annotated already, by key."""

    def facts(self, federation: Federation) -> Iterator[tuple[Fact, facts.Fact, str]]:
        """Read the facts, few at a time: a statement held open would hold the database's past open too."""
        names = aliases(federation)
        for some in batches(self.rows, _FACTS_AT_ONCE):
            rows = Fact.objects.select_related("takes").in_bulk([pk for pk, _ in some])
            for pk, fingerprint in some:
                rows[pk].federation = federation
                yield rows[pk], self.annotated.get(pk) or folded_fact(rows[pk], names), fingerprint


def plan_for(federation: Federation) -> Plan:
    """Where the fold starts, and what it takes."""
    in_order = Fact.objects.filter(federation=federation, order__isnull=False).order_by("order")
    annotated: dict[int, facts.Fact] = {}
    if federation.ruleset.annotate:
        annotated, wanted = _annotated(federation, in_order.exclude(fingerprint=""))
        stored = in_order.values_list("pk", "order", "folded")
        differing = next((order for pk, order, folded in stored if wanted.get(pk, "") != folded), None)
    else:
        first = in_order.differing().first()
        differing = first.order if first else None
    if differing is None:
        return Plan(start=AFTER_EVERYTHING, from_genesis=False, rows=[], annotated={})
    rows = in_order.filter(order__gte=differing).exclude(fingerprint="").values_list("pk", "fingerprint")
    before = in_order.filter(order__lt=differing).exclude(folded="")
    if federation.ruleset.annotate:  # what was approved since the notes were made waits for its own turn
        fingerprints = [(pk, wanted[pk]) for pk, _fingerprint in rows if pk in wanted]
    else:
        fingerprints = list(rows)
    return Plan(differing, not before.exists(), fingerprints, annotated)


def _annotated(federation: Federation, rows: FactQuerySet) -> tuple[dict[int, facts.Fact], dict[int, str]]:
    """All facts of a ruleset that annotates, by key, with the fingerprints that the notes give them."""
    names = aliases(federation)
    plain = {
        row.number: (row.pk, folded_fact(row, names)) for row in rows.select_related("takes", "federation")
    }
    ordered = federation.ruleset.journal_order(fact for _, fact in plain.values())
    by_key = {plain[fact.number][0]: fact for fact in ordered}
    return by_key, {pk: journal.fingerprint(fact, federation.ruleset) for pk, fact in by_key.items()}


class Progress:
    """Says on the ledger how far the fold is, now and then, for whoever waits; that is its heartbeat too."""

    def __init__(self, ledger: Ledger, total: int, on_fact: OnFact | None = None) -> None:
        self.ledger, self.total, self.done, self.on_fact = ledger, total, 0, on_fact
        self.said = timezone.now()

    def step(self) -> None:
        self.done += 1
        now = timezone.now()
        if now - self.said >= _BEAT:
            self.said = now
            row = Ledger.objects.filter(pk=self.ledger.pk)
            row.update(folded=self.done, to_fold=self.total, heartbeat=now)
            if self.on_fact:
                self.on_fact(self.done, self.total)


def _note_failure(ledger: Ledger, failure: Exception, now: datetime) -> None:
    wait = BACK_OFF[min(ledger.attempts, len(BACK_OFF) - 1)]
    Ledger.objects.filter(pk=ledger.pk).update(
        attempts=ledger.attempts + 1,
        not_before=now + wait,
        last_error=str(failure) or repr(failure),
        heartbeat=None,
    )
    log.error("recompute of %s failed at %s", ledger.federation.code, failure)


# ---------------------------------------------------------------- one transaction


@transaction.atomic
def _write(work: Work, ledger: Ledger) -> bool:
    """Everything, or nothing where another recompute was faster."""
    now = timezone.now()
    mine = Ledger.objects.filter(pk=ledger.pk, done=ledger.done)
    if not mine.update(
        done=ledger.wanted,
        finished_at=now,
        heartbeat=None,
        attempts=0,
        not_before=None,
        last_error="",
        folded=0,
        to_fold=0,
    ):
        return False
    _clear(work)
    work.changes.write()
    Wide.objects.bulk_create(
        [Wide(federation=work.federation, order=order, state=state) for order, state in work.wides]
    )
    _write_standings(work)
    _mark_folded(work)
    for drawn in work.lists:
        freeze(work, drawn, ledger=ledger.wanted, at=published_at(work.federation, drawn, now))
    if work.changes.rows >= MANY:
        take_stock(Change, Standing)
    return True


def _clear(work: Work) -> None:
    """Take back what was folded from `start` on, and give those whom it moved their standing before it."""
    federation, start = work.federation, work.start
    # By their keys, few as a rule: asked for them by a subquery, PostgreSQL reads every change there is.
    superseded = Fact.objects.filter(federation=federation, order__gte=start).exclude(folded="")
    gone = [
        Change.objects.filter(fact__in=some) for some in batches(superseded.values_list("pk", flat=True), 500)
    ]
    if work.from_genesis:
        Standing.objects.filter(federation=federation)._raw_delete("default")
    else:
        players = {player for some in gone for player in some.values_list("player_id", flat=True).distinct()}
        for some in batches(players, 500):
            Standing.objects.filter(player_id__in=some)._raw_delete("default")
        _restore(work, players)
    for changes in gone:
        changes._raw_delete("default")
    Wide.objects.filter(federation=federation, order__gte=start)._raw_delete("default")


def _restore(work: Work, players: set[int]) -> None:
    load, federation, text_of = work.ruleset.load, str(work.federation.pk), work.rating_text
    spool = Spool(Standing, STANDING_COLUMNS)
    for row in history_before(work.federation, work.start, players):
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
    dump, federation, text_of = work.ruleset.dump, str(work.federation.pk), work.rating_text
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


def _mark_folded(work: Work) -> None:
    """Note what was folded: not what is wanted now, which may have changed meanwhile."""
    rows = Fact.objects.filter(federation=work.federation, order__gte=work.start)
    rows.exclude(folded="").update(folded="")
    with connection.cursor() as cursor:
        cursor.executemany(
            f"UPDATE {Fact._meta.db_table} SET folded = %s WHERE id = %s",
            [(fingerprint, pk) for pk, fingerprint in work.folded],
        )


def published_at(federation: Federation, drawn: DrawnList, now: datetime) -> datetime:
    """When it was decided here; a list that a journal brought along was published on its day."""
    on = drawn.closing.on
    here = Decision.objects.filter(federation=federation, kind="publish", about=f"list {on}").first()
    if here is not None:
        return here.at
    return now if on >= now.date() - ONE_DAY else datetime.combine(on, time(12), UTC)


def freeze(
    work: Work,
    drawn: DrawnList,
    *,
    ledger: int,
    at: datetime,
    supersedes: RatingList | None = None,
    note: str = "",
) -> RatingList:
    """Write a drawn list for ever: its rows, its bytes and their checksum."""
    content = drawn.content()
    rating_list = RatingList.objects.create(
        federation=work.federation,
        track=drawn.track,
        on=drawn.closing.on,
        revision=supersedes.revision + 1 if supersedes else 1,
        supersedes=supersedes,
        fact_id=drawn.fact,
        ledger=ledger,
        edition=drawn.edition,
        players=len(drawn.rows),
        content=content,
        sha256=checksum(content),
        note=note,
        published_at=at,
    )
    previous, text_of = work.previous_ratings(rating_list), work.rating_text
    frozen: dict[int, str] = {}
    spool = Spool(ListRow, LIST_COLUMNS)
    pk = str(rating_list.pk)
    for position, row in enumerate(drawn.rows, start=1):
        player = work.key_of(row.player)
        frozen[player] = rating = text_of(row.rating)
        spool.add(
            pk,
            str(player),
            str(row.rank),
            str(position),
            rating,
            previous.get(player, NULL),
            str(row.games),
            row.status,
        )
    spool.write()
    spool.close()
    work.frozen[drawn.track] = rating_list.on, frozen
    return rating_list
