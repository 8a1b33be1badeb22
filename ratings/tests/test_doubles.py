"""Likely doubles of the register: who is offered, who is not, and the answer that two are two."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from django.test import Client

from players.identity import find_two_persons_decision, likely_doubles, record_two_persons
from players.models import BirthDate, Decision, Federation, Identifier, Player, User
from players.names import fold
from players.record import Refused
from players.settings import today
from ratings.merging import compute_mark, merge_players, part_players
from ratings.people import correct_player
from ratings.tests.office import register, submitted

ClientOf = Callable[[User], Client]
pytestmark = pytest.mark.django_db
DAY = date(2026, 5, 3)


def entered(csa: Federation, number: int, name: str, birth: str = "1963-11-01", sex: str = "f") -> Player:
    surname, _comma, first_name = name.partition(", ")
    player = Player.objects.create(
        federation=csa,
        number=str(number),
        surname=surname,
        first_name=first_name,
        name_key=fold(surname),
        born=int(birth[:4]) if birth else None,
        sex=sex,
    )
    if len(birth) == 10:
        BirthDate.objects.create(player=player, day=date.fromisoformat(birth))
    return player


@pytest.mark.parametrize(
    ("name", "birth", "sex", "offered"),
    [
        ("Nkosi, Tintswalo", "1963-11-01", "f", True),
        ("Nkosi, Tintswalo", "1963-11-02", "f", False),
        ("Nkosi, Tintswalo", "1963", "f", False),
        ("Rikhotso, Tintswalo", "1963", "f", True),
        ("Rikhotso, Tintswalo", "", "", True),
        ("Rikhotso, Tintswalo", "1964", "f", False),
        ("irkhotso, Tintswalo", "1963", "f", True),
        ("Рихотсо, Тинтсвало", "1963", "f", True),
        ("Tintswalo, Rikhotso", "1963", "f", True),
        ("Rikhotso, T", "1963-11-01", "f", True),
        ("Rikhotso, Tintswala", "1963-11-01", "f", True),
        ("Rikhotso, Tintswala", "1963", "f", False),
        ("Rikhotso, Tintswalo", "1963-11-01", "m", False),
        ("Rikhotso, Lerato", "1963-11-01", "f", False),
    ],
)
def test_who_may_be_one_person_is_offered(
    csa: Federation, name: str, birth: str, sex: str, offered: bool
) -> None:
    one, other = entered(csa, 1, "Rikhotso, Tintswalo"), entered(csa, 2, name, birth, sex)
    found = [(pair.one, pair.other) for pair in likely_doubles(csa)]
    assert found == ([(one.pk, other.pk)] if offered else [])


@pytest.mark.parametrize(("kind", "offered"), [("wof", False), ("wof-provisional", True)])
def test_numbers_of_another_register_tell_two_apart_and_those_of_pairing_programs_do_not(
    csa: Federation, kind: str, offered: bool
) -> None:
    for number, value in enumerate(("90001", "90002"), 1):
        player = entered(csa, number, "Zwane, Bongani", "2001")
        Identifier.objects.create(federation=csa, player=player, kind=kind, value=value)
    assert bool(likely_doubles(csa)) == offered


def test_a_former_name_finds_the_double(csa: Federation) -> None:
    married = entered(csa, 1, "Rikhotso, Tintswalo", "1963")
    correct_player(player=married, by=None, on=DAY, surname="Nkosi")
    entered(csa, 2, "Rikhotso, Tintswalo", "1963")
    [pair] = likely_doubles(csa)
    assert "former-surname" in pair.evidence


def test_two_persons_are_told_apart_once_and_not_asked_again(
    client_of: ClientOf, csa: Federation, nomsa: User
) -> None:
    one, other = entered(csa, 1, "Rikhotso, Tintswalo"), entered(csa, 2, "Nkosi, Tintswalo")
    browser = client_of(nomsa)
    page = " ".join(browser.get("/csa/players/doubles/").content.decode().split())
    assert "same date of birth" in page
    assert f"/csa/players/{other.number}/merge/?into={one.number}" in page
    sent: dict[str, Any] = {"player": one.number, "other": other.number, "reason": ""}
    assert browser.post("/csa/players/doubles/", sent).status_code == 400
    sent["reason"] = "two identity documents"
    assert browser.post("/csa/players/doubles/", sent).status_code == 302
    assert browser.post("/csa/players/doubles/", sent).status_code == 409
    assert "No likely doubles" in browser.get("/csa/players/doubles/").content.decode()
    [decision] = Decision.objects.filter(kind="two-persons")
    assert (decision.by, decision.details["other"]) == (nomsa, other.number)


@pytest.mark.parametrize("turned", [False, True])
def test_two_who_were_said_to_be_two_persons_are_merged_only_by_who_has_read_that(
    client_of: ClientOf, csa: Federation, nomsa: User, thandi: User, turned: bool
) -> None:
    one, other = entered(csa, 1, "Rikhotso, Tintswalo"), entered(csa, 2, "Nkosi, Tintswalo")
    record_two_persons(player=one, other=other, by=nomsa, on=DAY, reason="two identity documents")
    player, into = (other, one) if turned else (one, other)
    browser, address = client_of(nomsa), f"/csa/players/{player.number}/merge/?into={into.number}"
    page = " ".join(browser.get(address).content.decode().split())
    assert f"{nomsa} said that these are two persons." in page
    assert "two identity documents" in page
    seen = compute_mark(player, into, today(csa))
    unconfirmed = browser.post(address, {"reason": "one letter", "seen": seen})
    assert unconfirmed.status_code == 400
    assert "Somebody said that they are two persons." in unconfirmed.content.decode()
    with pytest.raises(Refused, match="are two persons"):
        merge_players(player=player, into=into, by=nomsa, on=DAY, reason="one letter")
    sent = {"reason": "one letter", "seen": seen, "all_the_same": "on"}
    assert browser.post(address, sent).status_code == 302
    player.refresh_from_db()
    assert player.merged_into == into


def test_what_was_said_of_an_entry_holds_for_that_into_which_it_was_merged_and_for_no_third(
    csa: Federation, nomsa: User
) -> None:
    one, other = entered(csa, 1, "Rikhotso, Tintswalo"), entered(csa, 2, "Nkosi, Tintswalo")
    third, fourth = entered(csa, 3, "Nkosi, Anna"), entered(csa, 4, "Botha, Jan")
    record_two_persons(player=one, other=other, by=nomsa, on=DAY, reason="two identity documents")
    Player.objects.filter(pk=other.pk).update(merged_into=third)
    assert find_two_persons_decision(third, one) is not None
    assert find_two_persons_decision(fourth, one) is None
    assert find_two_persons_decision(third, fourth) is None


def test_whoever_was_parted_from_an_entry_was_said_to_be_another_person(csa: Federation, nomsa: User) -> None:
    one, other = entered(csa, 1, "Rikhotso, Tintswalo"), entered(csa, 2, "Nkosi, Tintswalo")
    merge_players(player=one, into=other, by=nomsa, on=DAY, reason="one letter")
    assert find_two_persons_decision(one, other) is None
    part_players(player=one, by=nomsa, on=DAY, reason="two letters")
    one.refresh_from_db()
    said = find_two_persons_decision(one, other)
    assert said is not None
    assert said.details["reason"] == "two letters"


def test_nobody_is_told_apart_from_an_entry_that_was_merged(csa: Federation) -> None:
    one, other = entered(csa, 1, "Rikhotso, Tintswalo"), entered(csa, 2, "Nkosi, Tintswalo")
    Player.objects.filter(pk=other.pk).update(merged_into=one)
    assert likely_doubles(csa) == []
    with pytest.raises(Refused, match="merged"):
        record_two_persons(player=one, other=other, by=None, on=DAY, reason="two documents")


def test_who_played_in_one_section_with_the_other_is_two_persons(
    client_of: ClientOf, csa: Federation, nomsa: User
) -> None:
    people = register(csa, 8)
    Player.objects.update(surname="Rikhotso", name_key="rikhotso", first_name_key="person", born=1963)
    assert len(likely_doubles(csa)) > 5
    submitted(csa, people)
    assert "No likely doubles" in client_of(nomsa).get("/csa/players/doubles/").content.decode()


@pytest.mark.nightly
@pytest.mark.long
def test_twenty_thousand_players_take_seconds(csa: Federation) -> None:
    Player.objects.bulk_create(
        (
            Player(
                federation=csa,
                number=str(n),
                surname=f"Name{chr(97 + n % 26)}{chr(97 + n // 26 % 26)}{chr(97 + n // 676 % 26)}",
                first_name=f"First{chr(97 + n % 23)}",
                name_key=f"name{chr(97 + n % 26)}{chr(97 + n // 26 % 26)}{chr(97 + n // 676 % 26)}",
                born=1950 + n % 60,
            )
            for n in range(20_000)
        ),
        batch_size=2_000,
    )
    began = time.process_time()
    likely_doubles(csa)
    assert time.process_time() - began < 20
