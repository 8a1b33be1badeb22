"""Sends an answer, part by part, to a reader who has a time for each."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import cache
from typing import Any

from csp.utils import build_policy
from django.conf import settings

from federation_site.gateway.call_django import Headers, WholeResponse
from federation_site.gateway.limits import ANSWER_PATIENCE, PART
from federation_site.gateway.refusals import Gone, Refusal, page
from federation_site.web.security_headers import HEADERS

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
