"""The day in the offices that the races are run in."""

from __future__ import annotations

from datetime import date, datetime
from zoneinfo import ZoneInfo


def day() -> date:
    """The day of South Africa's office: this machine's own is another one late in the evening."""
    return datetime.now(ZoneInfo("Africa/Johannesburg")).date()
