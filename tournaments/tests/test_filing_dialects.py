"""What TRF26 and Lichess say beside the players, through the real page: ids that the register knows."""

from __future__ import annotations

from collections.abc import Callable

from django.test import Client

from players.models import Federation, Identifier, User
from tournaments.models import Entry, Section
from tournaments.tests.conftest import Send, enter, fresh
from tournaments.tests.trf_files import LICHESS, TRF26

ClientOf = Callable[[User], Client]


def test_the_countrys_own_number_finds_the_player(
    csa: Federation, section: Section, amahle: User, client_of: ClientOf, upload: Send
) -> None:
    lerato = enter(csa, "Mokoena", "Lerato", 2012, "f", number="170001004")
    upload(client_of(amahle), section, TRF26.encode())
    found = section.entries.get(number=4)
    assert (found.player, found.match) == (lerato, Entry.Match.CERTAIN)
    assert (found.filed_id, found.other_ids) == ("14300004", [["number", "170001004"]])


def test_a_number_that_the_register_does_not_know_leaves_the_id_of_the_players_line(
    section: Section, amahle: User, client_of: ClientOf, upload: Send
) -> None:
    upload(client_of(amahle), section, TRF26.encode())
    ids = list(section.entries.order_by("number").values_list("filed_id", flat=True))
    assert ids == ["14300001", "14300002", "", "14300004"]


def test_the_line_of_another_country_finds_nobody(
    csa: Federation, section: Section, amahle: User, client_of: ClientOf, upload: Send
) -> None:
    enter(csa, "Mokoena", "Lerato", 2012, "f", number="170001004")
    upload(client_of(amahle), section, TRF26.replace("RSA    4", "BOT    4").encode())
    found = section.entries.get(number=4)
    assert (found.filed_id, found.other_ids) == ("14300004", [])


def test_a_user_of_lichess_is_found_by_the_name_there(
    csa: Federation, section: Section, amahle: User, client_of: ClientOf, upload: Send
) -> None:
    thabo = enter(csa, "Dlamini", "Thabo", 1991, "m", number="101000001")
    Identifier.objects.create(federation=csa, kind="lichess", value="thabo-d", player=thabo)
    upload(client_of(amahle), section, LICHESS.encode())
    entry = section.entries.get(number=1)
    assert entry.candidates[0]["player"] == thabo.pk
    assert (entry.match, entry.candidates[0]["evidence"]) == ("certain", ["handle"])
    assert entry.rating is None


def test_the_coded_time_control_is_taken_before_the_words(
    section: Section, amahle: User, client_of: ClientOf, upload: Send
) -> None:
    section.particulars = {"platform": "otb"}
    section.save()
    upload(client_of(amahle), section, TRF26.replace("222 5400+30", "222 3600+15").encode())
    assert fresh(section).particulars["time_controls"] == [{"minutes": [60], "increment": 15}]
