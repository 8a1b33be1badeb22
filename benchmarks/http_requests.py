"""Requests over HTTP at a given rate, cheap enough to share the machine with the server that they measure."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlencode

LONGEST = 60.0
"""Seconds after which an answer is given up."""
CUT = 0
"""The status of a request to which no whole answer came."""


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    seconds: float
    body: bytes = b""
    retry_after: bool = False


async def ask(
    port: int,
    path: str,
    *,
    address: str = "127.0.0.1",
    session: str = "",
    form: Mapping[str, str] | None = None,
    due: float | None = None,
) -> Answer:
    """Send one request on a connection of its own and read the whole answer.

    `address`: whence it comes, some 127.x.y.z; `session`: the key of somebody signed in; `form`: what is
    posted. Time counts from `due` (by `time.monotonic`), when the visitor came, not from when this began.
    """
    due = time.monotonic() if due is None else due
    try:
        async with asyncio.timeout(LONGEST):
            answer = await _exchange(port, request(path, session, form), address)
    except (OSError, TimeoutError, ValueError, IndexError):
        return Answer(CUT, time.monotonic() - due)
    head, _blank, body = answer.partition(b"\r\n\r\n")
    retry_after = b"\r\nretry-after:" in head.lower()
    return Answer(int(head.split(b" ", 2)[1]), time.monotonic() - due, body, retry_after)


async def _exchange(port: int, sent: bytes, address: str) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))
    try:
        writer.write(sent)
        return await reader.read()
    finally:
        writer.close()


def request(path: str, session: str = "", form: Mapping[str, str] | None = None) -> bytes:
    """The bytes of a GET, or of a POST where there is a form, with the token that its page would give."""
    lines = [f"{'GET' if form is None else 'POST'} {path} HTTP/1.1", "Host: localhost", "Connection: close"]
    cookies = {"sessionid": session} if session else {}
    body = b""
    if form is not None:
        token = "a" * 32
        cookies["csrftoken"] = token
        body = urlencode({**form, "csrfmiddlewaretoken": token}).encode()
        lines += ["Content-Type: application/x-www-form-urlencoded", f"Content-Length: {len(body)}"]
    if cookies:
        lines.append("Cookie: " + "; ".join(f"{name}={value}" for name, value in cookies.items()))
    return "\r\n".join([*lines, "", ""]).encode() + body


@dataclass(slots=True)
class Figures:
    """What came back to one kind of request."""

    seconds: list[float] = field(default_factory=list)
    """Of answers, in the order of their arrival; sheds and errors apart."""
    statuses: Counter[int] = field(default_factory=Counter)
    shed: list[float] = field(default_factory=list)
    """Seconds of those answered with 503 and Retry-After."""

    def note(self, answer: Answer) -> None:
        self.statuses[answer.status] += 1
        if answer.status == 503 and answer.retry_after:
            self.shed.append(answer.seconds)
        else:
            self.seconds.append(answer.seconds)

    @property
    def errors(self) -> int:
        """Requests without an answer or with a fault of the server's; a shed is none."""
        return sum(count for status, count in self.statuses.items() if not 200 <= status < 500) - len(
            self.shed
        )

    def line(self) -> str:
        words = f"{sum(self.statuses.values()):>6} asked, {self.errors} errors, {len(self.shed)} shed"
        if self.shed:
            words += f" (within {percentile(self.shed, 0.99):.2f} s for 99 %)"
        if self.seconds:
            marks = ((f"p{100 * part:.0f}", percentile(self.seconds, part)) for part in (0.5, 0.95, 0.99))
            words += "; " + ", ".join(f"{name} {1000 * value:.0f} ms" for name, value in marks)
            words += f", most {1000 * max(self.seconds):.0f} ms"
        return f"{words}; {dict(sorted(self.statuses.items()))}"


def percentile(values: list[float], part: float) -> float:
    """The value that `part` (0 to 1) of all values do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]
