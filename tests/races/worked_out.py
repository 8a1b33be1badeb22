"""Waits until the office's worker has nothing left to work out."""

from __future__ import annotations

import time

WORKED_OUT_WITHIN = 300.0


def until_worked_out() -> str:
    """Wait until all is worked out; return what is not if it takes too long, else nothing."""
    from players.models import Ledger

    deadline = time.monotonic() + WORKED_OUT_WITHIN
    while Ledger.objects.pending().exists():
        if time.monotonic() > deadline:
            return f"not worked out: {Ledger.objects.pending().values()[0]}"
        time.sleep(0.2)
    return ""
