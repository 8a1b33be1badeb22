"""The web server's front (ASGI): takes requests whole, within limits, before Django spends a thread on them.

Slow bodies and slow readers wait here, at no cost to others; officials never queue behind strangers. The
parts are Django as the gateway calls it, the refusals, the reading of bodies, visitors' turns and addresses,
the lanes of threads, the ASGI application `Gateway`, and settings for a web process alone.
"""

from __future__ import annotations

import asyncio
import gc
import ipaddress
import os
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import cache, partial
from importlib import import_module
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
from django.template import loader
from django.urls import get_resolver, set_script_prefix
from django.utils import translation

from federation_site.environment import web_processes
from federation_site.middleware import HEADERS
from federation_site.watch import ANSWERED, REFUSED, TAKEN
from players.languages import first_accepted, offered, split_language
from ratings.rulesets.ruleset import with_room

PUBLIC_BODY = 64 * 1024
"""The largest body of somebody who is not signed in: the forms that they may send are short."""
STAFF_BODY = 31 * 1024 * 1024
"""The largest body of somebody who is signed in: a table of the register, and what a form adds to it."""
IN_MEMORY = 512 * 1024
"""The size from which a body or an answer lies in a temporary file."""

BODY_PATIENCE = 10.0
"""The time in which any body must have arrived …"""
BODY_PACE = 16 * 1024
"""… and the bytes that each further second must bring."""
ANSWER_PATIENCE = 20.0
"""The time in which a reader must take the next part of an answer."""
PART = 64 * 1024

TURNS = 8
"""The requests of one visitor that are answered at once; further ones wait for their turn."""
WAITING_TURNS = 64
"""The requests of one visitor that may wait for their turn; one more is refused."""
QUEUE_PATIENCE = 10.0
"""The time after which a request that waited for its turn or a thread is refused: its reader has left."""
PUBLIC_PATIENCE = 2.0
"""The same for the public's lane: beyond capacity a stranger hears soon that the office is busy."""

PUBLIC_THREADS, STAFF_THREADS, SIGN_IN_THREADS = 2, 6, 1
"""The threads of a lane in each web process. Strangers have what a core can do; of the staff more may wait
for whoever writes the database, and their colleagues read on.
"""
PUBLIC_QUEUE, STAFF_QUEUE, SIGN_IN_QUEUE = 32, 64, 16
"""The requests that may wait for a thread of a lane."""


def share(most: int, processes: int) -> int:
    """The part of one web process in what all of them on a machine may hold together; at least one.

    Turns and queues are the machine's: the system gives connections to its processes by lot.
    """
    return max(1, most // processes)


# ---- Django as the gateway calls it: in a thread, with a whole body, for a whole answer.
Headers = list[tuple[bytes, bytes]]


@dataclass(frozen=True, slots=True)
class WholeResponse:
    """An answer of Django's, complete with all its content; whoever sends it closes the content."""

    status: int
    headers: Headers
    content: IO[bytes]


class Site(ASGIHandler):
    """Django with all its middleware, called synchronously from a thread of the gateway."""

    def __init__(self) -> None:
        BaseHandler.__init__(self)
        self.load_middleware()

    def answer(self, scope: dict[str, Any], body: IO[bytes]) -> WholeResponse:
        """Answer a request. The thread is free again when this returns, however slow the reader is."""
        set_script_prefix(get_script_prefix(scope))
        signals.request_started.send(sender=self.__class__, scope=scope)
        request, error = self.create_request(scope, body)
        response = error if request is None else self.get_response(request)
        assert response is not None
        try:
            found = [(name.encode("ascii"), value.encode("latin1")) for name, value in response.items()]
            cookies = (each.output(header="").strip().encode("ascii") for each in response.cookies.values())
            return WholeResponse(
                response.status_code,
                [*found, *((b"Set-Cookie", cookie) for cookie in cookies)],
                content_of(response),
            )
        finally:
            response.close()  # sends `request_finished`, in the thread that holds the connection


def content_of(response: HttpResponseBase) -> IO[bytes]:
    """The content of Django's response as an open file: in memory or, if large, on disk, or its own file."""
    if isinstance(response, FileResponse) and (file := getattr(response, "file_to_stream", None)):
        with suppress(OSError, AttributeError):  # no file of the system's
            return os.fdopen(os.dup(file.fileno()), "rb")
    content: IO[bytes] = SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115  the caller closes it
    try:
        for part in response:
            content.write(part)
    except BaseException:
        content.close()
        raise
    content.seek(0)
    return content


# ---- Refusals before Django is asked: each with its status, and words for the person who reads it.
class Refusal(Exception):
    """A request that is not answered. `status` is HTTP's; the template of that name has the words."""

    status = 503
    retry_after: int | None = None


class TooLarge(Refusal):
    status = 413


class TooSlow(Refusal):
    """A request whose body did not arrive in time."""

    status = 408


class TooMany(Refusal):
    """A request of a visitor who asks for too much at once."""

    status = 429
    retry_after = 2


class Busy(Refusal):
    """A request that waited too long for a thread, or found the queue full."""

    retry_after = 5


class Gone(Exception):
    """A visitor who left before the answer: nothing is sent any more."""


@cache
def page(status: int, language: str) -> bytes:
    """The page for a refusal with this HTTP status, rendered once: it needs no session and no database."""
    name = "busy" if status == 503 else str(status)
    with translation.override(language):
        return loader.get_template(f"{name}.html").render().encode()


Send = Callable[[Mapping[str, Any]], Awaitable[None]]


async def send_answer(send: Send, answer: WholeResponse) -> None:
    """Send a whole answer. Raises `Gone` where the reader does not take the next part in time."""
    try:
        await _start(send, answer.status, answer.headers)
        part = answer.content.read(PART)
        while True:
            following = answer.content.read(PART) if part else b""
            async with asyncio.timeout(ANSWER_PATIENCE):
                await send({"type": "http.response.body", "body": part, "more_body": bool(following)})
            if not following:
                return
            part = following
    except TimeoutError:
        raise Gone from None
    finally:
        answer.content.close()


async def send_text(send: Send, status: int, text: str) -> None:
    headers = [(b"Content-Type", b"text/plain; charset=utf-8"), (b"Cache-Control", b"no-store")]
    await _start(send, status, [*headers, *secure_headers()])
    await send({"type": "http.response.body", "body": text.encode()})


async def send_refusal(send: Send, refusal: Refusal, language: str) -> None:
    """Send a refusal's page in a language, and end the connection: what is still sent is not read."""
    headers = [
        (b"Content-Type", b"text/html; charset=utf-8"),
        (b"Cache-Control", b"no-store"),
        (b"Connection", b"close"),
        *secure_headers(),
    ]
    if refusal.retry_after:
        headers.append((b"Retry-After", str(refusal.retry_after).encode()))
    await _start(send, refusal.status, headers)
    await send({"type": "http.response.body", "body": page(refusal.status, language)})


@cache
def secure_headers() -> Headers:
    """The headers that Django's middleware gives every answer of its own, for answers without Django."""
    headers = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
    headers.append((b"Content-Security-Policy", build_policy().encode()))
    if settings.SECURE_HSTS_SECONDS:
        transport = f"max-age={settings.SECURE_HSTS_SECONDS}; includeSubDomains"
        headers.append((b"Strict-Transport-Security", transport.encode()))
    return headers


async def _start(send: Send, status: int, headers: Headers) -> None:
    await send({"type": "http.response.start", "status": status, "headers": headers})


Message = Mapping[str, Any]
Receive = Callable[[], Awaitable[Message]]


async def read_body(receive: Receive, *, declared: int | None, most: int) -> IO[bytes]:
    """Read a request's whole body into a file, which the caller closes; at most `most` bytes.

    `declared`: the Content-Length, None where the body is chunked.

    Raises `TooLarge` (before anything is stored, where the size was declared), `TooSlow`, or `Gone`.
    """
    if declared is not None and declared > most:
        raise TooLarge
    expected = most if declared is None else declared
    body: IO[bytes] = SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115  the caller closes it
    try:
        async with asyncio.timeout(BODY_PATIENCE + expected / BODY_PACE):
            await _into(body, receive, most)
    except TimeoutError:
        body.close()
        raise TooSlow from None
    except BaseException:
        body.close()
        raise
    body.seek(0)
    return body


async def _into(body: IO[bytes], receive: Receive, most: int) -> None:
    more = True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Gone
        body.write(message.get("body", b""))
        if body.tell() > most:
            raise TooLarge
        more = message.get("more_body", False)


# ---- Turns of visitors, told apart by address or sign-in, so that nobody takes all threads.
Scope = dict[str, Any]


@dataclass(slots=True)
class _Turns:
    free: asyncio.Semaphore
    inside: int = 0


class Turns:
    """The requests of each visitor to this process that are answered now, and those that wait their turn.

    `processes`: the number of web processes, which share what one visitor may have.
    """

    def __init__(self, processes: int = 1) -> None:
        self._at_once = share(TURNS, processes)
        self._most = self._at_once + share(WAITING_TURNS, processes)
        self._of: dict[str, _Turns] = {}

    @asynccontextmanager
    async def turn(self, visitor: str) -> AsyncIterator[None]:
        """Wait until one of a visitor's requests may be answered, and hold that turn until the block ends.

        `visitor`: session or address. Raises `TooMany` where too many wait, or no turn comes free in time.
        """
        turns = self._of.setdefault(visitor, _Turns(asyncio.Semaphore(self._at_once)))
        if turns.inside >= self._most:
            raise TooMany
        turns.inside += 1
        try:
            await _in_time(turns.free)
            try:
                yield
            finally:
                turns.free.release()
        finally:
            turns.inside -= 1
            if not turns.inside:
                self._of.pop(visitor, None)


async def _in_time(free: asyncio.Semaphore) -> None:
    try:
        async with asyncio.timeout(QUEUE_PATIENCE):
            await free.acquire()
    except TimeoutError:
        raise TooMany from None


# ---- The address from which a request comes, behind as many proxies as the office trusts.
def header(scope: Scope, name: bytes) -> str:
    """A request's header, its lines joined by commas; empty where there is none."""
    return ",".join(value.decode("latin1") for key, value in scope["headers"] if key.lower() == name)


def address_of(scope: Scope, proxies: int) -> str:
    """The visitor's address: what the outermost of our own proxies saw; an IPv6 visitor is a /64 network.

    Without proxies the header is a stranger's word, and the connection alone counts.
    """
    seen = scope["client"][0] if scope.get("client") else ""
    if proxies:
        passed = [each.strip() for each in header(scope, b"x-forwarded-for").split(",") if each.strip()]
        seen = passed[-proxies] if len(passed) >= proxies else seen
    try:
        address = ipaddress.ip_address(seen)
    except ValueError:
        return seen
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped:  # as a socket for both kinds tells IPv4: its network would be everybody's
            return str(address.ipv4_mapped)
        return str(ipaddress.ip_network((address, 64), strict=False))
    return str(address)


T = TypeVar("T")


class Lane:
    """The threads for one kind of visitor, and a queue of limited length before them."""

    def __init__(self, name: str, threads: int, queue: int, *, patience: float = QUEUE_PATIENCE) -> None:
        self.name = name
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._most = threads + queue
        self._patience = patience
        self.inside = 0
        """The requests that run or wait."""

    async def run(self, job: Callable[[], T], left: Callable[[], bool] = lambda: False) -> T:
        """Run a job in a thread of this lane. `left`: whether the visitor has gone meanwhile.

        Raises `Busy` at once where the queue is full, and as soon as the wait for a thread is too long;
        `Gone` where nobody waits any more. The job does not run then.
        """
        if self.inside >= self._most:
            raise Busy
        self.inside += 1

        def begin() -> T:
            if left():
                raise Gone
            return with_room(job)

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
"""The seconds for which a key counts as signed in without another look."""
_MOST = 10_000


class Sessions:
    """The session keys that were found, in the last minute, to be of somebody signed in."""

    def __init__(self) -> None:
        self._store = import_module(settings.SESSION_ENGINE).SessionStore
        self._known: dict[str, float] = {}

    def known(self, key: str) -> bool:
        """Whether a session key was found signed in within the last `FRESH` seconds; asks no store."""
        return self._known.get(key, 0.0) > time.monotonic()

    def look_up(self, key: str) -> bool:
        """Ask the store whether a session key is of somebody signed in; a yes is known from then on."""
        close_old_connections()
        try:
            signed_in = SESSION_KEY in self._store(key)
        finally:
            close_old_connections()
        if signed_in:
            if len(self._known) >= _MOST:
                self._known.clear()
            self._known[key] = time.monotonic() + FRESH
        return signed_in


# ---- The gateway as the web server calls it (ASGI): one request's way from its first byte to its last.
log = structlog.get_logger("federation_site.gateway")


class Gateway:
    """The ASGI application: waits for the visitor's turn (few at once for each session or address), then for
    a thread of their lane, and sends the answer.
    """

    def __init__(self) -> None:
        processes = web_processes()
        queue = partial(share, processes=processes)
        self.site, self.sessions = Site(), Sessions()
        self.turns, self.bodies = Turns(processes), Turns(processes)
        self.public = Lane("public", PUBLIC_THREADS, queue(PUBLIC_QUEUE), patience=PUBLIC_PATIENCE)
        self.staff = Lane("staff", STAFF_THREADS, queue(STAFF_QUEUE))
        self.sign_in = Lane("sign-in", SIGN_IN_THREADS, queue(SIGN_IN_QUEUE))
        self.doorkeeper = Lane("doorkeeper", 1, queue(PUBLIC_QUEUE))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["path"] == "/healthz":  # above everything: a process that is only busy lives
            await send_text(send, 200, "ok")
            return
        try:
            await self.serve(scope, receive, send)
        except Refusal as refusal:
            log.info("refused", status=refusal.status, path=scope["path"])
            REFUSED.labels(refusal.status).inc()
            with suppress(Exception):
                await send_refusal(send, refusal, language_of(scope))
        except Gone:
            log.info("left", path=scope["path"])

    async def serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or raise `Refusal` or `Gone`."""
        signed_in, visitor = await self.visitor(scope)
        most, size = STAFF_BODY if signed_in else PUBLIC_BODY, declared(scope)
        # What a visitor sends slowly takes no turn from the pages that they ask for meanwhile.
        async with nullcontext() if size == 0 else self.bodies.turn(visitor):
            with await read_body(receive, declared=size, most=most) as body:
                async with self.turns.turn(visitor):
                    lane = self.lane(scope, signed_in)
                    answer = await self.answer(lane, partial(self.site.answer, scope, body), receive)
                    await send_answer(send, answer)

    async def visitor(self, scope: Scope) -> tuple[bool, str]:
        """Tell whether somebody signed in asks, and by what their turns are counted: session or address."""
        key = session_of(scope)
        if key and not self.sessions.known(key):
            with suppress(Refusal):  # too many ask who they are: they are strangers for now
                if not await self.doorkeeper.run(partial(self.sessions.look_up, key)):
                    key = ""
        if key and self.sessions.known(key):
            return True, f"session {key}"
        return False, address_of(scope, settings.ALLAUTH_TRUSTED_PROXY_COUNT)

    def lane(self, scope: Scope, signed_in: bool) -> Lane:
        if signed_in:
            return self.staff
        return self.sign_in if scope["path"].startswith("/accounts/") else self.public

    async def answer(self, lane: Lane, job: partial[WholeResponse], receive: Receive) -> WholeResponse:
        """Run `job`, which asks Django, in a thread of the lane; not if the visitor leaves while it waits."""
        leaving = asyncio.ensure_future(receive())
        try:
            with TAKEN.labels(lane.name).time():
                response = await lane.run(job, leaving.done)
        finally:
            leaving.cancel()
        ANSWERED.labels(lane.name, response.status).inc()
        return response


def session_of(scope: Scope) -> str:
    """The session key in a request's cookie; empty where there is none."""
    value = _cookie(scope, settings.SESSION_COOKIE_NAME)
    return value if 8 <= len(value) <= 64 and value.isalnum() else ""


def language_of(scope: Scope) -> str:
    """The language of a refusal: the address's, that of the switch, or what the browser asks for."""
    of_address, _rest = split_language(scope["path"])
    of_switch = offered(_cookie(scope, settings.LANGUAGE_COOKIE_NAME))
    asked = first_accepted(header(scope, b"accept-language"))
    return of_address or of_switch or asked or settings.LANGUAGE_CODE


def _cookie(scope: Scope, wanted: str) -> str:
    """The value of a request's cookie of that name; empty where there is none."""
    for cookie in header(scope, b"cookie").replace(",", ";").split(";"):
        name, _equals, value = cookie.strip().partition("=")
        if name == wanted:
            return value
    return ""


def declared(scope: Scope) -> int | None:
    """The size of a request's body by its headers: 0 where no body comes, None where it comes in chunks."""
    length = header(scope, b"content-length")
    if length.isdecimal():
        return int(length)
    return None if header(scope, b"transfer-encoding") else 0


# ---- Settings of Python and of Django for a web process alone, beside those of all programs.
KEEP_SECONDS = 20
"""The seconds for which a thread keeps its connection to the database, at least. Not for long: one to SQLite
that was opened while the disk could not be written stays so.
"""
YOUNG = 50_000
"""The objects made, and not let go, before Python's garbage collector looks through them. By itself it does
so after 700: many times in a large page, whose objects are no garbage before its end.
"""
SWITCH_SECONDS = 0.001
"""The time after which a thread of Python's lets another go on."""


def suit_web() -> None:
    """Keep connections between requests on SQLite too, and let threads take turns five times as often as
    Python does by itself.

    A connection to SQLite costs as much to open as a kept answer costs to find. Workers go on opening one for
    each task: they fork, and a child must not inherit an open SQLite database.
    """
    for alias in connections:
        kept = connections.settings[alias]
        kept["CONN_MAX_AGE"] = max(kept["CONN_MAX_AGE"] or 0, KEEP_SECONDS)
    # Each query lets Python's lock go; a busy thread gives it back after this time alone, query by query.
    sys.setswitchinterval(SWITCH_SECONDS)


def spare_program() -> None:
    """Load what answers need, and keep Python's garbage collector from looking through all of it again; have
    it look through the rest less often.

    The collector stops the process for as long as it looks, a fifth of a second and more: the program's own
    million objects, which stay, are most of that.
    """
    get_resolver().url_patterns  # noqa: B018  the addresses import the views
    gc.collect()
    gc.freeze()
    gc.set_threshold(YOUNG)
