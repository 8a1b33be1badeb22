"""A player's page of a past day tells three figures: published then, known then, known now."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Any

import pytest
from django.test import Client

from players.models import Federation, Player
from ratings import approval
from ratings.merging import merge_players
from ratings.models import Fact
from ratings.pages.players import figures_of, get_counting_day_rule
from ratings.player_ratings import get_ratings_from_state
from ratings.results import AsOf, as_of
from ratings.rulesets import journal, rulesets
from ratings.rulesets.facts import State
from ratings.rulesets.ruleset import Ruleset
from ratings.tests.eventful import eventful
from ratings.tests.office import approved, published, recompute_all, register, submitted
from ratings.tests.test_asof import office_of
from ratings.tests.test_every_office import TODAY
from tests.built_once import built_once

pytestmark = [pytest.mark.django_db, pytest.mark.long]
A_DAY = timedelta(days=1)
every_ruleset = pytest.mark.parametrize("ruleset", rulesets().values(), ids=rulesets().keys())


def place(office: Federation, day: date) -> int:
    return as_of(office, day, TODAY).place_after


def days_of(office: Federation) -> list[date]:
    days = Fact.objects.filter(federation=office, on__isnull=False).values_list("on", flat=True)
    return sorted({day for day in days if day})


def by_what_is_known_now(asked: AsOf, lines: list[str]) -> State[Any]:
    """The state of a day by all lines: by the sections that ended by it, or by the lines up to its last."""
    ruleset = asked.federation.ruleset
    found = journal.resolve(journal.read_journal(lines))
    before = asked.place_after
    state: State[Any] = State()
    for _step in ruleset.fold([each for each in found if ruleset.journal.order_key(each) < before], state):
        pass
    return state


@every_ruleset
def test_a_day_as_known_now_is_what_the_facts_in_force_now_give_up_to_that_day(ruleset: Ruleset) -> None:
    lines = eventful(ruleset, 3)
    office = office_of(lines)
    people = Player.objects.filter(federation=office, merged_into=None)
    days = days_of(office)
    for day in days[:: max(1, len(days) // 6)]:
        asked = as_of(office, day, TODAY)
        expected = by_what_is_known_now(asked, lines)
        for player in people:
            state = asked.state_known_now(player)
            assert get_ratings_from_state(office, state, player.number, day) == get_ratings_from_state(
                office, expected, player.number, day
            ), (day, player.number)


def test_in_the_order_of_play_the_last_day_itself_counts_and_the_day_before_it_does_not() -> None:
    office = office_of(eventful(rulesets()["piskvorky"], 3))
    line = Fact.objects.filter(federation=office, kind="rated").in_force().order_by("-order")[0]
    assert line.order is not None
    ends = date.fromordinal(line.order >> 43)
    assert place(office, ends - A_DAY) <= line.order < place(office, ends)


def test_in_the_order_of_rating_the_day_of_the_line_counts_and_the_day_before_it_does_not(
    csa: Federation,
) -> None:
    approved(submitted(csa, register(csa, 10)))
    line = Fact.objects.get(federation=csa, kind="rated")
    assert line.on is not None
    assert line.order is not None
    assert place(csa, line.on - A_DAY) <= line.order < place(csa, line.on)


@pytest.mark.parametrize(
    ("code", "clause", "words"),
    [
        ("csa", "67", "with the next list"),
        ("ssdc", "D-SSDC-2", "last day of play"),
        ("pfo", "D-1", "last day of play"),
        ("piskvorky", "D-1", "last day of play"),
        ("mahjong", "D-RMF-7", "whenever it was played"),
    ],
)
def test_the_day_from_which_a_section_counts_is_told_with_its_clause(
    code: str, clause: str, words: str
) -> None:
    office = Federation(code=code, ruleset_slug=code)
    told = get_counting_day_rule(office, date(2024, 1, 1))
    assert told["clause"] == clause
    assert words in told["words"]
    assert told["says"]
    assert told["url"].endswith(f"#clause-{clause}")


@pytest.fixture
@built_once
def taken_back(csa: Federation) -> tuple[Player, Fact]:
    """A player with two rated sections and a list; the second section was taken back since."""
    players = register(csa, 10)
    approved(submitted(csa, players, ends=date(2024, 3, 1)))
    second = submitted(csa, players, number="2024-002", ends=date(2024, 3, 8), seed=2)
    approved(second)
    published(csa, date(2024, 4, 1))
    line = Fact.objects.filter(federation=csa, kind="rated").order_by("-number")[0]
    second.refresh_from_db()
    approval.unrate(
        section=second,
        by=None,
        on=date(2024, 4, 20),
        version=second.version,
        reason="result",
        words="A result was wrong.",
        after_list=True,
    )
    recompute_all(csa)
    return players[0], line


def tiles(client: Client, address: str) -> list[str]:
    html = re.sub(r"\s+", " ", client.get(address).getvalue().decode())
    part = re.search(r'<dl class="tiles figures" id="of-day">(.*?)</dl>', html)
    assert part is not None, html
    return re.findall(r"<dd>([^<]*)</dd>", part[1])


def test_what_was_corrected_since_stands_as_published_and_known_then_beside_what_is_known_now(
    client: Client, csa: Federation, taken_back: tuple[Player, Fact]
) -> None:
    player, _line = taken_back
    published_then, then, now = tiles(client, f"/csa/players/{player.number}/?on=2024-04-10")
    assert published_then == then
    assert now != then
    assert tiles(client, f"/csa/players/{player.number}/?on=2024-04-20")[1] == now


def test_before_the_first_list_nothing_was_published_and_a_page_of_no_day_has_no_figures(
    client: Client, csa: Federation, taken_back: tuple[Player, Fact]
) -> None:
    player, _line = taken_back
    address = f"/csa/players/{player.number}/"
    assert tiles(client, f"{address}?on=2024-03-20")[0] == "–"
    assert 'id="of-day"' not in client.get(address).getvalue().decode()
    canonical = f'rel="canonical" href="http://testserver{address}"'
    assert canonical in client.get(f"{address}?on=2024-04-10").getvalue().decode()


def test_what_is_known_now_of_a_merged_entry_is_the_rating_of_the_one_that_stays(csa: Federation) -> None:
    players = register(csa, 11)
    approved(submitted(csa, players[:10], ends=date(2024, 3, 1)))
    approved(submitted(csa, players[1:], number="2024-002", ends=date(2024, 3, 8), seed=2))
    published(csa, date(2024, 4, 1))
    merge_players(player=players[10], into=players[0], by=None, on=date(2024, 4, 5), reason="One person.")
    recompute_all(csa)
    entry, stays = (Player.objects.get(pk=players[at].pk) for at in (10, 0))
    asked = as_of(csa, date(2024, 4, 4), TODAY)
    of_entry, of_stays = (figures_of(each, None, "otb-main", asked) for each in (entry, stays))
    assert of_entry["now"] == of_stays["now"] is not None
    assert of_entry["published"] is None
