"""What the public does: reads lists, errata and players, and reports a mistake without an account."""

from __future__ import annotations

import re
from datetime import date

from django.utils.translation import activate

from players.templatetags.ui import day_and_month
from tests.browser import PHONE
from tests.spoken import say, say_name
from tests.walks.seasons import Season
from tests.walks.worker import Sight, Worker


def come_by(season: Season, sight: Sight) -> Worker:
    """A reader with a phone, from the front page to the office's, who has kept no page of a minute ago."""
    activate(season.walk.language)
    page = sight.visitors.enter(PHONE)
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})
    page.goto("/")
    reader = Worker(page, season, sight)
    reader.follow(season.name)
    return reader


def open_list(w: Worker, day: date, track: str) -> None:
    w.in_office(say("Ratings"))
    w.follow(say("All days"))
    w.follow(re.compile(r"\s".join(day_and_month(day).split())))  # a page keeps a day on one line
    w.follow(say_name(track))


def ratings_shown(w: Worker) -> dict[str, str]:
    """On a list: number of the player → rating."""
    rows = w.page.locator("tr[id^=p]").all()
    return {
        (row.get_attribute("id") or "").removeprefix("p"): row.locator("td.num").nth(1).inner_text()
        for row in rows
    }


def find_player(w: Worker, words: str) -> None:
    """By the office's search: to the one whom these words find."""
    w.in_office(say("Players"))
    w.write(w.main.get_by_role("combobox", name=say("Search this office")), words)
    w.press(say("Search"))
    found = w.main.get_by_role("table").get_by_role("link")
    if found.count():
        w.follow(re.compile("."), w.main.get_by_role("table"))


def open_section(w: Worker, event: str) -> None:
    """By the public calendar."""
    w.in_office(say("Events"))
    w.follow(event)  # of one rated section: its table
    if (section := w.main.get_by_role("link", name="A", exact=True)).count():
        section.click()


def report_mistake(w: Worker, words: str, address: str, name: str) -> None:
    """At the foot of a page, without an account."""
    w.follow(say("Report a mistake"))
    w.fill(say("What is wrong?"), words)
    w.fill(say("Your e-mail address"), address)
    w.fill(say("Your name"), name)
    w.press(say("Send the report"))
    w.reads(address)


def open_link(w: Worker, letter: str, place: str = "/report/") -> None:
    """The link in a letter to an address with `place` in it."""
    found = re.search(rf"https?://\S+{place}\S+", letter)
    assert found, letter
    w.page.goto(found.group())
    w.look()
