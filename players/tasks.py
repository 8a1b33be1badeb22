"""Tasks that wake the worker for tables of the register. A message carries a key; the row says what to do."""

from __future__ import annotations

import logging

from celery import shared_task

from players.importing import worker
from players.office.decision_record import Refused
from players.office.models import Federation
from players.office.settings_schema import today
from players.people.transfers import carry_out_due

log = logging.getLogger(__name__)


@shared_task(name="players.tasks.import_register")
def import_register(key: int) -> None:
    """Do the work that a table of the register waits for: its dry run, or its writing."""
    worker.run(key)


@shared_task(name="players.tasks.sweep_register")
def sweep_register() -> None:
    """Do the work of tables of the register whose message was lost or whose worker died; carry out granted
    transfers whose day has come.
    """
    worker.sweep()
    for federation in Federation.objects.all():
        try:
            carry_out_due(federation, today(federation))
        except Refused as refused:
            log.warning("a transfer of %s waits: %s", federation.code, refused)
