"""A look at this machine's clock: beside the record, whose end is no later, and beside a steady clock."""

import time
from datetime import datetime, timedelta

from django.db.models import Max

from players.office.models import Decision

SLACK = timedelta(minutes=1)


def clock_behind(now: datetime) -> str:
    """Say that this machine's clock is behind the newest decision of the record; empty if it is not."""
    newest = newest_decision()
    if newest is None or newest <= now + SLACK:
        return ""
    return (
        f"This machine's clock says {now:%Y-%m-%d %H:%M} (UTC), but the newest decision of the record is of "
        f"{newest:%Y-%m-%d %H:%M}. Set the clock: until then what is done gets days that are past."
    )


def seconds_behind(now: datetime) -> float:
    """The seconds by which this machine's clock is behind the newest decision of the record; 0: it is not."""
    newest = newest_decision()
    behind = timedelta() if newest is None else newest - now
    return behind.total_seconds() if behind > SLACK else 0.0


def newest_decision() -> datetime | None:
    newest: datetime | None = Decision.objects.aggregate(newest=Max("at"))["newest"]
    return newest


class LeapWatch:
    """Compares the machine's clock with one that runs on by itself, also while a laptop sleeps."""

    def __init__(self) -> None:
        self._ahead = self._difference()

    def leap(self) -> str:
        """Say by how much the machine's clock leapt since this was last asked; empty: by no minute."""
        before, self._ahead = self._ahead, self._difference()
        leapt = timedelta(seconds=round(self._ahead - before))
        if abs(leapt) <= SLACK:
            return ""
        direction = "forward" if leapt > timedelta() else "back"
        return (
            f"This machine's clock leapt {direction} by {abs(leapt)}. If it is wrong now, set it before "
            "anything is decided: decisions and lines of the journal keep the days that it gives them."
        )

    @staticmethod
    def _difference() -> float:
        steady = (
            time.clock_gettime(time.CLOCK_BOOTTIME) if hasattr(time, "CLOCK_BOOTTIME") else time.monotonic()
        )
        return time.time() - steady
