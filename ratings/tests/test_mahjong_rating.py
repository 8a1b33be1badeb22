"""Russian mahjong: admissions, the register, and the rating of any day (RMF 2, 3, 5)."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

import pytest

from ratings.rulesets.facts import Finding, Level
from ratings.rulesets.mahjong import RULESET, edition_undated
from ratings.rulesets.mahjong.standing import (
    AdmittedCompetition,
    AdmittedCompetitions,
    CompetitionPlayed,
    MahjongStanding,
    dump,
    dump_wide,
    load,
    load_wide,
)
from ratings.tests.mahjong_record import DAY, Office, section_of

WEEK, YEAR = timedelta(7), timedelta(365)


@pytest.fixture
def office() -> Office:
    return Office()


def sixteen(text: str) -> Decimal:
    return Decimal(text).quantize(Decimal(1).scaleb(-16))


def test_5_a_first_competition_is_the_whole_rating(office: Office) -> None:
    office.admit("Anna Boris Vera")
    assert office.ratings(DAY) == {"Anna": 1, "Boris": sixteen("0.5"), "Vera": 0}


def test_5_shared_places_give_the_result_of_the_place_each(office: Office) -> None:
    office.admit("Anna =Boris Vera")
    assert office.ratings(DAY) == {"Anna": 1, "Boris": 1, "Vera": 0}


def test_d_rmf_1_foreigners_take_places_and_have_none_in_the_rating(office: Office) -> None:
    office.player("Kenji", nation="JPN")
    office.player("Nobody", nation=None)
    office.admit("Kenji Anna Nobody")
    assert office.ratings(DAY) == {"Anna": sixteen("0.5")}


def test_d_rmf_3_what_was_missed_weighs_by_the_number_of_its_year(office: Office) -> None:
    office.admit("Anna Boris")
    office.admit("Vera Boris", ends=DAY + WEEK)
    # Anna: 1 of 1 + 0.12 / 2; the competition before Vera's first is an absence too
    assert office.ratings(DAY + WEEK) == {
        "Anna": sixteen("0.9433962264150943"),
        "Boris": 0,
        "Vera": sixteen("0.9433962264150943"),
    }
    office.admit("Vera Boris", ends=date(2021, 1, 1))
    assert office.ratings(date(2021, 1, 1))["Anna"] == sixteen("0.8474576271186441")  # 1 / (1 + 0.06 + 0.12)


def test_d_rmf_7_a_competition_counts_from_its_admission_on_whatever_day_it_was_played(
    office: Office,
) -> None:
    office.admit("Anna Boris", on=DAY + 2 * WEEK, ends=DAY)
    office.admit("Boris Anna", on=DAY + 2 * WEEK, ends=DAY - YEAR, status="national")
    # the other one is more than a year old: 3 × 0.75
    assert office.ratings(DAY + 2 * WEEK) == {
        "Anna": sixteen("0.3076923076923077"),
        "Boris": sixteen("0.6923076923076923"),
    }


def test_5_one_admitted_before_its_last_day_weighs_in_full(office: Office) -> None:
    office.admit("Anna Boris", on=DAY, ends=DAY + WEEK)
    assert office.ratings(DAY)["Anna"] == 1


def test_2_listed_from_the_second_competition_on_and_both_count(office: Office) -> None:
    office.admit("Anna Boris")
    assert office.listed(DAY) == set()
    office.admit("Boris Anna Vera", ends=DAY + WEEK)
    assert office.listed(DAY + WEEK) == {"Anna", "Boris"}
    assert office.ratings(DAY + WEEK)["Boris"] == sixteen("0.5")
    assert {row.player: row.games for row in office.answers(DAY + WEEK).values()} == {
        "Anna": 2,
        "Boris": 2,
        "Vera": 1,
    }


def test_d_rmf_4_listed_while_anything_weighs(office: Office) -> None:
    office.admit("Anna Boris")
    office.admit("Anna Boris", ends=DAY + WEEK)
    last = date(2024, 3, 8)  # the fourth anniversary of the later one
    assert office.listed(last) == {"Anna", "Boris"}
    assert office.listed(last + timedelta(1)) == set()
    answer = office.answers(last + timedelta(1))["Anna"]
    assert (answer.rating, answer.games, answer.listed) == (None, 2, False)


def test_d_rmf_4_who_has_a_place_goes_by_the_register(office: Office) -> None:
    office.player("Abroad", resident=False)
    office.player("Decided", resident=False, included_by="decision 7")
    office.player("Kenji", nation="JPN", included_by="decision 8")  # never a foreigner
    office.admit("Anna Abroad Decided Kenji")
    assert set(office.ratings(DAY)) == {"Anna", "Decided"}
    back = office.player("Abroad")
    gone = office.player("Anna", nation="KAZ")
    assert set(office.ratings(DAY)) == {"Abroad", "Decided"}
    assert office.changes(back)["Abroad"].after.rating == sixteen("0.6666666666666667")
    assert office.changes(gone)["Anna"].after.rating is None
    office.player("Anna")
    assert office.ratings(DAY)["Anna"] == 1  # nothing of what was played is lost


def test_d_rmf_4_a_line_of_the_register_that_says_nothing_new_is_no_change(office: Office) -> None:
    newcomer = office.player("Anna")
    office.admit("Anna Boris")
    same = office.player("Anna", region="MOW")
    assert office.changes(newcomer) == office.changes(same) == {}


def test_what_weighs_nothing_is_let_go_but_counted(office: Office) -> None:
    office.admit("Anna Boris")
    office.admit("Anna Vera", ends=date(2024, 6, 1))
    state = office.fold()
    assert state.wide.years == ((2020, 1), (2024, 1))
    assert [each.ends.year for each in state.wide.competitions] == [2024]
    anna = state.standings["Anna", "rating"]
    assert (anna.games, len(anna.played)) == (2, 1)
    assert anna.rating == 1
    assert office.listed(date(2024, 6, 1)) == {"Anna"}


def test_d_rmf_3_a_year_counts_those_without_weight_too(office: Office) -> None:
    office.admit("Anna Boris", ends=date(2020, 2, 1))
    office.admit("Anna Boris", ends=date(2020, 12, 1))
    office.admit("Vera Boris", ends=date(2024, 6, 1))
    # of 2020 only December weighs, 0.25, missed by Vera: 0.25 × 0.12 / 2
    vera = 1 / (Decimal(1) + Decimal("0.25") * Decimal("0.06"))
    assert office.ratings(date(2024, 6, 1))["Vera"] == vera.quantize(Decimal(1).scaleb(-16))


def test_a_rating_that_stands_is_that_of_the_players_own_last_admission(office: Office) -> None:
    first = office.admit("Anna Boris")
    second = office.admit("Vera Boris", ends=DAY + WEEK)
    assert office.changes(first)["Anna"].after.rating == 1
    assert "Anna" not in office.changes(second)
    third = office.admit("Anna Boris", ends=DAY + 2 * WEEK)
    change = office.changes(third)["Anna"]
    assert change.before is not None
    assert change.before.rating == 1
    assert change.after.rating == sixteen("0.9803921568627451")  # 2 / 2.04
    assert change.points == change.after.rating - 1


def test_the_list_shares_ranks_by_what_is_shown(office: Office) -> None:
    office.admit("Anna =Boris Vera Galina")
    office.admit("Anna =Boris Vera Galina", ends=DAY + WEEK)
    rows = edition_undated.rating_list(office.fold(), "rating", DAY + WEEK)
    assert [(row.rank, row.player) for row in rows] == [(1, "Anna"), (1, "Boris"), (3, "Vera"), (4, "Galina")]
    assert edition_undated.rating_list(office.fold(), "another", DAY) == []


def test_coefficients_are_told_with_the_last_day_on_which_they_hold(office: Office) -> None:
    office.admit("Anna Boris", status="national", id="C/1")
    office.admit("Anna Boris Vera", ends=DAY + WEEK, status="special", coefficient=2, id="C/2")
    table, _days = edition_undated.tables(office.fold(), DAY + YEAR)
    kc = Decimal("0.06")
    assert not table.answered
    assert table.rows == (
        ("C/1", DAY, 2, 3, Decimal(1), kc, date(2021, 3, 1)),
        ("C/2", DAY + WEEK, 3, 2, Decimal(1), kc, date(2021, 3, 8)),
    )
    later, _days = edition_undated.tables(office.fold(), date(2024, 3, 8))
    assert [row[0] for row in later.rows] == ["C/2"]
    assert all(column in RULESET.words.messages for column in table.columns)


def test_5_results_are_what_each_played(office: Office) -> None:
    fact = office.admit("Anna Boris Vera Galina")
    assert edition_undated.compute_performances(office.fold(), fact, "rating") == {
        "Anna": 1,
        "Boris": sixteen("0.6666666666666667"),
        "Vera": sixteen("0.3333333333333333"),
        "Galina": 0,
    }


def test_an_empty_office_answers_nothing(office: Office) -> None:
    assert office.answers(DAY) == {}
    assert edition_undated.rating_list(office.fold(), "rating", DAY) == []
    assert [table.rows for table in edition_undated.tables(office.fold(), DAY)] == [(), ()]


def test_what_cannot_be_admitted_at_all() -> None:
    assert RULESET.sections.find_unrateable_reason(section_of("Anna Boris")) is None
    assert RULESET.sections.find_unrateable_reason(section_of("Anna")) == Finding(
        "5", Level.BLOCKS, "one-player", where="players"
    )
    for lacking in (section_of("Anna Boris", status=None), section_of("Anna Boris", status="special")):
        finding = RULESET.sections.find_unrateable_reason(lacking)
        assert finding is not None
        assert finding.key in ("no-status", "no-coefficient")


def test_standings_and_the_wide_part_survive_their_text() -> None:
    for standing in (
        MahjongStanding(),
        MahjongStanding(
            True,
            3,
            (CompetitionPlayed("2020-001/A", 2), CompetitionPlayed("Кубок/1", 1)),
            sixteen("0.8027522935779817"),
        ),
        MahjongStanding(True, 1, (), Decimal(1)),
    ):
        again = load("rating", dump(standing))
        assert again == standing
        assert dump(again) == dump(standing)
    wide = AdmittedCompetitions(DAY, (AdmittedCompetition(DAY, "2020-001/A", 3, 40),), ((2019, 2), (2020, 1)))
    assert load_wide(dump_wide(wide)) == wide
