"""A real office and real browsers for the tests: `up` in a folder of its own, and Chromium in front of it."""

from __future__ import annotations

import os
import shutil
import signal
import struct
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

from axe_playwright_python.sync_playwright import Axe
from django.utils.translation import get_language
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Playwright, Request, Response

from ratings.rulesets import rulesets
from ratings.rulesets.profile import equipment_of
from tests.ports import free_port
from tests.spoken import say

ROOT = Path(__file__).resolve().parent.parent
OPENED_WITHIN = 300.0  # seconds; a demo office is made first
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
KEPT = ("PATH", "HOME", "LANG", "TMPDIR")
"""Of the tests' own environment: anything else could turn the office into another one."""
PATIENCE = 90_000
"""Milliseconds: a busy machine is no fault of the page."""
DESKTOP, PHONE = (1280, 900), (390, 844)
Size = tuple[int, int]
UTC_ALONE = b"TZif".ljust(20, b"\0") + struct.pack(">6l", 0, 0, 0, 0, 1, 4) + bytes(6) + b"UTC\0"
"""A time zone as a file (RFC 9636, version 1): no transition, one type, no offset, its name."""
AXE = Axe().axe_script
# In the dark only the colours are others.
SCHEMES: dict[Literal["light", "dark"], dict[str, Any]] = {
    "light": {"resultTypes": ["violations"]},
    "dark": {"resultTypes": ["violations"], "runOnly": ["color-contrast", "link-in-text-block"]},
}
TARGETS = {"rules": {"target-size": {"enabled": True}}}


# ---------------------------------------------------------------- the office


@dataclass(frozen=True, slots=True)
class Office:
    address: str
    """Of the first page, without the last slash."""
    log: Path
    """What `up` and its children said."""


@contextmanager
def open_office(folder: Path, *up: str, filled_by: str = "") -> Iterator[Office]:
    """Start `manage.py up` with everything it keeps in `folder`; close it in good order at the end.

    `up`: further options. `filled_by`: a module that is run on the open office's database.
    """
    office = Office(f"http://127.0.0.1:{free_port()}", folder / "up.log")
    port = str(urlsplit(office.address).port)
    zones_of_utc(folder / "zones")
    settings = {name: os.environ[name] for name in KEPT if name in os.environ} | {
        "PYTHONTZPATH": str(folder / "zones"),
        "VAR_DIR": str(folder),
        "NO_BOOTSTRAP": "1",
        "DJANGO_SETTINGS_MODULE": "federation_site.settings",
    }
    command = [sys.executable, "manage.py", "up", "--port", port, *up]
    with office.log.open("wb") as log:
        process = subprocess.Popen(command, cwd=ROOT, env=settings, stdout=log, stderr=subprocess.STDOUT)
    try:
        wait_until_open(office, process)
        if filled_by:
            subprocess.run([sys.executable, "-m", filled_by], cwd=ROOT, env=settings, check=True)
        yield office
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(40)


def zones_of_utc(folder: Path) -> None:
    """Write a file for the time zone of each office, by which it is UTC: the office has the day of the tests
    that fill it and type its days, at whatever hour they run.
    """
    for ruleset in rulesets().values():
        file = folder / equipment_of(ruleset).office.time_zone
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(UTC_ALONE)


def wait_until_open(office: Office, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + OPENED_WITHIN
    while not answers(office.address + "/readyz"):
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError(f"The office did not open:\n{office.log.read_text()}")
        time.sleep(0.2)


def answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=5) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, OSError):
        return False


# ---------------------------------------------------------------- the visitors


def launch(playwright: Playwright) -> Browser:
    """The machine's own Chromium; Playwright's downloads are not wanted."""
    names = ("chromium", "chromium-browser", "google-chrome")
    path = next(filter(None, map(shutil.which, names)), None)
    return playwright.chromium.launch(executable_path=path, args=list(FLAGS))


@dataclass
class Visitors:
    """The people before the browser in one test, and all that went wrong before their eyes."""

    browser: Browser
    office: Office
    contexts: list[BrowserContext] = field(default_factory=list)
    troubles: list[str] = field(default_factory=list)
    """Errors on the console, scripts that failed, what the CSP refused, what came from another host."""
    refusals: list[tuple[int, str]] = field(default_factory=list)
    """Answers of 400 and above: status and path. A test takes off what it meant to provoke."""

    def enter(self, size: Size = DESKTOP, **options: Any) -> Page:
        """Somebody new comes, with nothing in their pockets, who asks for the language of the walk."""
        width, height = size
        context = self.browser.new_context(
            base_url=self.office.address,
            viewport={"width": width, "height": height},
            reduced_motion="reduce",
            locale=get_language(),
            **options,
        )
        self.contexts.append(context)
        context.on("console", self._console)
        context.on("weberror", lambda error: self.troubles.append(f"script: {error.error}"))
        context.on("request", self._request)
        context.on("response", self._response)
        context.set_default_timeout(PATIENCE)
        return context.new_page()

    def sign_in(self, email: str, password: str, *, office: str = "csa", **options: Any) -> Page:
        """Through the sign-in page, as everybody, to the desk in that office."""
        page = self.enter(**options)
        page.goto(f"/accounts/login/?next=/{office}/desk/")
        page.get_by_role("textbox", name=say("Email")).fill(email)
        page.get_by_label(say("Password"), exact=True).fill(password)
        page.get_by_role("button", name=say("Sign in"), exact=True).click()
        page.wait_for_url(f"**/{office}/desk/")
        return page

    def expect_refusals(self, *statuses: int) -> None:
        """These answers were meant; anything else stays as a fault."""
        found = [status for status, _path in self.refusals]
        assert found == list(statuses), self.refusals
        self.refusals.clear()

    def look(self, page: Page, sizes: tuple[Size, ...] = (DESKTOP, PHONE), *, targets: bool = False) -> None:
        """Note what would keep somebody from using this page; `targets`: also what is too small to tap."""
        self.troubles += barriers(page, sizes, targets=targets)

    def faults(self) -> list[str]:
        return [*self.troubles, *(f"{status} for {path}" for status, path in self.refusals)]

    def pictures(self, folder: Path) -> list[Path]:
        """What each of them sees at this moment."""
        folder.mkdir(parents=True, exist_ok=True)
        pages = [page for context in self.contexts for page in context.pages]
        paths = [folder / f"{number}.png" for number in range(1, len(pages) + 1)]
        for page, path in zip(pages, paths, strict=True):
            page.screenshot(path=path, full_page=True)
        return paths

    def leave(self) -> None:
        for context in self.contexts:
            context.close()

    def _console(self, message: ConsoleMessage) -> None:
        # A refused answer is noted as such, with its path.
        if message.type in ("error", "warning") and not message.text.startswith("Failed to load resource"):
            self.troubles.append(f"console: {message.text} at {message.location.get('url')}")

    def _request(self, request: Request) -> None:
        if not request.url.startswith((self.office.address, "data:", "blob:")):
            self.troubles.append(f"from elsewhere: {request.url}")

    def _response(self, response: Response) -> None:
        if response.status >= 400:
            self.refusals.append((response.status, urlsplit(response.url).path))


# ---------------------------------------------------------------- what everybody must be able to use


def barriers(page: Page, sizes: tuple[Size, ...] = (DESKTOP, PHONE), *, targets: bool = False) -> list[str]:
    """What axe finds on the page as it stands, light and dark, at each size; and whether it is too wide.

    `targets`: by its rule of 24 pixels for whatever is tapped, too, which axe leaves out unless asked.
    In light it looks at the desktop, in dark at the phone; with `PICTURES=all` at both in both.
    """
    kept, found = page.viewport_size, []
    some = os.environ.get("PICTURES") != "all"
    page.evaluate(AXE)
    for width, height in sizes:
        page.set_viewport_size({"width": width, "height": height})
        if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            found.append(f"{page.url} is wider than {width} pixels")
        for scheme, options in SCHEMES.items():
            if some and (scheme == "light") is not ((width, height) == DESKTOP):
                continue
            page.emulate_media(color_scheme=scheme)
            asked = options | (TARGETS if targets and scheme == "light" else {})
            violations = page.evaluate("options => axe.run(document, options)", asked)["violations"]
            found += [f"{page.url}, {scheme}, {width}: {_words(each)}" for each in violations]
    page.emulate_media(color_scheme="null")
    if kept:
        page.set_viewport_size(kept)
    return found


def _words(violation: dict[str, Any]) -> str:
    places = [f"{' '.join(node['target'])} ({node['failureSummary']})" for node in violation["nodes"][:3]]
    return f"{violation['id']} at {'; '.join(places)}"
