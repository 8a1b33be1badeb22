"""The gateway as the web server calls it (ASGI): one request's way from its first byte to its last."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext, suppress
from functools import partial

import structlog
from django.conf import settings

from federation_site.gateway import limits
from federation_site.gateway.answers import Send, send_answer, send_refusal, send_text
from federation_site.gateway.bodies import Receive, read_body
from federation_site.gateway.call_django import Site, WholeResponse
from federation_site.gateway.client_address import address_of, header
from federation_site.gateway.lanes import Lane
from federation_site.gateway.refusals import Gone, Refusal
from federation_site.gateway.sessions import Sessions
from federation_site.gateway.visitor_turns import Scope, Turns
from federation_site.processes.capacity import web_processes
from federation_site.watch.counters import ANSWERED, REFUSED, TAKEN
from players.languages.addresses import split_language
from players.languages.choice import first_accepted, offered

log = structlog.get_logger("federation_site.gateway")


class Gateway:
    """The ASGI application: waits for the visitor's turn (few at once for each session or address), then for
    a thread of their lane, and sends the answer.
    """

    def __init__(self) -> None:
        processes = web_processes()
        queue = partial(limits.share, processes=processes)
        self.site, self.sessions = Site(), Sessions()
        self.turns, self.bodies = Turns(processes), Turns(processes)
        self.public = Lane(
            "public", limits.PUBLIC_THREADS, queue(limits.PUBLIC_QUEUE), patience=limits.PUBLIC_PATIENCE
        )
        self.staff = Lane("staff", limits.STAFF_THREADS, queue(limits.STAFF_QUEUE))
        self.sign_in = Lane("sign-in", limits.SIGN_IN_THREADS, queue(limits.SIGN_IN_QUEUE))
        self.doorkeeper = Lane("doorkeeper", 1, queue(limits.PUBLIC_QUEUE))

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
        most, size = limits.STAFF_BODY if signed_in else limits.PUBLIC_BODY, declared(scope)
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
