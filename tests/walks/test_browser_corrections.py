"""From the cross table to a corrected, published list, with the report closed and its reporter told."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from tests.spoken import beginning, say, say_day, whatever, whatever_count
from tests.walks import public_deeds, region_deeds
from tests.walks.seasons import COLLEAGUE, OFFICIAL, REGION, Season
from tests.walks.task_offices import CORRECTED, CORRECTIONS, LISTED, reporter_of
from tests.walks.worker import Effort, Sight, Worker, arrive

pytestmark = [pytest.mark.browser, pytest.mark.nightly]
MOST_STEPS, MOST_OF_THE_SECOND = 5, 2
"""The most clicks and ticks from the cross table on, and the most of another official who confirms it."""


@pytest.mark.parametrize("season", CORRECTIONS, ids=[season.code for season in CORRECTIONS])
def test_a_reported_game_is_corrected_from_the_cross_table(season: Season, sight: Sight) -> None:
    oto = arrive(OFFICIAL, season, sight)
    public_deeds.open_section(oto, CORRECTED)
    before = oto.effort
    ticks = propose_or_decide(oto, season)
    assert steps(oto.effort - before, ticks) <= MOST_STEPS
    if season.purpose == "four-eyes":
        ena = arrive(COLLEAGUE, season, sight)
        before = ena.effort
        ena.follow(re.compile(CORRECTED))
        ena.press(say("Confirm and rate anew"))
        assert steps(ena.effort - before) <= MOST_OF_THE_SECOND
        oto = ena
    oto.reads(say("Rated; all effects are computed."))
    reader = public_deeds.come_by(season, sight)
    entries = reader.main.get_by_role("link", name=re.compile(CORRECTED)).filter(
        has_text=whatever("Corrected: %(what)s")
    )
    expect(entries).to_have_count(1)
    reader.does_not_read(whatever("Rating withdrawn: %(section)s"))
    reader.does_not_read(whatever("Rated again: %(section)s"))
    reader.reads(
        whatever_count(
            "list of %(day)s, published again: %(number)s row differs",
            "list of %(day)s, published again: %(number)s rows differ",
            2,
        )
    )
    letters = arrive(REGION, season, sight)
    region_deeds.open_mailbox(letters)
    closed = whatever("%(office)s: your report is closed, %(case)s", office=season.name)
    public_deeds.open_link(reader, region_deeds.read_letter(letters, reporter_of(season), closed))
    reader.reads(say("What moved:"))
    reader.follow(say("The erratum"))
    reader.reads(re.compile(CORRECTED))


def propose_or_decide(oto: Worker, season: Season) -> int:
    """The game is clicked, its result chosen, all decided in the form below its effects; how many ticks."""
    oto.open(oto.main.locator("a[href$='/mend/?round=1&entry=1']").filter(visible=True).first)
    chosen = oto.field(say("Its result"))
    game = oto.field(say("Game")).locator("option:checked").inner_text()
    chosen.select_option("0-1" if game.endswith("1-0") else "1-0")
    oto.press(say("Show what this corrects"))
    form = oto.page.locator("form#approve")
    ticks = 1 + bool(season.listed_words)
    if season.listed_words:
        oto.tick(say(season.listed_words), form)
    oto.tick(say_day(LISTED), form)
    expect(form.locator("[name=cases]")).to_be_checked()
    oto.press(say("Propose") if season.purpose == "four-eyes" else beginning("Correct"), form)
    return ticks


def steps(did: Effort, ticks: int = 0) -> int:
    return did.clicks + ticks
