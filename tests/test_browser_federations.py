"""Each federation's way from an event's registration to a working that anybody can open, in its language.

Chess goes it in `test_browser`, with a replay of its journal at the end.
"""

from __future__ import annotations

import re

import pytest
from django.utils.translation import override
from playwright.sync_api import Page, expect

from tests import browser_steps
from tests.browser import PHONE, Visitors
from tests.browser_federations import DOUBTFUL, WALKS, Walk
from tests.browser_office import PASSWORD
from tests.spoken import say, say_name, whatever

pytestmark = pytest.mark.browser


@pytest.mark.parametrize(
    "walk",
    [
        pytest.param(each, id=each.slug, marks=[] if each.slug == "mahjong" else [pytest.mark.nightly])
        for each in WALKS
    ],
)
def test_an_event_goes_from_its_registration_to_the_public_list(walk: Walk, visitors: Visitors) -> None:
    with override(walk.language):
        filer = visitors.sign_in(walk.filer, PASSWORD, office=walk.slug)
        register(filer, walk, visitors)
        official = visitors.sign_in(walk.official, PASSWORD, office=walk.slug)
        if walk.before_play:
            browser_steps.admit_before_play(official, walk.event)
        file(filer, walk, visitors)
        submit(filer, walk, visitors)
        official.goto(f"/{walk.slug}/desk/")
        visitors.look(official)
        decide(official, walk, visitors)
        official.goto(f"/{walk.slug}/desk/")
        day = browser_steps.prepare_list(official)
        visitors.look(official)
        browser_steps.publish(official, day)
        reader = visitors.enter(PHONE)
        browser_steps.open_list(reader, walk.name, day, walk.track)
        visitors.look(reader)
        read_on(reader, walk, visitors)


def register(filer: Page, walk: Walk, visitors: Visitors) -> None:
    """With what the federation asks beside the common fields."""
    browser_steps.follow(filer, say("Register an event"))
    visitors.look(filer)
    filer.get_by_label(say("Name of the event")).fill(walk.event)
    filer.get_by_label(say("First day"), exact=True).fill(walk.starts.isoformat())
    filer.get_by_label(say("Last day"), exact=True).fill(walk.ends.isoformat())
    section = filer.get_by_role("group", name=say("Sections"))
    section.get_by_label(say("Name of the section")).fill("A")
    section.get_by_label(say("Format")).select_option(say(walk.format))
    section.get_by_label(say("Scheduled rounds")).fill("7")
    asked = {say(label): say_name(value) for label, value in walk.declared.items()}
    for label, value in asked.items():
        browser_steps.answer(section, label, value)
    browser_steps.press(filer, say("Register the event", "what a button does"))
    filer.wait_for_url("**/A/file/")


def file(filer: Page, walk: Walk, visitors: Visitors) -> None:
    """The file, and what it cannot say."""
    browser_steps.choose_file(filer, walk.file, walk.event_file())
    browser_steps.upload(filer)
    visitors.look(filer)
    browser_steps.go_to(filer, "Findings")
    visitors.look(filer)
    browser_steps.go_to(filer, "Details")
    visitors.look(filer)
    browser_steps.keep_details(filer, walk.ends)


def submit(filer: Page, walk: Walk, visitors: Visitors) -> None:
    """Who is who, and the region's word."""
    visitors.look(filer)
    doubtful, newcomer = walk.people[DOUBTFUL - 1], walk.people[-1]
    browser_steps.choose_doubtful(filer, f"{doubtful.surname}, {doubtful.first_name}")
    expect(browser_steps.main(filer).get_by_role("checkbox", name=newcomer.surname)).to_be_checked()
    browser_steps.enter_new(filer, len(walk.people))
    browser_steps.go_to(filer, "Submit")
    visitors.look(filer)
    browser_steps.give_reasons(browser_steps.main(filer))
    browser_steps.submit(filer)


def decide(official: Page, walk: Walk, visitors: Visitors) -> None:
    """Everybody's rating would move; then everybody's has."""
    browser_steps.follow(official, re.compile(f"^{walk.event}"))
    official.wait_for_url("**/review/")
    ahead = browser_steps.open_all_ratings(official)
    expect(ahead.locator("tbody tr")).to_have_count(len(walk.people))
    visitors.look(official)
    browser_steps.give_reasons(official.locator("#decide form").first)
    browser_steps.approve(official)
    visitors.look(official)


def read_on(reader: Page, walk: Walk, visitors: Visitors) -> None:
    """A player, the change opened into its steps, a clause, the event, and the federation’s own pages."""
    surname = walk.people[0].surname
    browser_steps.open_player(reader, surname, walk.track)
    visitors.look(reader)
    browser_steps.open_working(reader, walk.event)
    effects = (
        "Its effect on the rating of %(name)s, %(day)s",
        "Its effect on the %(track)s rating of %(name)s, %(day)s",
    )
    named = "|".join(whatever(each, track=say_name(walk.track)).pattern for each in effects)
    expect(reader.get_by_text(re.compile(named, re.DOTALL)).filter(has_text=surname)).to_be_visible()
    visitors.look(reader)
    section = reader.get_by_role("heading", level=1).get_by_role("link").get_attribute("href")
    browser_steps.open_clause(reader)
    visitors.look(reader)
    reader.goto(section or "")
    expect(browser_steps.main(reader).get_by_role("link", name=surname).first).to_be_visible()
    visitors.look(reader)
    own = reader.get_by_role("navigation", name=say("Office")).locator("a[href*='/tables/']")
    for address in [page.get_attribute("href") for page in own.all()]:
        reader.goto(address or "")
        visitors.look(reader)
