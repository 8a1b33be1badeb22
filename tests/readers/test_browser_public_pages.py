"""Every kind of page that the public reads, of all offices: axe finds nothing, the keyboard reaches all.

Of each view and office one page, found by following links. Without `PICTURES=all` axe looks at fewer sizes,
and the keyboard goes through the pages of one office.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import urldefrag, urljoin, urlsplit

import pytest
from django.urls import Resolver404, resolve
from playwright.sync_api import Page, expect

from players.access import is_public
from ratings.rulesets import rulesets
from tests.browser import DESKTOP, PHONE, Visitors
from tests.children.crawl import Page as Links

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("demo")]
NARROW = (320, 640)
OFFICES = sorted(rulesets())
SOME = os.environ.get("PICTURES") != "all"
MOST_STOPS = 900
FEWEST_KINDS = 25
ALSO = (
    "tables/",
    "players/?q=a",
    "lists/compare/{track}/",
    "lists/latest/{track}/?only=new",
    "nowhere/",
)
"""Pages of each office to which no link leads, or in a state of their own."""
REACHED = """() => {
    const wanted = "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']";
    const shown = it => it.checkVisibility({visibilityProperty: true}) && !it.disabled && it.tabIndex >= 0;
    const all = [...document.querySelectorAll(wanted)].filter(shown);
    // Of radio buttons of one name the chosen one is a stop.
    return all.filter(it => it.type !== "radio" || it.checked).map((it, place) => {
        it.dataset.place = place;
        return (it.innerText || it.name || it.id || it.tagName).trim().slice(0, 60);
    });
}"""
FOCUSED = """() => {
    const it = document.activeElement, box = it.getBoundingClientRect();
    const ringed = each => { const s = getComputedStyle(each);
        return (s.outlineStyle !== "none" && parseFloat(s.outlineWidth) >= 1) || s.boxShadow !== "none"; };
    return {place: it.dataset.place === undefined ? null : Number(it.dataset.place), tag: it.tagName,
            on: box.bottom > 0 && box.top < innerHeight && box.width > 0,
            seen: ringed(it) || (it.parentElement !== null && ringed(it.parentElement))};
}"""


# ---------------------------------------------------------------- which pages


def pages_of(page: Page, office: str) -> list[str]:
    """One address of each view of an office, as links lead to them from its front page."""
    waiting, seen, kinds = [f"/{office}/"], {f"/{office}/"}, dict[str, str]()
    while waiting:
        address = waiting.pop(0)
        view = view_of(address, office)
        if not view or view in kinds:
            continue
        answer = page.request.get(address)
        if "text/html" not in answer.headers["content-type"]:
            continue
        kinds[view] = address
        for link in links_of(address, answer.text()):
            if link not in seen:
                seen.add(link)
                waiting.append(link)
    return [*kinds.values(), *further(office, kinds)]


def view_of(address: str, office: str) -> str:
    """The name of the view that answers, with the page that it shows where one view has several."""
    try:
        found = resolve(urlsplit(address).path)
    except Resolver404:
        return ""
    if found.kwargs.get("office") != office or not is_public(found.func):
        return ""
    code = found.kwargs.get("code", "") if found.url_name == "table_page" else ""
    return f"{found.view_name}{code}"


def links_of(address: str, html: str) -> Iterator[str]:
    page = Links()
    page.feed(html)
    for link in page.links:
        target = urlsplit(urljoin(f"http://here{address}", urldefrag(link).url))
        if target.netloc == "here":
            yield f"{target.path}?{target.query}" if target.query else target.path


def further(office: str, kinds: dict[str, str]) -> Iterator[str]:
    track = resolve(urlsplit(kinds["ratings:list"]).path).kwargs["track"]
    for each in ALSO:
        yield f"/{office}/{each.format(track=track)}"


# ---------------------------------------------------------------- what axe finds


@pytest.mark.parametrize(
    "office", [OFFICES[0], *(pytest.param(each, marks=pytest.mark.nightly) for each in OFFICES[1:])]
)
def test_axe_finds_nothing_on_any_kind_of_page_on_phones_and_desktops_in_light_and_dark(
    office: str, visitors: Visitors
) -> None:
    reader = visitors.enter()
    addresses = pages_of(reader, office)
    assert len(addresses) >= FEWEST_KINDS
    for address in addresses:
        reader.goto(address)
        visitors.look(reader, (DESKTOP, PHONE) if SOME else (DESKTOP, PHONE, NARROW), targets=True)
    visitors.expect_refusals(404)


# ---------------------------------------------------------------- what the keyboard reaches


@pytest.mark.nightly
@pytest.mark.parametrize("office", OFFICES[:1] if SOME else OFFICES)
def test_the_tab_key_reaches_everything_in_the_order_of_the_page_and_shows_where_it_is(
    office: str, visitors: Visitors
) -> None:
    reader = visitors.enter()
    for address in pages_of(reader, office):
        reader.goto(address, wait_until="networkidle")
        assert troubles(reader) == [], address
    visitors.expect_refusals(404)


def troubles(page: Page) -> list[str]:
    """What is wrong with a way through the page by Tab alone: stops left out, out of turn, unseen, a trap."""
    stops: list[str] = page.evaluate(REACHED)[:MOST_STOPS]
    found, last, reached = [], -1, set[int]()
    for _press in range(len(stops) + 30):
        page.keyboard.press("Tab")
        at: dict[str, Any] = page.evaluate(FOCUSED)
        if at["tag"] == "BODY" or (at["place"] == 0 and reached):
            break
        if at["place"] is None:  # inside a field of several parts, as of a day
            continue
        if at["place"] < last:
            found.append(f"out of turn: {stops[at['place']]}")
        if not at["seen"] and at["place"] != last:
            found.append(f"no mark of focus: {stops[at['place']]}")
        if not at["on"]:
            found.append(f"not on the screen: {stops[at['place']]}")
        last = at["place"]
        reached.add(last)
        if len(reached) == len(stops):
            break
    return (
        found[:5]
        + [f"never reached: {words}" for place, words in enumerate(stops) if place not in reached][:5]
    )


def test_enter_opens_folds_and_follows_links_and_escape_closes_what_a_search_offers(
    visitors: Visitors,
) -> None:
    reader = visitors.enter(PHONE)
    reader.goto("/csa/lists/latest/otb-main/")
    fold = reader.get_by_role("main").locator("summary", has_text="Filter")
    fold.focus()
    fold.press("Enter")
    expect(reader.get_by_role("link", name="Women")).to_be_visible()
    reader.get_by_role("link", name="Women").press("Enter")
    expect(reader).to_have_url(re.compile("sex=f"))
    field = reader.get_by_role("combobox").first
    field.focus()
    field.press_sequentially("na")
    expect(reader.get_by_role("option").first).to_be_visible()
    field.press("Escape")
    expect(field).to_have_attribute("aria-expanded", "false")
    expect(field).to_be_focused()
    reader.keyboard.press("Tab")
    expect(field).not_to_be_focused()


def test_the_first_stop_leads_past_the_head_to_the_content(visitors: Visitors) -> None:
    reader = visitors.enter()
    reader.goto("/csa/")
    reader.keyboard.press("Tab")
    expect(reader.get_by_role("link", name="Skip to the content")).to_be_focused()
    reader.keyboard.press("Enter")
    expect(reader.get_by_role("main")).to_be_focused()


# ---------------------------------------------------------------- what a printer prints


def test_a_printed_player_and_section_say_when_and_where_they_were_shown_and_offer_no_forms(
    visitors: Visitors,
) -> None:
    reader = visitors.enter()
    for kind in ("players", "events"):
        reader.goto("/csa/")
        link = reader.locator(f"main a[href^='/csa/{kind}/']").first
        reader.goto(str(link.get_attribute("href")))
        line = reader.locator("main > .on-paper")
        expect(line).not_to_be_visible()
        reader.emulate_media(media="print")
        expect(line).to_be_visible()
        expect(line).to_have_text(re.compile(rf"^\s*Shown on \d+ \w+ \d+:\s+{re.escape(reader.url)}\s*$"))
        expect(reader.locator("form").filter(visible=True)).to_have_count(0)
        reader.emulate_media(media="screen")
