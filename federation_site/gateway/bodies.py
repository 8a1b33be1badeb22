"""Takes in a request's body: whole, within a size and a time, and in a file where it is large."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from tempfile import SpooledTemporaryFile
from typing import IO, Any

from federation_site.gateway.limits import BODY_PACE, BODY_PATIENCE, IN_MEMORY
from federation_site.gateway.refusals import Gone, TooLarge, TooSlow

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
