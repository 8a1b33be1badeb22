"""A signed-in person over HTTP, whose form is held back by its last byte until the other's is there too."""

from __future__ import annotations

import re
import socket
import threading
import time
from dataclasses import dataclass, field
from html import unescape
from http.client import HTTPException, HTTPResponse
from urllib.parse import urlencode, urlsplit

PATIENCE = 60.0
"""Seconds after which an answer is given up: a writer waits 20 for another, on a busy machine."""
CUT = 0
"""The status of a form that got no whole answer."""
FLASHED = re.compile(r'<div class="messages".*?\n</div>', re.DOTALL)
TOLD = re.compile(r'<div class="message message-(error|info|warning)">.*?<div>(.*?)</div></div>', re.DOTALL)
ALERT = re.compile(r'<div class="message message-error" role="alert">.*?<div>(.*?)</div></div>', re.DOTALL)
WRONG = re.compile(r'<div class="form-errors".*?</h2>(.*?)</div>', re.DOTALL)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a person saw who sent a form."""

    status: int
    """Of the form's own answer."""
    page: str
    """The page shown in the end: this, or the one to which it led."""
    place: str = ""
    """The address to which it led."""

    @property
    def done(self) -> bool:
        """Whether the person was told that it is done: led on, to a page without an error."""
        return self.status == 302 and not self.refusals()

    @property
    def kind(self) -> bool:
        """Whether a person who was refused reads why, and no page of an error."""
        return self.status in (302, 409) and any(self.refusals())

    def refusals(self) -> list[str]:
        """What the page says against it."""
        flashed = [words for part in FLASHED.findall(self.page) for _level, words in TOLD.findall(part)]
        said = [*flashed, *ALERT.findall(self.page), *WRONG.findall(self.page)]
        return [_plain(words) for words in said]

    def words(self) -> str:
        return " ".join(self.refusals()) or f"{self.status} {self.place}: {_plain(self.page)[:200]}"


@dataclass
class Visitor:
    """A browser with its cookies, before the office at a port of this machine."""

    port: int
    email: str
    cookies: dict[str, str] = field(default_factory=dict)
    signed_in_at: float = 0.0

    def sign_in(self, password: str) -> None:
        """Sign in by the office's own page."""
        self.cookies.clear()
        self.get("/accounts/login/")
        answer = self.send(self.form("/accounts/login/", {"login": self.email, "password": password}))
        if answer.status != 302 or "sessionid" not in self.cookies:
            raise SystemExit(f"{self.email} cannot sign in: {answer.words()}")
        self.signed_in_at = time.monotonic()

    def get(self, path: str) -> Answer:
        return self.send(self._request("GET", path))

    def form(self, path: str, fields: dict[str, str]) -> bytes:
        """The request that sends a form with the token that its page would give."""
        return self._request("POST", path, {**fields, "csrfmiddlewaretoken": self.cookies["csrftoken"]})

    def send(self, request: bytes, together: threading.Barrier | None = None, later: float = 0.0) -> Answer:
        """Send a request, its last byte when the others at the barrier are there too and some seconds have
        passed; read the answer, and the page to which it leads.
        """
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as wire:
                wire.sendall(request[:-1])
                if together:
                    together.wait(PATIENCE)
                    time.sleep(later)
                wire.sendall(request[-1:])
                answer = self._read(wire)
        except (OSError, HTTPException) as fault:
            return Answer(CUT, f"{fault!r}")
        if answer.status == 302 and not answer.place.startswith("/accounts/") and together:
            return Answer(302, self.get(answer.place).page, answer.place)
        return answer

    def _read(self, wire: socket.socket) -> Answer:
        response = HTTPResponse(wire)
        response.begin()
        page = response.read().decode(errors="replace")
        for cookie in response.headers.get_all("Set-Cookie") or ():
            name, _, value = cookie.partition(";")[0].partition("=")
            self.cookies[name] = value
        place = urlsplit(response.headers.get("Location") or "")
        return Answer(response.status, page, place._replace(scheme="", netloc="").geturl())

    def _request(self, method: str, path: str, fields: dict[str, str] | None = None) -> bytes:
        body = urlencode(fields).encode() if fields is not None else b""
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        lines = [f"{method} {path} HTTP/1.1", "Host: localhost", "Connection: close", f"Cookie: {cookies}"]
        if fields is not None:
            lines += ["Content-Type: application/x-www-form-urlencoded", f"Content-Length: {len(body)}"]
        return "\r\n".join([*lines, "", ""]).encode() + body


def _plain(words: str) -> str:
    return " ".join(unescape(re.sub(r"<svg.*?</svg>|<[^>]*>", " ", words, flags=re.DOTALL)).split())
