"""What a search field offers while somebody types: few, looked up, kept as its neighbours are."""

from __future__ import annotations

import re
from datetime import date
from typing import Any

import pytest
from django.test import Client

from players.models import Federation, Ledger, Player, Region
from players.names import fold
from ratings.pages.search import MOST_OF_EACH_OFFICE, MOST_SUGGESTIONS
from tests.built_once import built_once
from tests.pages import unbroken
from tournaments.models import Event

pytestmark = pytest.mark.servers


def office_of(code: str) -> Federation:
    office = Federation.objects.create(code=code, name=f"Office {code}", ruleset_slug=code)
    Ledger.objects.create(federation=office)
    return office


def register(office: Federation, *names: str) -> None:
    taken = Player.objects.of(office).count()
    Player.objects.bulk_create(
        Player(
            federation=office,
            number=str(101 + taken + place),
            surname=name.partition(", ")[0],
            first_name=name.partition(", ")[2],
            name_key=fold(name.partition(", ")[0]),
        )
        for place, name in enumerate(names)
    )


@pytest.fixture
@built_once
def dudeks(csa: Federation) -> Federation:
    register(csa, *(f"Dudek, Lena {letter}" for letter in "ABCDEFGHIJ"))
    return csa


def offered(address: str) -> str:
    answer = Client().get(address)
    assert (answer.status_code, answer.headers["X-Robots-Tag"]) == (200, "noindex")
    return unbroken(answer.content.decode())


def test_few_players_are_offered_each_as_a_link_with_number(dudeks: Federation) -> None:
    told = offered("/csa/suggestions/?q=lena+dudek")
    assert told.count("<li>") == MOST_SUGGESTIONS == 8
    assert re.search(r'<a href="/csa/players/101/"[^>]*><span>Dudek, Lena A</span>', told)
    assert "likeliest 8" in told
    assert "<html" not in told


@pytest.mark.parametrize(
    ("players", "words"),
    [(MOST_SUGGESTIONS, "8 found."), (MOST_SUGGESTIONS + 1, "The likeliest 8 of more.")],
)
def test_it_is_told_whether_there_are_more(csa: Federation, players: int, words: str) -> None:
    register(csa, *(f"Dudek, Lena {number}" for number in range(players)))
    told = offered("/csa/suggestions/?q=dudek")
    assert f"{words} The arrow keys choose." in told
    assert ("likeliest" in told) == (players > MOST_SUGGESTIONS)


def test_of_all_offices_two_of_each_are_offered_with_its_name(dudeks: Federation) -> None:
    register(office_of("pfo"), "Dudek, Anna", "Dudek, Ewa", "Dudek, Zofia")
    told = offered("/search/suggestions/?q=dudek")
    assert told.count("<li>") == 2 * MOST_OF_EACH_OFFICE
    assert "Office pfo" in told
    assert "Office pfo" not in offered("/csa/suggestions/?q=dudek")


def test_one_letter_offers_nobody_and_two_do(dudeks: Federation) -> None:
    assert "<li>" not in offered("/csa/suggestions/?q=d")
    assert "<li>" not in offered("/csa/suggestions/")
    assert "<li>" in offered("/csa/suggestions/?q=du")


def test_nobody_is_looked_for_inside_names_at_each_key_though_the_search_does(dudeks: Federation) -> None:
    assert "<li>" not in offered("/csa/suggestions/?q=ude+len")
    assert "Lena A" in Client().get("/csa/players/?q=ude+len").content.decode()


def test_a_slip_is_forgiven_and_an_alphabet(dudeks: Federation) -> None:
    assert "Lena A" in offered("/csa/suggestions/?q=dudke+lena+a")
    assert "Lena A" in offered("/csa/suggestions/?q=дудек")


def test_who_is_withheld_is_not_offered_by_name(dudeks: Federation) -> None:
    Player.objects.filter(number="101").update(withheld=True)
    assert "/csa/players/101/" not in offered("/csa/suggestions/?q=dudek")
    assert "Lena A" not in offered("/csa/suggestions/?q=101")
    assert "withheld" in offered("/csa/suggestions/?q=101")


def test_an_answer_holds_until_the_record_moves(dudeks: Federation) -> None:
    address = "/csa/suggestions/?q=dudek"
    first = Client().get(address)
    held = first.headers["ETag"]
    assert "max-age=60" in first.headers["Cache-Control"]
    assert Client().get(address, headers={"If-None-Match": held}).status_code == 304
    Ledger.objects.filter(federation=dudeks).update(decisions=99)
    assert Client().get(address, headers={"If-None-Match": held}).status_code == 200


def test_an_answer_asks_the_database_little_however_many_bear_the_name(
    dudeks: Federation, django_assert_max_num_queries: Any
) -> None:
    with django_assert_max_num_queries(10):
        offered("/csa/suggestions/?q=dudek")


def name_event(office: Federation, number: str, name: str, place: str, **particulars: Any) -> None:
    day = date(2026, 5, 9)
    region, _created = Region.objects.get_or_create(federation=office, code="GAU", name="Gauteng")
    of = {"region": region, "starts": day, "ends": day, "registered_on": day, **particulars}
    Event.objects.create(federation=office, number=number, name=name, place=place, **of)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("pârl+blitz", ["Event"]),
        ("paarl", ["Place", "Event"]),
        ("2026-104", ["Event"]),
        ("aarl", []),
        ("gauteng", ["Region"]),
        ("§44", ["Clause"]),
        ("blitz+otb", ["List"]),
    ],
)
def test_events_places_regions_lists_and_clauses_are_found_by_the_beginnings_of_their_words(
    csa: Federation, text: str, found: list[str]
) -> None:
    Region.objects.create(federation=csa, code="KZN", name="KwaZulu-Natal")
    name_event(csa, "2026-104", "Pârl Blitz Night", "Paarl")
    told = offered(f"/csa/suggestions/?q={text}")
    kinds = [kind for kind in ("Place", "Event", "Region", "Clause", "List") if f">{kind}" in told]
    assert kinds == found


def test_what_is_called_so_comes_before_names_that_are_only_like_it(csa: Federation) -> None:
    register(csa, "Pearl, Ann", "Cape, Jan")
    name_event(csa, "2026-104", "Paarl Open", "")
    name_event(csa, "2026-105", "Cape Open", "")
    told = offered("/csa/suggestions/?q=paarl")
    assert "Pearl" not in told or told.index("Paarl Open") < told.index("Pearl")
    told = offered("/csa/suggestions/?q=cape")
    assert told.index("Cape, Jan") < told.index("Cape Open")


def test_a_field_that_names_a_player_is_offered_players_alone_with_what_to_write(csa: Federation) -> None:
    register(csa, "Cape, Jan")
    name_event(csa, "2026-105", "Cape Open", "Cape Town")
    told = offered("/csa/suggestions/?q=cape&only=players")
    assert told.count("<li>") == 1
    assert 'data-value="Cape, Jan 101"' in told


def test_a_field_of_events_is_offered_places_and_events_alone(csa: Federation) -> None:
    register(csa, "Cape, Jan")
    name_event(csa, "2026-105", "Cape Open", "Cape Town")
    told = offered("/csa/suggestions/?q=cape&only=events")
    assert "Cape Open" in told
    assert "Cape, Jan" not in told
    assert told.count("<li>") == 2


def test_an_event_registered_by_mistake_is_not_found(csa: Federation) -> None:
    name_event(csa, "2026-104", "Paarl Open", "Paarl", state=Event.State.WITHDRAWN)
    assert "<li>" not in offered("/csa/suggestions/?q=paarl")


def test_the_pages_of_the_search_show_what_the_suggestions_do(csa: Federation) -> None:
    name_event(csa, "2026-104", "Paarl Open", "Paarl")
    for page in ("/csa/players/?q=paarl", "/search/?q=paarl"):
        shown = Client().get(page).content.decode()
        assert "Paarl Open" in shown
        assert "/csa/events/?q=Paarl" in shown


def test_one_whom_a_text_names_is_compared_at_once_and_several_are_offered(dudeks: Federation) -> None:
    address = "/csa/players/101/against/?q="
    assert Client().get(f"{address}Dudek, Lena B 102").headers["Location"] == "/csa/players/101/against/102/"
    assert Client().get(f"{address}lena c").headers["Location"] == "/csa/players/101/against/103/"
    shown = Client().get(f"{address}dudek").content.decode()
    assert "/csa/players/101/against/103/" in shown
    assert "/csa/players/101/against/101/" not in shown


@pytest.mark.parametrize(
    ("page", "fields", "asks"),
    [
        ("/csa/", 1, "/csa/suggestions/"),
        ("/csa/players/", 1, "/csa/suggestions/"),
        ("/csa/lists/", 1, "/csa/suggestions/"),
        ("/csa/regulations/", 1, "/csa/suggestions/"),
        ("/csa/players/101/", 1, "/csa/suggestions/"),
        ("/", 1, "/search/suggestions/"),
        ("/search/", 1, "/search/suggestions/"),
        ("/accounts/login/", 1, "/search/suggestions/"),
    ],
)
def test_every_page_has_one_search_which_works_without_the_script(
    dudeks: Federation, page: str, fields: int, asks: str
) -> None:
    shown = unbroken(Client().get(page).content.decode())
    assert shown.count(f'data-suggestions="{asks}"') == shown.count("data-suggestions") == fields
    where = "/search/" if asks.startswith("/search") else "/csa/players/"
    own = page in ("/csa/players/", "/search/")
    words = "Search this office" if asks.startswith("/csa") else "Search all offices"
    action = "" if own else f' action="{where}"'
    assert re.search(rf'role="search" aria-label="{words}" method="get"{action}\s*>', shown)
