"""The ledger: the database row is the job. A recompute reads on from the line that the fold has reached.

The facts are folded with no lock held; all results of a step (`steps`), and the line that it reaches, are
written in one transaction that goes through only if the ledger is still what it was. Killed at any point,
nothing is half-done; woken fifty times, the work is done once.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.utils import timezone

from players.office import job_lease
from players.office.models import Federation, Ledger
from ratings.journal.models import Fact
from ratings.law.interpreter_costs import uncollected
from ratings.recompute.fold import Work
from ratings.recompute.low_priority import at_low_priority
from ratings.recompute.office_rules import own_rules, refuse_others
from ratings.recompute.rests import Rests
from ratings.recompute.revised_lists import drawn_anew
from ratings.recompute.steps import FoldStep, steps
from ratings.recompute.write import write

log = logging.getLogger(__name__)

BACK_OFF = (timedelta(minutes=1), timedelta(minutes=5), timedelta(minutes=30))
_MANY_FACTS = 500
"""The number of facts above which everybody's standing is read at once, not fact by fact."""

OnFact = Callable[[int, int], None]
"""Called now and then with the number of facts folded and the total."""


def recompute(federation: Federation, on_fact: OnFact | None = None, *, rests: Rests | None = None) -> bool:
    """Do the work that an office's ledger wants, if nobody else is doing it; return whether it was done.

    `on_fact` is told of the progress; a long fold takes `rests`, if there are any. Raises `OtherRules` where
    this program's rules are not those of what is stored, `FoldFailed` where the rules fail at a fact.
    Whatever it raises, the ledger's account of it is written; steps finished before stay.
    """
    refuse_others(federation, Ledger.objects.get(federation=federation))
    ledger = _claim(federation)
    if ledger is None:
        return False
    began = timezone.now()
    try:
        with uncollected():
            done = _fold_and_write(federation, ledger, on_fact, rests)
    except job_lease.DATABASE_TROUBLE:
        job_lease.give_back(ledger, folded=0, to_fold=0)
        raise
    except Exception as failure:
        note_failure(ledger, failure, began)
        raise
    if not done:  # somebody was faster
        job_lease.release(ledger)
    return done


def _claim(federation: Federation) -> Ledger | None:
    """Take the lease on the ledger if work is pending; None if there is none, or another worker has it, or
    the stored results are of other rules by now.
    """
    own = own_rules(federation)
    pending = Ledger.objects.pending().of_rules(own).select_related("federation")
    key = pending.filter(federation=federation).values_list("pk", flat=True).first()
    # A decision holds the row for a moment, and may not come back to wake anybody: wait for it.
    return job_lease.claim(pending, key, queue=True, folded=0, to_fold=0, rules=own) if key else None


def _fold_and_write(
    federation: Federation, ledger: Ledger, on_fact: OnFact | None, rests: Rests | None
) -> bool:
    of_office = Fact.objects.filter(federation=federation, number__lte=ledger.facts)
    progress = Progress(ledger, of_office.in_force().filter(number__gt=ledger.line).count(), on_fact)
    for step in steps(federation, ledger):
        progress.expect(len(step.rows) - step.new)
        if not take_step(step, federation, ledger, progress, rests):
            return False
        ledger.line = step.line
    return finish(ledger)


def take_step(
    step: FoldStep, federation: Federation, ledger: Ledger, progress: Progress, rests: Rests | None = None
) -> bool:
    """Fold and write one step; return False, with nothing written, where another recompute was faster."""
    many = len(step.rows) > _MANY_FACTS
    work = Work(federation, step.start, step.from_genesis, ledger.line, step.since, many=many)
    try:
        if rests and many:
            # Not the writing too, for which others wait on SQLite.
            at_low_priority(partial(_fold, work, step, ledger, progress, rests), progress.say)
        else:
            _fold(work, step, ledger, progress, None)
        work.settle()
        line = Fact.objects.get(federation=federation, number=step.line)
        if line.kind == "revised" and line.number > step.published:
            work.anew = drawn_anew(federation, line)
        return write(work, step, ledger)
    finally:
        work.close()


def _fold(work: Work, step: FoldStep, ledger: Ledger, progress: Progress, rests: Rests | None) -> None:
    for some in step.facts(work.federation):
        work.expect([row for row, _fact, _fingerprint in some])
        for row, fact, fingerprint in some:
            work.take(fact, row, fingerprint)
            # A list is drawn up once, empty or not.
            if row.kind == "list" and row.number > max(ledger.line, step.published):
                work.draw_up(fact, row)
            progress.step()
        if rests:
            rests.rest()


def finish(ledger: Ledger, **fields: Any) -> bool:
    """Release the ledger with nothing left to do, and set `fields`; False if another recompute was faster."""
    mine = Ledger.objects.filter(pk=ledger.pk, done=ledger.done, line=ledger.line, rules=ledger.rules)
    return bool(
        mine.update(
            done=ledger.wanted,
            finished_at=timezone.now(),
            holder=None,
            heartbeat=None,
            attempts=0,
            not_before=None,
            last_error="",
            folded=0,
            to_fold=0,
            **fields,
        )
    )


class Progress:
    """Writes the fold's progress to the ledger now and then, for pages to show; it is the heartbeat too."""

    def __init__(self, ledger: Ledger, total: int, on_fact: OnFact | None = None) -> None:
        self.total, self.done, self.on_fact = total, 0, on_fact
        self.pulse = job_lease.Pulse(ledger)
        self.writer = threading.get_ident()

    def expect(self, more: int) -> None:
        """Add facts that are to be folded to the total."""
        self.total += more
        self.say()

    def step(self) -> None:
        self.done += 1
        self.say()

    def tell(self, done: int, total: int) -> None:
        """Set how far the work has come, where its doer counts by itself."""
        self.done, self.total = done, total
        self.say()

    def say(self) -> None:
        """Write how far the work has come, if that was not done just now. Only the thread that began it
        writes: one at a low priority would keep the database's lock while others keep it from the processors.
        """
        if threading.get_ident() != self.writer:
            return
        if self.pulse.beat(folded=self.done, to_fold=self.total) and self.on_fact:
            self.on_fact(self.done, self.total)


def waits(ledger: Ledger, now: datetime) -> bool:
    """Whether a recompute that failed is not to be tried again yet. No failure waits for longer than the
    longest of `BACK_OFF`: a moment further ahead is of a clock that was set back since.
    """
    return ledger.not_before is not None and now < ledger.not_before <= now + BACK_OFF[-1]


def note_failure(ledger: Ledger, failure: Exception, began: datetime) -> None:
    """Write the failure to the ledger; the more there were, the longer the next attempt waits."""
    wait = BACK_OFF[min(ledger.attempts, len(BACK_OFF)) - 1]
    job_lease.release(ledger, not_before=began + wait, last_error=str(failure) or repr(failure))
    log.error("recompute of %s failed at %s", ledger.federation.code, failure)
