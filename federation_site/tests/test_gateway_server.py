"""Strangers before a real server: what they hold back or send too much of costs nobody else."""

from __future__ import annotations

import select
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from federation_site import gateway
from federation_site.tests.server import LARGE, Server, serving
from tournaments.uploads import MOST_BYTES

pytestmark = [pytest.mark.any_database, pytest.mark.long]

PART = gateway.limit_per_process(gateway.TURNS, 2)
"""The turns of one visitor in each of the server's two processes."""
MANY = 24
"""More connections than any lane has threads, and than one visitor has turns."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("office"), WEB_PROCESSES="2") as made:
        yield made


def status(answer: str) -> int:
    return int(answer.split(" ", 2)[1])


def signed_in(server: Server) -> str:
    return f"\r\nCookie: sessionid={server.session}"


@pytest.fixture
def held() -> Iterator[ExitStack]:
    with ExitStack() as stack:
        yield stack


def slow_bodies(server: Server, held: ExitStack, count: int) -> None:
    for _each in range(count):
        made = held.enter_context(server.connect())
        made.sendall(b"POST /accounts/login/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10000\r\n\r\na")


def test_bodies_that_never_end_keep_no_official_from_the_office(server: Server, held: ExitStack) -> None:
    slow_bodies(server, held, MANY)
    assert status(server.ask(f"GET / HTTP/1.1{signed_in(server)}")) == 200
    assert status(server.ask("GET /healthz HTTP/1.1")) == 200


def test_bodies_that_never_end_hold_no_thread_and_no_turn_of_their_senders_pages(
    server: Server, held: ExitStack
) -> None:
    slow_bodies(server, held, MANY)
    assert status(server.ask("GET / HTTP/1.1")) == 200
    assert status(server.ask("GET /accounts/login/ HTTP/1.1")) == 200


def slow_reader(server: Server, address: str = "127.0.0.1") -> socket.socket:
    made = server.connect(receive=4096, address=address)
    made.sendall(b"GET /static/large.txt HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert made.recv(15) == b"HTTP/1.1 200 OK"
    return made


def test_readers_that_take_nothing_hold_no_thread(server: Server, held: ExitStack) -> None:
    for _each in range(PART - 1):
        held.enter_context(slow_reader(server))
    assert status(server.ask("GET / HTTP/1.1")) == 200


def test_readers_that_take_a_byte_at_a_time_hold_no_thread(server: Server, held: ExitStack) -> None:
    readers = [held.enter_context(slow_reader(server, f"127.0.1.{n + 1}")) for n in range(MANY)]
    for _time in range(3):
        assert [len(reader.recv(1)) for reader in readers] == [1] * MANY
        assert status(server.ask("GET / HTTP/1.1")) == 200
        assert status(server.ask(f"GET / HTTP/1.1{signed_in(server)}")) == 200


def test_a_reader_gets_the_whole_of_a_large_answer(server: Server) -> None:
    answer = server.ask("GET /static/large.txt HTTP/1.1")
    assert answer.partition("\r\n\r\n")[2] == "x" * LARGE


def test_a_head_brings_the_length_and_no_body(server: Server) -> None:
    head, _blank, body = server.ask("HEAD / HTTP/1.1").partition("\r\n\r\n")
    assert status(head) == 200
    assert body == ""


def test_a_stranger_s_large_body_is_refused_before_it_comes(server: Server) -> None:
    for length in (gateway.PUBLIC_BODY + 1, 300_000_000):
        answer = server.ask(f"POST /accounts/login/ HTTP/1.1\r\nContent-Length: {length}")
        assert status(answer) == 413
        assert "Nothing was stored" in answer


@pytest.mark.parametrize("seconds", [0, 3])
def test_whoever_still_sends_what_is_refused_reads_the_whole_answer(server: Server, seconds: float) -> None:
    part, parts = b"x" * 1_000_000, 12
    with server.connect() as made:
        made.sendall(
            f"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(part) * parts}\r\n\r\n".encode()
        )
        for _part in range(parts):
            made.sendall(part)
            time.sleep(seconds / parts)
        answer = b"".join(iter(lambda: made.recv(65536), b"")).decode()
    assert status(answer) == 413
    assert answer.endswith("</html>\n")


def test_a_stranger_s_body_that_fits_is_read(server: Server) -> None:
    head = f"POST /accounts/login/ HTTP/1.1\r\nContent-Length: {gateway.PUBLIC_BODY}"
    assert status(server.ask(head, b"x" * gateway.PUBLIC_BODY)) == 403  # it lacks the form's token


def test_a_stranger_s_event_file_is_taken_for_its_check_in_a_lane_of_its_own(server: Server) -> None:
    head = "POST /csa/events/check-file/ HTTP/1.1\r\nContent-Length: "
    assert status(server.ask(f"{head}{gateway.FILE_BODY}", b"x" * gateway.FILE_BODY)) == 403  # no token
    assert status(server.ask(f"{head}{gateway.FILE_BODY + 1}")) == 413
    assert 'office_requests_total{lane="files",status="403"}' in server.ask("GET /metrics HTTP/1.1")
    assert gateway.FILE_BODY >= MOST_BYTES + 4096  # with what a form adds


def test_a_body_of_undeclared_length_is_cut_off_at_the_limit(server: Server) -> None:
    chunk = b"%x\r\n" % 65536 + b"x" * 65536 + b"\r\n"
    head = "POST /accounts/login/ HTTP/1.1\r\nTransfer-Encoding: chunked"
    assert status(server.ask(head, chunk * 2)) == 413
    assert status(server.ask(head, chunk + b"0\r\n\r\n")) == 403


def test_a_message_of_two_lengths_is_refused_with_what_follows_it(server: Server) -> None:
    hidden = b"GET /csa/smuggled/ HTTP/1.1\r\nHost: localhost\r\n\r\n"
    head = "POST /accounts/login/ HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\nContent-Length"
    with server.connect() as made:
        made.sendall(f"{head}: {len(hidden)}\r\n\r\n".encode() + hidden)
        answer = "".join(iter(lambda: made.recv(65536).decode("latin1"), ""))
    assert status(answer) == 400
    assert answer.count("HTTP/1.1 ") == 1


def test_somebody_signed_in_may_send_a_file_as_large_as_the_register_s(server: Server) -> None:
    body = b"x" * gateway.STAFF_BODY
    head = f"POST /accounts/login/ HTTP/1.1{signed_in(server)}\r\nContent-Length: "
    assert status(server.ask(f"{head}{len(body)}", body)) == 403
    assert status(server.ask(f"{head}{len(body) + 1}")) == 413


@pytest.mark.parametrize("scheme", ["Bearer", "bearer"])
def test_a_program_may_send_an_event_file_and_reads_refusals_as_problem_details(
    server: Server, scheme: str
) -> None:
    address = "POST /api/v1/offices/csa/events/2026-001/sections/A/file HTTP/1.1"
    keyed, body = f"{address}\r\nAuthorization: {scheme} x\r\nContent-Length: ", b"x" * gateway.FILE_BODY
    assert status(server.ask(f"{keyed}{len(body)}", body)) == 401
    without_key = f"{address}\r\nContent-Length: {len(body)}"
    for answer in (server.ask(f"{keyed}{len(body) + 1}"), server.ask(without_key)):
        assert status(answer) == 413
        assert "application/problem+json" in answer
        assert '"status": 413' in answer
    # Readers of public pages do not wait for a program that waits until its file is read.
    assert 'office_requests_total{lane="programs",status="401"}' in server.ask("GET /metrics HTTP/1.1")


def test_a_session_s_key_that_nobody_has_gives_no_rights(server: Server) -> None:
    head = f"POST / HTTP/1.1\r\nCookie: sessionid={'a' * 32}\r\nContent-Length: {gateway.PUBLIC_BODY + 1}"
    assert status(server.ask(head)) == 413


def test_the_web_server_is_ready_and_says_that_no_worker_was_seen(server: Server) -> None:
    answer = server.ask("GET /readyz HTTP/1.1")
    assert status(answer) == 200
    assert '"working": false' in answer
    assert status(server.ask("GET /readyz?all HTTP/1.1")) == 503


def test_figures_count_what_was_answered_and_what_was_refused(server: Server) -> None:
    server.ask("GET / HTTP/1.1")
    server.ask("POST /accounts/login/ HTTP/1.1\r\nContent-Length: 300000000")
    figures = server.ask("GET /metrics HTTP/1.1")
    assert 'office_requests_total{lane="public",status="200"}' in figures
    assert 'office_refusals_total{status="413"}' in figures


# ---------------------------------------------------------------- one address, and a proxy's many

MOST = gateway.TURNS + gateway.WAITING_TURNS
"""The requests of one visitor that may wait or be answered, in all processes together."""
CROWD = 5 * MOST


def crowd(server: Server, held: ExitStack, header: str = "") -> list[socket.socket]:
    """Many requests at once of one visitor, none of which ends."""
    head = f"POST /accounts/login/ HTTP/1.1\r\nHost: localhost\r\n{header}Content-Length: 10000\r\n\r\na"
    made = [held.enter_context(server.connect()) for _each in range(CROWD)]
    for each in made:
        each.sendall(head.encode())
    return made


def refused(made: list[socket.socket]) -> int:
    """How many of these requests are refused at once, with 429: all, until a second passes without one."""
    waiting, found = list(made), 0
    while ready := select.select(waiting, [], [], 1 if found else 8)[0]:
        found += sum(each.recv(12) == b"HTTP/1.1 429" for each in ready)
        waiting = [each for each in waiting if each not in ready]
    return found


def test_one_address_has_so_many_requests_at_once_in_all_processes_and_another_is_answered_beside_it(
    server: Server, held: ExitStack
) -> None:
    made = crowd(server, held)
    assert 0 < len(made) - refused(made) <= MOST
    assert status(server.ask("GET / HTTP/1.1", address="127.0.0.2")) == 200


def test_behind_a_proxy_of_ours_the_visitors_own_address_counts(tmp_path: Path, held: ExitStack) -> None:
    with serving(tmp_path, TRUSTED_PROXIES="1") as behind:
        assert refused(crowd(behind, held, "X-Forwarded-For: 203.0.113.9\r\n")) > 0
        assert status(behind.ask("GET / HTTP/1.1\r\nX-Forwarded-For: 198.51.100.7")) == 200
        held.close()


# ---------------------------------------------------------------- beyond capacity

STRANGERS = 60
"""Addresses, each with all its turns: together several times what the public's lane may hold."""


def answers_of(made: list[socket.socket]) -> list[str]:
    """The beginning of each answer: status and headers."""
    return [each.recv(65536).decode("latin1") for each in made]


def test_beyond_capacity_strangers_are_told_at_once_when_to_come_again_and_the_staff_go_on(
    server: Server, held: ExitStack
) -> None:
    addresses = [f"127.0.1.{number}" for number in range(1, STRANGERS + 1)] * gateway.TURNS
    made = [held.enter_context(server.connect(address=address)) for address in addresses]
    for each in made:
        each.sendall(b"GET /?of=none HTTP/1.1\r\nHost: localhost\r\n\r\n")  # of which no copy is kept
    assert status(server.ask(f"GET / HTTP/1.1{signed_in(server)}")) == 200
    found = answers_of(made)
    assert {status(answer) for answer in found} == {200, 503}
    assert all("retry-after: 5" in answer.lower() for answer in found if status(answer) == 503)


def test_connections_that_ask_nothing_are_ended_within_seconds(server: Server, held: ExitStack) -> None:
    idle = held.enter_context(server.connect())
    began = time.monotonic()
    assert idle.recv(1) == b""
    assert time.monotonic() - began < 12


def test_a_refusal_before_django_has_the_headers_of_every_other_answer(server: Server) -> None:
    """Hundreds of megabytes are refused by the gateway alone."""
    head = server.ask(f"POST /accounts/login/ HTTP/1.1\r\nContent-Length: {300 * 1024 * 1024}").split(
        "\r\n\r\n"
    )[0]
    assert head.startswith("HTTP/1.1 413")
    told = {line.split(": ", 1)[0].lower(): line.split(": ", 1)[1] for line in head.split("\r\n")[1:]}
    assert told["x-content-type-options"] == "nosniff"
    assert told["referrer-policy"] == "same-origin"
    for directive in ("default-src", "object-src", "base-uri", "frame-ancestors"):
        assert f"{directive} 'none'" in told["content-security-policy"]
