"""The curve of a rating answers to mouse, finger and arrow keys; without the script there is its table."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser import DESKTOP, PHONE, Visitors

pytestmark = pytest.mark.browser
ADDRESS = "/csa/players/101000001/"


def curve_of(page: Page) -> tuple[float, float]:
    """The size of the drawing, once the crosshair is there."""
    page.goto(ADDRESS)
    expect(page.get_by_role("slider")).to_be_attached()
    box = page.locator(".plot svg").bounding_box()
    assert box
    return box["width"], box["height"]


def test_the_mouse_reads_the_curve_and_a_click_opens_the_month(visitors: Visitors) -> None:
    reader = visitors.enter(DESKTOP)
    width, height = curve_of(reader)
    reader.locator(".plot svg").hover(position={"x": width / 8, "y": height / 2})
    reading = reader.locator(".reading")
    expect(reading).to_contain_text("2020")
    said = reading.inner_text()
    reader.locator(".plot svg").click(position={"x": width / 8, "y": height / 2})
    expect(reader).to_have_url(re.compile(r"month=2020-\d\d#changes$"))
    month = said.rpartition(": ")[2]
    expect(reader.locator("#changes").get_by_role("heading")).to_have_text(month)
    expect(reader.locator("#changes")).to_contain_text("Opening")
    visitors.look(reader, (DESKTOP,))


def test_a_tap_opens_the_month_and_why_opens_in_its_place(visitors: Visitors) -> None:
    reader = visitors.enter(PHONE, has_touch=True)
    width, height = curve_of(reader)
    reader.locator(".plot svg").tap(position={"x": width / 8, "y": height / 2})
    changes = reader.locator("#changes")
    expect(changes).to_contain_text("Closing")
    expect(changes.get_by_role("heading")).to_have_text(re.compile(r" 2020\s*$"))
    changes.locator("summary").first.tap()
    expect(changes.locator(".folded .in-short, .folded .steps").first).to_be_visible()
    assert reader.url.endswith("#changes")
    visitors.look(reader, (PHONE,))


def test_the_arrow_keys_walk_along_the_curve_and_enter_opens_the_month(visitors: Visitors) -> None:
    reader = visitors.enter(DESKTOP)
    curve_of(reader)
    slider = reader.get_by_role("slider", name="Points of the curve")
    slider.focus()
    slider.press("Home")
    first = slider.get_attribute("aria-valuetext")
    assert first
    slider.press("ArrowRight")
    expect(slider).not_to_have_attribute("aria-valuetext", first)
    slider.press("ArrowLeft")
    expect(slider).to_have_attribute("aria-valuetext", first)
    expect(reader.get_by_role("status").filter(has_text=first.partition(",")[0])).to_be_visible()
    slider.press("Enter")
    expect(reader).to_have_url(re.compile(r"month=20\d\d-\d\d#changes$"))


def test_without_the_script_there_are_the_picture_and_its_table(visitors: Visitors) -> None:
    reader = visitors.enter(PHONE, java_script_enabled=False)
    reader.goto(ADDRESS)
    expect(reader.get_by_role("img", name=re.compile("Dlamini"))).to_be_visible()
    expect(reader.locator(".reading")).to_be_hidden()
    reader.get_by_text("The same numbers as a table").click()
    expect(
        reader.get_by_role("table", name=re.compile("Dlamini")).or_(reader.locator(".curve table"))
    ).to_be_visible()
