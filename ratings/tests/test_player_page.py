"""A player's page: the main rating first, one row an event, results, opponents, and how much it asks for."""

from __future__ import annotations

import re
from datetime import date, timedelta
from decimal import Decimal

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from players.models import Federation, Player
from ratings import approval, workings
from ratings.intake import import_journal
from ratings.models import Change, RatingList
from ratings.pages.players import cut_curve
from ratings.rulesets import journal
from ratings.tests.journals import journal_of
from ratings.tests.mahjong_record import DAY, Office
from ratings.tests.office import approved, not_known, published, recompute_all, register, submitted
from tests.built_once import built_once
from tournaments.models import Game, Section

pytestmark = pytest.mark.django_db
ONE, TWO = "/csa/players/101000001/", "/csa/players/101000002/"
MOST_QUERIES = 13


def page(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200, address
    return re.sub(r"\s+", " ", response.getvalue().decode())


@pytest.fixture
@built_once
def listed(csa: Federation) -> list[Player]:
    """Ten players with three events, of which the first two made ratings and the last is on no list yet."""
    players = register(csa, 10)
    for number, day in (("2024-001", 1), ("2024-002", 10), ("2024-003", 20)):
        approved(submitted(csa, players, number=number, ends=date(2024, 4, day), seed=day))
    published(csa, date(2024, 5, 1))
    approved(submitted(csa, players, number="2024-004", ends=date(2024, 5, 10), seed=4))
    return players


def files(office: Federation, players: list[Player], first: int, count: int) -> None:
    """Some sections, approved one after the other and worked out together."""
    for at in range(first, first + count):
        ends = date(2024, 3, 1) + timedelta(days=at)
        section = submitted(office, players, number=f"2024-{at:03}", ends=ends, rounds=2, seed=at)
        section.refresh_from_db()
        approval.approve(
            section=section, by=None, on=ends, version=section.version, births=not_known(section)
        )
    recompute_all(office)


def queries(client: Client, address: str) -> int:
    with CaptureQueriesContext(connection) as asked:
        page(client, address)
    return len(asked)


@pytest.mark.long
def test_a_players_page_asks_no_more_of_the_database_with_fifty_events_than_with_five(
    client: Client, csa: Federation
) -> None:
    players = register(csa, 4)
    for first, count in ((1, 5), (6, 45)):
        files(csa, players, first, count)
        page(client, TWO)
        assert queries(client, f"{ONE}?track=otb-main") <= MOST_QUERIES
        assert f"{first + count - 1:03}/A/" in page(client, ONE)


def test_where_time_moves_ratings_a_players_page_asks_no_more_either(client: Client) -> None:
    record = Office()
    for week in range(6):
        record.admit("Anna Boris Vera", ends=DAY + timedelta(7 * week))
    written = journal_of(record.ruleset, record.facts)
    recompute_all(import_journal(journal.read_journal(written.splitlines()), on=DAY + timedelta(50)))
    with time_machine.travel(DAY + timedelta(800)):
        page(client, "/mahjong/players/Boris/")
        assert queries(client, "/mahjong/players/Anna/") <= MOST_QUERIES


# ---------------------------------------------------------------- the main rating


def test_the_page_opens_at_the_first_of_the_rulesets_tracks_with_a_rating(
    client: Client, listed: list[Player]
) -> None:
    shown = client.get(ONE).context
    assert shown["track"] == "otb-main"
    Change.objects.filter(player=listed[0], track="otb-main").delete()
    listed[0].standings.filter(track="otb-main").delete()
    Game.objects.update(round=1)  # another state of the record is not needed: the query differs
    assert client.get(f"{ONE}?years=all").context["track"] == "otb-standard"


def test_a_player_without_a_rating_opens_at_the_first_track_with_games(
    client: Client, csa: Federation
) -> None:
    players = register(csa, 4)
    approved(submitted(csa, players, rounds=2))
    shown = client.get(ONE)
    assert shown.context["track"] == "otb-main"
    assert "On the list from game 10 on: 2 played, 8 more needed" in page(client, ONE)


def test_the_figures_are_rating_rank_highest_and_last_played(client: Client, listed: list[Player]) -> None:
    shown = page(client, ONE)
    row = RatingList.objects.get(track="otb-main").rows.get(player=listed[0])
    assert f"<dd>{row.rank}</dd>" in shown
    lower = 10 - row.rating_list.rows.filter(rank__lte=row.rank).count()
    assert (f"better than {10 * lower} % of 10," if lower else "of 10,") in shown
    assert "list of 1 May 2024" in shown
    best = max(point[1] for point in client.get(f"{ONE}?years=all").context["curve"])
    assert f"<dd>{best:.1f}</dd>" in shown
    assert '<time datetime="2024-05-10">10 May 2024</time>' in shown
    assert "A rating stays on the list" in shown


# ---------------------------------------------------------------- one row an event


def test_67_what_waits_stands_in_the_row_of_its_section_and_is_paid_in_that_of_the_list(
    client: Client, listed: list[Player]
) -> None:
    rows = [row.line for row in client.get(ONE).context["changes"]]
    newest = rows[0]
    assert (newest.section, newest.at_once) == ("2024-004/A", 0)
    assert newest.waits
    lists = [line for line in rows if line.closes]
    assert [line.words for line in lists] == ["List of 1 May 2024"]
    [paid] = lists
    assert paid.at_once == -paid.waits
    assert paid.waits == -sum(line.waits for line in rows[rows.index(paid) + 1 :])
    assert "waiting" in page(client, ONE)


def test_the_expected_score_of_a_row_is_that_of_its_working(client: Client, listed: list[Player]) -> None:
    compared = 0
    for player in listed:
        for row in client.get(player.get_absolute_url()).context["changes"]:
            if row.expected is not None:
                change = Change.objects.get(player=player, track="otb-main", order=row.line.order)
                lines = workings.explain_change(change).games
                assert row.expected == sum((each.expected or Decimal(0) for each in lines), Decimal(0))
                average = [each.opponent_rating for each in lines if each.opponent_rating is not None]
                assert row.average == sum(average, Decimal(0)) / len(average)
                compared += 1
    assert compared > 10


def test_no_score_is_expected_of_a_section_with_an_opponent_who_had_no_rating(
    client: Client, csa: Federation
) -> None:
    players = register(csa, 4)
    approved(submitted(csa, players, rounds=2))
    [row] = client.get(ONE).context["changes"]
    assert row.expected is None
    assert row.average is None
    assert len(row.games) == 2


def test_the_games_of_an_event_open_in_place(client: Client, listed: list[Player]) -> None:
    shown = page(client, ONE)
    [row, *_rest] = client.get(ONE).context["changes"]
    assert len(row.games) == 6
    for each in row.games:
        assert each.game.opponent.shown_name in shown
    assert shown.count('<table class="games">') == 4


# ---------------------------------------------------------------- results and opponents


def test_results_by_colour_add_up_and_no_forfeit_is_among_them(client: Client, listed: list[Player]) -> None:
    white, black, every = client.get(ONE).context["tallies"]
    assert white.games + black.games == every.games == 24
    assert (white.won + black.won, white.lost + black.lost) == (every.won, every.lost)
    Game.objects.filter(first__player=listed[0], round=1).update(result="+:-")
    Game.objects.filter(second__player=listed[0], round=1).update(result="-:+")
    *_sides, fewer = client.get(f"{ONE}?years=all").context["tallies"]
    assert fewer.games == 20


def test_two_players_side_by_side_tell_the_same_games_from_both_sides(
    client: Client, listed: list[Player]
) -> None:
    other = client.get(f"{ONE}against/").context["meetings"][0].opponent
    here = client.get(f"{ONE}against/{other.number}/").context["met"]
    there = client.get(f"{other.get_absolute_url()}against/101000001/").context["met"]
    assert (here.won, here.drawn, here.lost) == (there.lost, there.drawn, there.won)
    assert here.points + there.points == here.count
    assert f'href="{ONE}against/{other.number}/"' in page(client, ONE)


def test_two_who_never_met_are_told_so(client: Client, csa: Federation) -> None:
    register(csa, 2)
    assert "They have not met in a rated game" in page(client, f"{ONE}against/101000002/")
    assert "No rated game yet" in page(client, f"{ONE}against/")


def test_nobody_plays_against_themselves_and_a_merged_number_leads_to_who_stays(
    client: Client, csa: Federation
) -> None:
    kept, _other, merged = register(csa, 3)
    merged.merged_into = kept
    merged.save()
    assert client.get(f"{ONE}against/101000001/").status_code == 404
    assert client.get(f"{ONE}against/999/").status_code == 404
    for address in (f"{TWO}against/101000003/", "/csa/players/101000003/against/101000002/"):
        assert client.get(address).status_code == 302, address
    moved = client.get("/csa/players/101000003/against/").headers["Location"]
    assert moved == f"{ONE}against/"


def test_an_opponent_who_asked_not_to_be_named_is_named_on_no_page(
    client: Client, listed: list[Player]
) -> None:
    hidden = listed[1]
    Player.objects.filter(pk=hidden.pk).update(withheld=True)
    for address in (ONE, f"{ONE}against/", f"{ONE}against/{hidden.number}/", f"{TWO}against/101000001/"):
        shown = page(client, address)
        assert hidden.surname not in shown, address
        assert "withheld" in shown, address


def test_games_of_an_entry_merged_into_the_player_count_and_opponents_merged_are_who_stays(
    client: Client, listed: list[Player]
) -> None:
    gone, stays = listed[2], listed[3]
    count = next(m.count for m in client.get(f"{ONE}against/").context["meetings"] if m.opponent == stays)
    more = next(m.count for m in client.get(f"{ONE}against/").context["meetings"] if m.opponent == gone)
    Player.objects.filter(pk=gone.pk).update(merged_into=stays)
    met = client.get(f"{ONE}against/?again").context["meetings"]
    assert gone not in [each.opponent for each in met]
    assert next(each.count for each in met if each.opponent == stays) == count + more


def test_pages_of_opponents_are_kept_out_of_search_engines(client: Client, listed: list[Player]) -> None:
    for address in (f"{ONE}against/", f"{ONE}against/101000002/"):
        assert '<meta name="robots" content="noindex">' in page(client, address)


def test_a_section_taken_back_leaves_the_results(client: Client, listed: list[Player]) -> None:
    Section.objects.filter(event__number="2024-004").update(stage="unrated")
    assert sum(each.count for each in client.get(f"{ONE}against/").context["meetings"]) == 18


# ---------------------------------------------------------------- ranges


def test_a_range_begins_with_the_rating_that_held_then() -> None:
    points = [(date(2020, 1, 1), Decimal(1500), "a"), (date(2024, 1, 1), Decimal(1600), "b")]
    assert [each[:2] for each in cut_curve(points, date(2023, 6, 1))] == [
        (date(2023, 6, 1), Decimal(1500)),
        (date(2024, 1, 1), Decimal(1600)),
    ]
    assert cut_curve(points, date(2020, 1, 1)) == points
    assert cut_curve(points, None) == points


def test_only_ranges_that_cut_something_are_offered(client: Client, listed: list[Player]) -> None:
    with time_machine.travel(date(2024, 4, 3)):
        assert client.get(ONE).context["ranges"] == []
    with time_machine.travel(date(2026, 6, 1)):
        offered = client.get(ONE).context["ranges"]
        words = [(each["words"], each["chosen"]) for each in offered]
        assert words == [("Month", False), ("Year", False), ("All", True)]
        year = client.get(f"{ONE}?range=year")
        assert [point[0] for point in year.context["curve"]] == [date(2025, 6, 1)]
        assert client.get(f"{ONE}?range=7").context["ranges"][-1]["chosen"]


def test_the_range_of_a_month_ends_with_the_month(client: Client, listed: list[Player]) -> None:
    with time_machine.travel(date(2024, 6, 20)):
        shown = client.get(f"{ONE}?month=2024-05&range=month").context
        assert {point[0].month for point in shown["curve"]} == {5}
        assert shown["curve"][0][0] == date(2024, 5, 1)
        assert shown["until"] == date(2024, 5, 31)
        assert client.get(f"{ONE}?range=month").context["until"] == date(2024, 6, 20)


def test_the_curves_table_has_the_lists_with_their_ranks(client: Client, listed: list[Player]) -> None:
    row = RatingList.objects.get(track="otb-main").rows.get(player=listed[0])
    assert f">List of 2024-05</a>, <span data-rank>rank {row.rank}</span></td>" in page(client, ONE)


# ---------------------------------------------------------------- the statement of a month


def test_each_month_opens_with_what_the_one_before_closed_with(client: Client, listed: list[Player]) -> None:
    newer, older = client.get(ONE).context["months"]
    assert (newer.first, older.first) == (date(2024, 5, 1), date(2024, 4, 1))
    assert newer.movement.before == older.movement.after
    for month in (newer, older):
        lines = [row.line for row in month.rows]
        assert lines[0].movement.before == month.movement.before
        assert lines[-1].movement.after == month.movement.after
        assert sum(line.at_once for line in lines) == month.movement.at_once
        assert sum(line.waits for line in lines) == month.movement.waits


def test_a_month_that_is_asked_for_stands_alone_with_the_ways_to_its_neighbours(
    client: Client, listed: list[Player]
) -> None:
    shown = client.get(f"{ONE}?month=2024-04").context
    assert [month.first for month in shown["months"]] == [date(2024, 4, 1)]
    assert "month=2024-05" in shown["month_after"]
    assert shown["month_before"] == ""
    assert len(client.get(f"{ONE}?month=nonsense").context["months"]) == 2


def test_a_month_in_which_nothing_happened_closes_as_it_opened(client: Client, listed: list[Player]) -> None:
    newest = client.get(ONE).context["months"][0]
    [month] = client.get(f"{ONE}?month=2024-08").context["months"]
    assert month.movement.before == month.movement.after == newest.movement.after
    assert not month.rows
    [month] = client.get(f"{ONE}?month=2023-08").context["months"]
    assert month.movement.after.rating is None


# ---------------------------------------------------------------- beside others


def test_the_rank_in_the_region_counts_those_of_the_region_alone(
    client: Client, listed: list[Player]
) -> None:
    rows = list(RatingList.objects.get(track="otb-main").rows.select_related("player").order_by("position"))
    third, last = rows[2], rows[-1]
    elsewhere = third.player.federation.regions.last()
    Player.objects.filter(number__in=[row.player.number for row in rows[:2]]).update(region=elsewhere)
    standing = client.get(third.player.get_absolute_url()).context["standing"]
    assert (standing.rank, standing.players) == (1, 8)
    assert standing.better_than == 70
    assert client.get(last.player.get_absolute_url()).context["standing"].better_than == 0
    Player.objects.filter(pk=last.player_id).update(withheld=True)
    shown = client.get(f"{last.player.get_absolute_url()}?again")
    assert shown.context["standing"].rank is None
    assert str(last.player.region) not in page(client, f"{last.player.get_absolute_url()}?again")


def test_another_player_s_curve_is_laid_over_this_one_and_several_are_offered(
    client: Client, listed: list[Player]
) -> None:
    shown = client.get(ONE, {"beside": listed[1].number})
    assert shown.context["beside"] == listed[1]
    alone = client.get(listed[1].get_absolute_url()).context["curve"]
    assert [point[:2] for point in shown.context["beside_curve"]] == [point[:2] for point in alone]
    assert len(client.get(ONE, {"beside": "10100"}).context["namesakes"]) == 8
    assert "Nobody found" in page(client, f"{ONE}?beside=nobody+at+all")


def test_who_is_not_to_be_named_is_named_beside_no_curve(client: Client, listed: list[Player]) -> None:
    hidden = listed[1]
    Player.objects.filter(pk=hidden.pk).update(withheld=True)
    for wanted in (hidden.number, "10100"):
        assert hidden.surname not in page(client, f"{ONE}?beside={wanted}")


def test_another_rating_of_the_player_is_laid_over_the_curve(client: Client, listed: list[Player]) -> None:
    shown = client.get(f"{ONE}?also=otb-standard")
    assert shown.context["beside_curve"]
    assert client.get(f"{ONE}?also=none-such").status_code == 404
