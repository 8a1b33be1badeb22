"""A region's desk: its sections under tabs, and words that are too long for a phone."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest
from django.test import Client
from django.utils import timezone

from players.models import Federation, Player, Region, Role, User
from players.settings import today
from ratings.pages.desk import FILING_TAB_STAGES, FILING_TABS, MOST_RATED_LATELY
from ratings.people import ask_transfer, refuse_transfer
from ratings.tests.office import register, submitted
from tests.built_once import built_once
from tournaments.models import CANCELLED_OR_WITHDRAWN, Section, Stage

ClientOf = Callable[[User], Client]


@pytest.fixture
@built_once
def players(csa: Federation) -> list[Player]:
    return register(csa, 4)


@pytest.fixture
@built_once
def one_of_each(csa: Federation, players: list[Player]) -> dict[Stage, Section]:
    """A section of the region in every stage."""
    found = {}
    for place, stage in enumerate(each for each in Stage if each not in CANCELLED_OR_WITHDRAWN):
        found[stage] = submitted(csa, players, number=f"2024-1{place:02}")
        Section.objects.filter(pk=found[stage].pk).update(stage=stage, rated_on=date(2024, 5, 1))
    return found


def test_each_stage_stands_under_one_tab() -> None:
    told = [stage for stages in FILING_TAB_STAGES.values() for stage in stages]
    assert sorted(told) == sorted(set(Stage) - set(CANCELLED_OR_WITHDRAWN))
    assert FILING_TAB_STAGES.keys() == FILING_TABS.keys()


@pytest.mark.parametrize("tab", list(FILING_TABS))
def test_a_tab_shows_the_sections_of_its_stages_and_no_others(
    one_of_each: dict[Stage, Section], amahle: User, client_of: ClientOf, tab: str
) -> None:
    page = client_of(amahle).get("/csa/desk/", {"filing": tab})
    words = page.content.decode()
    shown = {stage for stage, section in one_of_each.items() if f"/{section.event.number}/" in words}
    assert shown == set(FILING_TAB_STAGES[tab])
    assert [each["current"] for each in page.context["filing_tabs"]] == [each == tab for each in FILING_TABS]


def test_the_tabs_count_their_sections_and_the_first_opens_by_itself(
    one_of_each: dict[Stage, Section], amahle: User, client_of: ClientOf
) -> None:
    tabs = client_of(amahle).get("/csa/desk/").context["filing_tabs"]
    assert [each["count"] for each in tabs] == [4, 1, 1, None]
    assert [each["label"] for each in tabs if each["current"]] == ["To do"]
    unknown = client_of(amahle).get("/csa/desk/", {"filing": "no-such-tab"})
    assert [each["label"] for each in unknown.context["filing_tabs"] if each["current"]] == ["To do"]


def test_an_empty_tab_says_so(csa: Federation, amahle: User, client_of: ClientOf) -> None:
    client = client_of(amahle)
    assert "Register an event before it is played" in client.get("/csa/desk/").content.decode()
    for tab, words in (("refused", "was refused"), ("with-office", "awaits"), ("rated", "was rated yet")):
        assert words in client.get("/csa/desk/", {"filing": tab}).content.decode()


def test_sections_of_other_regions_are_neither_counted_nor_shown(
    one_of_each: dict[Stage, Section], pieter: User, client_of: ClientOf
) -> None:
    for tab in FILING_TABS:
        page = client_of(pieter).get("/csa/desk/", {"filing": tab})
        assert [each["count"] for each in page.context["filing_tabs"]] == [0, 0, 0, None]
        assert "2024-1" not in page.content.decode()


def test_each_row_names_its_event_that_of_a_second_section_too(
    one_of_each: dict[Stage, Section], amahle: User, client_of: ClientOf
) -> None:
    first = one_of_each[Stage.FILED]
    Section.objects.create(event=first.event, code="B", name="Under 16", **again(first))
    page = client_of(amahle).get("/csa/desk/").content.decode()
    assert f"{first.event.name}, {first.name}<" in page
    assert f"{first.event.name}, Under 16<" in page


def again(section: Section) -> dict[str, Any]:
    names = ("format", "starts", "ends", "rounds", "particulars")
    return {name: getattr(section, name) for name in names}


def test_the_tabs_of_the_region_and_the_queue_keep_each_others_address(
    one_of_each: dict[Stage, Section], csa: Federation, amahle: User, nomsa: User, client_of: ClientOf
) -> None:
    today_ = timezone.localdate()
    csa.appointments.create(user=nomsa, role=Role.REGIONAL, region=gauteng_of(csa), starts=today_)
    both = client_of(nomsa)
    page = both.get("/csa/desk/", {"filing": "refused", "tab": "rated", "q": "Open"})
    urls = [parse_qs(each["url"][1:]) for each in page.context["filing_tabs"]]
    assert [each["filing"] for each in urls] == [[tab] for tab in FILING_TABS]
    assert all((each["tab"], each["q"]) == (["rated"], ["Open"]) for each in urls)
    queue = [parse_qs(each["url"][1:]) for each in page.context["tabs"]]
    assert all(each["filing"] == ["refused"] for each in queue)
    chips = [parse_qs(each["url"][1:]) for row in page.context["filters"] for each in row["options"]]
    assert chips
    assert all(each["filing"] == ["refused"] for each in chips)
    assert ("filing", "refused") in page.context["kept"]
    assert "filing=refused" in page.context["clear_url"]
    alone = client_of(amahle).get("/csa/desk/").context["filing_tabs"]
    assert [each["url"] for each in alone] == [f"?filing={tab}" for tab in FILING_TABS]


def gauteng_of(csa: Federation) -> Region:
    return csa.regions.get(code="GAU")


# ---------------------------------------------------------------- transfers on the desk


@pytest.mark.parametrize(("days", "shown"), [(30, True), (31, False)])
def test_transfers_of_the_regions_players_stand_on_its_desk_until_a_month_after_the_answer(
    csa: Federation,
    players: list[Player],
    amahle: User,
    pieter: User,
    client_of: ClientOf,
    days: int,
    shown: bool,
) -> None:
    gauteng, cape = gauteng_of(csa), csa.regions.get(code="WCA")
    limpopo = Region.objects.create(federation=csa, code="LIM", name="Limpopo")
    Player.objects.filter(pk=players[0].pk).update(region=gauteng)
    Player.objects.filter(pk=players[1].pk).update(region=limpopo)
    day = today(csa) - timedelta(days=days)
    for player, taking in ((players[0], cape), (players[1], limpopo)):
        player.refresh_from_db()
        if player.region != taking:
            asked = ask_transfer(player=player, taking=taking, by=amahle, on=day, reason="moved house")
    both = (client_of(amahle), client_of(pieter))
    for browser in both:  # an open one stands there, however old it is
        page = browser.get("/csa/desk/").content.decode()
        assert "Transfers of your players" in page
        assert "Gauteng → Western Cape" in page
    refuse_transfer(transfer=asked, by=None, on=day, words="Not yet.")
    for browser in both:
        page = browser.get("/csa/desk/").content.decode()
        assert ("Gauteng → Western Cape" in page) is shown
        assert ("Not yet." in page) is shown


def test_a_transfer_between_other_regions_is_not_on_the_desk(
    csa: Federation, players: list[Player], amahle: User, client_of: ClientOf
) -> None:
    limpopo = Region.objects.create(federation=csa, code="LIM", name="Limpopo")
    Player.objects.filter(pk=players[0].pk).update(region=limpopo)
    player = Player.objects.get(pk=players[0].pk)
    cape = csa.regions.get(code="WCA")
    ask_transfer(player=player, taking=cape, by=None, on=today(csa), reason="moved house")
    assert "Transfers of your players" not in client_of(amahle).get("/csa/desk/").content.decode()


def test_the_twenty_rated_last_are_shown(
    csa: Federation, players: list[Player], amahle: User, client_of: ClientOf
) -> None:
    assert MOST_RATED_LATELY == 20
    for place in range(MOST_RATED_LATELY + 1):
        rated = submitted(csa, players, number=f"2024-2{place:02}")
        Section.objects.filter(pk=rated.pk).update(stage=Stage.RATED, rated_on=date(2024, 5, 1 + place))
    shown = client_of(amahle).get("/csa/desk/", {"filing": "rated"}).context["rated_lately"]
    assert [each["section"].event.number for each in shown] == [
        f"2024-2{place:02}" for place in range(MOST_RATED_LATELY, 0, -1)
    ]


def test_a_heading_breaks_a_word_that_is_longer_than_the_page() -> None:
    """In Chromium `tests/test_browser_barriers.py` looks at pages of one."""
    rules = Path("static/css/layout.css").read_text().splitlines()
    [rule] = [line for line in rules if "overflow-wrap: anywhere" in line]
    assert rule.strip().startswith("h1, h2, h3, .page-head p, .crumbs {")
