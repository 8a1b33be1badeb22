"""Strangers before a real server: what they hold back or send too much of costs nobody else."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from federation_site.gateway import limits
from federation_site.tests.server import LARGE, Server, serving

pytestmark = pytest.mark.own_database

MANY = 24
"""More connections than any lane has threads, and than one visitor has turns."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("office")) as made:
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


def test_bodies_that_never_end_hold_no_thread(server: Server, held: ExitStack) -> None:
    slow_bodies(server, held, limits.TURNS - 1)  # of one address, which has a turn left
    assert status(server.ask("GET / HTTP/1.1")) == 200
    assert status(server.ask("GET /accounts/login/ HTTP/1.1")) == 200


def slow_reader(server: Server) -> socket.socket:
    made = server.connect(receive=4096)
    made.sendall(b"GET /static/large.txt HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert made.recv(15) == b"HTTP/1.1 200 OK"
    return made


def test_readers_that_take_nothing_hold_no_thread(server: Server, held: ExitStack) -> None:
    for _each in range(limits.TURNS - 1):
        held.enter_context(slow_reader(server))
    assert status(server.ask("GET / HTTP/1.1")) == 200


def test_a_reader_gets_the_whole_of_a_large_answer(server: Server) -> None:
    answer = server.ask("GET /static/large.txt HTTP/1.1")
    assert answer.partition("\r\n\r\n")[2] == "x" * LARGE


def test_a_head_brings_the_length_and_no_body(server: Server) -> None:
    head, _blank, body = server.ask("HEAD / HTTP/1.1").partition("\r\n\r\n")
    assert status(head) == 200
    assert body == ""


def test_a_stranger_s_large_body_is_refused_before_it_comes(server: Server) -> None:
    for length in (limits.PUBLIC_BODY + 1, 300_000_000):
        answer = server.ask(f"POST /accounts/login/ HTTP/1.1\r\nContent-Length: {length}")
        assert status(answer) == 413
        assert "Nothing was stored" in answer


def test_a_stranger_s_body_that_fits_is_read(server: Server) -> None:
    head = f"POST /accounts/login/ HTTP/1.1\r\nContent-Length: {limits.PUBLIC_BODY}"
    assert status(server.ask(head, b"x" * limits.PUBLIC_BODY)) == 403  # it lacks the form's token


def test_a_body_of_undeclared_length_is_cut_off_at_the_limit(server: Server) -> None:
    chunk = b"%x\r\n" % 65536 + b"x" * 65536 + b"\r\n"
    head = "POST /accounts/login/ HTTP/1.1\r\nTransfer-Encoding: chunked"
    assert status(server.ask(head, chunk * 2)) == 413
    assert status(server.ask(head, chunk + b"0\r\n\r\n")) == 403


def test_somebody_signed_in_may_send_a_file_as_large_as_the_register_s(server: Server) -> None:
    body = b"x" * limits.STAFF_BODY
    head = f"POST /accounts/login/ HTTP/1.1{signed_in(server)}\r\nContent-Length: "
    assert status(server.ask(f"{head}{len(body)}", body)) == 403
    assert status(server.ask(f"{head}{len(body) + 1}")) == 413


def test_a_session_s_key_that_nobody_has_gives_no_rights(server: Server) -> None:
    head = f"POST / HTTP/1.1\r\nCookie: sessionid={'a' * 32}\r\nContent-Length: {limits.PUBLIC_BODY + 1}"
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
