"""Somebody with a phone: taps links, types into fields, swipes to what is not on the screen."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

from playwright.sync_api import Locator, Page, expect

from tests.browser import PHONE
from tests.walks.worker import Effort

Words = str | re.Pattern[str]
PER_SWIPE = 0.8
"""The share of the screen by which one swipe moves the page."""
SECONDS_A_SWIPE = 0.5
BELOW = """it => { const box = it.getBoundingClientRect();
    return box.top < 0 ? box.top : Math.max(0, box.top + Math.min(box.height, 60) - innerHeight); }"""


@dataclass
class Reader:
    """A person with a page open, and what the way there took."""

    page: Page
    effort: Effort = field(default_factory=Effort)
    swipes: int = 0

    @property
    def main(self) -> Locator:
        return self.page.get_by_role("main")

    @property
    def seconds(self) -> float:
        """The time of a practised person by the keystroke-level model, without any that a machine needs."""
        return self.effort.seconds + SECONDS_A_SWIPE * self.swipes

    def follow(self, words: Words, within: Locator | None = None) -> None:
        """Tap a link, and wait for its page."""
        place = within or self.main
        link = place.get_by_role("link", name=words, exact=isinstance(words, str)).filter(visible=True).first
        self.tap(link, opens=True)

    def press(self, words: str) -> None:
        self.tap(self.main.get_by_role("button", name=words, exact=True).first, opens=True)

    def tap(self, there: Locator, *, opens: bool = False) -> None:
        """`opens`: a page, or another place of this one."""
        self.see(there)
        self.effort += Effort(clicks=1)
        if not opens:
            there.click()
            return
        with self.page.expect_navigation(wait_until="load"):
            there.click()

    def type(self, there: Locator, words: str) -> None:
        self.see(there)
        there.press_sequentially(words)
        self.effort += Effort(fields=1, keys=len(words))

    def find_player(self, name: str) -> None:
        """Type a name into the field that every page has, and tap the first that it offers."""
        box = self.page.get_by_role("combobox").first
        self.type(box, name.replace(",", "").lower())
        option = self.page.get_by_role("option", name=re.compile(rf"^{re.escape(name)}")).first
        self.tap(option, opens=True)

    def see(self, there: Locator) -> None:
        """Swipe until it stands on the screen."""
        expect(there).to_be_visible()
        away = abs(there.evaluate(BELOW))
        self.swipes += math.ceil(away / (PER_SWIPE * PHONE[1]))
        there.scroll_into_view_if_needed()

    def reads(self, words: Words, within: Locator | None = None) -> None:
        place = within or self.main
        self.see(place.get_by_text(words).filter(visible=True).first)
