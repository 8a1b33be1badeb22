"""Marks the ledger on days when the calendar alone moves ratings, as after a decision.

Pages work out the ratings of their day in any case, whether the worker runs or not. The recompute notes that
the day was reached, and has the day's ratings ready before the first reader asks for them.
"""

from __future__ import annotations

from datetime import date, timedelta
from zoneinfo import ZoneInfo

from django.db import transaction
from django.db.models import F

from players.office.decision_record import lock_ledger
from players.office.models import Federation, Ledger
from players.office.settings_schema import today
from ratings.equipment.rule_table_pages import pages_of
from ratings.journal.read_facts import AFTER_EVERYTHING
from ratings.results.cached_rule_tables import tables_of
from ratings.results.read_states import state_before

A_DAY = timedelta(1)


def turn(federation: Federation) -> bool:
    """Ask for a recompute (raise `wanted`) if the calendar moved ratings since the last, however long ago."""
    if federation.ruleset.calendar.days_of_change is None:
        return False
    now = today(federation)
    if not _reached(federation, Ledger.objects.get(federation=federation), now):
        return False
    with transaction.atomic():
        ledger = lock_ledger(federation)
        if ledger.pending or not _reached(federation, ledger, now):
            return False
        Ledger.objects.filter(pk=ledger.pk).update(wanted=F("wanted") + 1)
    return True


def _reached(federation: Federation, ledger: Ledger, now: date) -> bool:
    if ledger.finished_at is None or federation.ruleset.calendar.days_of_change is None:
        return False
    done_on = ledger.finished_at.astimezone(ZoneInfo(federation.equipment.office.time_zone)).date()
    if done_on >= now:
        return False
    wide = state_before(federation, AFTER_EVERYTHING, frozenset()).wide
    return bool(federation.ruleset.calendar.days_of_change(wide, done_on + A_DAY, now))


def make_ready(federation: Federation) -> None:
    """Work out the tables that depend on today's date and leave them in the cache for the first reader."""
    if federation.ruleset.calendar.days_of_change is None:
        return
    now = today(federation)
    for page in pages_of(federation.ruleset):
        if page.ratings or page.tables:
            tables_of(federation, page, now, now)
