"""A table of what people type to find a player, and whom the public's search tells first."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from players.models import Federation, FormerName, Player
from players.names import fold, keys_with_one_typo
from ratings.pages.players import search_players
from tests.built_once import built_once

pytestmark = pytest.mark.servers

PEOPLE = {
    "101": ("Ёлкин", "Пётр"),
    "102": ("Елкина", "Анна"),
    "103": ("Щербаков", "Александр"),
    "104": ("Щербакова", "Александра"),
    "105": ("Жуковская", "Юлия"),
    "106": ("Цветаев", "Михаил"),
    "107": ("Хайруллин", "Рустам"),
    "108": ("Яковлев", "Евгений"),
    "109": ("Эйдельман", "Юрий"),
    "110": ("Зайцев", "Сергей"),
    "111": ("Иванова", "Петра"),
    "112": ("Петрова", "Ивана"),
    "113": ("Соловьёв", "Илья"),
    "114": ("Подъячев", "Игорь"),
    "201": ("Łukasiewicz", "Michał"),
    "202": ("Wiśniewska", "Małgorzata"),
    "203": ("Dąbrowski", "Grzegorz"),
    "204": ("Źdźbło", "Żaneta"),
    "205": ("Nowak-Kowalczyk", "Zofia"),
    "206": ("Nowak", "Kowalimir"),
    "207": ("Szczepański", "Krzysztof"),
    "208": ("Gałczyńska", "Święta"),
    "301": ("Dvořák", "Jiří"),
    "302": ("Dvořáková", "Jiřina"),
    "307": ("Dvorakova", "Jitka"),
    "303": ("Růžičková", "Eliška"),
    "304": ("Chytil", "Ondřej"),
    "305": ("Svěrák", "Zdeněk"),
    "306": ("Čapek", "Tomáš"),
    "401": ("van der Merwe", "Pieter"),
    "402": ("Mkhize", "Nokuthula"),
    "403": ("O'Connor", "Siân"),
    "404": ("du Toit", "François"),
    "405": ("Jankowska", "Petronela"),
    "406": ("Jan", "Petr"),
    "407": ("Müller", "Jürgen"),
    "408": ("Ndlovu", "Thandiwe"),
    "409": ("Mandlovu", "Themba"),
    "410": ("Østergård", "Søren"),
    "ab-7": ("Papadopoulos", "Γιώργος"),
}
FORMER = {"302": ("Nováčková", "Jiřina"), "111": ("Кузнецова", "Петра")}
FIRST = {
    # Cyrillic, as written and as it is often typed
    "Ёлкин": "101",
    "ёлкин": "101",
    "Елкин": "101",
    "ЕЛКИН ПЕТР": "101",
    "Пётр Ёлкин": "101",
    "Петр Елкин": "101",
    "П. Ёлкин": "101",
    "Щербаков": "103",
    "Александр Щербаков": "103",
    "щербакова": "104",
    "соловьев": "113",
    "Подьячев": "114",
    "хайр": "107",
    "юлия жук": "105",
    # transliterated in the ways that are common
    "Yolkin": "101",
    "Elkin": "101",
    "Yelkin": "101",
    "Jolkin": "101",
    "Pyotr Yolkin": "101",
    "Petr Elkin": "101",
    "Shcherbakov": "103",
    "Scherbakov": "103",
    "Szczerbakow": "103",
    "Ščerbakov": "103",
    "Aleksandr Shcherbakov": "103",
    "Alexander Scherbakov": "103",
    "Schtscherbakow": "103",
    "Zhukovskaya": "105",
    "Jukovskaia": "105",
    "Żukowska": "105",
    "Julia Zhukovskaya": "105",
    "Tsvetaev": "106",
    "Cvetaev": "106",
    "Zwetajew": "106",
    "Tsvetayev Mikhail": "106",
    "Khairullin": "107",
    "Hayrullin": "107",
    "Chajrullin": "107",
    "Yakovlev": "108",
    "Jakowlew": "108",
    "Iakovlev": "108",
    "Eidelman": "109",
    "Ejdelman": "109",
    "Yuri Eydelman": "109",
    "Zaytsev": "110",
    "Zaitsev": "110",
    "Zajcew": "110",
    "Sergei Zaitsev": "110",
    "Sergey Zaytsev": "110",
    "Solovyov": "113",
    "Soloviev": "113",
    "Solovjev": "113",
    "Ilya Solovyev": "113",
    # a Latin name asked for in Cyrillic
    "Лукасевич": "201",
    "Дворжак": "301",
    "Гжегож": "203",
    "Мюллер": "407",
    "Шчепаньски": "207",
    # a word that is whole before one that only begins so, whichever of the names it is
    "Петра Иванова": "111",
    "Ивана Петрова": "112",
    "Jan Petr": "406",
    "Petr Jan": "406",
    "Dvořák": "301",
    "dvorak": "301",
    "dvorak jiri": "301",
    "Jiri Dvorak": "301",
    "Jiřina": "302",
    "Kowalczyk Nowak": "205",
    "Nowak Kowalczyk": "205",
    # Polish and Czech letters, with and without
    "Łukasiewicz": "201",
    "Lukasiewicz": "201",
    "lukasiewicz michal": "201",
    "Michał Łukasiewicz": "201",
    "wisniewska": "202",
    "Malgorzata W": "202",
    "dabrowski": "203",
    "DĄBROWSKI": "203",
    "zdzblo": "204",
    "zaneta": "204",
    "Szczepanski Krzysztof": "207",
    "galczynska": "208",
    "swieta": "208",
    "ruzickova": "303",
    "Eliska Ruzickova": "303",
    "Růžičk": "303",
    "chytil": "304",
    "ondrej": "304",
    "Zdenek Sverak": "305",
    "capek": "306",
    "Tomas Čapek": "306",
    "D\u0076ora\u0301k": "301",  # an accent as a letter of its own
    # from South Africa and elsewhere
    "van der merwe": "401",
    "vandermerwe": "401",
    "merwe, pieter": "401",
    "Pieter van der": "401",
    "mkhi": "402",
    "nokuthula mkhize": "402",
    "oconnor": "403",
    "O’Connor": "403",
    "o connor sian": "403",
    "Francois Du Toit": "404",
    "dutoit": "404",
    "mueller": "407",
    "Juergen Müller": "407",
    "ndlovu": "408",
    "dlovu": "408",
    "ostergard": "410",
    "Oestergaard": "410",
    "soren": "410",
    "Papadopoulos Giorgos": "ab-7",
    "Παπαδόπουλος": "ab-7",
    # a name of before
    "Nováčková": "302",
    "novackova jirina": "302",
    "Jiřina Nováčková": "302",
    "Kuznetsova": "111",
    "Петра Кузнецова": "111",
    # a number, alone, begun, with a sign before it, beside the name
    "401": "401",
    "40": "401",
    " 304 ": "304",
    "#304": "304",
    "№ 304": "304",
    "No. 304": "304",
    "(304)": "304",
    "Chytil 304": "304",
    "304 Ondřej Chytil": "304",
    "Chytil, Ondřej (304)": "304",
    "ab-7": "ab-7",
    "AB-7": "ab-7",
    # one letter amiss
    "Lukasiewcz": "201",
    "Lukasievvicz": "201",
    "Lukaseiwicz": "201",
    "Dabrovsky": "203",
    "Chityl": "304",
    "Shcherbokov": "103",
    "Щербоков": "103",
    "Papadopulos": "ab-7",
    "Mkhzie": "402",
    "Nokutula": "402",
    "Shcehrbakov": "103",
    "Thandiwe Ndlovo": "408",
    "Ndolvu Thandwie": "408",
}
NOBODY = [
    "",
    " ",
    "-",
    "Chytil Jiří",
    "Chytil 401",
    "Smith",
    "999",
    "%",
    "Xyzzy 304",
    "Novotný",
    "zzzzzz",  # one sound alone is no name
    "hhhh",
]


@pytest.fixture
@built_once
def people(csa: Federation) -> Federation:
    Player.objects.bulk_create(
        Player(federation=csa, number=number, surname=surname, first_name=first, name_key=fold(surname))
        for number, (surname, first) in PEOPLE.items()
    )
    players = {player.number: player for player in Player.objects.of(csa)}
    FormerName.objects.bulk_create(
        FormerName(
            player=players[number],
            surname=surname,
            first_name=first,
            name_key=fold(surname),
            until=date(2024, 1, 1),
        )
        for number, (surname, first) in FORMER.items()
    )
    return csa


@pytest.mark.parametrize("text", FIRST)
def test_the_player_meant_comes_first(people: Federation, text: str) -> None:
    assert [player.number for player in search_players(people, text)][:1] == [FIRST[text]]


@pytest.mark.parametrize("text", NOBODY)
def test_nobody_is_found_by_what_no_name_and_number_has(people: Federation, text: str) -> None:
    assert search_players(people, text) == []


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("abcd", {"~abdc", "~acd", "~abkcd"}),  # from four letters on: swapped, left out, added
        ("ab" * 10, {"~" + "ab" * 9 + "a"}),
    ],
)
def test_a_word_of_four_to_twenty_letters_may_have_one_amiss(asked: str, told: set[str]) -> None:
    assert told <= keys_with_one_typo(asked)


@pytest.mark.parametrize("asked", ["abc", "ab" * 10 + "c"])
def test_a_shorter_or_longer_word_may_have_none_amiss(asked: str) -> None:
    assert keys_with_one_typo(asked) == set()


@pytest.mark.parametrize("asked", ["chytil", "jarzhcalarzhcarchova", "jrzhcarzhcacacrzhova"])
def test_a_word_that_can_be_read_in_many_ways_gives_no_thousands_of_keys(asked: str) -> None:
    assert len(keys_with_one_typo(asked)) < 2_000


def test_a_slip_asks_the_database_once_more_and_a_name_that_is_there_never(
    people: Federation, django_assert_num_queries: Any
) -> None:
    with django_assert_num_queries(2):
        search_players(people, "Chytil")
    with django_assert_num_queries(3):
        search_players(people, "Chytal Ondrej")


def test_who_is_withheld_is_found_by_number_alone_and_not_by_a_name_beside_it_or_a_slip(
    people: Federation,
) -> None:
    Player.objects.filter(number="304").update(withheld=True)
    assert [player.number for player in search_players(people, "#304")] == ["304"]
    for text in ("Chytil 304", "304 Ondřej", "Chytli", "Chytil"):
        assert search_players(people, text) == []


def test_the_number_of_a_merged_entry_finds_who_stays_and_not_beside_another_name(
    people: Federation,
) -> None:
    Player.objects.filter(number="305").update(merged_into=Player.objects.get(number="304"))
    assert [player.number for player in search_players(people, "No. 305")] == ["304"]
    assert search_players(people, "305 Mkhize") == []
