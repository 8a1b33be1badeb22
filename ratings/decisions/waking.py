"""Wakes the worker after a decision."""

from __future__ import annotations

from players.office.models import Federation
from players.office.wake import wake


def _wake(federation: Federation) -> None:
    wake("ratings.tasks.recompute", federation.pk)
