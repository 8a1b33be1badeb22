"""Sports Dots: the rating list, extracts, answers and texts for storage (SSDC 4)."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from ratings.rulesets.ssdc import RULESET
from ratings.rulesets.ssdc.edition_2017 import answers, extract, is_listed, rating_list
from ratings.rulesets.ssdc.standing import ConfirmedRank, RankAward, SsdcStanding, dump, load
from ratings.tests.ssdc_record import DAY, Record


@pytest.mark.parametrize(("games", "listed"), [(4, False), (5, True)])
def test_4_5_a_list_asks_five_rated_games(games: int, listed: bool) -> None:
    assert is_listed(SsdcStanding(Decimal(1200), games, (2024,)), DAY) == listed


@pytest.mark.parametrize(
    ("on", "listed"),
    [
        (date(2023, 12, 31), False),
        (date(2024, 1, 1), True),
        (date(2025, 12, 31), True),
        (date(2026, 1, 1), False),
    ],
)
def test_d_ssdc_9_a_list_asks_a_game_of_its_year_or_the_one_before(on: date, listed: bool) -> None:
    assert is_listed(SsdcStanding(Decimal(1200), 5, (2024,)), on) == listed


def test_d_ssdc_9_a_game_belongs_to_the_year_of_the_sections_last_day() -> None:
    record = Record()
    games = "\n".join(f"{number} Ada 1-0 Boris" for number in range(1, 6))
    record.rate(games, starts=date(2023, 12, 30), ends=date(2024, 1, 2))
    assert record.standing("Ada").years == (2024,)


def test_4_5_who_left_the_list_comes_back_with_one_rated_game_and_the_rating_stays() -> None:
    record = Record()
    games = "\n".join(f"{number} Ada 1-0 Boris" for number in range(1, 6))
    record.rate(games, starts=date(2020, 5, 1), ends=date(2020, 5, 1))
    rating = record.standing("Ada").rating
    assert rating_list(record.state, "classic", date(2022, 1, 1)) == []
    assert {row.rating for row in answers(record.state, date(2022, 1, 1)) if row.player == "Ada"} == {rating}
    record.rate("1 Ada 1-0 Clara", starts=date(2022, 5, 1), ends=date(2022, 5, 1))
    back = rating_list(record.state, "classic", date(2022, 6, 1))
    assert [row.player for row in back] == ["Ada"]


def test_4_5_a_forfeit_or_an_annulled_game_keeps_nobody_on_the_list() -> None:
    record = Record()
    games = "\n".join(f"{number} Ada 1-0 Boris" for number in range(1, 6))
    record.rate(games, starts=date(2020, 5, 1), ends=date(2020, 5, 1))
    record.rate("1 Ada +:- Boris\n2 Ada annulled Boris", starts=date(2021, 5, 1), ends=date(2021, 5, 1))
    assert rating_list(record.state, "classic", date(2021, 12, 31)) != []
    assert rating_list(record.state, "classic", date(2022, 1, 1)) == []


def test_4_5_1_each_kind_of_rating_has_its_own_list() -> None:
    record = Record()
    games = "\n".join(f"{number} Ada 1-0 Boris" for number in range(1, 6))
    record.rate(games, time_class="blitz")
    record.rate("1 Ada 1-0 Boris")
    assert len(rating_list(record.state, "rapid", DAY)) == 2
    assert rating_list(record.state, "classic", DAY) == []


def test_d_ssdc_11_an_openings_games_count_for_the_list_as_played_on_its_day() -> None:
    record = Record()
    record.open("Ada", 1500, games=5)
    record.open("Boris", 1500, games=4)
    for on, listed in ((date(2023, 12, 31), ["Ada"]), (date(2024, 12, 31), ["Ada"]), (date(2025, 1, 1), [])):
        assert [row.player for row in rating_list(record.state, "classic", on)] == listed
    record.rate("1 Ada 1-0 Boris", starts=date(2025, 1, 1), ends=date(2025, 1, 1))
    assert [row.player for row in rating_list(record.state, "classic", date(2026, 1, 1))] == ["Ada", "Boris"]


def test_d_ssdc_11_an_opening_without_games_is_of_no_year() -> None:
    record = Record()
    record.open("Ada", 1500, games=0)
    record.rate("\n".join(f"{number} Ada 1-0 Boris" for number in range(1, 6)))
    assert record.standing("Ada").years == (2024,)


def test_the_list_is_by_rating_and_equal_shown_ratings_share_a_rank() -> None:
    record = Record()
    for name, rating in (("Ada", "1500.4"), ("Boris", "1499.5"), ("Clara", "1600"), ("Denis", "1499.4")):
        record.state.put((name, "classic"), SsdcStanding(Decimal(rating), 30, (2024,)))
    record.state.put(("Efim", "classic"), SsdcStanding(Decimal(1400), 29, (2024,)))
    rows = rating_list(record.state, "classic", DAY)
    assert [(row.rank, row.player, row.status) for row in rows] == [
        (1, "Clara", "rated"),
        (2, "Ada", "rated"),
        (2, "Boris", "rated"),
        (4, "Denis", "rated"),
        (5, "Efim", "new"),
    ]


@pytest.mark.parametrize(("games", "status"), [(29, "new"), (30, "rated")])
def test_1_4_2_new_is_who_has_fewer_than_30_games(games: int, status: str) -> None:
    record = Record()
    record.open("Ada", 1500, games=games)
    (answer,) = answers(record.state, DAY)
    assert (answer.status, answer.rating, answer.games, answer.listed) == (
        status,
        Decimal(1500),
        games,
        True,
    )


def test_a_confirmed_rank_alone_is_no_rating_to_answer() -> None:
    record = Record()
    record.confirm("Ada", "M")
    assert list(answers(record.state, DAY)) == []


def test_4_6_an_extract_says_a_players_rank_and_ratings_of_a_day() -> None:
    record = Record()
    games = "\n".join(f"{number} Ada 1-0 Boris" for number in range(1, 6))
    record.rate(games, time_class="blitz")
    record.open("Ada", "1712.5", games=40)
    record.confirm("Ada", "3")
    found = extract(record.state, "Ada", date(2025, 6, 1))
    assert found is not None
    assert (found.player, found.on, found.rank) == ("Ada", date(2025, 6, 1), "3")
    classic, rapid = found.ratings
    assert classic == ("classic", Decimal("1712.5"), 1713, 40, "rated", False)
    assert (rapid.track, rapid.games, rapid.status, rapid.listed) == ("rapid", 5, "new", True)


def test_4_6_there_is_no_extract_of_somebody_who_took_part_in_nothing() -> None:
    assert extract(Record().state, "Ada", DAY) is None


@pytest.mark.parametrize(
    ("standing", "text"),
    [
        (SsdcStanding(Decimal("1200.000000"), 0), '["1200",0,[],null,null]'),
        (SsdcStanding(Decimal("1234.567890"), 7, (2023, 2024)), '["1234.56789",7,[2023,2024],null,null]'),
        (
            SsdcStanding(
                None, 0, (), RankAward("G", "2.4.2", 1, "24;1/A"), ConfirmedRank("M", DAY, "by “order” 3")
            ),
            '[null,0,[],["G","2.4.2",1,"24;1/A"],["M","2024-03-01","by “order” 3"]]',
        ),
    ],
)
def test_a_standing_survives_its_text(standing: SsdcStanding, text: str) -> None:
    assert dump(standing) == text
    assert load("classic", text) == standing
    assert dump(load("classic", text)) == text
    assert load("classic", text).due is False


def test_a_text_that_is_no_standing_is_refused() -> None:
    with pytest.raises(ValueError, match="unpack"):
        load("classic", "[1]")


def test_the_ruleset_says_what_its_pages_and_journal_need() -> None:
    assert [track.code for track in RULESET.tracks] == ["classic", "rapid"]
    assert RULESET.sections.places_needed
    assert RULESET.sections.many_games_a_round
    assert RULESET.journal.ranks == ("3", "2", "1", "C", "M", "H", "G")
    assert RULESET.edition_on(date(2017, 1, 27)).in_force == date(2017, 1, 27)
    with pytest.raises(LookupError):
        RULESET.edition_on(date(2017, 1, 26))
