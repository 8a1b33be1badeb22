"""Named views of a list with their own ranks, its orders, and what leads to one row of it."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from html import unescape
from itertools import pairwise
from typing import Any

import pytest
from django.core.cache import caches
from django.db import connection
from django.db.models import F
from django.http import QueryDict
from django.test import Client
from django.test.utils import CaptureQueriesContext

from players.models import Federation, Ledger, Player
from ratings.models import ListRow, RatingList
from ratings.pages import lists as list_views
from ratings.pages.lists import BY_RANK, ORDERS, compute_filtered_ranks, paginate_rows
from ratings.tests.office import approved, published, register, submitted
from tests.built_once import built_once

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]
LIST = "/csa/lists/2024-06/otb-main/"
ROW = re.compile(r'<tr[^>]*id="p(\d+)"')


@pytest.fixture
@built_once
def lists(csa: Federation) -> dict[str, RatingList]:
    """The lists of csa's OTB Main by label: of 12 players ten play before the second."""
    players = register(csa, 12)
    western_cape = csa.regions.get(code="WCA")
    Player.objects.filter(pk__in=[each.pk for each in players[1::2]]).update(region=western_cape)
    approved(submitted(csa, players, number="2024-001", rounds=11))
    published(csa, date(2024, 4, 1))
    approved(submitted(csa, players[:10], number="2024-002", ends=date(2024, 5, 1), seed=2))
    published(csa, date(2024, 6, 1))
    return {each.label: each for each in RatingList.objects.filter(track="otb-main")}


@pytest.fixture
def kept_answers(settings: Any) -> Iterator[None]:
    """The cache of answers as a web process has it."""
    kept = {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "list views"}
    settings.CACHES = {**settings.CACHES, "answers": kept, "ranks": {**kept, "LOCATION": "ranks"}}
    caches["answers"].clear()
    caches["ranks"].clear()
    yield
    caches["answers"].clear()
    caches["ranks"].clear()


def rewritten(shown: RatingList, **columns: list[Any]) -> list[ListRow]:
    """A list of rows like a list's own, with other values, beside it: published ones are frozen."""
    copy = RatingList.objects.get(pk=shown.pk)
    copy.pk, copy.revision, copy.supersedes = None, 2, shown
    copy.save()
    rows = list(ListRow.objects.filter(rating_list=shown).order_by("position"))
    for number, row in enumerate(rows):
        row.pk, row.rating_list = None, copy
        for name, values in columns.items():
            setattr(row, name, values[number % len(values)])
    return ListRow.objects.bulk_create(rows)


def shown(client: Client, address: str) -> list[str]:
    """The numbers of the players of a page, in its order."""
    response = client.get(address)
    assert response.status_code == 200, address
    return ROW.findall(response.content.decode())


# ---------------------------------------------------------------- orders


@pytest.mark.parametrize("name", sorted(ORDERS))
@pytest.mark.parametrize("size", [1, 3, 5])
def test_the_pages_of_every_order_hold_each_row_once_forwards_and_backwards(
    lists: dict[str, RatingList], name: str, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Newcomers, ties and people without a first name among them."""
    Player.objects.filter(number__endswith="3").update(withheld=True)
    places = rewritten(
        lists["2024-06"],
        previous=[None, Decimal(1500), Decimal("1400.25"), Decimal(1500)],
        rating=[Decimal(1600)],
        games=[7, 7, 3],
    )
    monkeypatch.setattr(list_views, "LIST_ROWS_A_PAGE", size)
    rows, order = ListRow.objects.filter(rating_list=places[0].rating_list), ORDERS[name]
    whole = [row.position for row in order.sort(rows)]
    assert sorted(whole) == [row.position for row in places]
    forwards, pages, query = [], 0, ""
    while True:
        page = paginate_rows(rows, _asked(query), order)
        forwards += [row.position for row in page.rows]
        pages += 1
        if not page.later:
            break
        query = page.later
    assert forwards == whole
    backwards = [row.position for row in page.rows]
    while page.earlier:
        page = paginate_rows(rows, _asked(page.earlier), order)
        backwards = [row.position for row in page.rows] + backwards
    assert backwards[-len(whole) :] == whole
    assert pages == -(-len(whole) // size)


def _asked(query: str) -> Any:
    return QueryDict(query.removeprefix("?"))


def test_each_order_is_that_of_its_column(lists: dict[str, RatingList]) -> None:
    [*made] = rewritten(
        lists["2024-06"], previous=[None, Decimal(1500), Decimal(1400)], rating=[Decimal(1500)], games=[9, 4]
    )
    rows = ListRow.objects.filter(rating_list=made[0].rating_list)
    games = [row.games for row in ORDERS["-games"].sort(rows)]
    assert games == sorted(games, reverse=True)
    gains = [row.previous and row.rating - row.previous for row in ORDERS["-moved"].sort(rows)]
    newcomers = gains.count(None)
    assert newcomers
    assert gains[-newcomers:] == [None] * newcomers
    assert all(
        one >= other for one, other in pairwise(gains[:-newcomers]) if one is not None and other is not None
    )
    assert [row.previous for row in ORDERS["moved"].sort(rows)][-newcomers:] == [None] * newcomers


def test_a_head_leads_to_the_list_by_its_column_and_then_the_other_way_round(
    client: Client, lists: dict[str, RatingList]
) -> None:
    page = client.get(f"{LIST}?region=GAU&after=1").content.decode()
    assert 'href="?region=GAU&amp;sort=-games"' in page
    assert 'href="?region=GAU&amp;sort=player"' in page
    assert 'aria-sort="ascending"' in page
    by_games = client.get(f"{LIST}?sort=-games").content.decode()
    assert 'href="?sort=games"' in by_games
    assert 'aria-sort="descending"' in by_games


def test_the_list_by_name_puts_who_is_withheld_last_both_ways(
    client: Client, lists: dict[str, RatingList]
) -> None:
    """A place among the names would tell what theirs begins with."""
    [first, *_others] = shown(client, f"{LIST}?sort=player")
    Player.objects.filter(number=first).update(withheld=True)
    for sort in ("player", "-player"):
        assert shown(client, f"{LIST}?sort={sort}")[-1] == first


def test_an_order_that_there_is_not_is_the_lists_own(client: Client, lists: dict[str, RatingList]) -> None:
    own = shown(client, LIST)
    for odd in ("born", "-sex", "player__born", "", "--rank", "rank,games"):
        assert shown(client, f"{LIST}?sort={odd}") == own


# ---------------------------------------------------------------- views


def test_the_views_by_play_part_a_list_into_who_is_new_gained_lost_or_stayed(
    client: Client, lists: dict[str, RatingList]
) -> None:
    rows = {
        row.player.number: row
        for row in ListRow.objects.filter(rating_list=lists["2024-06"]).select_related("player")
    }
    gained = {n for n, row in rows.items() if row.previous is not None and row.rating > row.previous}
    lost = {n for n, row in rows.items() if row.previous is not None and row.rating < row.previous}
    assert gained
    assert lost
    assert set(shown(client, f"{LIST}?only=up")) == gained
    assert set(shown(client, f"{LIST}?only=down")) == lost
    assert set(shown(client, f"{LIST}?only=new")) == {n for n, row in rows.items() if row.previous is None}


def test_who_gained_stands_in_order_of_the_gain_with_ranks_by_it(
    client: Client, lists: dict[str, RatingList]
) -> None:
    rows = ListRow.objects.filter(rating_list=lists["2024-06"]).select_related("player")
    by_gain = sorted(
        (row for row in rows if row.previous is not None and row.rating > row.previous),
        key=lambda row: row.rating - (row.previous or 0),
        reverse=True,
    )
    assert shown(client, f"{LIST}?only=up") == [row.player.number for row in by_gain]


@pytest.mark.parametrize(("games", "view"), [(10, "inactive"), (11, "active")])
def test_who_has_as_many_games_as_a_year_before_has_not_played(
    client: Client, lists: dict[str, RatingList], games: int, view: str
) -> None:
    """A list exactly a year older counts, one a day younger does not."""
    before = list_views.EarlierLists(there=True, year=lists["2024-04"].pk, year_on=date(2024, 4, 1))
    [then, *_] = ListRow.objects.filter(rating_list=lists["2024-04"], games__gt=0)
    made = rewritten(lists["2024-06"], games=[then.games + games - 10])
    rows = ListRow.objects.filter(rating_list=made[0].rating_list, player=then.player_id)
    views = list_views.views_of(before)
    assert [code for code in ("active", "inactive") if views[code].narrow(rows, before).exists()] == [view]


def test_the_views_of_a_year_are_offered_from_a_list_a_year_older_on(lists: dict[str, RatingList]) -> None:
    newest = lists["2024-06"]
    for day, offered in ((date(2025, 3, 31), False), (date(2025, 4, 1), True)):
        newest.on = day
        assert ("inactive" in list_views.views_of(list_views.lists_before(newest))) is offered
    newest.on = date(2024, 4, 1)
    assert list_views.views_of(list_views.lists_before(newest)) == {}


def test_a_region_has_ranks_of_its_own_beside_those_of_the_list(
    client: Client, lists: dict[str, RatingList]
) -> None:
    page = client.get(f"{LIST}?region=WCA").content.decode()
    assert "Rank here" in page
    rows = ListRow.objects.filter(rating_list=lists["2024-06"], player__region__code="WCA")
    ranks = [row.rank for row in rows.select_related("player").order_by("position")]
    cells = re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", page.split("<tbody")[1], re.DOTALL)
    assert [int(re.sub(r"<[^>]*>", "", cells[0])), int(re.sub(r"<[^>]*>", "", cells[1]))] == [1, ranks[0]]
    assert len(ranks) == 6
    assert "Rank here" not in client.get(LIST).content.decode()


def test_equal_ranks_are_equal_among_the_chosen_too(lists: dict[str, RatingList]) -> None:
    made = rewritten(lists["2024-06"], rank=[1, 2, 2, 4, 5, 5, 7, 8, 9, 10, 11, 12])
    chosen = ListRow.objects.filter(rating_list=made[0].rating_list).exclude(rank=1)
    found = compute_filtered_ranks(chosen, BY_RANK)
    assert list(found.ranks) == [1, 1, 3, 4, 4, 6, 7, 8, 9, 10, 11]
    assert found.count == len(found.positions)


def test_ranks_are_counted_as_far_as_rows_are(
    lists: dict[str, RatingList], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(list_views, "COUNTED", 4)
    rows = ListRow.objects.filter(rating_list=lists["2024-06"])
    found = compute_filtered_ranks(rows, BY_RANK)
    assert found.count == 5
    assert list(found.positions) == [1, 2, 3, 4, 5]
    assert set(found.of(rows)) == {1, 2, 3, 4, 5}  # the others have none


def test_a_view_in_another_order_is_ranked_as_before(client: Client, lists: dict[str, RatingList]) -> None:
    chosen = ListRow.objects.filter(rating_list=lists["2024-06"], player__region__code="GAU")
    ranked = compute_filtered_ranks(chosen, BY_RANK)
    by_games = list(ORDERS["-games"].sort(chosen))[:3]
    everybody = dict(zip(ranked.positions, ranked.ranks, strict=True))
    assert ranked.of(by_games) == {row.position: everybody[row.position] for row in by_games}
    assert ranked.count == len(chosen)


@pytest.mark.usefixtures("kept_answers")
@pytest.mark.parametrize("name", ["player", "-player", "games", "-games", "moved", "-moved"])
def test_a_list_in_another_order_that_is_kept_has_the_pages_of_one_that_is_not(
    client: Client, lists: dict[str, RatingList], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(list_views, "LIST_ROWS_A_PAGE", 5)
    rows, order = ListRow.objects.filter(rating_list=lists["2024-06"]), ORDERS[name]
    for query in ("", "after=7", "before=7", "after=1", "before=1", "after=12", "before=12", "after=99"):
        own = paginate_rows(rows.select_related("player"), QueryDict(query), order)
        for _again in range(2):
            page = client.get(f"{LIST}?sort={name}&{query}").context["page"]
            assert [row.position for row in page.rows] == [row.position for row in own.rows]
            assert (bool(page.earlier), bool(page.later)) == (bool(own.earlier), bool(own.later))


@pytest.mark.usefixtures("kept_answers")
def test_ranks_within_a_filter_are_counted_once_until_the_record_changes(
    client: Client, lists: dict[str, RatingList], csa: Federation
) -> None:
    def ranks_here() -> list[str]:
        page = client.get(f"{LIST}?region=GAU").content.decode()
        return re.findall(r'data-label="Rank here"[^>]*>(.*?)<', page)

    before = ranks_here()
    with CaptureQueriesContext(connection) as queries:
        assert ranks_here() == before
    again = len(queries)
    player = ListRow.objects.filter(rating_list=lists["2024-06"], player__region__code="WCA").first()
    assert player is not None
    region = csa.regions.get(code="GAU")
    Player.objects.filter(pk=player.player_id).update(region=region)
    Ledger.objects.filter(federation=csa).update(decisions=F("decisions") + 1)
    with CaptureQueriesContext(connection) as queries:
        assert len(ranks_here()) == len(before) + 1
    assert len(queries) > again


def test_women_and_juniors_are_views_as_far_as_the_office_shows_children(
    client: Client, lists: dict[str, RatingList], csa: Federation
) -> None:
    page = client.get(LIST).content.decode()
    assert 'href="/csa/lists/2024-06/otb-main/?sex=f"' in page
    assert "Juniors" not in page
    Federation.objects.filter(pk=csa.pk).update(settings={"minors": True})
    page = client.get(f"{LIST}?region=GAU").content.decode()
    assert 'href="/csa/lists/2024-06/otb-main/?region=GAU&amp;age=u20"' in page


def test_lists_in_other_orders_and_views_are_kept_out_of_search_engines_and_point_at_the_list(
    client: Client, lists: dict[str, RatingList]
) -> None:
    for query in ("sort=-games", "only=up", "region=GAU"):
        page = client.get(f"{LIST}?{query}").content.decode()
        assert 'content="noindex"' in page
        assert 'rel="canonical" href="http://testserver/csa/lists/2024-06/otb-main/"' in page
    assert 'content="noindex"' not in client.get(LIST).content.decode()
    robots = client.get("/robots.txt").content.decode()
    assert all(f"Disallow: /*?*{name}=" in robots for name in ("sort", "only", "find", "sex", "age", "q"))


# ---------------------------------------------------------------- find on this list


def row_at(lists: dict[str, RatingList], position: int) -> ListRow:
    return ListRow.objects.select_related("player").get(rating_list=lists["2024-06"], position=position)


def test_a_rank_a_number_or_a_name_of_one_player_lead_to_the_row(
    client: Client, lists: dict[str, RatingList]
) -> None:
    row = row_at(lists, 5)
    row.player.surname = "Unmistakable"
    row.player.save()
    leads_to = f"{LIST}?player={row.player.number}#p{row.player.number}"
    for asked in (str(row.rank), row.player.number, "unmistak", " Unmistakable "):
        response = client.get(LIST, {"find": asked})
        assert (response.status_code, response["Location"]) == (302, leads_to), asked
    page = client.get(leads_to).content.decode()
    assert re.search(
        rf'<tr[^>]*class="[^"]*highlight[^"]*"[^>]*id="p{row.player.number}"', page
    ) or re.search(rf'<tr[^>]*id="p{row.player.number}"[^>]*class="[^"]*highlight', page)


def test_a_name_of_several_or_of_nobody_leads_to_those_who_bear_it(
    client: Client, lists: dict[str, RatingList]
) -> None:
    for asked in ("invented", "nobody at all", "0", "13"):
        response = client.get(LIST, {"find": asked})
        assert response["Location"].startswith(f"{LIST}?q="), asked
    assert client.get(LIST, {"find": " "})["Location"] == LIST


@pytest.mark.parametrize(("asked", "rank"), [(1, 1), (2, 2), (3, 2), (4, 4), (12, 12)])
def test_a_rank_that_nobody_has_leads_to_those_who_share_the_one_above(
    client: Client, lists: dict[str, RatingList], asked: int, rank: int
) -> None:
    made = rewritten(lists["2024-06"], rank=[1, 2, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12])
    [first, *_] = [row for row in made if row.rank == rank]
    assert client.get(LIST, {"find": asked})["Location"].endswith(f"#p{first.player.number}")


def test_nobody_withheld_is_found_by_name(client: Client, lists: dict[str, RatingList]) -> None:
    player = row_at(lists, 5).player
    player.surname, player.withheld = "Unmistakable", True
    player.save()
    assert client.get(LIST, {"find": "Unmistakable"})["Location"] == f"{LIST}?q=Unmistakable"
    assert shown(client, f"{LIST}?q=Unmistakable") == []


# ---------------------------------------------------------------- cost


@pytest.mark.parametrize(
    "query", ["", "sort=player", "sort=-moved", "region=GAU", "only=up&sort=games", "player=101000001"]
)
def test_a_list_takes_at_most_six_queries_of_its_own_in_any_view_and_order(
    client: Client,
    lists: dict[str, RatingList],
    query: str,
    kept_answers: None,
    django_assert_max_num_queries: Any,
) -> None:
    client.get(LIST)  # what stands around the list is made once
    with django_assert_max_num_queries(6):
        assert client.get(f"{LIST}?{query}").status_code == 200


def test_every_order_has_a_name_that_its_column_has() -> None:
    assert {order.removeprefix("-") for order in ORDERS} == {"rank", "player", "rating", "moved", "games"}
    assert {order.keys[-1].removeprefix("-") for order in ORDERS.values()} == {"position"}


# ---------------------------------------------------------------- what is seen, as files


@pytest.mark.parametrize(
    "query",
    ["region=WCA", "sort=-moved", "region=GAU&sort=player", "q=Invented0", "only=up", "sex=f&sort=games"],
)
def test_the_files_of_a_page_have_its_rows_in_its_order_and_say_which_they_are(
    client: Client, lists: dict[str, RatingList], query: str
) -> None:
    page = client.get(f"{LIST}?{query}").content.decode()
    links = [unescape(link) for link in re.findall(r'href="([^"]+/r1/[^"]+\?[^"]+)"', page)]
    assert {link.partition("?")[0].rpartition(".")[2] for link in links} >= {"csv", "xlsx", "json"}
    seen = ROW.findall(page)
    plain, exact = (
        next(link for link in links if f"/{name}?" in link) for name in ("list.csv", "names.json")
    )
    csv_file, json_file = client.get(plain), client.get(exact)
    rows = list(csv.DictReader(csv_file.getvalue().decode().splitlines()))
    content = json.loads(json_file.getvalue())
    assert [row["number"] for row in rows] == [each["number"] for each in content["players"]] == seen
    assert content["selection"] == plain.partition("?")[2]
    assert "-some." in csv_file["Content-Disposition"]


@pytest.mark.parametrize("query", ["", "?player=101000003", "?after=5", "?sort=none"])
def test_a_file_of_the_whole_list_is_the_same_whatever_page_of_it_is_read(
    client: Client, lists: dict[str, RatingList], query: str
) -> None:
    whole = client.get(f"{LIST}r1/names.json").getvalue()
    assert client.get(f"{LIST}r1/names.json{query}").getvalue() == whole
    assert "selection" not in json.loads(whole)
    assert f"{LIST}r1/list.csv?" not in client.get(f"{LIST}{query}").content.decode()


def test_there_is_no_file_of_a_choice_that_there_is_not(client: Client, lists: dict[str, RatingList]) -> None:
    assert client.get(f"{LIST}r1/list.csv?region=NOWHERE").status_code == 404
