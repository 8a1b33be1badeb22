"""Records of an office and of a player: from lists and rated sections, without who is not to be named."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from itertools import pairwise

import pytest
from django.test import Client

from players.models import Federation, Player
from players.writing import page_cache
from ratings import records
from ratings.models import ListRow, RatingList
from ratings.records import (
    Bar,
    High,
    Records,
    Run,
    compute_year,
    get_distribution,
    get_movers,
    get_records,
    keep_next_year,
    merge_records,
    read_marks,
)
from tests.pages import unbroken
from tournaments.models import Section

TRACK = "otb-standard"


def high(player: int, rating: int) -> High:
    return High(player, Decimal(rating), 1)


def test_of_several_years_each_player_is_there_once_with_the_greatest() -> None:
    years = [
        Records(highest={"a": [high(1, 1500), high(2, 1400)]}, sections=1, games=5, players=4),
        Records(highest={"a": [high(1, 1600)], "b": [high(3, 900)]}, sections=2, games=7, players=3),
    ]
    merged = merge_records(years)
    assert merged.highest == {"a": [high(1, 1600), high(2, 1400)], "b": [high(3, 900)]}
    assert (merged.sections, merged.games, merged.players) == (3, 12, 4)


def test_a_run_of_all_years_is_the_longest_of_any() -> None:
    day = date(2024, 5, 1)
    runs = [[Run(1, 3, day, day)], [Run(1, 5, day, day), Run(2, 4, day, day)]]
    merged = merge_records(Records(runs=each) for each in runs)
    assert merged.runs == [Run(1, 5, day, day), Run(2, 4, day, day)]


def newest_list(office: Federation) -> RatingList:
    found = RatingList.objects.of(office).on_newest_day().current().filter(track=TRACK).get()
    found.federation = office
    return found


def test_a_year_is_worked_out_from_its_lists_and_games(csa: Federation, section: Section) -> None:
    found = compute_year(csa, 2024)
    rows = ListRow.objects.filter(rating_list=newest_list(csa))
    best = max(rows.values_list("rating", flat=True))
    assert found.highest[TRACK][0].rating == best
    assert found.games == section.games.count()
    assert found.sections == 1
    assert found.players == section.entries.count()
    assert all(run.length > 1 for run in found.runs)
    assert sum(each.games for each in found.most) <= 2 * found.games
    assert compute_year(csa, 2023) == Records()


def test_a_year_is_kept_until_its_record_changes(csa: Federation, section: Section) -> None:
    page_cache.clear()
    marks = read_marks(csa)
    assert list(marks) == [2024]
    assert keep_next_year(csa)
    assert not keep_next_year(csa)
    page_cache.set(marks[2024], Records(), None)
    kept = get_records(csa, None)
    assert kept is not None
    assert kept.games == 0


def test_a_large_year_is_left_to_the_worker_and_a_small_one_is_worked_out_at_once(
    csa: Federation, section: Section, monkeypatch: pytest.MonkeyPatch, client: Client
) -> None:
    page_cache.clear()
    games = section.games.count()
    monkeypatch.setattr(records, "SMALL_YEAR", games - 1)
    assert get_records(csa, 2024) is None
    assert "are being worked out" in client.get("/csa/records/2024/").content.decode()
    monkeypatch.setattr(records, "SMALL_YEAR", games)
    assert get_records(csa, 2024) is not None


def test_each_rating_of_a_list_is_in_one_range(csa: Federation, section: Section) -> None:
    page_cache.clear()
    shown = newest_list(csa)
    bars = get_distribution(shown)
    assert sum(bar.players for bar in bars) == shown.players
    assert all(before.below == after.least for before, after in pairwise(bars))


@pytest.mark.parametrize(
    ("ratings", "bars"),
    [
        ([], []),
        ([1500], [Bar(1500, 1501, 1)]),
        (
            [1000, 1023],
            [Bar(1000, 1001, 1), *(Bar(each, each + 1, 0) for each in range(1001, 1023)), Bar(1023, 1024, 1)],
        ),
        ([1000, 1024], [Bar(each, each + 2, int(each in (1000, 1024))) for each in range(1000, 1026, 2)]),
        ([-5, 5], [Bar(each, each + 1, int(each in (-5, 5))) for each in range(-5, 6)]),
    ],
)
def test_ranges_are_as_narrow_as_fits_on_a_page(ratings: list[int], bars: list[Bar]) -> None:
    assert records._draw_bars(ratings) == bars


def test_a_round_rating_is_reached_by_who_was_below_it_on_the_list_before(
    csa: Federation, section: Section
) -> None:
    page_cache.clear()
    shown = RatingList(pk=99_999, federation=csa)
    players = Player.objects.of(csa).order_by("number")
    moves = [(1499, 1500), (1500, 1599), (1700, 1650)]
    first, second, third = ListRow.objects.bulk_create(
        ListRow(
            rating_list=shown,
            player=player,
            rank=place,
            position=place,
            rating=Decimal(rating),
            previous=Decimal(previous),
            games=9,
        )
        for place, (player, (previous, rating)) in enumerate(zip(players, moves, strict=False), start=1)
    )
    movers = get_movers(shown, Decimal(100))
    assert (first.pk, Decimal(1500)) in movers.reached
    assert second.pk not in {pk for pk, _goal in movers.reached}
    assert movers.down == [third.pk]
    assert second.pk in movers.up


def test_records_name_nobody_who_asked_not_to_be(csa: Federation, section: Section, client: Client) -> None:
    page_cache.clear()
    player = Player.objects.of(csa).filter(list_rows__rating_list=newest_list(csa)).order_by("number")[0]
    address = f"/csa/records/?track={TRACK}"
    assert f'href="{player.get_absolute_url()}' in client.get(address).content.decode()
    Player.objects.filter(pk=player.pk).update(withheld=True)
    shown = client.get(f"{address}&again=1").content.decode()
    assert player.surname not in shown
    assert f'href="{player.get_absolute_url()}' not in shown


@pytest.mark.parametrize("address", ["/csa/records/2023/", "/csa/records/?track=none", "/csa/regions/none/"])
def test_what_is_not_there_is_not_found(
    csa: Federation, section: Section, client: Client, address: str
) -> None:
    assert client.get(address).status_code == 404


def test_a_reader_is_shown_where_they_are_among_all(
    csa: Federation, section: Section, client: Client
) -> None:
    shown = newest_list(csa)
    row = ListRow.objects.filter(rating_list=shown).select_related("player").order_by("-rank")[0]
    page = unbroken(client.get(f"/csa/records/?track={TRACK}&player={row.player.number}").content.decode())
    assert "better than 0 % of this list" in page
    assert 'class="highlight"' in page
    assert 'content="noindex"' in page


def test_a_player_has_records_and_years(csa: Federation, section: Section, client: Client) -> None:
    shown = newest_list(csa)
    row = ListRow.objects.filter(rating_list=shown).select_related("player").order_by("position")[0]
    answer = client.get(f"{row.player.get_absolute_url()}records/?track={TRACK}")
    year = answer.context["years"][0]
    assert (year.year, year.events, year.last) == (2024, 1, row.rating)
    assert answer.context["highest"].rating == row.rating
    goal, missing = answer.context["near"]
    assert goal - missing == row.rating
    assert goal % 100 == 0


def test_a_region_has_its_players_and_events_and_an_office_of_one_region_no_such_page(
    csa: Federation, section: Section, client: Client
) -> None:
    csa.regions.create(code="XYZ", name="Far away")
    region = section.event.region
    page = client.get(f"/csa/regions/{region.code}/")
    assert section.event.name in page.content.decode()
    assert f"/csa/regions/{region.code}/" in client.get("/csa/regions/").content.decode()
    assert section.event.name not in client.get("/csa/regions/XYZ/").content.decode()


def test_the_score_expected_of_two_players_games_is_told(
    csa: Federation, section: Section, client: Client
) -> None:
    first, second = list(section.entries.select_related("player").order_by("number"))[:2]
    assert first.player is not None
    assert second.player is not None
    page = unbroken(
        client.get(f"{first.player.get_absolute_url()}against/{second.player.number}/").content.decode()
    )
    assert "expected of one game" in page


def test_why_there_is_no_list_of_juniors_is_said_where_one_looks(
    csa: Federation, section: Section, client: Client
) -> None:
    words = "There is no list of juniors"
    assert words in client.get(newest_list(csa).get_absolute_url()).content.decode()
    assert words in client.get("/csa/records/").content.decode()
