"""A kombu transport over the Django database, for an office on one machine without Redis.

A message is a row. To publish is to insert it, so a publication is rolled back with its transaction; to claim
is to delete it, so of two consumers one gets it. There are no leases and no redelivery: a message only wakes,
and the sweep finds whatever a lost one would have announced.
"""

import os
import threading
from queue import Empty
from typing import Any

import django
from django.db import InterfaceError, OperationalError, close_old_connections, connection
from kombu.transport import virtual
from kombu.utils.json import dumps, loads

# Celery forks its children from a thread while others poll and send sweeps. A child born amid a query would
# inherit SQLite's lock with nobody to give it back, so births wait for the query to end.
_no_birth_amid_a_query = threading.Lock()
os.register_at_fork(
    before=_no_birth_amid_a_query.acquire,
    after_in_parent=_no_birth_amid_a_query.release,
    after_in_child=_no_birth_amid_a_query.release,
)


class Channel(virtual.Channel):
    supports_fanout = False
    do_restore = False

    def _put(self, queue: str, message: dict[str, Any], **_: Any) -> None:
        with _no_birth_amid_a_query:
            _messages().create(queue=queue, payload=dumps(message))

    def _get(self, queue: str, timeout: float | None = None) -> dict[str, Any]:
        with _no_birth_amid_a_query:
            while message := _messages().filter(queue=queue).order_by("id").first():
                claimed, _ = _messages().filter(pk=message.pk).delete()
                if claimed:
                    return dict(loads(message.payload))
        raise Empty

    def _size(self, queue: str) -> int:
        return int(_messages().filter(queue=queue).count())

    def _purge(self, queue: str) -> int:
        purged, _ = _messages().filter(queue=queue).delete()
        return int(purged)

    def _has_queue(self, queue: str, **_: Any) -> bool:
        return True


class Transport(virtual.Transport):
    Channel = Channel
    default_port = 0
    driver_type = "sql"
    driver_name = "django"
    polling_interval = 0.2
    connection_errors = (*virtual.Transport.connection_errors, InterfaceError, OperationalError)

    def establish_connection(self) -> Any:
        """Let kombu connect to the queue in the database; after a database error, by a fresh connection."""
        if not connection.in_atomic_block:
            close_old_connections()
        return super().establish_connection()

    def driver_version(self) -> str:
        return django.get_version()


def _messages() -> Any:
    from federation_site.processes.models import (
        Message,  # Celery reads this module before Django's models stand
    )

    return Message.objects
