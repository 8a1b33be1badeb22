"""A broker that hangs holds nobody up for long."""

import os
import socket
import subprocess
import sys
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from django.conf import settings
from kombu import Connection
from redis.exceptions import TimeoutError as RedisTimeoutError

from federation_site.celery import app
from federation_site.redis_transport import MessagesInHand, RedisChannel, RedisTransport

pytestmark = pytest.mark.servers

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


def test_a_worker_takes_messages_again_after_a_redis_that_hung_when_a_receipt_was_told() -> None:
    redis = HangingRedis()
    in_hand = MessagesInHand(redis, prefetch_count=1)
    in_hand.append(message("first"), "first")
    assert not in_hand.can_consume(), "one process, one message"
    redis.hangs = True
    with pytest.raises(RedisTimeoutError):
        in_hand.ack("first")
    assert in_hand.can_consume(), "the message is dealt with, whatever Redis knows"


@pytest.mark.parametrize("requeue", [False, True])
@pytest.mark.parametrize("hangs", [False, True])
def test_a_worker_takes_messages_again_after_one_that_it_refused_though_redis_hung(
    hangs: bool, requeue: bool
) -> None:
    redis = HangingRedis()
    in_hand = MessagesInHand(redis, prefetch_count=1)
    in_hand.append(message("first"), "first")
    redis.hangs = hangs
    with pytest.raises(RedisTimeoutError) if hangs else nullcontext():
        in_hand.reject("first", requeue=requeue)
    assert in_hand.can_consume(), "the message is refused, whatever Redis knows"


def test_the_worker_speaks_to_redis_by_the_transport_that_forgets_what_it_could_not_tell() -> None:
    for scheme in ("redis", "rediss"):
        with Connection(f"{scheme}://127.0.0.1:1/0", connect_timeout=1) as connection:
            assert isinstance(connection.transport, RedisTransport), app
    assert RedisTransport.Channel is RedisChannel
    assert RedisChannel.QoS is MessagesInHand
