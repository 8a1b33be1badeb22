"""Two published lists beside each other, and a whole list as a sheet to print."""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal
from typing import Any

import pytest
from django.test import Client

from players.models import Federation, Player
from ratings.lists import ListComparison
from ratings.models import ListRow, RatingList
from ratings.pages import lists
from ratings.pages.lists import COMPARISON_PARTS
from ratings.tests.office import approved, published, register, submitted
from tests.built_once import built_once

pytestmark = [pytest.mark.django_db, pytest.mark.any_database]
PAGE = "/csa/lists/compare/otb-main/"
Rating = dict[int, int]
"""Ratings by the player, counted from 0."""


@pytest.fixture
@built_once
def shelf(csa: Federation) -> RatingList:
    """A published list of OTB Main; the lists that tests compare are made beside it."""
    players = register(csa, 12)
    approved(submitted(csa, players, rounds=11))
    return next(each for each in published(csa, date(2024, 4, 1)) if each.track == "otb-main")


def a_list(shelf: RatingList, on: date, ratings: Rating) -> RatingList:
    people = list(Player.objects.order_by("number"))
    made = RatingList.objects.get(pk=shelf.pk)
    made.pk, made.on, made.players = None, on, len(ratings)
    made.save()
    best_first = sorted(ratings.items(), key=lambda each: -each[1])
    ListRow.objects.bulk_create(
        ListRow(
            rating_list=made,
            player=people[who],
            rank=place,
            position=place,
            rating=Decimal(rating),
            games=20,
            status="rated",
        )
        for place, (who, rating) in enumerate(best_first, start=1)
    )
    return made


@pytest.fixture
@built_once
def compared(shelf: RatingList, csa: Federation) -> ListComparison:
    """Of two lists: 0 and 1 gain, 2 loses, 3 stays, 4 goes, 5 comes."""
    older = a_list(shelf, date(2024, 5, 1), {0: 1500, 1: 1600, 2: 1700, 3: 1800, 4: 1900})
    newer = a_list(shelf, date(2024, 6, 1), {0: 1510, 1: 1650, 2: 1699, 3: 1800, 5: 2000})
    return ListComparison(csa, older, newer)


def who(found: ListComparison, part: str) -> list[int]:
    people = list(Player.objects.order_by("number").values_list("pk", flat=True))
    return [people.index(row.player_id) for row in found.part(part)]


def test_each_player_of_two_lists_stands_in_one_part_of_what_differs(compared: ListComparison) -> None:
    assert {part: who(compared, part) for part in COMPARISON_PARTS} == {
        "up": [1, 0],
        "down": [2],
        "new": [5],
        "gone": [4],
    }
    assert compared.counts == {"up": 2, "down": 1, "new": 1, "gone": 1, "same": 1}


def test_the_largest_change_stands_first_with_both_ranks_and_ratings(compared: ListComparison) -> None:
    [first, second] = compared.told("up", compared.part("up"))
    assert (first.by, second.by) == (Decimal(50), Decimal(10))
    assert first.before
    assert first.after
    assert (first.before.rank, first.before.rating, first.after.rank, first.after.rating) == (
        4,
        Decimal(1600),
        4,
        Decimal(1650),
    )


def test_who_was_merged_since_is_neither_gone_nor_new(compared: ListComparison) -> None:
    entries = list(Player.objects.order_by("number"))
    Player.objects.filter(pk=entries[4].pk).update(merged_into=entries[5])
    again = ListComparison(compared.office, compared.older, compared.newer)
    assert (who(again, "new"), who(again, "gone")) == ([], [])
    assert (again.counts["new"], again.counts["gone"]) == (0, 0)


def test_who_was_merged_into_somebody_off_the_newer_list_is_gone(compared: ListComparison) -> None:
    entries = list(Player.objects.order_by("number"))
    Player.objects.filter(pk=entries[4].pk).update(merged_into=entries[11])
    assert who(ListComparison(compared.office, compared.older, compared.newer), "gone") == [4]


def test_the_page_compares_the_newest_two_lists_where_none_is_named_and_others_where_they_are(
    client: Client, compared: ListComparison
) -> None:
    newest = client.get(PAGE)
    assert (newest.context["older"].label, newest.context["newer"].label) == ("2024-05", "2024-06")
    for query in ("from=2024-04&to=2024-06", "from=2024-06&to=2024-04", "from=2024-04-01"):
        page = client.get(f"{PAGE}?{query}")
        assert (page.context["older"].label, page.context["newer"].label) == ("2024-04", "2024-06"), query
    assert client.get(f"{PAGE}?to=2024-05").context["older"].label == "2024-04"
    assert client.get(f"{PAGE}?from=2024-07").status_code == 404
    assert client.get("/csa/lists/compare/no-such/").status_code == 404


def test_a_list_and_itself_or_the_only_one_are_not_compared(client: Client, shelf: RatingList) -> None:
    for query in ("", "?from=2024-04&to=2024-04"):
        assert "Choose two lists of different days." in client.get(PAGE + query).content.decode()
    assert client.get("/csa/lists/compare/ol-blitz/").status_code == 404


def test_a_part_is_shown_whole_on_pages_of_its_own(client: Client, compared: ListComparison) -> None:
    for part in COMPARISON_PARTS:
        page = client.get(f"{PAGE}?show={part}")
        assert len(page.context["rows"]) == compared.counts[part]
    assert "part" not in client.get(f"{PAGE}?show=sex").context


def test_a_rank_is_told_below_the_name_where_it_differs_alone(
    client: Client, compared: ListComparison
) -> None:
    told = {
        part: re.findall(r"rank\s+(\S+)\s+→\s+(\d+|–)", client.get(f"{PAGE}?show={part}").content.decode())
        for part in COMPARISON_PARTS
    }
    assert told == {"up": [], "down": [], "new": [("–", "1")], "gone": [("1", "–")]}


def test_a_comparison_names_nobody_withheld_and_search_engines_keep_the_plain_page_alone(
    client: Client, compared: ListComparison
) -> None:
    gone = Player.objects.order_by("number")[4]
    assert gone.name in client.get(PAGE).content.decode()
    Player.objects.filter(pk=gone.pk).update(withheld=True)
    page = client.get(f"{PAGE}?from=2024-05").content.decode()
    assert gone.surname not in page
    assert 'content="noindex"' in page
    assert f'rel="canonical" href="http://testserver{PAGE}"' in page
    assert 'content="noindex"' not in client.get(PAGE).content.decode()


def test_a_comparison_takes_no_query_a_row(
    client: Client, shelf: RatingList, csa: Federation, django_assert_max_num_queries: Any
) -> None:
    a_list(shelf, date(2024, 5, 1), dict.fromkeys(range(10), 1500))
    a_list(shelf, date(2024, 6, 1), {each: 1500 + each for each in range(12)})
    with django_assert_max_num_queries(12):
        client.get(PAGE)


def test_a_list_leads_to_its_comparison_with_the_one_before(client: Client, compared: ListComparison) -> None:
    page = client.get("/csa/lists/2024-06/otb-main/").content.decode()
    assert f'href="{PAGE}?from=2024-05&amp;to=2024-06"' in page


# ---------------------------------------------------------------- on paper


def test_the_sheet_of_a_list_has_every_row_its_day_its_address_and_its_checksum(
    client: Client, shelf: RatingList
) -> None:
    sheet = client.get("/csa/lists/2024-04/otb-main/r1/print/").content.decode()
    assert "1 April 2024" in sheet
    assert shelf.sha256 in sheet
    assert "http://testserver/csa/lists/2024-04/otb-main/r1/" in sheet
    assert all(
        row.player.number in sheet
        for row in ListRow.objects.filter(rating_list=shelf).select_related("player")
    )
    assert 'content="noindex"' in sheet
    assert "/r1/print/" in client.get("/csa/lists/2024-04/otb-main/").content.decode()


def test_a_long_list_is_printed_in_sheets_that_hold_each_row_once(
    client: Client, shelf: RatingList, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lists, "ROWS", 5)
    sheets = [client.get(f"/csa/lists/2024-04/otb-main/r1/print/?part={part}") for part in (1, 2, 3)]
    numbers = [re.findall(r"\b101\d{6}\b", each.content.decode()) for each in sheets]
    assert [len(each) for each in numbers] == [5, 5, 2]
    assert len({number for each in numbers for number in each}) == 12
    for odd in ("0", "4", "x", "-1"):
        assert client.get(f"/csa/lists/2024-04/otb-main/r1/print/?part={odd}").status_code == 404


def test_the_sheet_names_nobody_withheld_and_no_childs_womens_title(
    client: Client, shelf: RatingList
) -> None:
    first, second = Player.objects.order_by("number")[:2]
    Player.objects.filter(pk=first.pk).update(withheld=True)
    Player.objects.filter(pk=second.pk).update(title="WFM", born=None)
    sheet = client.get("/csa/lists/2024-04/otb-main/r1/print/").content.decode()
    assert first.number in sheet
    assert first.surname not in sheet
    assert "WFM" not in sheet
