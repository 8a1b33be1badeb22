"""Somebody at work before a browser: follows links, presses buttons, fills in fields; types no address.

Each page that opens is looked at for barriers, once of each kind in a run. `WALK_PICTURES=folder` keeps a
picture of each page at both sizes; `WALK_CLICKS=file` writes down what each task took.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from django.urls import Resolver404, resolve
from django.utils.translation import activate
from playwright.sync_api import Locator, Page, expect

from tests.browser import DESKTOP, PHONE, Visitors
from tests.browser_office import PASSWORD
from tests.spoken import say
from tests.walks.seasons import Season, Staff

Words = str | re.Pattern[str]
WATCHED = "[hx-trigger^='load']:visible, [role=progressbar]:visible, progress:visible"
"""What a page still waits for: effects that are worked out, and work of the office."""


@dataclass
class Sight:
    """Whoever looks at each page that a walk opens."""

    visitors: Visitors
    pictures: Path | None = None
    seen: set[tuple[str, ...]] = field(default_factory=set)
    """Kinds of pages that were looked at in this run."""
    seconds: float = 0.0
    """What looking took: no part of anybody's task."""

    def look(self, page: Page, season: Season) -> None:
        kind = self.kind(page, season)
        if kind in self.seen:
            return
        begun = time.monotonic()
        self.seen.add(kind)
        self.visitors.look(page)
        if self.pictures:
            self._keep(page, "-".join(kind))
        self.seconds += time.monotonic() - begun

    def kind(self, page: Page, season: Season) -> tuple[str, ...]:
        """The view, the stage of what it shows, and the office where its forms differ."""
        try:
            view = resolve(urlsplit(page.url).path).view_name
        except Resolver404:
            view = "nowhere"
        stages = page.locator("main .page-head .badge, main header .badge").all_inner_texts()
        own = [season.walk.slug] if view in OF_ITS_OWN else []
        return (view, *own, *stages)

    def _keep(self, page: Page, name: str) -> None:
        assert self.pictures
        kept = page.viewport_size
        for width, height in (DESKTOP, PHONE):
            page.set_viewport_size({"width": width, "height": height})
            path = self.pictures / f"{re.sub(r'[^a-z0-9_-]+', '_', name.lower())}-{width}.png"
            page.screenshot(path=path, full_page=True)
        if kept:
            page.set_viewport_size(kept)


OF_ITS_OWN = {
    "tournaments:register",
    "tournaments:details",
    "tournaments:deadlines",
    "ratings:before_play",
    "ratings:table_page",
}
"""Views whose fields and tables each federation has of its own."""


@dataclass(frozen=True, slots=True)
class Effort:
    """What hands did: links, buttons and folds; fields written or chosen in; characters typed."""

    clicks: int = 0
    fields: int = 0
    keys: int = 0

    def __add__(self, other: Effort) -> Effort:
        return Effort(self.clicks + other.clicks, self.fields + other.fields, self.keys + other.keys)

    def __sub__(self, other: Effort) -> Effort:
        return Effort(self.clicks - other.clicks, self.fields - other.fields, self.keys - other.keys)

    @property
    def seconds(self) -> float:
        """A practised person's time by the keystroke-level model: 1.35 s of thought and 1.1 s to point and
        press for each click and each field, 0.28 s for each character.
        """
        return (1.35 + 1.1) * (self.clicks + self.fields) + 0.28 * self.keys


@dataclass
class Task:
    """What one of `STAFF_TASKS` took in a walk."""

    number: int
    office: str
    clicks: int
    fields: int
    keys: int
    browser_seconds: float
    """The browser's and the office's, as the script waited, without its looks for barriers."""
    seconds: float
    """The same and a person's hands and thought."""


TASKS: list[Task] = []


@dataclass
class Worker:
    """A person with a page open in one office."""

    page: Page
    season: Season
    sight: Sight
    effort: Effort = Effort()

    # ------------------------------------------------------------ what a hand does

    def follow(self, words: Words, within: Locator | None = None) -> None:
        """Click a link and wait for its page."""
        place = within or self.main
        self._go(place.get_by_role("link", name=words, exact=isinstance(words, str)).first)

    def open(self, there: Locator) -> None:
        """Click a link that has signs for words, and wait for its page."""
        self._go(there)

    def press(self, words: Words, within: Locator | None = None) -> None:
        """Press a button that sends a form, and wait for the answer."""
        place = within or self.main
        self._go(place.get_by_role("button", name=words, exact=isinstance(words, str)).first)

    def unfold(self, words: Words, within: Locator | None = None) -> Locator:
        """Open a fold by its summary; what is in it."""
        fold = (
            (within or self.main)
            .locator("details")
            .filter(has=self.page.locator("summary", has_text=words))
            .first
        )
        if fold.get_attribute("open") is None:
            self.click(fold.locator("summary").first)
        return fold

    def click(self, there: Locator) -> None:
        """Click something that opens no page."""
        there.click()
        self.effort += Effort(clicks=1)

    def field(self, label: str, within: Locator | None = None) -> Locator:
        """The field of that label, whatever stands behind the label (`optional`)."""
        labelled = (within or self.main).get_by_label(re.compile(rf"^\s*{re.escape(label)}(\s|:|$)"))
        return labelled.and_(self.page.locator("input, textarea, select")).first

    def fill(self, label: str, value: str, within: Locator | None = None) -> None:
        """Write into a field, or choose in it, by its label."""
        field = self.field(label, within)
        if field.evaluate("field => field.tagName") == "SELECT":
            field.select_option(value)
            self.effort += Effort(fields=1)
        else:
            self.write(field, value)

    def write(self, field: Locator, value: str) -> None:
        field.fill(value)
        self.effort += Effort(fields=1, keys=len(value))

    def choose(self, label: str, words: Words, within: Locator | None = None) -> None:
        """Choose the first option in whose words these stand."""
        field = self.field(label, within)
        option = field.locator("option", has_text=words).first
        field.select_option(value=option.get_attribute("value") or "")
        self.effort += Effort(fields=1)

    def tick(self, words: Words, within: Locator | None = None) -> None:
        self.check((within or self.main).get_by_role("checkbox", name=words).first)

    def pick(self, words: Words, within: Locator | None = None) -> None:
        self.check((within or self.main).get_by_role("radio", name=words).first)

    def check(self, box: Locator) -> None:
        """Tick a box, or untick it where it is ticked."""
        box.set_checked(not box.is_checked() or box.get_attribute("type") == "radio")
        self.effort += Effort(fields=1)

    # ------------------------------------------------------------ what an eye does

    @property
    def main(self) -> Locator:
        return self.page.get_by_role("main")

    def reads(self, words: Words, within: Locator | None = None) -> None:
        """It stands there for everybody to see."""
        expect((within or self.main).get_by_text(words).filter(visible=True).first).to_be_visible()

    def reads_all(self, *words: Words) -> None:
        for each in words:
            self.reads(each)

    def does_not_read(self, words: Words) -> None:
        expect(self.main.get_by_text(words).filter(visible=True)).to_have_count(0)

    def region(self, name: Words) -> Locator:
        return self.page.get_by_role("region", name=name)

    def row(self, *words: str) -> Locator:
        """The first row of a table in which all these words stand."""
        rows = self.main.get_by_role("row")
        for each in words:
            rows = rows.filter(has_text=each)
        return rows.first

    # ------------------------------------------------------------ where everybody comes from

    def to_desk(self) -> None:
        self.in_office(say("Desk"))

    def in_office(self, words: str) -> None:
        """By the office's navigation; from pages of one's own account, by the appointment there before."""
        offices = self.page.get_by_role("navigation", name=say("Office"))
        if not offices.count():
            here = self.page.get_by_role("navigation", name=say("You are here"))
            if here.count():
                self.follow(say("Your account"), here)
            self.follow(self.season.name)
        self.follow(words, offices)

    @contextmanager
    def task(self, number: int) -> Iterator[None]:
        """Whatever is done within is task `number` of `STAFF_TASKS`; 0 is none of them."""
        before, begun, looked = self.effort, time.monotonic(), self.sight.seconds
        yield
        waited = time.monotonic() - begun - (self.sight.seconds - looked)
        did = self.effort - before
        took = round(waited, 1), round(waited + did.seconds)
        TASKS.append(Task(number, self.season.walk.slug, did.clicks, did.fields, did.keys, *took))

    def look(self) -> None:
        """When the page has all that it waits for."""
        expect(self.page.locator(WATCHED)).to_have_count(0)
        self.sight.look(self.page, self.season)

    def _go(self, there: Locator) -> None:
        with self.page.expect_navigation(wait_until="load"):
            there.click()
        self.effort += Effort(clicks=1)
        self.look()


def arrive(who: Staff, season: Season, sight: Sight) -> Worker:
    """From the front page to one's desk, with address and password, in the language of the office."""
    activate(season.walk.language)
    page = sight.visitors.enter()
    page.goto("/")
    worker = Worker(page, season, sight)
    worker.follow(say("Sign in"), page.get_by_role("banner"))
    page.get_by_role("textbox", name=say("Email")).fill(season.address(who))
    page.get_by_label(say("Password"), exact=True).fill(PASSWORD)
    worker.press(say("Sign in"))
    return worker


def pictures_folder() -> Path | None:
    named = os.environ.get("WALK_PICTURES")
    if named:
        Path(named).mkdir(parents=True, exist_ok=True)
    return Path(named) if named else None
