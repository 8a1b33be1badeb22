"""Tasks that wake the worker. A message carries a key and nothing else; the row says what to do."""

from __future__ import annotations

import logging

from celery import shared_task
from django.db.models import Q
from django.utils import timezone

from players.office import job_lease
from players.office.models import Federation, Ledger
from players.office.record import Refused
from ratings.recompute import days_of_change, ledger
from ratings.signing.services import sign_due

log = logging.getLogger(__name__)


@shared_task(name="ratings.tasks.recompute")
def recompute(federation_id: int) -> None:
    """Task: do the pending work of one federation's ledger, until nothing is pending."""
    run(Federation.objects.get(pk=federation_id))


@shared_task(name="ratings.tasks.sweep")
def sweep() -> None:
    """Task, run every 30 seconds: for every office, do the work that no message announced, note what the
    calendar moved, and sign.
    """
    for federation in Federation.objects.all():
        turn(federation)
    due = Q(not_before=None) | Q(not_before__lte=timezone.now())
    for row in job_lease.free(Ledger.objects.pending()).filter(due).select_related("federation"):
        run(row.federation)
    for federation in Federation.objects.all():
        sign(federation)


def run(federation: Federation) -> None:
    """Recompute an office until nothing is pending or another is at it; a failure stands on the ledger."""
    try:
        done = False
        while ledger.recompute(federation):
            done = True
        if done:
            days_of_change.make_ready(federation)
    except Exception:
        log.exception("the fold of %s failed; the sweep tries again", federation.code)
    sign(federation)


def turn(federation: Federation) -> None:
    """Ask for a recompute if the calendar moved ratings; log what prevents it, the next sweep tries again."""
    try:
        days_of_change.turn(federation)
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
