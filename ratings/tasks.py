"""Tasks that wake the worker: for offices' recomputes, signing, figures, handovers and dumps, for histories,
for merges, and for tables of the register. A message carries a key and nothing else; the row says what to do.
The sweeps do what no message announced.
"""

from __future__ import annotations

import logging
import time
from functools import partial

from celery import shared_task
from django.conf import settings
from django.db import connection
from django.utils import timezone

from players import models
from players.jobs import Rests, wake
from players.models import Federation, Ledger
from players.record import Refused
from players.settings import today
from ratings import history, merging, register_import
from ratings import recompute as run_recompute
from ratings.dumps import draw_when_due, is_due, is_settled
from ratings.figures import count_doubles, draw_up_figures
from ratings.handovers import carry_out_handovers
from ratings.hints import draw_up_hints
from ratings.lists import ask_worker, draw, kept
from ratings.models import RatingList
from ratings.people import carry_out_due
from ratings.recompute import in_background
from ratings.rules_change import take_up
from ratings.signing import sign_due

log = logging.getLogger(__name__)
PAUSES = (0.2, 1.0, 3.0)
"""Seconds before each further try at work that the database failed; then the next sweep tries again."""
AGAIN_SECONDS = 5
"""Seconds after which a list is asked for again that found the background taken."""


@shared_task(name="ratings.tasks.recompute")
def recompute(federation_id: int) -> None:
    """Task: do the pending work of one federation's ledger, until nothing is pending."""
    run(Federation.objects.get(pk=federation_id))


@shared_task(name="ratings.tasks.merge_outlook")
def merge_outlook(key: int) -> None:
    """Task: draw up what merging two entries would change."""
    merging.draw(key)


@shared_task(name="ratings.tasks.work_on_history")
def work_on_history(key: int) -> None:
    """Task of the worker of files: read, check or write a history, whichever it waits for."""
    history.run(key)


@shared_task(name="ratings.tasks.sweep_histories")
def sweep_histories() -> None:
    """Task of the worker of files: work on histories whose message was lost or whose worker died."""
    history.sweep()


@shared_task(name="ratings.tasks.sweep")
def sweep() -> None:
    """Task, run every 30 seconds: for every office, take up new rules, do the work that no message announced,
    note what the calendar moved, sign, draw up the queue's figures, count likely doubles, carry out
    handovers, ask for dumps that are due, and draw up what merging would change.
    """
    for federation in Federation.objects.all():
        # Take up the rules of this program where an office's ratings are of others; log what prevents it.
        try:
            take_up(federation)
        except Exception:
            log.exception("the rules of %s cannot be compared; the sweep tries again", federation.code)
        turn(federation)
    for row in models.free(Ledger.objects.pending()).select_related("federation"):
        if not run_recompute.waits(row, timezone.now()):
            run(row.federation)
    for federation in Federation.objects.all():
        sign(federation)
        figure_out(federation)
        # Count likely doubles for the desk; log what prevents it, the next sweep tries again.
        try:
            count_doubles(federation, timezone.now())
        except Exception:
            log.exception("the doubles of %s could not be counted; the sweep tries again", federation.code)
        hand_over(federation)
        ask_for_dump(federation)
    merging.sweep()


@shared_task(name="ratings.tasks.draw_dump")
def draw_dump(federation_id: int) -> None:
    """Task of the worker of files, in the background: draw up the public's dump of one office, if it is due.
    While something else is done there, the sweep asks again.
    """
    federation = Federation.objects.get(pk=federation_id)
    try:
        in_background(partial(draw_when_due, federation, timezone.now()))
    except Exception:
        log.exception("the dump of %s could not be drawn up; the sweep tries again", federation.code)


@shared_task(name="ratings.tasks.draw_known_list")
def draw_known_list(list_id: int) -> None:
    """Task of the worker of files, in the background: draw up a list as known now, which somebody asked for.
    While something else is done there, it is asked for again.
    """
    shown = RatingList.objects.select_related("federation").without_content().get(pk=list_id)
    try:
        if kept(shown) is None and not in_background(partial(draw, shown)):
            ask_worker(shown, countdown=AGAIN_SECONDS)
    except Exception:
        log.exception("the list of %s as known now could not be drawn up", shown)


@shared_task(name="ratings.tasks.figures")
def figures(federation_id: int) -> None:
    """Task: draw up the figures of the sections of one federation that wait for an official."""
    figure_out(Federation.objects.get(pk=federation_id))


def figure_out(federation: Federation) -> None:
    """Draw up the queue's figures and hints; log what prevents it, the next sweep tries again."""
    try:
        draw_up_figures(federation)
        draw_up_hints(federation)
    except Exception:
        log.exception("the figures of %s could not be drawn up; the sweep tries again", federation.code)


def hand_over(federation: Federation) -> None:
    """Carry out the handovers whose day has come; log what prevents it, the next sweep tries again."""
    try:
        carry_out_handovers(federation, today(federation))
    except Refused as refused:
        log.warning("a handover of %s waits: %s", federation.code, refused)
    except Exception:
        log.exception("a handover of %s could not be carried out; the sweep tries again", federation.code)


def ask_for_dump(federation: Federation) -> None:
    """Have the worker of files draw up a dump that is due, once the office has decided what it is at.

    The message expires before the next sweep, so that none pile up behind files.
    """
    try:
        if is_due(federation) and is_settled(federation, timezone.now()):
            wake("ratings.tasks.draw_dump", federation.pk, expires=settings.SWEEP_SECONDS)
    except Exception:
        log.exception("the dump of %s could not be looked at; the sweep tries again", federation.code)


def run(federation: Federation) -> None:
    """Recompute an office until nothing is pending or another is at it; a failure stands on the ledger.

    Where the database ended the work, that is nobody's fault: it is tried again at once. Nobody decides while
    a list is drawn up, so nobody shall wait for the sweep.
    """
    for pause in (*PAUSES, None):
        try:
            done = False
            while take_up(federation) and run_recompute.recompute(federation, rests=Rests()):
                done = True
            if done:
                run_recompute.make_ready(federation)
                ask_for_dump(federation)
            break
        except models.DATABASE_TROUBLE:
            if pause is None:
                log.exception("the database failed the fold of %s; the sweep tries again", federation.code)
                break
            time.sleep(pause)
            if not connection.in_atomic_block:
                connection.close_if_unusable_or_obsolete()
        except Exception:
            log.exception("the fold of %s failed; the sweep tries again", federation.code)
            break
    sign(federation)


def turn(federation: Federation) -> None:
    """Ask for a recompute if the calendar moved ratings; log what prevents it, the next sweep tries again."""
    try:
        run_recompute.turn(federation)
    except Exception:
        log.exception("the calendar of %s could not be looked at; the sweep tries again", federation.code)


def sign(federation: Federation) -> None:
    """Sign an office's committed lines that are due; log what prevents it, the next sweep tries again."""
    try:
        sign_due(federation, at=timezone.now())
    except Refused as refused:
        log.error("the journal of %s is not signed: %s", federation.code, refused)
    except Exception:
        log.exception("signing the journal of %s failed; the sweep tries again", federation.code)


# ---- Tables of the register.
@shared_task(name="ratings.tasks.import_register")
def import_register(key: int) -> None:
    """Do the work that a table of the register waits for: its dry run, or its writing."""
    register_import.run(key)


@shared_task(name="ratings.tasks.sweep_register")
def sweep_register() -> None:
    """Do the work of tables of the register whose message was lost or whose worker died; carry out granted
    transfers whose day has come.
    """
    register_import.sweep()
    for federation in Federation.objects.all():
        try:
            carry_out_due(federation, today(federation))
        except Refused as refused:
            log.warning("a transfer of %s waits: %s", federation.code, refused)
