"""The ASGI application: receives requests completely and within limits before Django spends a thread on them.

Slow requests and slow readers wait here without a thread, and staff never queue behind the public.
"""

import asyncio
import gc
import ipaddress
import json
import os
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import cache, partial
from http import HTTPStatus
from importlib import import_module
from io import BytesIO
from tempfile import SpooledTemporaryFile
from typing import IO, Any, TypeVar

import structlog
from csp.utils import build_policy
from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.core import signals
from django.core.handlers.asgi import ASGIHandler, get_script_prefix
from django.core.handlers.base import BaseHandler
from django.db import close_old_connections, connections
from django.http import FileResponse, HttpResponseBase
from django.http.request import split_domain_port
from django.template import loader
from django.urls import get_resolver, set_script_prefix
from django.utils import translation

from federation_site.database import limit_patience
from federation_site.environment import web_processes
from federation_site.middleware import SECURITY_HEADERS
from federation_site.watch import REFUSAL_COUNTER, REQUEST_COUNTER, REQUEST_SECONDS
from players import kept_pages
from players.languages import find_accepted_language, split_language, supported_language

PUBLIC_BODY = 64 * 1024
"""The largest request body of visitors, whose forms are short."""
FILE_BODY = 2 * 1024 * 1024 + PUBLIC_BODY
"""The largest request body of visitors with an event file: to be checked, or of a program with a key."""
STAFF_BODY = 31 * 1024 * 1024
"""The largest request body of people who are signed in: a table of the register in a form."""
MOST_IN_MEMORY = 512 * 1024
"""Larger requests and responses are stored in temporary files."""
BODY_PATIENCE = 10.0
"""The seconds in which any request body must arrive …"""
BODY_PACE = 16 * 1024
"""… and the bytes for which it gets another second."""
REST_AT_ONCE, REST_PATIENCE, REST_PAUSE = 2.0, 20.0, 1.0
"""The seconds for which the rest of a refused request's body is read and dropped: before the answer, and
before its end; and those without any of it after which no more is waited for.
"""
ANSWER_PATIENCE = 20.0
"""The seconds in which a reader must take the next part of a response."""
PART_BYTES = 64 * 1024
TURNS = 8
"""The requests of one visitor that are answered at once; further ones wait."""
WAITING_TURNS = 64
"""The requests of one visitor that may wait; further ones are refused."""
QUEUE_PATIENCE = 10.0
"""The seconds after which a waiting request is refused."""
PUBLIC_PATIENCE = 2.0
"""The same for a thread of the public lane, so that visitors soon learn that the office is busy."""
PUBLIC_THREADS, STAFF_THREADS, SIGN_IN_THREADS = 2, 6, 1
"""The threads of a lane in each web process. The staff have more, because some may wait for a lock of the
database while others read.
"""
PUBLIC_QUEUE, STAFF_QUEUE, SIGN_IN_QUEUE = 32, 64, 16
"""The requests that may wait for a thread of a lane."""
CHECKED_FILES = "/events/check-file/"
"""The end of the address to which anybody may send an event file. Reading it takes seconds, so that one at a
time is read in each web process, in a lane of its own, whoever sent it.
"""
FILE_THREADS, FILE_QUEUE = 1, 16
FILE_TURNS, WAITING_FILE_TURNS = 1, 3
"""The same as `TURNS` and `WAITING_TURNS` for files to be checked."""
PROGRAM_THREADS, PROGRAM_QUEUE = 4, 16
"""The lane of programs that file: they may ask to wait until their file is read."""


def limit_per_process(total_limit: int, processes: int) -> int:
    """The part of one web process in a limit of the machine, at least one.

    The system assigns connections to processes at random.
    """
    return max(1, total_limit // processes)


# ---- Calling Django in a thread, with complete requests and responses
Scope = dict[str, Any]
Headers = list[tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True)
class WholeResponse:
    """A complete response; the sender closes its content."""

    status: int
    headers: Headers
    content: IO[bytes]


class Site(ASGIHandler):
    """Django with its middleware, called synchronously in a thread."""

    def __init__(self) -> None:
        BaseHandler.__init__(self)
        self.load_middleware()

    def answer(self, scope: dict[str, Any], body: IO[bytes]) -> WholeResponse:
        set_script_prefix(get_script_prefix(scope))
        signals.request_started.send(sender=self.__class__, scope=scope)
        request, error = self.create_request(scope, body)
        response = error if request is None else self.get_response(request)
        assert response is not None
        try:
            headers = [(name.encode("ascii"), value.encode("latin1")) for name, value in response.items()]
            cookies = (each.output(header="").strip().encode("ascii") for each in response.cookies.values())
            return WholeResponse(
                response.status_code,
                [*headers, *((b"Set-Cookie", cookie) for cookie in cookies)],
                content_of(response),
            )
        finally:
            response.close()  # sends `request_finished`, in the thread that holds the connection


def content_of(response: HttpResponseBase) -> IO[bytes]:
    """The content of a response as an open file in memory or on disk."""
    if isinstance(response, FileResponse) and (file := getattr(response, "file_to_stream", None)):
        with suppress(OSError, AttributeError):  # no file of the operating system
            return os.fdopen(os.dup(file.fileno()), "rb")
    content: IO[bytes] = SpooledTemporaryFile(max_size=MOST_IN_MEMORY)  # noqa: SIM115  the caller closes it
    try:
        for part in response:
            content.write(part)
    except BaseException:
        content.close()
        raise
    content.seek(0)
    return content


# ---- Refusals without Django
class Refusal(Exception):
    """A request is refused with an HTTP status, after which the template of the page is named."""

    status = 503
    retry_after: int | None = None


class TooLarge(Refusal):
    status = 413


class TooSlow(Refusal):
    """A request body did not arrive in time."""

    status = 408


class TooManyRequests(Refusal):
    """A visitor has too many requests at once."""

    status = 429
    retry_after = 2


class Busy(Refusal):
    """A request waited too long for a thread, or the queue is full."""

    retry_after = 5


class VisitorLeft(Exception):
    """The visitor closed the connection before the response."""


@cache
def render_refusal_page(status: int, language: str) -> bytes:
    """The page for a refusal with this HTTP status, which needs no session and no database."""
    name = "busy" if status == 503 else str(status)
    with translation.override(language):
        return loader.get_template(f"{name}.html").render().encode()


Send = Callable[[Mapping[str, Any]], Awaitable[None]]


async def send_answer(send: Send, answer: WholeResponse) -> None:
    """Send a response. Raises `VisitorLeft` if the reader does not take the next part in time."""
    try:
        await _start(send, answer.status, answer.headers)
        part = answer.content.read(PART_BYTES)
        while True:
            following = answer.content.read(PART_BYTES) if part else b""
            async with asyncio.timeout(ANSWER_PATIENCE):
                await send({"type": "http.response.body", "body": part, "more_body": bool(following)})
            if not following:
                return
            part = following
    except TimeoutError:
        raise VisitorLeft from None
    finally:
        answer.content.close()


async def send_text(send: Send, status: int, text: str) -> None:
    headers = [(b"Content-Type", b"text/plain; charset=utf-8"), (b"Cache-Control", b"no-store")]
    await _start(send, status, [*headers, *secure_headers()])
    await send({"type": "http.response.body", "body": text.encode()})


async def send_refusal(
    send: Send, receive: "Incoming", refusal: Refusal, language: str, *, api: bool = False
) -> None:
    """Send a refusal's page, to programs its problem details, and close the connection: once what still comes
    of the request is read and dropped, as it would take the answer with it if closed while somebody sends.
    Whoever sends for longer is answered meanwhile but for the last byte, with which the server closes.
    """
    await receive.drop_rest(REST_AT_ONCE)
    title = HTTPStatus(refusal.status).phrase
    problem = {"type": "about:blank", "title": title, "status": refusal.status, "detail": title}
    body = json.dumps(problem).encode() if api else render_refusal_page(refusal.status, language)
    headers = [
        (b"Content-Type", b"application/problem+json" if api else b"text/html; charset=utf-8"),
        (b"Cache-Control", b"no-store"),
        (b"Connection", b"close"),
        (b"Content-Length", str(len(body)).encode()),
        *secure_headers(),
    ]
    if refusal.retry_after:
        headers.append((b"Retry-After", str(refusal.retry_after).encode()))
    await _start(send, refusal.status, headers)
    if receive.more:
        await send({"type": "http.response.body", "body": body[:-1], "more_body": True})
        await receive.drop_rest(REST_PATIENCE)
        body = body[-1:]
    await send({"type": "http.response.body", "body": body})


@cache
def secure_headers() -> Headers:
    """The security headers that Django's middleware adds, for responses without Django."""
    headers = [(name.encode(), value.encode()) for name, value in SECURITY_HEADERS.items()]
    headers.append((b"Content-Security-Policy", build_policy().encode()))
    if settings.SECURE_HSTS_SECONDS:
        transport = f"max-age={settings.SECURE_HSTS_SECONDS}; includeSubDomains"
        headers.append((b"Strict-Transport-Security", transport.encode()))
    return headers


async def _start(send: Send, status: int, headers: Headers) -> None:
    await send({"type": "http.response.start", "status": status, "headers": headers})


AWAY_STATUSES = (503, 507)
"""The statuses of answers while the database is away, busy or full."""


def kept_copy(scope: Scope) -> WholeResponse | None:
    """The kept copy of the page that a request asks for; None if there is none.

    `deploy/nginx/office.conf` looks for copies in the same order.
    """
    if scope["method"] not in ("GET", "HEAD"):
        return None
    host, _port = split_domain_port(header(scope, b"host").lower())
    path, query = scope["path"], scope.get("query_string", b"").decode("latin1")
    paths = [f"/{chosen}{path}"] if (chosen := chosen_language(scope)) else []
    paths += [path, f"/{language_of(scope)}{path}"]
    if (page := kept_pages.find([kept_pages.copy_name(host, each, query) for each in paths])) is None:
        return None
    headers = [(b"Content-Type", b"text/html; charset=utf-8"), (b"Cache-Control", b"no-store")]
    return WholeResponse(200, [*headers, *secure_headers()], BytesIO(page))


Message = Mapping[str, Any]
Receive = Callable[[], Awaitable[Message]]


class Incoming:
    """The `receive` of a request, which knows whether more of the body comes."""

    def __init__(self, receive: Receive, *, more: bool) -> None:
        self._receive, self.more = receive, more

    async def __call__(self) -> Message:
        message = await self._receive()
        self.more = message.get("more_body", False)
        return message

    async def drop_rest(self, seconds: float) -> None:
        """Read the rest of the body into nothing, for so many seconds at most."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self.more:
                    try:
                        await asyncio.wait_for(self(), REST_PAUSE)
                    except TimeoutError:
                        self.more = False


async def read_body(receive: Receive, *, declared: int | None, most: int) -> IO[bytes]:
    """Read a request body of at most `most` bytes into a file, which the caller closes.

    `declared`: the Content-Length; None if the body is chunked. Raises `TooLarge`, `TooSlow` or
    `VisitorLeft`.
    """
    if declared is not None and declared > most:
        raise TooLarge
    expected = most if declared is None else declared
    body: IO[bytes] = SpooledTemporaryFile(max_size=MOST_IN_MEMORY)  # noqa: SIM115  the caller closes it
    try:
        async with asyncio.timeout(BODY_PATIENCE + expected / BODY_PACE):
            more = True
            while more:
                message = await receive()
                if message["type"] == "http.disconnect":
                    raise VisitorLeft
                body.write(message.get("body", b""))
                if body.tell() > most:
                    raise TooLarge
                more = message.get("more_body", False)
    except TimeoutError:
        body.close()
        raise TooSlow from None
    except BaseException:
        body.close()
        raise
    body.seek(0)
    return body


# ---- Turns of visitors, so that one visitor cannot take all threads
@dataclass(slots=True)
class _Turns:
    free: asyncio.Semaphore
    inside: int = 0


class Turns:
    """Limits the requests of each visitor. `processes`: the web processes, which share the limits."""

    def __init__(self, processes: int = 1, *, at_once: int = TURNS, waiting: int = WAITING_TURNS) -> None:
        self._at_once = limit_per_process(at_once, processes)
        self._most = self._at_once + limit_per_process(waiting, processes)
        self._turns: dict[str, _Turns] = {}

    @asynccontextmanager
    async def turn(self, visitor: str) -> AsyncIterator[None]:
        """Wait until another request of a visitor (session or address) may be answered in this block.

        Raises `TooManyRequests` if too many wait, or for too long.
        """
        turns = self._turns.setdefault(visitor, _Turns(asyncio.Semaphore(self._at_once)))
        if turns.inside >= self._most:
            raise TooManyRequests
        turns.inside += 1
        try:
            try:
                async with asyncio.timeout(QUEUE_PATIENCE):
                    await turns.free.acquire()
            except TimeoutError:
                raise TooManyRequests from None
            try:
                yield
            finally:
                turns.free.release()
        finally:
            turns.inside -= 1
            if not turns.inside:
                self._turns.pop(visitor, None)


# ---- Addresses of visitors
def header(scope: Scope, name: bytes) -> str:
    """A header of a request, with its lines joined by commas; empty if there is none."""
    return ",".join(value.decode("latin1") for key, value in scope["headers"] if key.lower() == name)


def visitor_address(scope: Scope, proxy_count: int) -> str:
    """The visitor's IP address as the outermost trusted proxy saw it; for IPv6, the /64 network.

    Without proxies `X-Forwarded-For` is ignored, because anybody can send it.
    """
    seen = scope["client"][0] if scope.get("client") else ""
    if proxy_count:
        forwarded = [each.strip() for each in header(scope, b"x-forwarded-for").split(",") if each.strip()]
        seen = forwarded[-proxy_count] if len(forwarded) >= proxy_count else seen
    try:
        address = ipaddress.ip_address(seen)
    except ValueError:
        return seen
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped:  # IPv4 on a dual-stack socket: its network would be everybody's
            return str(address.ipv4_mapped)
        return str(ipaddress.ip_network((address, 64), strict=False))
    return str(address)


T = TypeVar("T")


class Lane:
    """The threads for one kind of visitor, with a queue of limited length."""

    def __init__(self, name: str, threads: int, queue: int, *, patience: float = QUEUE_PATIENCE) -> None:
        self.name = name
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._most = threads + queue
        self._patience = patience
        self.inside = 0
        """The requests that run or wait."""

    async def run(self, job: Callable[[], T], left: Callable[[], bool] = lambda: False) -> T:
        """Run a job in a thread of this lane. `left`: tells whether the visitor has gone meanwhile.

        Raises `Busy` if the queue is full or the wait for a thread is too long, and `VisitorLeft`.
        """
        if self.inside >= self._most:
            raise Busy
        self.inside += 1

        def begin() -> T:
            if left():
                raise VisitorLeft
            return job()

        waiting = self._pool.submit(begin)
        late = asyncio.get_running_loop().call_later(self._patience, waiting.cancel)  # not once it runs
        try:
            return await asyncio.wrap_future(waiting)
        except asyncio.CancelledError:
            if (task := asyncio.current_task()) and task.cancelling():
                raise
            raise Busy from None
        finally:
            late.cancel()
            self.inside -= 1


FRESH = 60.0
"""The seconds for which a key counts as signed in without asking the store again."""
_MOST_KNOWN = 10_000


class Sessions:
    """The session keys that were found to be signed in within the last minute."""

    def __init__(self) -> None:
        self._store = import_module(settings.SESSION_ENGINE).SessionStore
        self._known: dict[str, float] = {}

    def known(self, key: str) -> bool:
        """Whether a session key was found to be signed in within the last `FRESH` seconds."""
        return self._known.get(key, 0.0) > time.monotonic()

    def look_up(self, key: str) -> bool:
        """Ask the store whether a session key is signed in, and remember that."""
        close_old_connections()
        try:
            signed_in = SESSION_KEY in self._store(key)
        finally:
            close_old_connections()
        if signed_in:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[key] = time.monotonic() + FRESH
        return signed_in


# ---- The gateway
log = structlog.get_logger("federation_site.gateway")


class Gateway:
    """The ASGI application: waits for the visitor's turn and a thread of their lane."""

    def __init__(self) -> None:
        processes = web_processes()
        queue = partial(limit_per_process, processes=processes)
        self.site, self.sessions = Site(), Sessions()
        self.turns, self.bodies = Turns(processes), Turns(processes)
        self.file_turns = Turns(processes, at_once=FILE_TURNS, waiting=WAITING_FILE_TURNS)
        self.public = Lane("public", PUBLIC_THREADS, queue(PUBLIC_QUEUE), patience=PUBLIC_PATIENCE)
        self.staff = Lane("staff", STAFF_THREADS, queue(STAFF_QUEUE))
        self.sign_in = Lane("sign-in", SIGN_IN_THREADS, queue(SIGN_IN_QUEUE))
        self.files = Lane("files", FILE_THREADS, queue(FILE_QUEUE))
        self.programs = Lane("programs", PROGRAM_THREADS, queue(PROGRAM_QUEUE))
        self.doorkeeper = Lane("doorkeeper", 1, queue(PUBLIC_QUEUE))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] == "/healthz":  # without waiting, because a busy process is alive
            await send_text(send, 200, "ok")
            return
        # Whoever asks first sends nothing, unless somebody reads.
        incoming = Incoming(receive, more=body_size(scope) != 0 and not header(scope, b"expect"))
        try:
            await self.serve(scope, incoming, send)
        except Refusal as refusal:
            if refusal.status == Busy.status and (copy := kept_copy(scope)):
                await send_answer(send, copy)
                return
            log.info("refused", status=refusal.status, path=scope["path"])
            REFUSAL_COUNTER.labels(refusal.status).inc()
            with suppress(Exception):
                api = scope["path"].startswith("/api/")
                await send_refusal(send, incoming, refusal, language_of(scope), api=api)
        except VisitorLeft:
            log.info("left", path=scope["path"])

    async def serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or raise `Refusal` or `VisitorLeft`."""
        signed_in, visitor = await self.visitor(scope)
        most, size, turns = STAFF_BODY if signed_in else PUBLIC_BODY, body_size(scope), self.turns
        if brings_file(scope):
            most, turns = FILE_BODY, self.file_turns
        elif files_by_key(scope):
            most = FILE_BODY
        # Slow bodies have turns of their own, so that the visitor can open other pages meanwhile.
        async with nullcontext() if size == 0 else self.bodies.turn(visitor):
            with await read_body(receive, declared=size, most=most) as body:
                async with turns.turn(visitor):
                    lane = self.lane(scope, signed_in)
                    answer = await self.answer(lane, partial(self.site.answer, scope, body), receive)
                    if answer.status in AWAY_STATUSES and (copy := kept_copy(scope)):
                        answer.content.close()
                        answer = copy
                    await send_answer(send, answer)

    async def visitor(self, scope: Scope) -> tuple[bool, str]:
        """Whether the visitor is signed in, and the key by which their turns are counted."""
        key = get_session_key(scope)
        if key and not self.sessions.known(key):
            with suppress(Refusal):  # too many lookups: treat it as signed out
                if not await self.doorkeeper.run(partial(self.sessions.look_up, key)):
                    key = ""
        if key and self.sessions.known(key):
            return True, f"session {key}"
        return False, visitor_address(scope, settings.ALLAUTH_TRUSTED_PROXY_COUNT)

    def lane(self, scope: Scope, signed_in: bool) -> Lane:
        if brings_file(scope):
            return self.files
        if files_by_key(scope):
            return self.programs
        if signed_in:
            return self.staff
        return self.sign_in if scope["path"].startswith("/accounts/") else self.public

    async def answer(self, lane: Lane, job: partial[WholeResponse], receive: Receive) -> WholeResponse:
        """Run `job` in a thread of the lane, unless the visitor leaves while it waits."""
        leaving = asyncio.ensure_future(receive())
        try:
            with REQUEST_SECONDS.labels(lane.name).time():
                response = await lane.run(job, leaving.done)
        finally:
            leaving.cancel()
        REQUEST_COUNTER.labels(lane.name, response.status).inc()
        return response


def brings_file(scope: Scope) -> bool:
    """Whether a request brings an event file to be checked."""
    path: str = scope["path"]
    return scope["method"] == "POST" and path.endswith(CHECKED_FILES)


def files_by_key(scope: Scope) -> bool:
    """Whether a request is that of a program that files, with some key."""
    keyed = header(scope, b"authorization").lower().startswith("bearer ")
    return keyed and scope["path"].startswith("/api/") and scope["path"].endswith("/file")


def get_session_key(scope: Scope) -> str:
    """The session key in a request's cookie; empty if there is none."""
    value = _cookie(scope, settings.SESSION_COOKIE_NAME)
    return value if 8 <= len(value) <= 64 and value.isalnum() else ""


def chosen_language(scope: Scope) -> str:
    """The language that the reader chose with the switch on every page; empty: none."""
    return supported_language(_cookie(scope, settings.LANGUAGE_COOKIE_NAME))


def language_of(scope: Scope) -> str:
    """The language of a refusal, by URL, cookie or browser."""
    in_path, _rest = split_language(scope["path"])
    chosen = chosen_language(scope)
    accepted = find_accepted_language(header(scope, b"accept-language"))
    return in_path or chosen or accepted or settings.LANGUAGE_CODE


def _cookie(scope: Scope, wanted: str) -> str:
    for cookie in header(scope, b"cookie").replace(",", ";").split(";"):
        name, _equals, value = cookie.strip().partition("=")
        if name == wanted:
            return value
    return ""


def body_size(scope: Scope) -> int | None:
    """The size of a request body by its headers: 0 if there is none, None if it is chunked."""
    length = header(scope, b"content-length")
    if length.isdecimal():
        return int(length)
    return None if header(scope, b"transfer-encoding") else 0


# ---- Settings of Python and Django for web processes
KEEP_CONNECTION_SECONDS = 20
"""The least seconds for which a thread keeps its connection to the database. Few, because a connection to
SQLite that was opened while the disk could not be written stays read-only.
"""
DATABASE_PATIENCE = 15.0
"""The seconds for which a page waits for PostgreSQL's answer; twice that if it has to connect anew."""
GC_THRESHOLD = 50_000
"""The new objects after which Python's garbage collector runs. Its default of 700 makes it run many times
during a large page, whose objects are no garbage before its end.
"""
SWITCH_SECONDS = 0.001
"""The time after which Python switches threads."""


def configure_web_process() -> None:
    """Keep connections to SQLite between requests, give PostgreSQL little time, switch threads five times as
    often as by default, and collect garbage seldom.

    Opening a connection takes as long as finding a cached page. Workers open one for each task, because they
    fork, and a child must not inherit an open SQLite database.
    """
    for alias in connections:
        database = connections.settings[alias]
        database["CONN_MAX_AGE"] = max(database["CONN_MAX_AGE"] or 0, KEEP_CONNECTION_SECONDS)
    limit_patience(DATABASE_PATIENCE)
    # Each query releases Python's lock, and has to wait for a busy thread to release it again.
    sys.setswitchinterval(SWITCH_SECONDS)
    gc.set_threshold(GC_THRESHOLD)


def freeze_loaded_objects() -> None:
    """Load all views, and exempt the program's objects from garbage collection.

    A collection stops the process for a fifth of a second and more, mostly for the program's own million
    objects; and it writes to each, so that forked processes would no longer share them.
    """
    get_resolver().url_patterns  # noqa: B018  this imports the views
    gc.collect()
    gc.freeze()
