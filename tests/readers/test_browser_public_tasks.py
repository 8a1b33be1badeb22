"""Tasks of the public on a phone, each from the front page of all offices."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from html import unescape

import pytest
from playwright.sync_api import Page, expect

from tests.browser import PHONE, Visitors
from tests.readers.reader import Reader
from tests.walks.worker import Effort

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("demo")]
MOST_TAPS, MOST_SECONDS = 4, 30
USUAL_NAME = 18
"""The letters of a name that is typed whole; of a longer one anybody types a part."""
PLAYER = re.compile(r'href="/csa/players/(\d+)/"[^>]*>\s*([^<]+?)\s*</a>')


@dataclass(frozen=True, slots=True)
class Me:
    """Somebody on the newest list, who gained there if anybody did by play."""

    number: str
    name: str


def me(page: Page) -> Me:
    """The first of them who has a name that is typed whole."""
    lists = [page.request.get(f"/csa/lists/latest/otb-main/{only}").text() for only in ("?only=up", "")]
    for number, name in PLAYER.findall("".join(told.partition("<main")[2] for told in lists)):
        if len(unescape(name)) <= USUAL_NAME:
            return Me(number, unescape(name))
    raise AssertionError("nobody has a name of usual length")


# ---------------------------------------------------------------- the tasks


def find_my_rating(r: Reader, who: Me) -> None:
    r.find_player(who.name)
    r.reads("OTB Main rating")


def why_did_it_change(r: Reader, who: Me) -> None:
    r.find_player(who.name)
    r.follow("Why did it change?")
    r.tap(r.main.locator("#changes summary").first)
    r.see(r.main.locator(".in-short").first)


def what_do_i_need_next(r: Reader, who: Me) -> None:
    r.find_player(who.name)
    r.follow("What do I need next?")
    r.reads("To reach")


def who_leads_the_women(r: Reader, who: Me) -> None:
    r.follow("OTB Main")
    r.tap(r.main.get_by_text("Filter", exact=True))
    r.follow("Women")
    expect(r.page).to_have_url(re.compile("sex=f"))
    r.see(r.main.get_by_role("table").get_by_role("row").nth(1))


def what_changed_since_last_month(r: Reader, who: Me) -> None:
    r.follow("OTB Main")
    r.follow("Compare")
    r.reads("Gained most")


def is_this_list_genuine(r: Reader, who: Me) -> None:
    r.follow("OTB Main")
    r.follow("Proof")
    r.reads("SHA-256 of numbers, ratings and games")
    r.reads("Checkpoint of the journal up to that line, signed")


def compare_me_with_my_opponent(r: Reader, who: Me) -> None:
    r.find_player(who.name)
    r.follow(re.compile("^All opponents"))
    r.follow(re.compile("."), r.main.get_by_role("table"))
    expect(r.main.get_by_role("heading", level=1)).to_contain_text(who.name.partition(",")[0])
    r.see(r.main.get_by_role("table").first)


def read_a_list_of_a_past_day(r: Reader, who: Me) -> None:
    r.follow("Ratings")
    r.follow(re.compile(r"^1 \w+$"), r.main.locator(".months").last)
    r.follow("OTB Main")
    expect(r.main.get_by_role("heading", level=1)).to_have_text("OTB Main")


def when_is_the_next_event_and_the_next_list(r: Reader, who: Me) -> None:
    r.follow("Chess South Africa")
    r.reads(re.compile(r"next: \d+ \w+ \d{4}"))
    r.reads("Coming events")


def report_a_mistake(r: Reader, who: Me) -> None:
    r.find_player(who.name)
    r.follow("Is it wrong?")
    r.type(r.main.get_by_label(re.compile("^What is wrong")), "My name is Marie.")
    r.type(r.main.get_by_label(re.compile("^Your e-mail")), "me@mail.example")
    r.press("Send the report")
    r.reads(re.compile("me@mail.example"))


def read_my_last_events_table(r: Reader, who: Me) -> None:
    r.find_player(who.name)
    r.follow(re.compile("."), r.main.locator(".figures div").last)
    r.see(r.main.get_by_role("table").first)


def what_was_my_rating_on_a_day(r: Reader, who: Me) -> None:
    r.find_player(who.name)
    day = r.main.get_by_label("As the record stood on")
    r.see(day)
    day.fill(str(day.get_attribute("min")))
    r.effort += Effort(fields=1, keys=8)
    r.press("Show")
    r.reads(re.compile(r"^\s*As on"))


TASKS: dict[Callable[[Reader, Me], None], int] = {
    find_my_rating: 1,
    why_did_it_change: 3,
    what_do_i_need_next: 2,
    who_leads_the_women: 3,
    what_changed_since_last_month: 2,
    is_this_list_genuine: 2,
    compare_me_with_my_opponent: 3,
    read_a_list_of_a_past_day: 3,
    when_is_the_next_event_and_the_next_list: 1,
    report_a_mistake: 3,
    read_my_last_events_table: 2,
    what_was_my_rating_on_a_day: 2,
}
"""The taps that each task takes."""


@pytest.mark.parametrize("task", TASKS, ids=[task.__name__ for task in TASKS])
def test_a_task_of_the_public_takes_at_most_four_taps_and_half_a_minute(
    task: Callable[[Reader, Me], None], visitors: Visitors
) -> None:
    page = visitors.enter(PHONE, has_touch=True, is_mobile=True)
    page.goto("/")
    reader = Reader(page)
    task(reader, me(page))
    note(task.__name__, reader)
    assert reader.effort.clicks <= MOST_TAPS
    assert reader.seconds < MOST_SECONDS
    assert reader.effort.clicks == TASKS[task]


def note(task: str, reader: Reader) -> None:
    """Write down what a task took, where a file is named for it."""
    if path := os.environ.get("TASK_TAPS"):
        did = reader.effort
        row = {"task": task, "taps": did.clicks, "fields": did.fields, "keys": did.keys}
        with open(path, "a") as told:
            told.write(json.dumps({**row, "swipes": reader.swipes, "seconds": round(reader.seconds)}) + "\n")
