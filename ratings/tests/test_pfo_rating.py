"""Polish Othello: the ranking (PFO 8–14), facts in, ratings out."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal

import pytest

from ratings.rulesets.facts import Bye, Finding, Level, Needs, Opening, RatedSection
from ratings.rulesets.pfo import RULESET
from ratings.rulesets.pfo.edition_2009 import LAST_OF_CHAMPIONSHIP
from ratings.tests.pfo_record import DAY, Office, player, section_of

WEEK = timedelta(7)


@pytest.fixture
def office() -> Office:
    return Office()


def test_8_everyone_enters_at_1400_foreigners_and_those_without_a_game_too(office: Office) -> None:
    office.player("Kenji", nation="JPN")
    office.rate("1 Adam 1-0 Kenji", places="Adam Kenji Darek")
    assert office.ratings() == {"Adam": 1411, "Kenji": 1391, "Darek": 1400}


def test_9_each_game_moves_both_ratings_at_once_in_the_order_of_the_rounds(office: Office) -> None:
    office.open(Adam=1460, Basia=1400)
    office.rate("2 Adam 0-1 Basia\n1 Adam 0-1 Basia", status="mp")
    # round 1: 60 apart, 10 points; round 2: 40 apart the other way round, the higher rated wins again 10
    assert office.ratings() == {"Adam": 1440, "Basia": 1420}


def test_9_within_a_round_games_follow_each_other_as_they_stand(office: Office) -> None:
    office.open(Adam=1461, Basia=1400)
    office.rate("1 Adam 0-1 Basia\n1 Adam 0-1 Basia", status="mp")
    assert office.ratings() == {"Adam": 1461 - 12 - 10, "Basia": 1400 + 12 + 10}


def test_9_a_game_that_both_lost_is_a_game_without_points(office: Office) -> None:
    office.rate("1 Adam 0-0 Basia")
    assert office.ratings() == {"Adam": 1401, "Basia": 1401}
    assert office.standing("Adam").games == 1


@pytest.mark.parametrize("result", ["+:-", "-:+", "-:-", "annulled"])
def test_what_is_no_game_moves_nothing_and_is_no_participation(office: Office, result: str) -> None:
    office.rate(f"1 Adam {result} Basia", byes=(Bye(2, "Adam", "pairing"),))
    assert office.ratings() == {"Adam": 1400, "Basia": 1400}
    assert office.standing("Adam").games == 0


def test_12_a_grand_prix_tournament_gives_a_point_after_its_games(office: Office) -> None:
    office.open(Adam=1460, Basia=1400)
    office.rate("1 Basia 1-0 Adam")  # with the point before the game the difference would be the same: 60
    assert office.ratings() == {"Adam": 1451, "Basia": 1411}


def test_12_a_championship_gives_no_point_for_taking_part(office: Office) -> None:
    office.rate("1 Adam 1-0 Basia", status="mp")
    assert office.ratings() == {"Adam": 1410, "Basia": 1390}


def test_12_a_european_grand_prix_gives_one_award_and_rates_no_game(office: Office) -> None:
    office.rate("1 Adam 0-1 Basia", places="Basia Adam Celina Darek Edyta Felek", status="egp", country="CZE")
    assert office.ratings() == {
        "Basia": 1450,
        "Adam": 1440,
        "Celina": 1430,
        "Darek": 1420,
        "Edyta": 1410,
        "Felek": 1405,
    }
    assert office.standing("Adam").games == 0


def test_12_shared_places_get_the_award_of_the_place_each(office: Office) -> None:
    office.rate(places="Adam =Basia Celina", status="egp")
    assert office.ratings() == {"Adam": 1450, "Basia": 1450, "Celina": 1430}


def test_12_a_world_championship_awards_places_of_the_whole_field(office: Office) -> None:
    field = [f"P{number}" for number in range(1, 22)]
    for name in field[1:19]:
        office.player(name, nation="JPN")
    office.rate(places=" ".join(field), status="woc", country="JPN")
    assert office.ratings() == {"P1": 1600, "P20": 1410, "P21": 1400}


def test_d_pfo_3_a_foreigner_without_a_rating_gets_neither_award_nor_row(office: Office) -> None:
    office.player("Kenji", nation="JPN")
    office.player("Someone", nation=None)
    office.rate(places="Kenji Someone Adam", status="egp")
    assert office.ratings() == {"Adam": 1430}


def test_d_pfo_3_a_foreigner_with_a_rating_gets_the_award(office: Office) -> None:
    office.player("Kenji", nation="JPN")
    office.rate("1 Adam 1-0 Kenji")
    office.rate(places="Kenji Adam", status="egp", ends=DAY + WEEK)
    assert office.ratings() == {"Adam": 1411 + 40, "Kenji": 1391 + 50}


def test_13_whoever_misses_the_championship_loses_a_tenth(office: Office) -> None:
    office.open(Adam=1405, Basia=1500)
    office.player("Kenji", nation="JPN")
    office.rate("1 Kenji 1-0 Celina")
    office.rate("1 Basia 1-0 Celina", status="mp", ends=DAY + WEEK)
    ratings = office.ratings()
    assert ratings["Adam"] == 1405 - 141
    assert ratings["Kenji"] == 1411 - 141  # foreigners too
    assert ratings["Basia"] == 1500 + 9  # 1500 against 1391


def test_13_leaving_half_way_or_entering_without_a_game_costs_nothing(office: Office) -> None:
    office.open(Adam=1500, Basia=1500, Celina=1500)
    office.rate("1 Adam 1-0 Basia", places="Adam Basia Celina", status="mp")
    assert office.ratings()["Celina"] == 1500


def test_d_pfo_5_the_loss_comes_with_the_last_section_of_the_season(office: Office) -> None:
    office.open(Adam=1500, Basia=1500, Celina=1500, Darek=1500)
    men = office.rate("1 Adam 1/2 Darek", status="mp")
    women = office.rate("1 Basia 1/2 Celina", status="mp", ends=DAY + WEEK)
    assert office.ratings() == {"Adam": 1502, "Basia": 1502, "Celina": 1502, "Darek": 1502}
    office.unrate(women)
    assert office.ratings()["Basia"] == 1350
    assert office.changes(men)["Basia"].points == Decimal(-150)


def test_d_pfo_5_who_got_a_rating_after_the_first_section_began_has_missed_nothing(office: Office) -> None:
    office.open(Adam=1500, Basia=1500)
    office.rate("1 Adam 1/2 Basia", status="mp")
    office.rate("1 Celina 1/2 Darek", ends=DAY + timedelta(1))
    office.rate("1 Adam 1/2 Basia", status="mp", ends=DAY + WEEK)
    assert office.ratings()["Celina"] == 1403


def test_d_pfo_5_each_season_has_a_championship_of_its_own(office: Office) -> None:
    office.open(Adam=1500, Basia=1500, Celina=1500)
    office.rate("1 Adam 1/2 Basia", status="mp")
    office.rate("1 Adam 1/2 Basia", status="mp", season="2010/2011", ends=DAY + 52 * WEEK)
    assert office.ratings()["Celina"] == 1500 - 150 - 135


def test_13_the_loss_is_of_the_rating_of_that_day_and_a_late_approval_rates_again_what_came_after(
    office: Office,
) -> None:
    office.open(Adam=1500, Basia=1500, Celina=1500)
    championship = office.rate("1 Adam 1/2 Basia", status="mp", ends=DAY + WEEK)
    assert office.changes(championship)["Celina"].points == -150
    office.rate("1 Celina 1-0 Adam", ends=DAY)  # approved after it, played before it
    assert office.changes(championship)["Celina"].points == -151
    assert office.changes(championship)["Adam"].points == 2


def test_13_everyone_is_needed_for_the_last_section_and_entrants_for_the_others(office: Office) -> None:
    office.rate("1 Adam 1/2 Basia", status="mp")
    office.rate("1 Adam 1/2 Basia", status="mp", ends=DAY + WEEK)
    first, last = RULESET.sort_for_fold(office.facts)
    assert isinstance(first, RatedSection)
    assert isinstance(last, RatedSection)
    rules = RULESET.rules_for(first)
    assert (first.notes, rules.needs(first)) == ((), frozenset({"Adam", "Basia"}))
    assert (last.notes, rules.needs(last)) == ((LAST_OF_CHAMPIONSHIP,), Needs.EVERYONE)


def test_annotating_again_changes_nothing(office: Office) -> None:
    office.rate("1 Adam 1/2 Basia", status="mp")
    office.rate("1 Adam 1/2 Basia", status="mp", ends=DAY + WEEK)
    once = RULESET.sort_for_fold(office.facts)
    assert RULESET.sort_for_fold(once) == once


def test_14_particulars_are_those_of_the_day_of_rating(office: Office) -> None:
    office.player("Kenji", nation="JPN")
    office.rate("1 Adam 1-0 Kenji")
    assert not office.standing("Kenji").citizen
    office.player("Kenji", nation="POL")
    office.rate("1 Adam 1-0 Kenji", ends=DAY + WEEK)
    assert office.standing("Kenji").citizen


def test_8_an_opening_stands_before_everything_and_is_rounded_to_whole_points(office: Office) -> None:
    office.rate("1 Adam 1-0 Basia")
    office.place(Opening("Adam", "ranking", Decimal("1499.5"), 33, date(2010, 1, 1), "old"))
    assert office.ratings() == {"Adam": 1500 + 9 + 1, "Basia": 1400 - 9 + 1}
    assert office.standing("Adam").games == 34


def test_a_section_before_the_rules_or_of_no_kind_cannot_be_rated() -> None:
    assert RULESET.sections.find_unrateable_reason(section_of("1 Adam 1-0 Basia")) is None
    early = section_of("1 Adam 1-0 Basia", ends=DAY - timedelta(1))
    assert RULESET.sections.find_unrateable_reason(early) == Finding(
        "preamble", Level.BLOCKS, "before-the-regulations", {"first": DAY}, "starts"
    )
    sound = section_of("1 Adam 1-0 Basia")
    for lacking in (replace(sound, status=None), replace(sound, season=None)):
        finding = RULESET.sections.find_unrateable_reason(lacking)
        assert finding is not None
        assert finding.key in RULESET.words.messages


def test_the_edition_is_that_of_the_first_day() -> None:
    assert RULESET.edition_on(DAY).in_force == DAY
    with pytest.raises(LookupError):
        RULESET.edition_on(DAY - timedelta(1))


def test_a_published_list_moves_nothing(office: Office) -> None:
    office.rate("1 Adam 1-0 Basia")
    standings = office.fold().standings
    assert standings
    assert all(not standing.due for standing in standings.values())


def test_the_ranking_marks_foreigners_and_shares_ranks(office: Office) -> None:
    office.people["Kenji"] = replace(player("Kenji"), nation="JPN")
    office.rate("1 Adam 1-0 Kenji\n1 Basia 1-0 Celina")
    rows = RULESET.edition_on(DAY).rules.rating_list(office.fold(), "ranking", DAY)
    assert [(row.rank, row.player, row.rating, row.games, row.status) for row in rows] == [
        (1, "Adam", 1411, 1, "rated"),
        (1, "Basia", 1411, 1, "rated"),
        (3, "Celina", 1391, 1, "rated"),
        (3, "Kenji", 1391, 1, "foreign"),
    ]
