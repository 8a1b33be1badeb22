"""How everybody performed, month by month, and whether it counts for the Grand Prix (CSA 32, 47, 49)."""

from __future__ import annotations

import csv
from datetime import date
from decimal import Decimal

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from players.models import Federation, Player
from players.writing import page_cache
from ratings import approval
from ratings.journal import build_foldable_fact
from ratings.models import Fact
from ratings.results import iterate_states_before, state_before
from ratings.tests.office import approved, recompute_all, register, submitted
from tests.built_once import built_once
from tournaments.models import Game, Section

pytestmark = pytest.mark.django_db
PAGE = "/csa/tables/performances/"


@pytest.fixture
@built_once
def office(csa: Federation) -> Federation:
    """Three sections: two that ended in March, one in May."""
    page_cache.clear()
    players = register(csa, 8)
    for number, ends in (("2024-001", date(2024, 3, 1)), ("2024-002", date(2024, 3, 20))):
        approved(submitted(csa, players, number=number, ends=ends, seed=int(number[-1])))
    approved(submitted(csa, players[:6], number="2024-003", ends=date(2024, 5, 1), seed=3))
    return csa


def lines(client: Client, query: str = "") -> list[list[str]]:
    found = client.get(f"{PAGE}performances.csv{query}").content.decode().splitlines()
    return list(csv.reader(found))


def test_the_newest_month_is_shown_and_the_others_can_be_chosen(office: Federation, client: Client) -> None:
    page = " ".join(client.get(PAGE).content.decode().split())
    assert '<option value="2024-05" selected> May 2024' in page
    assert '<option value="2024-03" > March 2024' in page
    assert "Open 2024-003, A" in page
    assert "Open 2024-001, A" not in page
    march = client.get(f"{PAGE}?month=2024-03").content.decode()
    assert march.index("Open 2024-002, A") < march.index("Open 2024-001, A")
    assert "Open 2024-003, A" not in march


def test_32_the_figures_are_those_of_the_cross_table(office: Federation, client: Client) -> None:
    for section in Section.objects.all():
        rated = Fact.objects.get(kind="rated", section=section)
        fact = build_foldable_fact(rated)
        rules = office.ruleset.rules_for(fact)
        assert rated.order is not None
        state = state_before(office, rated.order, rules.needs(fact))
        expected = rules.compute_performances(state, fact, "otb-main")  # type: ignore[arg-type]
        month = f"{section.ends:%Y-%m}"
        header, *rows = lines(client, f"?month={month}&track=otb-main")
        at = header.index("section")
        told = {row[0]: Decimal(row[header.index("performed")]) for row in rows if row[at] == section.key}
        assert told == {
            player: value.quantize(Decimal("0.1"), "ROUND_HALF_UP") for player, value in expected.items()
        }


def test_47_games_in_four_fifths_of_the_rounds_count_and_one_fewer_does_not(
    csa: Federation, client: Client
) -> None:
    page_cache.clear()
    section = submitted(csa, register(csa, 8), rounds=6)
    first, second = Game.objects.filter(section=section, round=6)[:2]
    third = Game.objects.filter(section=section, round=5, first=second.first).first()
    third = third or Game.objects.get(section=section, round=5, second=second.first)
    Game.objects.filter(pk__in=[first.pk, second.pk, third.pk]).update(result="+:-")
    player = second.first.player
    assert player is not None
    approved(section)
    header, *rows = lines(client)
    told = {row[0]: dict(zip(header, row, strict=True)) for row in rows}
    four, five, six = told[player.number], told[first.first.player.number], None  # type: ignore[union-attr]
    six = next(row for row in told.values() if row["games-played"] == "6")
    assert (four["games-played"], four["for-the-grand-prix"]) == ("4", "Does not count")
    assert (five["games-played"], five["for-the-grand-prix"]) == ("5", "Counts")
    assert (six["for-the-grand-prix"], six["clause"], six["games-needed"]) == ("Counts", "47", "5")


def test_a_track_that_the_sections_do_not_move_has_nothing(office: Federation, client: Client) -> None:
    page = client.get(f"{PAGE}?track=ol-blitz").content.decode()
    assert "Results appear when events are rated." in page
    assert client.get(f"{PAGE}?track=none").status_code == 404
    assert client.get(f"{PAGE}?month=2024-04").status_code == 404
    assert client.get(f"{PAGE}?month=soon").status_code == 404


def test_who_is_withheld_stays_so(office: Federation, client: Client) -> None:
    assert "Invented00" in client.get(PAGE).content.decode()
    Player.objects.filter(surname="Invented00").update(withheld=True)
    page = client.get(PAGE).content.decode()
    assert "Invented00" not in page
    assert "Invented00" not in client.get(f"{PAGE}performances.csv").content.decode()
    assert "withheld" in page


def test_an_un_rated_section_is_gone_from_it(office: Federation, client: Client) -> None:
    section = Section.objects.get(event__number="2024-002")
    approval.unrate(
        section=section,
        by=None,
        on=date(2024, 6, 1),
        version=section.version,
        reason="result",
        words="wrong",
        after_list=True,
    )
    recompute_all(office)
    assert "Open 2024-002" not in client.get(f"{PAGE}?month=2024-03").content.decode()


def test_the_states_before_many_facts_are_those_before_each_in_as_many_queries(office: Federation) -> None:
    rated = Fact.objects.filter(federation=office, kind="rated")
    with CaptureQueriesContext(connection) as few:
        list(iterate_states_before(office, rated.filter(section__event__number="2024-003"), "otb-main"))
    with CaptureQueriesContext(connection) as many:
        found = [
            (fact, dict(state.standings)) for fact, state in iterate_states_before(office, rated, "otb-main")
        ]
    assert len(few) == len(many) == 5
    assert [fact.section.id for fact, _state in found] == ["2024-001/A", "2024-002/A", "2024-003/A"]
    for fact, standings in found:
        row = rated.get(number=fact.number)
        assert row.order is not None
        whole = state_before(office, row.order, {entry.player for entry in fact.section.entries})
        entered = {entry.player for entry in fact.section.entries}
        mine = {key: standing for key, standing in standings.items() if key[0] in entered}
        assert mine == {key: each for key, each in whole.standings.items() if key[1] == "otb-main"}


def test_39_what_counts_today_stands_on_the_player_s_page(office: Federation, client: Client) -> None:
    page = client.get("/csa/players/101000001/?track=otb-main&on=2024-05-10").content.decode()
    counts = page[page.index('id="counts"') :]
    assert "What counted on 10 May 2024" in counts
    assert counts.count("/csa/events/2024-00") == 3
    assert "Age factor A" in counts
