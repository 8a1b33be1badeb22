"""Rests of long work: on a busy machine it leaves the processors to those who wait for an answer."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from math import inf

from django.db import connection

SHARE = 2.0
"""The time of a rest, in the time that was worked before it …"""
LONGEST = 1.0
"""… and at most so many seconds: a worker that is silent for longer seems dead."""


@dataclass(slots=True)
class Rests:
    """The rests of one piece of work, each in the measure of the work since the one before."""

    since: float = field(default_factory=lambda: time.monotonic())
    left: float = inf
    """The seconds for which it may still rest, in all."""

    def rest(self) -> None:
        """Rest where the machine is busy; in no transaction, whose locks others may wait for."""
        if not connection.in_atomic_block:
            self.rest_anywhere()

    def rest_anywhere(self) -> None:
        """Rest where the machine is busy, also in a transaction that only reads. That one holds up clearing
        away what others write meanwhile: give its rests an end.
        """
        if busy():
            rest = min(LONGEST, SHARE * (time.monotonic() - self.since), self.left)
            time.sleep(rest)
            self.left -= rest
        self.since = time.monotonic()


def busy() -> bool:
    """Whether more programs wanted to run in the last minute than the machine has processors."""
    if not hasattr(os, "getloadavg"):  # Windows
        return False
    return os.getloadavg()[0] > (os.cpu_count() or 1)
