"""A search for a name forgives its spelling: words in any order, accents, alphabets."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from django.test import Client

from players.models import ENOUGH_FOUND, Federation, FormerName, NameWord, Player, User
from players.names import fold, keys_of_name
from tests.built_once import built_once

pytestmark = pytest.mark.servers

PEOPLE = {
    "1": ("Dudek", "Łukasz"),
    "2": ("Dudek", "Anna"),
    "3": ("Hájková", "Eliška"),
    "4": ("Růžička", "Vojtěch"),
    "5": ("Фёдорова", "Ксения"),
    "6": ("Фёдоров", "Кирилл"),
    "7": ("Fyodorov", "Ilya"),
    "8": ("Ковалёва", "Жанна"),
    "9": ("Жукова", "Юлия"),
    "10": ("Ёлкин", "Пётр"),
    "11": ("Голубев", "Евгений"),
    "12": ("Naidoo", "Rohan"),
    "13": ("du Plessis", "Jan"),
    "14": ("van Wyk", "Tintswalo"),
    "15": ("O'Brien", "Siân"),
    "16": ("van der Merwe", "Pieter"),
    "17": ("Åkesson", "Björn"),
    "18": ("Müller", "Jürgen"),
    "19": ("Щербаков", "Александр"),
    "20": ("Хайруллин", "Рустам"),
    "21": ("Pawłow", "Józef"),
    "22": ("Nowak-Kowalska", "Zofia"),
    "23": ("Цветкова", "Дарья"),
    "24": ("Li", "Wei"),
    "25": ("Liang", "Ming"),
    "26": ("Vandermerwe", "Susan"),
    "27": ("Иванова", "Светлана"),
    "28": ("Đorđević", "Миlan"),
    "29": ("Чехов", "Артём"),
    "30": ("Kowalski", "Piotr"),
}
FOUND_FIRST = {
    "Dudek Lukasz": "1",
    "Dudek, Lukasz": "1",
    "dudek łukasz": "1",
    "Lukasz Dudek": "1",
    "łuk": "1",
    "Dudek": "2",
    "anna d": "2",
    "Hajkova Eliska": "3",
    "hajkova": "3",
    "ELIŠKA": "3",
    "Ruzicka Vojtech": "4",
    "Vojtech Růžička": "4",
    "ruzi": "4",
    "фёдорова ксения": "5",
    "ФЕДОРОВА": "5",
    "Fedorova Ksenia": "5",
    "Kseniya Fyodorova": "5",
    "Fyodorova": "5",
    "ксения": "5",
    "Fedorov Kirill": "6",
    "Фёдоров Илья": "7",
    "Ilya Fedorov": "7",
    "Kovalyova": "8",
    "Kovaleva": "8",
    "zhanna": "8",
    "Jukova": "9",
    "Zhukova": "9",
    "Yulia Zhukova": "9",
    "Ёлкин": "10",
    "Yolkin": "10",
    "Elkin": "10",
    "Елкин Петр": "10",
    "Golubev": "11",
    "Golubew": "11",
    "Evgeny": "11",
    "Yevgeniy Golubev": "11",
    "Rohan": "12",
    "Rohan Naidoo": "12",
    "naid": "12",
    "Plessis": "13",
    "Du Plessis": "13",
    "duplessis": "13",
    "Wyk": "14",
    "Tintswalo": "14",
    "O'Brien": "15",
    "OBrien": "15",
    "o brien": "15",
    "sian": "15",
    "van der Merwe": "16",
    "Pieter Merwe": "16",
    "akesson bjorn": "17",
    "Bjoern": "17",
    "Mueller": "18",
    "muller jurgen": "18",
    "Shcherbakov Alexander": "19",
    "Aleksandr Scherbakov": "19",
    "Hairullin": "20",
    "pawlow": "21",
    "jozef": "21",
    "Kowalska": "22",
    "nowak kowalska": "22",
    "Cvetkova": "23",
    "Tsvetkova Daria": "23",
    "li": "24",
    "susan vandermerwe": "26",
    "Ivanova Svetlana": "27",
    "Dordevic": "28",
    "Tschechow": "29",
    "Chekhov": "29",
    "Чехов": "29",
    "kowalski p": "30",
    "Ковальский": "30",
}


@pytest.fixture
@built_once
def people(csa: Federation) -> Federation:
    Player.objects.bulk_create(
        Player(federation=csa, number=number, surname=surname, first_name=first, name_key=fold(surname))
        for number, (surname, first) in PEOPLE.items()
    )
    return csa


def found(federation: Federation, text: str, *, by_staff: bool = False) -> list[str]:
    players = Player.objects.of(federation).current().matching(text, inside_too=by_staff)
    players = players.likeliest_first(text)
    return list(players.values_list("number", flat=True))


@pytest.mark.parametrize("text", FOUND_FIRST)
def test_a_search_finds_the_right_player_first(people: Federation, text: str) -> None:
    assert found(people, text)[:1] == [FOUND_FIRST[text]]


@pytest.mark.parametrize("text", ["", "  ", "-", "Dudek Vojtech", "Smith", "xyz", "%", "_", "~", "'"])
def test_a_search_finds_nobody_where_no_name_has_all_of_its_words(people: Federation, text: str) -> None:
    assert found(people, text) == []


def test_what_stands_inside_a_word_the_public_finds_where_no_word_begins_so_and_staff_after_those(
    people: Federation,
) -> None:
    assert found(people, "jkov") == ["3"]
    assert found(people, "jk") == []  # of two letters there would be too many
    assert found(people, "merwe") == ["16"]  # and not Vandermerwe, as there is a Merwe
    assert found(people, "merwe", by_staff=True) == ["16", "26"]
    assert found(people, "jk", by_staff=True) == []
    assert found(people, "merwe su") == ["26"]  # a short word begins one, a long one may stand inside
    assert found(people, "merwe us") == []


def test_a_part_in_the_middle_of_a_name_is_found_beside_another_player_whose_name_begins_so(
    people: Federation,
) -> None:
    for number, surname in (("40", "Ndlovu"), ("41", "Mandlovu"), ("42", "Sithole-Mandlovana")):
        Player.objects.create(
            federation=people, number=number, surname=surname, first_name="Zodwa", name_key=fold(surname)
        )
    assert found(people, "ndlov", by_staff=True) == ["40", "41", "42"]
    assert found(people, "zodwa ndlov", by_staff=True) == ["40", "41", "42"]
    assert found(people, "ndlovan") == ["42"]


def test_what_stands_inside_a_name_of_before_is_found(people: Federation) -> None:
    player = Player.objects.get(number="2")
    FormerName.objects.create(
        player=player, surname="Wiśniewska", first_name="Anna", name_key="wisniewska", until=date(2024, 1, 1)
    )
    assert found(people, "niewska") == ["2"]


def test_where_those_whose_names_begin_so_fill_a_page_nobody_is_looked_for_inside(
    people: Federation, django_assert_num_queries: Any
) -> None:
    Player.objects.bulk_create(
        Player(federation=people, number=f"5{n:02}", surname="Merweman", name_key="merweman")
        for n in range(ENOUGH_FOUND)
    )
    with django_assert_num_queries(2):
        assert "26" not in found(people, "merwe", by_staff=True)


def test_a_word_of_three_letters_is_looked_for_as_it_is_spelt_and_one_of_four_as_it_sounds(
    people: Federation,
) -> None:
    assert "9" not in found(people, "juk")
    assert found(people, "juko") == ["9"]


def test_a_player_is_found_by_a_name_of_before_and_by_that_of_an_entry_merged_into_theirs(
    people: Federation,
) -> None:
    player, other = Player.objects.get(number="2"), Player.objects.get(number="24")
    FormerName.objects.create(
        player=player, surname="Wiśniewska", first_name="Anna", name_key="wisniewska", until=date(2024, 1, 1)
    )
    Player.objects.filter(pk=other.pk).update(merged_into=player)
    assert found(people, "wisniewska") == found(people, "anna wisn") == found(people, "wei li") == ["2"]
    FormerName.objects.all().delete()
    assert found(people, "wisniewska") == []


def test_who_asked_not_to_be_named_changes_nothing_that_the_public_finds(people: Federation) -> None:
    Player.objects.filter(number="16").delete()
    before = {text: found(people, text) for text in ("merwe", "van", "vander")}
    assert before["merwe"] == ["26"]
    Player.objects.create(federation=people, number="31", surname="Merwe", name_key="merwe", withheld=True)
    assert {text: found(people, text) for text in before} == before


def words_of(player: Player) -> set[str]:
    return set(NameWord.objects.filter(player=player, former=None).values_list("key", flat=True))


def test_the_words_of_a_name_follow_it_however_it_is_written(people: Federation) -> None:
    player = Player.objects.get(number="12")
    player.surname, player.name_key = "Govender", "govender"
    player.save()
    assert words_of(player) == keys_of_name("Govender", "Rohan")
    Player.objects.filter(number="12").update(first_name="Rahul")
    assert words_of(player) == keys_of_name("Govender", "Rahul")
    Player.objects.filter(number="12").update(surname="", first_name="")
    assert words_of(player) == set()
    NameWord.objects.filter(player__number="13").delete()
    Player.objects.filter(number="13").update(club="Test")
    assert words_of(Player.objects.get(number="13")) == set()  # nothing else than a name has them written


def test_the_page_of_players_finds_more_for_whoever_is_signed_in(
    people: Federation, client: Client, client_of: Callable[[User], Client], nomsa: User
) -> None:
    seen = [
        b"Vandermerwe" in each.get("/csa/players/?q=merwe").content for each in (client, client_of(nomsa))
    ]
    assert seen == [False, True]
