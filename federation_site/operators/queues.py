"""The number of wakes that wait in each queue of the broker."""

from __future__ import annotations

from typing import Any

from celery import current_app as app
from django.conf import settings
from django.utils.translation import gettext as _
from kombu.exceptions import ChannelError

from federation_site.operators.watched import WatchedFigure

LONG = 100
"""The wakes beyond which a queue is long: a worker takes them in milliseconds, and sweeps expire."""


def queues() -> list[WatchedFigure]:
    """The length of each queue; one figure where the broker does not answer."""
    connection = app.connection_for_read()
    try:
        with connection:
            lengths = queue_lengths(connection)
    except tuple(connection.connection_errors) as error:
        mend = _("Start the broker (CELERY_BROKER_URL). No work is lost: sweeps do it half a minute later.")
        return [WatchedFigure(_("Queues"), _("no answer (%s)") % type(error).__name__, mend)]
    return [queue(name, length) for name, length in lengths.items()]


def queue(name: str, length: int) -> WatchedFigure:
    label = _("Wakes in the queue “%(name)s”") % {"name": name}
    mend = _("See that a worker of this queue runs: wakes are taken as fast as they come.")
    return WatchedFigure(label, str(length), mend if length > LONG else "")


def queue_lengths(connection: Any) -> dict[str, int]:
    """The number of messages in each queue.

    Raises one of the connection's `connection_errors` where the broker does not answer.
    """
    channel = connection.channel()
    return {each.name: _length(channel, each.name) for each in settings.CELERY_TASK_QUEUES}


def _length(channel: Any, name: str) -> int:
    try:
        return int(channel.queue_declare(name, passive=True).message_count)
    except ChannelError:  # Redis knows no queue in which nothing lies
        return 0
