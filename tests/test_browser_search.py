"""A search field offers players as one types, to a finger, to the arrow keys and to a screen reader."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.browser import DESKTOP, PHONE, Size, Visitors

pytestmark = pytest.mark.browser
NAIDOO = re.compile("^Naidoo, Priya")


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_the_field_in_the_head_is_a_combobox_that_the_arrow_keys_rule(visitors: Visitors, size: Size) -> None:
    reader = visitors.enter(size)
    reader.goto("/csa/lists/")
    field = reader.get_by_role("combobox", name="Search this office")
    field.click()
    field.press_sequentially("Naidoo")
    option = reader.get_by_role("option", name=NAIDOO)
    expect(option).to_be_visible()
    expect(field).to_have_attribute("aria-expanded", "true")
    field.press("ArrowDown")
    expect(option).to_have_attribute("aria-selected", "true")
    expect(field).to_have_attribute("aria-activedescendant", str(option.get_attribute("id")))
    visitors.look(reader, (size,))
    field.press("Escape")
    expect(option).to_be_hidden()
    expect(field).to_have_value("Naidoo")
    field.press("ArrowDown")
    field.press("Enter")
    expect(reader.get_by_role("heading", level=1)).to_contain_text("Naidoo")


def test_an_option_is_a_link_for_mouse_and_finger(visitors: Visitors) -> None:
    reader = visitors.enter(PHONE, has_touch=True)
    reader.goto("/")
    reader.get_by_role("combobox").tap()
    reader.get_by_role("combobox").press_sequentially("Найду")
    reader.get_by_role("option", name=NAIDOO).tap()
    expect(reader.get_by_role("heading", level=1)).to_contain_text("Naidoo")


def test_where_a_player_is_named_a_choice_is_written_and_where_players_are_compared_it_is_sent(
    visitors: Visitors,
) -> None:
    reader = visitors.enter(PHONE, has_touch=True)
    reader.goto("/csa/lists/")
    reader.get_by_role("combobox").first.press_sequentially("Naidoo")
    reader.get_by_role("option", name=NAIDOO).tap()
    expect(reader.get_by_role("heading", level=1)).to_contain_text("Naidoo")
    own = reader.url.split("?")[0]
    reader.goto(f"{own}what-if/")
    opponent = reader.get_by_role("combobox", name="Opponent").first
    opponent.press_sequentially("Naidoo")
    reader.get_by_role("option", name=NAIDOO).tap()
    expect(opponent).to_have_value(re.compile(r"^Naidoo, Priya.* \d+$"))
    expect(opponent).to_have_attribute("aria-expanded", "false")
    expect(reader).to_have_url(f"{own}what-if/")
    reader.goto(f"{own}against/")
    other = reader.get_by_role("combobox", name="Compare with any player")
    other.press_sequentially("1010")
    name = reader.get_by_role("option").last.locator("span").first.inner_text()
    reader.get_by_role("option").last.tap()
    expect(reader.get_by_role("heading", level=1)).to_contain_text(name)


@pytest.mark.parametrize("script", [True, False])
def test_enter_with_nothing_chosen_asks_as_the_form_does_without_the_script(
    visitors: Visitors, script: bool
) -> None:
    reader = visitors.enter(java_script_enabled=script)
    reader.goto("/csa/lists/")
    field = reader.get_by_label("Search this office", exact=True).and_(reader.locator("input"))
    field.fill("naidoo")
    field.press("Enter")
    expect(reader).to_have_url(re.compile(r"/csa/players/\?q=naidoo$"))
    expect(reader.get_by_role("table").get_by_role("link", name=NAIDOO)).to_be_visible()


@pytest.mark.parametrize("script", [True, False])
def test_a_link_to_a_clause_opens_the_chapter_into_which_it_is_folded(
    visitors: Visitors, script: bool
) -> None:
    reader = visitors.enter(java_script_enabled=script)
    reader.goto("/csa/regulations/")
    expect(reader.locator("#clause-44")).to_be_hidden()
    reader.goto("/csa/regulations/#clause-44")
    expect(reader.locator("#clause-44")).to_be_visible()
    expect(reader.locator("#clause-45")).to_be_hidden()
