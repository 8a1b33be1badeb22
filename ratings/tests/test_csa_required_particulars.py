"""Chess South Africa: what is said of the event, its arbiters and its players (CSA 6–8, 13–15)."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from ratings.rulesets.csa import RULESET
from ratings.rulesets.facts import Arbiter, Level
from ratings.rulesets.profile import equipment_of
from ratings.tests.csa_filing import GUGU, JOHAN, check, entrant, found_with, section, sound
from ratings.tests.csa_record import DAY
from ratings.tests.findings import LENIENT

BLOCKS, WAIVABLE, NOTICE = Level.BLOCKS, Level.WAIVABLE, Level.NOTICE
FIDE: dict[str, Any] = {"said": {"fide_rated": "non-norm"}, "registered": DAY - timedelta(7)}


# ---------------------------------------------------------------- the event (13)


def test_13_1_the_event_and_the_section_have_names() -> None:
    assert found_with(section(event="Joburg Open", name="A")) == []
    assert found_with(section(event=" ")) == [("13.1", "no-name", BLOCKS)]
    assert found_with(section(name="")) == [("13.1", "no-name", BLOCKS)]


def test_13_2_it_ends_on_the_day_it_starts_or_later() -> None:
    assert found_with(section(starts=DAY, ends=DAY)) == []
    reversed_ = section(starts=DAY, ends=DAY - timedelta(1))
    assert found_with(reversed_, event_ends=DAY) == [("13.2", "days-reversed", BLOCKS)]


def test_13_3_every_scheduled_round_has_its_day() -> None:
    five = section(6, 5)
    assert found_with(five, round_dates=(DAY,) * 5) == []
    for dates in ((DAY,) * 4, (DAY, None, DAY, DAY, DAY)):
        assert found_with(five, round_dates=dates) == [("13.3", "round-dates-missing", BLOCKS)]
    [found] = check(five, sound(five, round_dates=(DAY, None, DAY)))
    assert found.params == {"rounds": "2, 4, 5"}


def test_13_4_a_region_hosts_it() -> None:
    assert found_with(region="GAU") == []
    assert found_with(region="") == [("13.4", "no-region", BLOCKS)]


@pytest.mark.parametrize("organizer", ["Lindiwe Mabaso, 101000777", "Gauteng, ratings@gauteng.example"])
def test_13_5_the_organizer_has_a_number_or_the_region_an_address(organizer: str) -> None:
    assert found_with(organizer=organizer) == []


@pytest.mark.parametrize("organizer", ["Lindiwe Mabaso", "Gauteng 2026"])
def test_13_5_a_name_alone_reaches_nobody(organizer: str) -> None:
    assert found_with(organizer=organizer) == [("13.5", "organizer-unreachable", WAIVABLE)]


def test_13_5_somebody_organizes_it() -> None:
    assert found_with(organizer=" ") == [("13.5", "no-organizer", BLOCKS)]
    assert found_with(organizer="", settings=LENIENT) == [("13.5", "no-organizer", NOTICE)]


# ---------------------------------------------------------------- arbiters (6–8, 15)


def test_6_an_arbiter_is_named() -> None:
    assert found_with(arbiters=(GUGU,)) == []
    assert found_with(arbiters=()) == [("6", "no-arbiter", BLOCKS)]
    assert found_with(arbiters=(), settings=LENIENT) == [("6", "no-arbiter", NOTICE)]


def test_6_7_presence_in_each_round_and_the_years_fee_the_region_confirms() -> None:
    assert {"6", "7"} <= {confirmation.clause for confirmation in equipment_of(RULESET).office.confirmations}


def test_8_by_the_number_an_arbiter_who_plays_is_found() -> None:
    plays = [("8", "arbiter-plays", WAIVABLE)]
    assert found_with(entrants=(entrant(player="101000900"),)) == plays
    assert found_with(entrants=(entrant(fide_id="14399001"),)) == plays
    assert found_with(entrants=(entrant(player="101000901", fide_id="14399002"),)) == []


@pytest.mark.parametrize("surname", ["Radebe", "RADEBE", "Rádebe"])
def test_8_without_a_number_to_compare_the_name_tells(surname: str) -> None:
    namesake = entrant(surname=surname, first_name="Gugu Faith", fide_id="")
    assert found_with(entrants=(namesake,)) == [("8", "arbiter-plays", WAIVABLE)]


def test_8_namesakes_with_numbers_of_their_own_are_two_people() -> None:
    assert found_with(entrants=(entrant(surname="Radebe", first_name="Gugu"),)) == []
    assert found_with(entrants=(entrant(player="P7", surname="Marais", first_name="Johan"),)) == []


def test_8_a_surname_alone_is_nobody() -> None:
    assert found_with(entrants=(entrant(surname="Radebe", first_name="Sizwe", fide_id=""),)) == []


def test_8_in_a_club_event_an_arbiter_may_play() -> None:
    plays = (entrant(player="101000900"),)
    assert found_with(entrants=plays, said={"club": True}) == []
    assert found_with(entrants=plays, said={"club": False}) == [("8", "arbiter-plays", WAIVABLE)]


def test_8_holds_for_every_section_of_the_event() -> None:
    elsewhere = entrant(player="101000900", section="B")
    filed = section()
    [found] = check(filed, sound(filed, elsewhere=(elsewhere,)))
    assert (found.key, found.params["section"]) == ("arbiter-plays", "B")


@pytest.mark.parametrize(
    ("clause", "key", "lacking"),
    [
        ("15.1", "arbiter-name", {"name": "Gugu"}),
        ("15.2", "arbiter-id", {"id": ""}),
        ("15.3", "arbiter-title", {"title": ""}),
    ],
)
def test_15_an_arbiter_has_name_and_surname_id_and_title(
    clause: str, key: str, lacking: dict[str, Any]
) -> None:
    assert found_with(arbiters=(GUGU, JOHAN)) == []
    assert found_with(arbiters=(replace(GUGU, **lacking), JOHAN)) == [(clause, key, WAIVABLE)]
    assert found_with(arbiters=(replace(GUGU, **lacking),), settings=LENIENT) == [(clause, key, NOTICE)]


def test_15_2_in_a_fide_rated_section_the_id_is_fides() -> None:
    assert found_with(arbiters=(GUGU,), **FIDE) == []
    assert found_with(arbiters=(GUGU, JOHAN), **FIDE) == [("15.2", "arbiter-fide-id", WAIVABLE)]
    assert found_with(arbiters=(replace(GUGU, id=""),), **FIDE) == [("15.2", "arbiter-fide-id", WAIVABLE)]


def test_15_4_each_arbiter_stands_once_in_the_order_of_appointment() -> None:
    assert found_with(arbiters=(GUGU, replace(GUGU, id="14399002"))) == []
    assert found_with(arbiters=(GUGU, replace(GUGU, name="G Radebe"))) == [
        ("15.4", "arbiter-twice", WAIVABLE)
    ]
    again = Arbiter("Radebe, Gugu", "FA")
    assert ("15.4", "arbiter-twice", WAIVABLE) in found_with(arbiters=(GUGU, again))


# ---------------------------------------------------------------- players (14)


@pytest.mark.parametrize(
    ("clause", "key", "lacking"),
    [
        ("14.1.1", "first-names-missing", {"first_name": ""}),
        ("14.1.1", "first-names-missing", {"first_name": "T.J."}),
        ("14.1.2", "births-missing", {"birth": "1991"}),
        ("14.1.2", "births-missing", {"birth": ""}),
        ("14.1.3", "sexes-missing", {"sex": ""}),
    ],
)
def test_14_1_a_player_has_a_first_name_a_full_date_of_birth_and_a_sex(
    clause: str, key: str, lacking: dict[str, Any]
) -> None:
    assert found_with(entrants=(entrant(),)) == []
    players = (entrant(), entrant(1, **lacking))
    assert found_with(entrants=players) == [(clause, key, WAIVABLE)]
    assert found_with(entrants=players, settings=LENIENT) == [(clause, key, NOTICE)]


def test_14_1_who_is_not_found_in_the_register_yet_may_be_known_there() -> None:
    assert found_with(entrants=(entrant(birth="1991", decided=False),)) == []


def test_14_1_1_initials_beside_a_first_name_are_welcome() -> None:
    assert found_with(entrants=(entrant(first_name="T. J. Thabo"),)) == []


def test_14_1_4_in_a_fide_rated_section_everybody_has_a_fide_id() -> None:
    without = (entrant(fide_id=""),)
    fide = FIDE | {"arbiters": (GUGU,)}
    assert found_with(entrants=without) == []
    assert found_with(entrants=(entrant(),), **fide) == []
    assert found_with(entrants=without, **fide) == [("14.1.4", "fide-ids-missing", WAIVABLE)]


def test_14_1_5_new_players_come_under_the_host_region_and_the_region_reads_so() -> None:
    assert found_with(entrants=(entrant(new=True),)) == [("14.1.5", "host-region", NOTICE)]
    assert found_with(entrants=(entrant(new=False),)) == []


def test_14_2_1_online_a_known_player_has_a_handle_and_no_more_is_asked() -> None:
    online = section(platform="online")
    bare: dict[str, Any] = {"birth": "1991", "sex": "", "first_name": "T"}
    assert found_with(online, entrants=(entrant(**bare),)) == []
    missing = {"entrants": (entrant(handle=""),)}
    assert found_with(online, **missing) == [("14.2.1", "handles-missing", WAIVABLE)]
    assert found_with(online, **missing, settings=LENIENT) == [("14.2.1", "handles-missing", NOTICE)]
    assert found_with(entrants=(entrant(handle=""),)) == []


def test_14_2_2_online_a_new_player_is_described_as_at_the_board() -> None:
    found = found_with(section(platform="online"), entrants=(entrant(new=True, birth="1991"),))
    assert found == [("14.1.2", "births-missing", WAIVABLE), ("14.1.5", "host-region", NOTICE)]


def test_many_players_are_counted_and_three_of_them_named() -> None:
    players = tuple(entrant(n, surname=f"Nkosi{n}", sex="") for n in range(4))
    filed = section()
    [found] = check(filed, sound(filed, entrants=players))
    assert found.params == {"players": 4, "names": "Nkosi0, Thabo; Nkosi1, Thabo; Nkosi2, Thabo; …"}
