"""What pages say of regions, places, groups and people, and what goes without saying."""

from __future__ import annotations

import re

import pytest
from django.template.loader import render_to_string
from django.test import Client

from players.models import Federation, Region, User
from ratings.cross_tables import CrossTable, EntrantRow
from ratings.models import RatingList
from ratings.tests.office import FIRST, approved, published, register, submitted
from tests.built_once import built_once
from tests.pages import unbroken
from tournaments.models import Entry, Event, Game, Section
from tournaments.submission import list_figures

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]
REGIONAL_PAGES = (
    "/csa/",
    "/csa/events/",
    "/csa/events/2024-001/",
    "/csa/events/2024-001/A/",
    "/csa/players/?q=Invented",
    "/csa/players/101000001/",
)


@pytest.fixture
@built_once
def listed(csa: Federation) -> Federation:
    """Two events of ten players, and their lists."""
    players = register(csa, 10)
    for number in ("2024-001", "2024-002"):
        approved(submitted(csa, players, number=number, seed=int(number[-1])))
    published(csa, FIRST.replace(month=4))
    Event.objects.update(place="Soweto")
    return csa


def page(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200, address
    return unbroken(response.content.decode())


@pytest.mark.parametrize("address", REGIONAL_PAGES)
def test_the_region_stands_beside_players_and_events(
    client: Client, listed: Federation, address: str
) -> None:
    assert "Gauteng" in page(client, address)


@pytest.mark.parametrize("address", [*REGIONAL_PAGES, "/csa/lists/2024-04/otb-main/"])
def test_where_the_federation_has_one_region_it_goes_without_saying(
    client: Client, listed: Federation, address: str
) -> None:
    Region.objects.filter(code="WCA").delete()
    shown = page(client, address)
    assert "Gauteng" not in shown
    assert 'name="region"' not in shown


@pytest.mark.parametrize("address", ["/csa/", "/csa/events/2024-001/", "/csa/events/2024-001/A/"])
def test_an_event_abroad_is_placed_in_its_country_not_in_the_region_that_filed_it(
    client: Client, listed: Federation, address: str
) -> None:
    Event.objects.update(place="Gaborone", country="BOT")
    shown = page(client, address)
    assert "Gaborone · BOT" in shown
    assert "Gauteng" not in shown


def test_the_list_of_events_gives_place_and_region_and_abroad_the_country(
    client: Client, listed: Federation
) -> None:
    assert f"Soweto · {Event.objects.select_related('region')[0].region}<" in page(client, "/csa/events/")
    Event.objects.update(place="Gaborone", country="BOT")
    assert "Gaborone · BOT<" in page(client, "/csa/events/")


def test_the_officials_desk_has_a_column_of_regions_where_there_are_several(
    client: Client, csa: Federation, nomsa: User
) -> None:
    submitted(csa, register(csa, 4))
    client.force_login(nomsa)
    assert 'data-label="Region"' in page(client, "/csa/desk/")
    Region.objects.filter(code="WCA").delete()
    assert 'data-label="Region"' not in page(client, "/csa/desk/")


def test_a_track_without_a_group_is_shown_with_its_players_alone(
    client: Client, listed: Federation, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert '<p class="muted">Over the board, 10 players</p>' in page(client, "/csa/")
    monkeypatch.setattr("ratings.pages.home.sort_into_groups", lambda _ruleset, lists: [("", lists)])
    assert '<p class="muted">10 players</p>' in page(client, "/csa/")


def test_a_search_is_shown_by_the_example_of_somebody_on_the_newest_list(
    client: Client, listed: Federation
) -> None:
    newest = RatingList.objects.of(listed).on_newest_day().current().first()
    assert newest is not None
    best, second, *_others = (row.player for row in newest.rows.order_by("position"))
    assert f"For example: {best.surname}, or {best.name}, or {best.number}." in page(client, "/csa/players/")
    best.withheld = True
    best.save()
    shown = page(client, "/csa/players/?again")
    assert best.surname not in shown
    assert f"For example: {second.surname}" in shown


def test_games_are_counted_as_games_where_the_rules_count_them(client: Client, listed: Federation) -> None:
    assert "12 games" in page(client, "/csa/players/101000001/?track=otb-main")
    assert re.search(r"<th[^>]*>\s*(<a [^>]*>)?\s*Games\b", page(client, "/csa/lists/2024-04/otb-main/"))


def test_without_a_list_there_is_no_example_of_a_search(client: Client, csa: Federation) -> None:
    assert "For example" not in page(client, "/csa/players/")


def test_a_list_leads_to_the_other_tracks_of_its_day_where_there_are_any(
    client: Client, listed: Federation
) -> None:
    address = "/csa/lists/2024-04/otb-main/"
    assert 'class="track-nav"' in page(client, address)
    assert "lists, up to 10 players" in page(client, "/csa/lists/")


@pytest.mark.parametrize(
    ("points", "words"), [("6", ">6</td>"), ("5.50", ">5.5</td>"), ("10.25", ">10.25</td>")]
)
def test_points_of_an_event_of_places_are_told_without_trailing_zeros(
    client: Client, listed: Federation, points: str, words: str
) -> None:
    Game.objects.all().delete()
    Entry.objects.update(points=points)
    assert words in unspaced(page(client, "/csa/players/101000001/"))


def unspaced(text: str) -> str:
    """HTML without white space beside its tags."""
    return re.sub(r"\s*(<[^>]+>)\s*", r"\1", text)


def test_where_results_stand_the_points_of_a_player_are_theirs_and_not_what_the_file_claimed(
    client: Client, listed: Federation
) -> None:
    Entry.objects.update(points="99.5")
    section = Section.objects.latest("pk")
    rows = CrossTable(section, None).rows
    assert {row.score for row in rows} - {"99.5"}
    for row in rows:
        shown = page(client, row.url)
        assert f">{row.score} of 6</td>" in unspaced(shown)
        assert "99.5" not in shown


def test_a_column_of_what_is_pending_stands_only_while_something_is(
    client: Client, listed: Federation
) -> None:
    assert ">Pending</th>" not in page(client, "/csa/players/101000001/")
    players = list(listed.players.order_by("number"))
    approved(submitted(listed, players, number="2024-003", ends=FIRST.replace(month=4, day=10), seed=3))
    assert ">Pending</th>" in page(client, "/csa/players/101000001/")


def test_registering_asks_for_the_region_only_where_there_are_several(
    client: Client, csa: Federation, amahle: User
) -> None:
    client.force_login(amahle)
    assert "Host region" in page(client, "/csa/events/register/")
    Region.objects.filter(code="WCA").delete()
    shown = page(client, "/csa/events/register/")
    assert "Host region" not in shown
    assert f'<input type="hidden" name="region" value="{csa.regions.get().pk}"' in shown


def test_a_section_of_places_is_summed_up_without_rounds_and_games(csa: Federation) -> None:
    section = submitted(csa, register(csa, 4))
    assert [tile["label"] for tile in list_figures(section)][:3] == ["Players", "Rounds played", "Games"]
    section.games.all().delete()
    assert [tile["label"] for tile in list_figures(section)][:3] == ["Players", "Rounds played", "Games"]
    section.format = "placement"
    assert [(tile["label"], tile["value"]) for tile in list_figures(section)] == [("Players", 4)]


@pytest.mark.parametrize("rounds", [1, 11, 12, 30])
def test_score_change_and_new_rating_stand_before_the_rounds_however_many(rounds: int) -> None:
    table = render_to_string("components/cross_table.html", {"rounds": range(1, rounds + 1)})
    heads = [table.index(f">{head}</th>") for head in ("Score", "Change", "New")]
    assert heads == sorted(heads)
    assert heads[-1] < table.index('class="round"')
    assert table.count('class="round"') == rounds


def test_a_table_of_places_has_no_column_for_scores() -> None:
    row = EntrantRow(1, "Invented", "", "", "", None, "5", [], None, "")
    scored = render_to_string("components/cross_table.html", {"rows": [row], "decimals": 1})
    places = render_to_string("components/cross_table.html", {"rows": [row], "decimals": 1, "unscored": True})
    assert ">Score</th>" in scored
    assert 'class="score">5<' in unbroken(scored)
    assert "Score" not in places
    assert 'class="score"' not in places
