"""The gateway's parts: who counts as one visitor, who waits for whom, and for how long."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from io import BytesIO
from typing import Any

import pytest

from federation_site import gateway
from federation_site.gateway import (
    PART_BYTES,
    TURNS,
    WAITING_TURNS,
    Busy,
    Lane,
    TooLarge,
    TooManyRequests,
    TooSlow,
    Turns,
    VisitorLeft,
    WholeResponse,
    limit_per_process,
    read_body,
    send_answer,
    visitor_address,
)


def scope(client: str, forwarded: str = "") -> dict[str, Any]:
    headers = [(b"x-forwarded-for", forwarded.encode())] if forwarded else []
    return {"client": (client, 1), "headers": headers}


def test_without_a_proxy_of_ours_the_header_is_a_stranger_s_word() -> None:
    assert visitor_address(scope("192.0.2.1", "198.51.100.7"), 0) == "192.0.2.1"


def test_behind_a_proxy_the_address_is_the_one_that_the_proxy_saw() -> None:
    assert visitor_address(scope("10.0.0.1", "203.0.113.9, 198.51.100.7"), 1) == "198.51.100.7"
    assert visitor_address(scope("10.0.0.1", "203.0.113.9, 198.51.100.7"), 2) == "203.0.113.9"


def test_a_header_with_too_few_addresses_is_not_believed() -> None:
    assert visitor_address(scope("10.0.0.1", "203.0.113.9"), 2) == "10.0.0.1"


def test_an_ipv6_visitor_is_their_network() -> None:
    assert visitor_address(scope("2001:db8:1:2::a"), 0) == visitor_address(scope("2001:db8:1:2:ffff::b"), 0)
    assert visitor_address(scope("2001:db8:1:2::a"), 0) != visitor_address(scope("2001:db8:1:3::a"), 0)


def test_an_ipv4_visitor_told_in_ipv6_is_themselves_and_not_everybody() -> None:
    assert visitor_address(scope("::ffff:192.0.2.1"), 0) == visitor_address(scope("192.0.2.1"), 0)
    assert visitor_address(scope("10.0.0.1", "::ffff:192.0.2.1"), 1) != visitor_address(
        scope("10.0.0.1", "::ffff:192.0.2.2"), 1
    )


def receiving(*parts: bytes, then: Callable[[], Awaitable[Any]] | None = None) -> gateway.Receive:
    """Messages of a body; after the parts it ends, or what `then` gives comes."""
    waiting = list(parts)

    async def receive() -> Mapping[str, Any]:
        if waiting:
            more = len(waiting) > 1 or then is not None
            return {"type": "http.request", "body": waiting.pop(0), "more_body": more}
        assert then is not None
        message: Mapping[str, Any] = await then()
        return message

    return receive


async def never() -> Any:
    await asyncio.sleep(3600)


async def leaves() -> Any:
    return {"type": "http.disconnect"}


def test_a_body_is_read_whole() -> None:
    with asyncio.run(read_body(receiving(b"ab", b"cd"), declared=4, most=4)) as body:
        assert body.read() == b"abcd"


def test_a_body_longer_than_declared_is_refused_at_the_limit() -> None:
    with pytest.raises(TooLarge):
        asyncio.run(read_body(receiving(b"ab", b"cde"), declared=4, most=4))


def test_a_body_that_stops_coming_is_refused_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gateway, "BODY_PATIENCE", 0.05)
    with pytest.raises(TooSlow):
        asyncio.run(read_body(receiving(b"a", then=never), declared=4, most=4))


def test_a_large_body_has_more_time_than_a_small_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gateway, "BODY_PATIENCE", 0.0)
    monkeypatch.setattr(gateway, "BODY_PACE", 10)

    async def late() -> Any:
        await asyncio.sleep(0.3)
        return {"type": "http.request", "body": b"z", "more_body": False}

    with pytest.raises(TooSlow):
        asyncio.run(read_body(receiving(b"a", then=late), declared=2, most=100))
    with asyncio.run(read_body(receiving(b"a", then=late), declared=20, most=100)) as body:
        assert body.read() == b"az"


def test_a_visitor_who_leaves_within_a_body_is_gone() -> None:
    with pytest.raises(VisitorLeft):
        asyncio.run(read_body(receiving(b"a", then=leaves), declared=4, most=4))


def test_a_reader_who_takes_nothing_is_given_up_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gateway, "ANSWER_PATIENCE", 0.05)
    sent: list[Mapping[str, Any]] = []

    async def send(message: Mapping[str, Any]) -> None:
        sent.append(message)
        if len(sent) == 3:
            await never()

    content = BytesIO(b"x" * (PART_BYTES * 3))
    with pytest.raises(VisitorLeft):
        asyncio.run(send_answer(send, WholeResponse(200, [], content)))
    assert len(sent) == 3
    assert content.closed


async def in_lanes() -> list[object]:
    """Fill the public's lane to its end with jobs that wait; then ask each lane once."""
    public, staff = Lane("public", 2, 1), Lane("staff", 1, 0)
    free = threading.Event()
    jobs = [asyncio.ensure_future(public.run(free.wait)) for _each in range(3)]
    await asyncio.sleep(0)
    found: list[object] = [await staff.run(lambda: "answered")]
    try:
        await public.run(lambda: "answered")
    except Busy as busy:
        found.append(busy.status)
    free.set()
    await asyncio.gather(*jobs)
    return [*found, await public.run(lambda: "answered")]


def test_a_full_lane_refuses_and_leaves_the_staff_s_alone() -> None:
    assert asyncio.run(in_lanes()) == ["answered", 503, "answered"]


async def wait_behind_one_that_hangs() -> float:
    """Seconds until a request is refused whose lane has one thread, which never comes free."""
    lane, free = Lane("public", 1, 1, patience=0.1), threading.Event()
    hangs = asyncio.ensure_future(lane.run(free.wait))
    await asyncio.sleep(0)
    began = time.monotonic()
    try:
        await lane.run(lambda: pytest.fail("it ran"))
    except Busy:
        took = time.monotonic() - began
    free.set()
    assert await hangs
    return took


def test_a_job_that_waits_too_long_is_refused_then_and_not_begun_and_one_that_runs_is_finished() -> None:
    assert 0.1 <= asyncio.run(wait_behind_one_that_hangs()) < 5


async def cancel_one_that_waits() -> None:
    lane, free = Lane("public", 1, 1), threading.Event()
    hangs = asyncio.ensure_future(lane.run(free.wait))
    waits = asyncio.ensure_future(lane.run(lambda: pytest.fail("it ran")))
    await asyncio.sleep(0)
    waits.cancel()
    try:
        await waits
    finally:
        free.set()
        await hangs


def test_a_job_that_the_server_cancels_is_not_refused_as_busy() -> None:
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(cancel_one_that_waits())


@pytest.mark.parametrize(("processes", "part"), [(1, 8), (2, 4), (3, 2), (8, 1), (9, 1)])
def test_what_a_machine_may_hold_is_shared_out_among_its_web_processes(processes: int, part: int) -> None:
    assert limit_per_process(8, processes) == part


def test_the_processes_together_let_one_visitor_have_no_more_than_one_alone() -> None:
    with pytest.raises(TooManyRequests):
        asyncio.run(overcrowd(Turns(2), (TURNS + WAITING_TURNS) // 2))


def test_a_visitor_has_one_file_checked_at_a_time_and_few_that_wait() -> None:
    turns = Turns(at_once=gateway.FILE_TURNS, waiting=gateway.WAITING_FILE_TURNS)
    with pytest.raises(TooManyRequests):
        asyncio.run(overcrowd(turns, 4))


def test_a_job_whose_visitor_left_is_not_begun() -> None:
    with pytest.raises(VisitorLeft):
        asyncio.run(Lane("public", 1, 1).run(lambda: pytest.fail("it ran"), lambda: True))


async def hold(turns: Turns, visitor: str, until: asyncio.Event) -> None:
    async with turns.turn(visitor):
        await until.wait()


async def after_one_leaves() -> str:
    """All turns of one visitor are held, another visitor asks, and then one turn becomes free."""
    turns, until, first = Turns(), asyncio.Event(), asyncio.Event()
    tasks = [asyncio.ensure_future(hold(turns, "a", until)) for _each in range(TURNS - 1)]
    tasks.append(asyncio.ensure_future(hold(turns, "a", first)))
    await asyncio.sleep(0)
    async with turns.turn("b"):
        asyncio.get_running_loop().call_later(0.05, first.set)
    async with turns.turn("a"):
        assert first.is_set()
    until.set()
    await asyncio.gather(*tasks)
    return "answered"


def test_a_visitor_waits_for_their_own_turns_alone() -> None:
    assert asyncio.run(after_one_leaves()) == "answered"


async def overcrowd(turns: Turns, count: int) -> None:
    until = asyncio.Event()
    tasks = [asyncio.ensure_future(hold(turns, "a", until)) for _each in range(count)]
    await asyncio.sleep(0)
    try:
        async with turns.turn("a"):
            pass
    finally:
        until.set()
        await asyncio.gather(*tasks)


def test_a_visitor_with_too_many_requests_is_refused() -> None:
    with pytest.raises(TooManyRequests):
        asyncio.run(overcrowd(Turns(), TURNS + WAITING_TURNS))


async def impatient() -> None:
    turns, until = Turns(), asyncio.Event()
    tasks = [asyncio.ensure_future(hold(turns, "a", until)) for _each in range(TURNS)]
    await asyncio.sleep(0)
    try:
        async with turns.turn("a"):
            pass
    finally:
        until.set()
        await asyncio.gather(*tasks)


def test_a_turn_that_never_becomes_free_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gateway, "QUEUE_PATIENCE", 0.05)
    with pytest.raises(TooManyRequests):
        asyncio.run(impatient())
