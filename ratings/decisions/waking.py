"""Wakes the worker after a decision."""

from __future__ import annotations

from players.office.models import Federation
from players.office.wake import wake


def wake_recompute(federation: Federation) -> None:
    """Tell the worker, once the decision is committed, that an office's ratings are to be recomputed."""
    wake("ratings.tasks.recompute", federation.pk)
