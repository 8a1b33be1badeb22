"""Tasks of offices: recomputes, signing and its witnesses, figures, transfers and dumps. A message carries a
primary key and nothing else; the row says what to do. The sweep does what no message announced.
"""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from celery import shared_task
from django.conf import settings
from django.db import connection
from django.utils import timezone
from django.utils.translation import gettext_noop

from players import jobs, kept_pages
from players.jobs import Rests, run_at_low_priority, wake
from players.models import Federation, Ledger
from players.record import Refused
from players.settings import today
from players.writing import try_lock_folder
from ratings import merging, recompute as run_recompute
from ratings.dumps import build_dump_if_due, is_dump_due, is_quiet_or_overdue
from ratings.figures import compute_review_figures, recount_doubles_if_changed
from ratings.hints import search_due_hints
from ratings.people import carry_out_due_transfers
from ratings.records import keep_next_year
from ratings.rules_change import bring_rules_into_force
from ratings.signing import sign_due_checkpoints
from ratings.witnesses import Unwitnessed, has_due_offers, offer_due_checkpoints, offer_to_own_witness

log = logging.getLogger(__name__)
PAUSES = (0.2, 1.0, 3.0)
"""Seconds before each further try at work that the database failed; then the next sweep tries again."""


@contextmanager
def _logged(message: str, *arguments: object) -> Iterator[None]:
    """Log any exception with this message, so that the work after it goes on; a busy database is no error."""
    try:
        yield
    except Exception as error:
        if jobs.is_database_busy(error):
            log.info(f"{message}: %s", *arguments, error)
        else:
            log.exception(message, *arguments)


@shared_task(name="ratings.tasks.recompute")
def recompute(federation_id: int) -> None:
    """Task: do the pending work of one federation's ledger, until nothing is pending."""
    run(Federation.objects.get(pk=federation_id))


@shared_task(name="ratings.tasks.sweep")
def sweep() -> None:
    """Task, run every 30 seconds: do the work of every office that no message announced."""
    for federation in Federation.objects.all():
        with _logged("the rules of %s cannot be compared; the sweep tries again", federation.code):
            bring_rules_into_force(federation)
        with _logged("the calendar of %s could not be looked at; the sweep tries again", federation.code):
            run_recompute.request_if_calendar_moved(federation)
    for row in jobs.free(Ledger.objects.pending()).select_related("federation"):
        if not run_recompute.must_wait(row, timezone.now()):
            run(row.federation)
    for federation in Federation.objects.all():
        sign(federation)
        draw_figures_and_hints(federation)
        with _logged("the doubles of %s could not be counted; the sweep tries again", federation.code):
            recount_doubles_if_changed(federation, timezone.now())
        carry_out_transfers(federation)
        queue_dump_if_due(federation)
        with _logged("the records of %s could not be worked out; the sweep tries again", federation.code):
            keep_next_year(federation)
        with _logged("the copies of pages of %s could not be looked at", federation.code):
            kept_pages.forget_if_taken_back(federation)
    merging.delete_unwanted_outlooks(timezone.now())
    jobs.sweep("ratings")


@shared_task(name="ratings.tasks.draw_dump")
def draw_dump(federation_id: int) -> None:
    """Task of the worker of files: draw up an office's dump at a low priority, if due, unless another process
    is at a dump. The worker has two processes at least, so one of them is always left for the files that
    regions wait for, however long a dump takes.
    """
    federation = Federation.objects.get(pk=federation_id)
    with (
        _logged("the dump of %s could not be drawn up; the sweep tries again", federation.code),
        try_lock_folder(Path(settings.DUMPS_DIR)) as alone,
    ):
        if alone:
            run_at_low_priority(partial(build_dump_if_due, federation, timezone.now()))


@shared_task(name="ratings.tasks.figures")
def figures(federation_id: int) -> None:
    """Task: draw up the figures of the sections of one federation that wait for an official."""
    draw_figures_and_hints(Federation.objects.get(pk=federation_id))


def draw_figures_and_hints(federation: Federation) -> None:
    """Draw up the queue's figures and hints."""
    with _logged("the figures of %s could not be drawn up; the sweep tries again", federation.code):
        compute_review_figures(federation)
        search_due_hints(federation)


def queue_dump_if_due(federation: Federation) -> None:
    """Have a dump that is due drawn up; the message expires, so that none pile up behind files."""
    with _logged("the dump of %s could not be looked at; the sweep tries again", federation.code):
        if is_dump_due(federation) and is_quiet_or_overdue(federation, timezone.now()):
            wake("ratings.tasks.draw_dump", federation.pk, expires=settings.SWEEP_SECONDS)


def run(federation: Federation) -> None:
    """Recompute an office until nothing is pending or another worker is at it. A failure is noted in the
    ledger; after one of the database the work is tried again at once, because nobody can decide while a list
    is drawn up.
    """
    for pause in (*PAUSES, None):
        try:
            done = False
            while bring_rules_into_force(federation) and run_recompute.recompute(federation, rests=Rests()):
                done = True
            if done:
                run_recompute.cache_todays_tables(federation)
                queue_dump_if_due(federation)
            break
        except jobs.MACHINE_TROUBLE:
            if pause is None:
                log.exception("the machine failed the fold of %s; the sweep tries again", federation.code)
                break
            time.sleep(pause)
            if not connection.in_atomic_block:
                connection.close_if_unusable_or_obsolete()
        except Exception:
            log.exception("the fold of %s failed; the sweep tries again", federation.code)
            break
    sign(federation)


@shared_task(name="ratings.tasks.offer_checkpoints")
def offer_checkpoints(federation_id: int) -> None:
    """Task of the worker of files, so that no list waits for a witness: offer an office's checkpoints."""
    federation = Federation.objects.get(pk=federation_id)
    with _logged("the checkpoints of %s could not be offered; the sweep tries again", federation.code):
        offer_due_checkpoints(federation, timezone.now())


def sign(federation: Federation) -> None:
    """Sign an office's committed lines that are due, and have them witnessed; those elsewhere are asked by
    another worker.
    """
    with _logged("signing the journal of %s failed; the sweep tries again", federation.code):
        try:
            sign_due_checkpoints(federation, at=timezone.now())
        except Refused as refused:
            mend = gettext_noop("See docs/operating.md, “One history”.")
            log.error("the journal of %s is not signed: %s", federation.code, refused, extra={"mend": mend})
        if federation.demo:
            try:
                offer_to_own_witness(federation, timezone.now())
            except (Refused, Unwitnessed) as refused:
                log.warning("the own witness of %s did not sign: %s", federation.code, refused)
        if has_due_offers(federation, timezone.now()):
            wake("ratings.tasks.offer_checkpoints", federation.pk, expires=settings.SWEEP_SECONDS)


def carry_out_transfers(federation: Federation) -> None:
    """Carry out the granted transfers whose day has come."""
    with _logged("a transfer of %s could not be carried out; the sweep tries again", federation.code):
        try:
            carry_out_due_transfers(federation, today(federation))
        except Refused as refused:
            log.warning("a transfer of %s waits: %s", federation.code, refused)
