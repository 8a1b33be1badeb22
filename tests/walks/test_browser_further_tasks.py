"""Tasks of the staff that no season has, each once in the browser, with where it ends."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from playwright.sync_api import Locator, expect

from tests.browser_office import TODAY
from tests.spoken import say, say_count
from tests.walks import official_deeds, public_deeds, region_deeds
from tests.walks.seasons import OFFICIAL, REGION
from tests.walks.task_offices import (
    CSA,
    DUE_EVENT,
    IN_THE_OTHER,
    LAST_YEARS,
    LATE_EVENT,
    ONE_DAY,
    PFO,
    PISKVORKY,
    SAME_DAY,
    SECOND_REGION,
    SSDC,
    TWO_SECTIONS,
    WAITING,
)
from tests.walks.waiting_sections import name_of
from tests.walks.worker import Sight, Worker, arrive

pytestmark = [pytest.mark.browser, pytest.mark.nightly]


def test_a_region_takes_away_a_section_that_was_one_too_many(sight: Sight) -> None:
    rika, reader = arrive(REGION, CSA, sight), public_deeds.come_by(CSA, sight)
    with rika.task(5):
        region_deeds.open_event(rika, TWO_SECTIONS)
        region_deeds.withdraw_section(rika, "B", "One section is enough for those who entered.")
    reader.in_office(say("Events"))
    reader.follow(TWO_SECTIONS)
    expect(reader.main.get_by_role("link", name="A", exact=True)).to_be_visible()
    expect(reader.main.get_by_role("link", name="B", exact=True)).to_have_count(0)


def test_a_region_registers_last_years_event_of_three_sections_for_this_year(sight: Sight) -> None:
    rika = arrive(REGION, CSA, sight)
    starts = TODAY + timedelta(days=30)
    with rika.task(6):
        region_deeds.open_event(rika, LAST_YEARS)
        region_deeds.register_again(rika, starts, starts)
    expect(rika.page.get_by_role("heading", level=1)).to_contain_text(LAST_YEARS)
    for name in ("U10", "U14", "U18"):
        rika.reads(say("Registered"), rika.row(name))


def test_a_region_registers_a_club_evening_of_today(sight: Sight) -> None:
    rika = arrive(REGION, PISKVORKY, sight)
    evening = PISKVORKY.event("Club evening", ended=0)
    with rika.task(7):
        rika.follow(say("Register an event"))
        region_deeds.describe_event(rika, evening, TODAY, TODAY)
    rika.reads(say("Registered"))


def test_a_region_finds_what_is_late_and_what_is_due_within_a_week(sight: Sight) -> None:
    rika = arrive(REGION, SSDC, sight)
    with rika.task(9):
        rika.follow(say("Calendar of deadlines"))
        results = say("Hand in the results")
        late, left = 20 - SSDC.results_within, 1 + SSDC.results_within
        rika.reads(
            say_count("%(days)s day late", "%(days)s days late", late, days=late),
            rika.row(LATE_EVENT, results),
        )
        rika.reads(
            say_count("%(days)s day left", "%(days)s days left", left, days=left),
            rika.row(DUE_EVENT, results),
        )
    rika.follow(say("Within a week"))
    rika.reads(DUE_EVENT)
    rika.does_not_read(re.compile(LATE_EVENT))
    rika.follow(say("Late"))
    rika.reads(LATE_EVENT)
    rika.does_not_read(re.compile(DUE_EVENT))


def test_an_official_reaches_the_60th_waiting_section_and_those_of_one_region_the_oldest_first(
    sight: Sight,
) -> None:
    oto = arrive(OFFICIAL, PFO, sight)
    expect(waiting(oto).first).to_contain_text(name_of(1))
    with oto.task(14):
        oto.follow(say("Next"))
        oto.reads(re.compile(name_of(60)), oto.row(name_of(60)))
        oto.follow(SECOND_REGION)
        expect(waiting(oto)).to_have_count(len(IN_THE_OTHER))
    names = [each.split(",")[0] for each in waiting(oto).all_inner_texts()]
    assert names == [name_of(nth) for nth in IN_THE_OTHER]
    oto.follow(say("All regions"))
    oto.follow(say("Next"))
    expect(waiting(oto).last).to_contain_text(name_of(WAITING))


def waiting(w: Worker) -> Locator:
    """The links of the queue's rows to their reviews."""
    return w.main.get_by_role("table").get_by_role("link", name=re.compile("^Evening"))


def test_an_official_answers_the_hint_that_players_were_in_two_places_and_corrects_a_result(
    sight: Sight,
) -> None:
    oto, rika = arrive(OFFICIAL, CSA, sight), arrive(REGION, CSA, sight)
    await_hints(oto)
    with oto.task(40):
        oto.follow(re.compile(f"^{ONE_DAY}"))
        oto.reads(re.compile(re.escape(SAME_DAY)))
        official_deeds.answer_hint(oto, "In two places on one day?", "The second was played in the evening.")
    oto.reads(re.compile(rf"{say('It is right:')}\s+The second was played in the evening\."))
    oto.to_desk()
    one, two = CSA.walk.people[:2]
    with oto.task(20):
        oto.follow(re.compile(f"^{SAME_DAY}"))
        official_deeds.correct_result(oto, (one.surname, two.surname), "½-½")
        official_deeds.confirm_of_submitted(oto, "The score sheet has a draw.")
    oto.reads("The score sheet has a draw.")
    region_deeds.open_event(rika, SAME_DAY)
    rika.follow(say("See it"))
    rika.reads(re.compile("½-½"))
    rika.does_not_read(re.compile("in the evening"))


def await_hints(w: Worker) -> None:
    """Until the worker has looked for the hints of both sections."""
    for _try in range(80):
        if (
            w.row(ONE_DAY)
            .get_by_text(say_count("%(count)s hint to answer", "%(count)s hints to answer", 1, count=1))
            .count()
        ):
            return
        w.page.wait_for_timeout(1000)
        w.page.reload()


def test_an_official_sets_that_a_player_asked_not_to_be_named(sight: Sight) -> None:
    oto, reader = arrive(OFFICIAL, CSA, sight), public_deeds.come_by(CSA, sight)
    who = CSA.walk.people[5]
    with oto.task(28):
        public_deeds.find_player(oto, who.surname)
        official_deeds.withhold_name(oto, "By a letter of yesterday.")
    public_deeds.find_player(reader, who.surname)
    reader.reads(say("Check the spelling, or type only the beginning of the surname."))
    reader.does_not_read(re.compile(who.first_name))
