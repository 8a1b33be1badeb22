"""Piškvorky: founding tournaments, novices, established players (PIS 1–7)."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from ratings.rulesets.facts import Bye, ListClosing, Opening, Placed, RatedSection, State
from ratings.rulesets.piskvorky import RULESET
from ratings.rulesets.piskvorky.edition_undated import answers, rating_list, tables
from ratings.rulesets.piskvorky.standing import PiskvorkyStanding, dump, load
from ratings.tests.piskvorky_record import DAY, Record, section_of

FOUNDING = "1 Adam 1-0 Bára\n2 Cyril 1-0 Adam\n3 Bára 1/2 Cyril"

# ------------------------------------------------------------------------------- founding (PIS 6)


def test_6_after_the_first_tournament_the_formula_is_of_it_alone() -> None:
    record = Record()
    record.rate(FOUNDING)
    assert [record.rating(name) for name in ("Adam", "Bára", "Cyril")] == [1600, 1400, 1800]
    assert record.standing("Adam").status == "established"
    assert record.standing("Adam").games == 2


def test_6_the_two_founding_tournaments_are_one_sum() -> None:
    record = Record()
    record.rate(FOUNDING)
    changes = record.rate("1 Adam 1-0 Dana\n2 Adam 1-0 Cyril")
    assert record.rating("Adam") == 1800  # +3 −1 of 4
    assert record.rating("Cyril") == 1600  # +1 −1 of 3
    assert record.rating("Dana") == 1200
    assert changes["Adam"].points == 200
    assert changes["Dana"].points is None


def test_d_pis_3_who_played_in_the_first_alone_stays_and_is_established_whatever_the_count() -> None:
    record = Record()
    record.rate(FOUNDING)
    assert "Bára" not in record.rate("1 Adam 1-0 Dana")
    assert record.standing("Bára") == PiskvorkyStanding(Decimal(1400), 2, True, 0, 1)
    assert record.standing("Dana").established


def test_d_pis_3_without_a_game_it_is_1600() -> None:
    record = Record()
    record.rate("1 Adam 1-0 Bára\n1 Cyril +:- Dana", others="Eda", byes=[Bye(1, "Filip", "pairing")])
    for name in ("Cyril", "Dana", "Eda", "Filip"):
        standing = record.standing(name)
        assert (standing.rating, standing.games, standing.established) == (Decimal(1600), 0, True)


def test_d7_a_game_that_both_lost_is_a_loss_for_both_in_a_founding_tournament() -> None:
    record = Record()
    record.rate("1 Adam 0-0 Bára\n2 Adam 1-0 Bára")
    assert [record.rating(name) for name in ("Adam", "Bára")] == [1600, 1200]


def test_6_the_third_tournament_is_no_founding_one() -> None:
    record = Record()
    record.rate(FOUNDING)
    record.rate("1 Adam 1-0 Bára")
    assert record.state.wide == 2
    record.rate("1 Adam 1-0 Dana")
    assert record.state.wide == 2
    assert record.standing("Dana").status == "novice"


def test_d_pis_7_the_first_two_are_so_in_the_order_of_play_however_they_were_approved() -> None:
    early = section_of("1 Adam 1-0 Bára", ends=date(2012, 1, 1), starts=date(2012, 1, 1))
    middle = section_of("1 Bára 1-0 Adam", ends=date(2012, 2, 1), starts=date(2012, 2, 1))
    late = section_of("1 Adam 1-0 Cyril", ends=date(2012, 3, 1), starts=date(2012, 3, 1))
    facts = [RatedSection(number, DAY, each, {}) for number, each in enumerate((late, middle, early), 2)]
    state: State[PiskvorkyStanding] = State()
    for _step in RULESET.fold(RULESET.sort_for_fold(facts), state):
        pass
    assert state.standings["Adam", "rating"].rating == 1600
    assert state.standings["Cyril", "rating"].status == "novice"


def test_an_office_with_openings_has_had_its_founding_tournaments() -> None:
    record = Record()
    record.open("Adam", "1700.5", games=12)
    assert record.standing("Adam") == PiskvorkyStanding(Decimal(1701), 12, True)
    record.rate("1 Adam 1-0 Bára")
    assert record.standing("Bára").status == "novice"
    assert record.rating("Adam") == 1701


def test_an_opening_comes_first_whatever_was_played_before_its_day() -> None:
    opening = Placed(2, Opening("Adam", "rating", Decimal(1700), 9, date(2012, 12, 31), "list"))
    played = RatedSection(5, DAY, section_of("1 Adam 1-0 Bára"), {})
    assert RULESET.sort_for_fold([played, opening]) == [opening, played]
    assert RULESET.journal.order_key(Placed(4, ListClosing(DAY))) < RULESET.journal.order_key(played)


# ------------------------------------------------------------------------------- novices (PIS 2–5)


def with_established() -> Record:
    record = Record()
    for name, rating in (("Adam", 1600), ("Bára", 1700), ("Cyril", 1801)):
        record.open(name, rating)
    return record


def test_5_a_novices_rating_is_the_mean_of_those_met_and_the_balance() -> None:
    record = with_established()
    change = record.rate("1 Nina 1-0 Adam\n2 Nina 1-0 Bára\n3 Nina 0-1 Cyril")["Nina"]
    assert change.after.rating == 1784  # 5101 ÷ 3 + 250 ÷ 3 = 1783.67
    assert (change.after.status, change.after.games, change.points) == ("novice", 3, None)


def test_d_pis_1_games_are_collected_over_tournaments_with_the_ratings_before_each() -> None:
    record = with_established()
    record.rate("1 Nina 1-0 Adam")
    record.rate("1 Adam 1-0 Bára")  # Adam is 1620 from here on
    change = record.rate("1 Nina 1/2 Adam")["Nina"]
    assert change.after == PiskvorkyStanding(Decimal(1735), 2, False, 1, 0, Decimal(3220))
    assert change.points == change.after.rating - Decimal(1850)  # type: ignore[operator]


@pytest.mark.parametrize(
    ("last", "status"), [("1 Nina 1/2 Adam", "established"), ("1 Nina 0-1 Adam", "novice")]
)
def test_2_established_needs_five_games_and_one_and_a_half_points(last: str, status: str) -> None:
    record = with_established()
    record.rate("1 Nina 1-0 Adam\n2 Nina 0-1 Adam\n3 Nina 0-1 Adam\n4 Nina 0-1 Adam")
    assert record.standing("Nina").status == "novice"
    record.rate(last)
    assert record.standing("Nina").status == status


def test_2_four_games_are_too_few_whatever_the_points() -> None:
    record = with_established()
    record.rate("1 Nina 1-0 Adam\n2 Nina 1-0 Bára\n3 Nina 1-0 Adam\n4 Nina 1-0 Bára")
    assert record.standing("Nina").status == "novice"
    change = record.rate("1 Nina 0-1 Adam")["Nina"]
    assert change.after == PiskvorkyStanding(Decimal(1790), 5, True)  # 8200 ÷ 5 + 250 × 3 ÷ 5


def test_4_a_novice_stays_one_until_the_end_of_the_tournament() -> None:
    record = with_established()
    games = "\n".join(f"{number} Nina 1-0 Adam" for number in range(1, 6))
    changes = record.rate(f"{games}\n6 Nina 1-0 Bára\n7 Nina 1-0 Olga")
    assert changes["Nina"].after.established
    assert changes["Nina"].after.games == 6
    assert record.rating("Bára") == 1700  # §3: no change for the established one
    assert record.standing("Olga").status == "unrated"


def test_3_between_novices_nothing_counts() -> None:
    record = with_established()
    record.rate("1 Nina 1-0 Adam")
    change = record.rate("1 Nina 1-0 Olga")
    assert change["Nina"].after == change["Nina"].before
    assert change["Nina"].points == 0
    assert change["Olga"].after == PiskvorkyStanding()  # D-PIS-5


def test_d_pis_5_who_has_met_no_established_player_has_a_row_and_no_rating() -> None:
    record = with_established()
    record.rate("1 Nina +:- Adam\n2 Nina annulled Adam\n3 Nina 1-0 Olga")
    found = {answer.player: answer for answer in answers(record.state, DAY)}["Nina"]
    assert (found.status, found.rating, found.games, found.listed) == ("unrated", None, 0, False)


def test_d7_a_game_that_both_lost_is_a_loss_for_a_novice() -> None:
    record = with_established()
    change = record.rate("1 Nina 0-0 Adam")["Nina"]
    assert change.after == PiskvorkyStanding(Decimal(1350), 1, False, 0, 1, Decimal(1600))


# ------------------------------------------------------------------------------- established players (PIS 7)


def test_7_established_players_move_by_the_table() -> None:
    record = with_established()
    changes = record.rate("1 Adam 1-0 Bára\n2 Bára 1/2 Cyril")
    assert [changes[name].points for name in ("Adam", "Bára", "Cyril")] == [20, -20 + 5, -5]
    assert record.rating("Bára") == 1685


def test_d_pis_4_all_of_a_tournament_is_measured_at_the_ratings_before_it() -> None:
    record = with_established()
    record.rate("\n".join(f"{number} Adam 1-0 Bára" for number in range(1, 7)))
    assert [record.rating(name) for name in ("Adam", "Bára")] == [1600 + 6 * 20, 1700 - 6 * 20]


def test_d_pis_6_games_are_those_that_entered_the_rating() -> None:
    record = with_established()
    record.rate("1 Adam 1-0 Bára\n2 Adam 1-0 Nina\n3 Adam 0-0 Bára\n4 Adam +:- Bára\n5 Adam annulled Cyril")
    assert record.standing("Adam").games == 30 + 2
    assert record.standing("Nina").games == 1


def test_an_established_player_keeps_the_rating_without_a_game_that_counts() -> None:
    record = with_established()
    change = record.rate("1 Adam 1-0 Nina")["Adam"]
    assert (change.after.rating, change.points) == (Decimal(1600), Decimal(0))


def test_a_founding_player_moves_by_the_table_later() -> None:
    record = Record()
    record.rate(FOUNDING)
    record.rate("1 Adam 1-0 Dana")
    change = record.rate("1 Bára 1-0 Cyril")["Bára"]  # 1400 and 1800, Bára of the first alone
    assert change.after == PiskvorkyStanding(Decimal(1429), 3, True)


# ------------------------------------------------------------------------------- needs, lists, texts


def test_needs_are_the_entrants_or_whom_the_opening_names_and_a_list_needs_nobody() -> None:
    rules = RULESET.editions[0].rules
    record = Record()
    record.open("Adam", 1600)
    assert rules.needs(record.last) == {"Adam"}
    record.rate("1 Adam 1-0 Nina", others="Olga")
    assert rules.needs(record.last) == {"Adam", "Nina", "Olga"}
    assert record.close() == {}
    assert rules.needs(record.last) == frozenset()
    assert record.state.wide == 2


def test_1_the_list_has_established_players_alone_and_equal_ratings_share_a_rank() -> None:
    record = with_established()
    record.open("Dana", 1700)
    record.rate("1 Nina 1-0 Cyril")
    rows = rating_list(record.state, "rating", DAY)
    assert [(row.rank, row.player, row.status) for row in rows] == [
        (1, "Cyril", "established"),
        (2, "Bára", "established"),
        (2, "Dana", "established"),
        (4, "Adam", "established"),
    ]
    listed = {answer.player for answer in answers(record.state, DAY) if answer.listed}
    assert listed == {"Adam", "Bára", "Cyril", "Dana"}
    assert tables(record.state, DAY) == []


@pytest.mark.parametrize(
    ("standing", "text"),
    [
        (PiskvorkyStanding(), ";0;0;0;0;0"),
        (PiskvorkyStanding(Decimal(1735), 2, False, 1, 0, Decimal(3220)), "1735;2;0;1;0;3220"),
        (PiskvorkyStanding(Decimal(1400), 2, True, 0, 1), "1400;2;1;0;1;0"),
    ],
)
def test_a_standing_survives_its_text(standing: PiskvorkyStanding, text: str) -> None:
    assert dump(standing) == text
    assert load("rating", text) == standing
    assert not standing.due


def test_what_the_federation_remembers_as_a_whole_survives_its_text() -> None:
    assert RULESET.storage.load_wide is not None
    assert RULESET.storage.load_wide(RULESET.storage.dump_wide(2)) == 2


def test_a_text_that_is_no_standing_is_refused() -> None:
    with pytest.raises(ValueError, match="unpack"):
        load("rating", "1600;0")


def test_d9_the_undated_text_holds_for_the_whole_record() -> None:
    assert RULESET.edition_on(date.min).rules is RULESET.edition_on(date.max).rules
    assert RULESET.sections.find_unrateable_reason(section_of("1 Adam 1-0 Bára")) is None
    assert RULESET.sections.tracks_of(section_of("1 Adam 1-0 Bára")) == ("rating",)
