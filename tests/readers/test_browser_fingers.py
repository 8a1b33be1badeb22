"""What a finger meets on the public's pages on a phone: nothing people come for is small or far down."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from ratings.rulesets import rulesets
from ratings.rulesets.profile import equipment_of
from tests.browser import PHONE, Visitors

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("demo")]
FINGER = 44
FIRST_ROW_WITHIN, ONE_LINE = 360, 34
"""The first row of a list, or of a name of two lines the first, stands in so much of a phone's screen."""
OFFICES = sorted(slug for slug, ruleset in rulesets().items() if equipment_of(ruleset).demo)
MAIN_THINGS = (
    ".brand, .sign-in, .office-nav a, .masthead-search > input, .chip, .tabs a, .pager a, "
    ".list-nav :is(a, summary), .list-bar summary, .all-ratings > summary, .filter-box > summary, "
    "main :is(button, [type=submit], .button), main :is(input:not([type=hidden]), select)"
)
"""Search, navigation, views, filters, pages and buttons, as a selector."""
SMALL = """([wanted, least]) => [...document.querySelectorAll(wanted)]
    .filter(it => it.checkVisibility({visibilityProperty: true}))
    .map(it => [it.getBoundingClientRect(), (it.innerText || it.name || it.className).trim().slice(0, 40)])
    .filter(([box]) => Math.round(box.height) < least)
    .map(([box, words]) => `${words}: ${Math.round(box.height)}`)"""
AT = "([x, y]) => document.elementFromPoint(x, y)?.closest('a')?.getAttribute('href')"


def on_a_phone(visitors: Visitors) -> Page:
    return visitors.enter(PHONE, has_touch=True, is_mobile=True)


def newest_list(page: Page, office: str) -> None:
    """Shown again, with the house's letters: at a first visit the system's stand, which have other widths."""
    page.goto(f"/{office}/lists/latest/", wait_until="networkidle")
    page.reload(wait_until="networkidle")
    expect(page.locator(".page-list")).to_be_visible()


@pytest.mark.parametrize(
    "office", [OFFICES[0], *(pytest.param(each, marks=pytest.mark.nightly) for each in OFFICES[1:])]
)
def test_what_people_come_for_on_a_phone_is_as_high_as_a_finger_is_wide(
    office: str, visitors: Visitors
) -> None:
    reader = on_a_phone(visitors)
    for address in (
        "/",
        f"/{office}/",
        f"/{office}/events/",
        f"/{office}/players/?q=a",
        f"/{office}/regulations/",
    ):
        reader.goto(address)
        assert reader.evaluate(SMALL, [MAIN_THINGS, FINGER]) == [], address
    newest_list(reader, office)
    assert reader.evaluate(SMALL, [MAIN_THINGS, FINGER]) == []
    reader.locator(".list-bar summary").click()
    assert reader.evaluate(SMALL, [MAIN_THINGS, FINGER]) == []
    reader.locator("tbody th a").first.click()
    expect(reader.locator(".figures")).to_be_visible()
    assert reader.evaluate(SMALL, [MAIN_THINGS, FINGER]) == []


def test_the_suggestions_of_a_search_are_as_high_as_a_finger_is_wide(visitors: Visitors) -> None:
    reader = on_a_phone(visitors)
    reader.goto("/csa/lists/")
    reader.get_by_role("combobox").first.tap()
    reader.get_by_role("combobox").first.press_sequentially("na")
    expect(reader.get_by_role("option").first).to_be_visible()
    assert reader.evaluate(SMALL, ["[role=option]", FINGER]) == []


@pytest.mark.parametrize("office", OFFICES)
def test_the_first_row_of_a_list_is_high_on_a_phone_and_leads_to_its_player_from_anywhere_beside_the_name(
    office: str, visitors: Visitors
) -> None:
    reader = on_a_phone(visitors)
    newest_list(reader, office)
    cell = reader.locator("tbody th").first
    box = cell.bounding_box()
    assert box is not None
    assert box["y"] + min(box["height"], ONE_LINE) <= FIRST_ROW_WITHIN
    link = cell.locator("a").get_attribute("href")
    for x, y in ((2, 2), (box["width"] - 3, box["height"] - 3)):
        assert reader.evaluate(AT, [box["x"] + x, box["y"] + y]) == link
