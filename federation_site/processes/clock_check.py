"""A look at the machine's clock beside the record: the record's newest day cannot lie ahead."""

from datetime import datetime, timedelta

from django.db.models import Max

from players.office.models import Decision

SLACK = timedelta(minutes=1)


def clock_behind(now: datetime) -> str:
    """Say that this machine's clock is behind the newest decision of the record; empty if it is not."""
    newest: datetime | None = Decision.objects.aggregate(newest=Max("at"))["newest"]
    if newest is None or newest <= now + SLACK:
        return ""
    return (
        f"This machine's clock says {now:%Y-%m-%d %H:%M} (UTC), but the newest decision of the record is of "
        f"{newest:%Y-%m-%d %H:%M}. Set the clock: until then what is done gets days that are past."
    )
