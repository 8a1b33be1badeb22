"""A broker that hangs holds nobody up for long."""

import os
import socket
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.conf import settings
from kombu.transport.redis import QoS
from redis.exceptions import TimeoutError as RedisTimeoutError

pytestmark = pytest.mark.servers
PREFETCH_OF = {"redis://host/0": 0, "rediss://host/0": 0, "djangodb://localhost": 1}
"""The limit of messages without a receipt for each process, by broker; 0: none."""

WAKE = """
import time
import django
django.setup()
from players import jobs
begun = time.monotonic()
jobs._send("ratings.tasks.recompute", 1)
print(jobs.failed, time.monotonic() - begun)
"""


@pytest.mark.long
def test_a_redis_that_takes_the_connection_and_never_answers_is_given_up_within_seconds(
    tmp_path: Path,
) -> None:
    with socket.socket() as deaf:
        deaf.bind(("127.0.0.1", 0))
        deaf.listen()
        done = subprocess.run(
            [sys.executable, "-c", WAKE],
            cwd=settings.ROOT,
            env={
                **os.environ,
                "CELERY_BROKER_URL": f"redis://127.0.0.1:{deaf.getsockname()[1]}/0",
                "DJANGO_SETTINGS_MODULE": "federation_site.settings",
                "VAR_DIR": str(tmp_path),
            },
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    failed, seconds = done.stdout.split()
    assert int(failed) == 1
    assert float(seconds) < 8, "four, on a machine that has nothing else to do"


class HangingRedis:
    """A channel's Redis that takes each command and answers none."""

    unacked_key, unacked_index_key = "unacked", "unacked_index"
    hangs = do_restore = False

    @contextmanager
    def conn_or_acquire(self, client: Any = None) -> Any:
        yield SimpleNamespace(pipeline=lambda: self, transaction=self.transaction)

    def zadd(self, *_: Any, **__: Any) -> "HangingRedis":
        return self

    hset = zrem = hdel = zadd

    def execute(self, *_: Any) -> None:
        if self.hangs:
            raise RedisTimeoutError

    transaction = execute


def message(tag: str) -> Any:
    return SimpleNamespace(delivery_tag=tag, delivery_info={"exchange": "", "routing_key": "files"}, _raw={})


@pytest.mark.parametrize("receipt", ["ack", "reject"])
def test_a_worker_takes_messages_again_after_a_redis_that_hung_when_a_receipt_was_told(receipt: str) -> None:
    """By the settings: kombu counts the message for good, and would take none with a limit of one."""
    redis = HangingRedis()
    for limit, goes_on in ((1, False), (PREFETCH_OF["redis://host/0"], True)):
        in_hand = QoS(redis, prefetch_count=limit)
        in_hand.append(message("first"), "first")
        redis.hangs = True
        with pytest.raises(RedisTimeoutError):
            getattr(in_hand, receipt)("first")
        redis.hangs = False
        assert in_hand.can_consume() == goes_on


@pytest.mark.parametrize("broker", PREFETCH_OF)
def test_a_worker_takes_no_more_messages_than_it_has_processes(broker: str) -> None:
    """Redis's are counted by Celery while they are worked on, those of the database by kombu."""
    names = "s.CELERY_WORKER_PREFETCH_MULTIPLIER, s.CELERY_WORKER_DISABLE_PREFETCH"
    code = f"from django.conf import settings as s; print({names})"
    environment = {
        **os.environ,
        "CELERY_BROKER_URL": broker,
        "DJANGO_SETTINGS_MODULE": "federation_site.settings",
    }
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=settings.ROOT, env=environment, capture_output=True, check=True
    )
    of_redis = broker.startswith("redis")
    assert done.stdout.decode().split() == [str(PREFETCH_OF[broker]), str(of_redis)]
