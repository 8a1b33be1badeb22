"""A section's page: its views, what opens below a name on a phone, its figures, its way to the ratings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from django.core.cache import caches
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from players.models import Federation, Player
from ratings.cross_tables import CrossTable
from ratings.models import Fact
from ratings.pages.events import (
    day_of_round,
    find_first_list,
    get_shared_section_context,
    played_round,
    steps_of,
    summarize_entrants,
    waived_or_permitted_clauses,
)
from ratings.tests.office import approved, published, register, submitted
from tests.built_once import built_once
from tests.pages import unbroken
from tournaments.models import Bye, Finding, Section, Stage

pytestmark = pytest.mark.django_db
PAGE = "/csa/events/2024-002/A/"
APRIL, MAY = date(2024, 4, 1), date(2024, 5, 1)


@pytest.fixture
@built_once
def rated(csa: Federation) -> Section:
    """The second event of ten players, of whom all have a rating since the list after the first."""
    players = register(csa, 10)
    approved(submitted(csa, players, number="2024-001"))
    published(csa, APRIL)
    section = submitted(csa, players, number="2024-002", ends=date(2024, 4, 10), seed=2)
    approved(section)
    section.refresh_from_db()
    return section


def shown(client: Client, address: str = PAGE) -> str:
    answer = client.get(address)
    assert answer.status_code == 200, address
    return unbroken(answer.content.decode())


def line_of(section: Section) -> Fact:
    return Fact.objects.get(kind="rated", subject=section.key)


# ---------------------------------------------------------------- views


def test_result_change_and_new_rating_stand_before_the_rounds(client: Client, rated: Section) -> None:
    head = shown(client).partition("<tbody")[0].partition("<table")[2]
    order = ["Player", "Score", "Change", "New", "Before", "Perf.", 'class="round"']
    at = [head.index(each) for each in order]
    assert at == sorted(at)


def test_rounds_of_finals_bear_their_names(client: Client, csa: Federation) -> None:
    section = submitted(csa, register(csa, 10), number="2024-002", ends=date(2024, 4, 10))
    rounds = section.rounds
    assert rounds
    section.rounds, section.finals = rounds - 1, ["3-4"]
    section.save()
    approved(section)
    heads = re.findall(r'class="round">\s*<span[^>]*>[^<]*</span>([^<]*)</th>', shown(client))
    assert [head.strip() for head in heads] == [*map(str, range(1, rounds)), "3-4"]
    assert "Round 3-4, A" in shown(client, f"{PAGE}?view=rounds&round={rounds}")
    assert client.get("/api/v1/offices/csa/events/2024-002/sections/A").json()["finals"] == ["3-4"]


def test_each_view_has_an_address_and_all_have_one_for_engines(client: Client, rated: Section) -> None:
    for query, there, not_there in (
        ("", 'class="round won"', "Result</th>"),
        ("?view=standings", "New</th>", 'class="round won"'),
        ("?view=rounds", "Result</th>", "New</th>"),
        ("?view=rounds&round=1", "Round 1, A", "New</th>"),
    ):
        found = shown(client, PAGE + query)
        assert there in found, query
        assert not_there not in found, query
        assert re.findall(r'rel="canonical" href="([^"]*)"', found) == [f"http://testserver{PAGE}"]


def test_the_links_to_other_views_keep_the_rating_that_was_chosen(client: Client, rated: Section) -> None:
    found = shown(client, f"{PAGE}?view=standings&track=otb-standard")
    assert 'href="?view=rounds&amp;track=otb-standard"' in found
    assert 'href="?track=otb-standard"' in found
    assert 'href="?view=standings&amp;track=otb-main"' in found


@pytest.mark.parametrize(
    "query", ["view=none", "view=rounds&round=9", "view=rounds&round=0", "view=rounds&round=x"]
)
def test_a_view_or_a_round_that_there_is_not_is_not_found(client: Client, rated: Section, query: str) -> None:
    assert client.get(f"{PAGE}?{query}").status_code == 404


def test_places_alone_have_no_views(client: Client, rated: Section) -> None:
    rated.games.all().delete()
    rated.byes.all().delete()
    assert "Views of this section" not in shown(client)
    assert client.get(f"{PAGE}?view=rounds").status_code == 404


def test_the_last_round_is_shown_unless_another_is_asked_for(client: Client, rated: Section) -> None:
    last = CrossTable(rated, line_of(rated)).rounds[-1]
    assert f"Round {last}, A" in shown(client, f"{PAGE}?view=rounds")


def test_a_round_has_every_game_once_and_who_had_none(rated: Section) -> None:
    game = rated.games.filter(round=1)[0]
    Bye.objects.create(section=rated, round=1, entry=game.second, kind="pairing")
    game.delete()
    found = played_round(CrossTable(rated, line_of(rated)), 1)
    assert len(found["pairings"]) == rated.games.filter(round=1).count() > 0
    assert [words for _row, words in found["idle"]] == ["allocated bye"]


@pytest.mark.parametrize(
    ("result", "words"), [("1-0", "1–0"), ("1/2", "½–½"), ("+:-", "+:−"), ("annulled", "×")]
)
def test_a_games_result_is_written_from_both_sides(rated: Section, result: str, words: str) -> None:
    rated.games.filter(round=1).update(result=result)
    assert {each.result for each in played_round(CrossTable(rated, line_of(rated)), 1)["pairings"]} == {words}


def test_the_day_of_a_round_is_told_where_it_is_known() -> None:
    days = ["2024-04-09", None]
    assert [day_of_round(days, number) for number in (1, 2, 3)] == [date(2024, 4, 9), None, None]


# ---------------------------------------------------------------- below the name


def test_the_rounds_of_a_player_open_below_the_name_without_a_script(client: Client, rated: Section) -> None:
    found = shown(client)
    rows = re.findall(r'<td class="opens"><details>.*?</tr>', found, re.DOTALL)
    assert len(rows) == rated.entries.count()
    assert all('class="met"' in row and "/csa/players/" in row and "/csa/report/" in row for row in rows)


def test_who_is_withheld_is_named_in_no_view(client: Client, rated: Section) -> None:
    Player.objects.filter(surname="Invented01").update(withheld=True)
    for query in ("", "?view=standings", "?view=rounds&round=1", "?view=rounds&round=2"):
        assert "Invented01" not in shown(client, PAGE + query), query


# ---------------------------------------------------------------- figures, steps, waivers


def test_the_average_is_of_those_who_had_a_rating_and_says_of_how_many(
    client: Client, rated: Section
) -> None:
    assert "Average rating" not in shown(client)
    office = rated.event.federation
    published(office, MAY)
    players = [*Player.objects.all()[:7], *register(office, 3, first=101000500)]
    later = submitted(office, players, number="2024-003", ends=date(2024, 5, 10))
    approved(later)
    table = CrossTable(later, line_of(later), "otb-main")
    ratings = [row.rating for row in table.rows if row.rating is not None]
    found = summarize_entrants(table)
    assert (found["players"], found["rated"]) == (10, len(ratings)) == (10, 7)
    assert "of 7 who had one" in shown(client, "/csa/events/2024-003/A/")
    assert found["average"] == sum(ratings, Decimal(0)) / len(ratings)
    nobody = summarize_entrants(CrossTable(rated, None))
    assert nobody == {"players": 10, "rated": 0, "average": None}


def test_a_section_counts_on_the_first_list_after_it_was_rated(rated: Section, client: Client) -> None:
    fact = line_of(rated)
    assert find_first_list(rated, fact) is None
    assert steps_of_last(rated).words == "Counts on the next list, due on this day"
    assert not steps_of_last(rated).done
    published(rated.event.federation, MAY)
    found = find_first_list(rated, fact)
    assert found is not None
    assert found.on == MAY
    assert steps_of_last(rated).url == "/csa/lists/2024-05/otb-main/"
    assert 'href="/csa/lists/2024-05/otb-main/"' in shown(client)


def steps_of_last(section: Section) -> Any:
    return list(steps_of(section, line_of(section), get_shared_section_context(section.event.federation)))[-1]


@pytest.mark.parametrize(
    ("stage", "last"),
    [
        (Stage.REGISTERED, "To be played and filed"),
        (Stage.FILED, "With the region, to be submitted"),
        (Stage.SUBMITTED, "With the office, to be decided"),
        (Stage.RETURNED, "Returned to the region for correction"),
        (Stage.UNRATED, "Un-rated; to be filed again"),
    ],
)
def test_before_it_is_rated_the_page_says_where_a_section_is(
    client: Client, rated: Section, stage: Stage, last: str
) -> None:
    Section.objects.filter(pk=rated.pk).update(stage=stage)
    assert last in shown(client)


def test_region_and_office_are_told_and_no_name_of_who_acted(client: Client, rated: Section) -> None:
    found = shown(client)
    assert f"Approved and rated by {rated.event.federation.name}" in found
    assert "Filed by Gauteng" in found or rated.filed_on is None


def test_a_waiver_and_a_permission_are_told_by_their_clause_and_never_by_their_reason(
    client: Client, rated: Section
) -> None:
    assert waived_or_permitted_clauses(rated) == []
    rated.permissions = [{"clause": "18", "reason": "Thandi is ill"}, {"clause": "", "declared": {}}]
    rated.save()
    finding = {"section": rated, "source": "rules", "level": "waivable", "key": "late"}
    Finding.objects.create(**finding, clause="14", waived_because="The bus broke down")
    Finding.objects.create(**finding, clause="18", waived_because="once more")
    Finding.objects.create(**finding, clause="20")
    assert waived_or_permitted_clauses(rated) == ["18", "14"]
    found = shown(client)
    assert "Permitted or waived by the office" in found
    assert "Thandi is ill" not in found
    assert "bus broke" not in found


# ---------------------------------------------------------------- cost


@pytest.fixture
def kept(settings: Any) -> Iterator[None]:
    """Parts of pages are kept, as in a web process."""
    settings.CACHES = {
        **settings.CACHES,
        "answers": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "sections"},
    }
    caches["answers"].clear()
    yield
    caches["answers"].clear()


@pytest.fixture
@built_once
def of_two_sizes(csa: Federation) -> dict[str, int]:
    """A section of 10 and one of 60 players: their numbers of entrants, by the event's number."""
    players, sizes = register(csa, 60), {"2024-010": 10, "2024-060": 60}
    for number, size in sizes.items():
        approved(submitted(csa, players[:size], number=number))
    return sizes


def queries(client: Client, address: str) -> list[str]:
    with CaptureQueriesContext(connection) as asked:
        shown(client, address)
    return [each["sql"] for each in asked]


@pytest.mark.parametrize("query", ["?view=cross", "?view=standings", "?view=rounds"])
def test_a_section_of_many_costs_as_many_queries_as_one_of_few_and_at_most_ten_once_looked_at(
    client: Client, of_two_sizes: dict[str, int], kept: None, query: str
) -> None:
    first, again = (
        [queries(client, f"/csa/events/{number}/A/{query}") for number in of_two_sizes] for _look in "12"
    )
    few, many = first
    assert len(many) <= len(few) <= 23, "\n".join(few)  # the names of regions are asked for once
    few, many = again
    assert len(few) == len(many) <= 10, "\n".join(each[:150] for each in many)
