"""Names stand in the order of an office's language, on every database and after every way of writing them."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Sequence
from datetime import date

import pytest
from hypothesis import given, strategies as st

from players.models import Federation, Player, Region
from players.names import LANGUAGES, LONGEST_KEY, player_sort_key, sort_key
from ratings.people import correct_player, forget_name
from ratings.rulesets import rulesets
from ratings.rulesets.profile import equipment_of
from ratings.tests.register_tables import some_players, written

pytestmark = pytest.mark.servers

DAY = date(2026, 5, 3)
ORDERED = {
    # each language's letters as CLDR's charts have them; then words whose order turns on one rule each
    "en": [
        "a á à ă â ä b c č ç d đ e é è f g h i j k l ł m n ń o ó ö ø p q r ř s š t u ú ü v w x y z ž а я",
        "cote coté côte côté",
        "role Role rôle Rôle roles Roles rule",
        "Adamová Čapek Ćirić Dvořák Lukášová Łukasz Mabuza Øster Ostrov Ščerba Sebego Strasser Žalud",
        "Strase Straß Strasser",
    ],
    "cs": [
        "a á b c č d ď e é ě f g h ch i í j k l ł m n ň o ó p q r ř s š t ť u ú ů v w x y ý z ž а я",
        "cihla čich hudba chudoba ihned",
        "shoda schody sídlo",
        "rak řeka sad šachy zub žába",
        "Cibulka Čapek Hora Horák Cháb Chalupa Ihnát",
        "chata cHata Chata CHata chatař",
    ],
    "pl": [
        "a á ą b c č ć d e ę f g h i j k l ł m n ń o ó p q r ř s š ś t u v w x y z ž ź ż а я",
        "Abakus Azor Ąkowski Cyba Ćma Lyski Łabędź Ozga Ósmy Szymon Ślimak Zych Źrebak Żaba",
    ],
    "ru": [
        "а б в г д е ё ж з и й к л м н о п р с т у ф х ц ч ш щ ъ ы ь э ю я a b č z ž",
        "ёж елей ёлка ель жук",
        "все Все всё Всё",
        "Елкин Ёлкин Елкина Ёлкина Жуков Abel Žák",
        "Гаврилов Ґалан Демин Дёмин Ємець Жук Иванов Іванов Їжак Йорданов Ковалёв",
    ],
}


def in_order(names: Sequence[str], language: str) -> list[str]:
    """Surnames by their keys, as they stand wherever they stood before."""
    shuffled = list(names)
    random.Random(7).shuffle(shuffled)
    return sorted(shuffled, key=lambda name: sort_key(name, "", language))


@pytest.mark.parametrize(
    ("language", "words"), [(language, words) for language, told in ORDERED.items() for words in told]
)
def test_words_stand_in_the_order_of_their_language(language: str, words: str) -> None:
    assert in_order(words.split(), language) == words.split()


def test_a_surname_decides_before_a_first_name_and_letters_of_both_before_any_accent() -> None:
    names = [("Novak", "Jan"), ("Novák", "Jan"), ("Novak", "Petr"), ("Novák", "Petr"), ("Novaková", "Ada")]
    keys = [sort_key(*name, "cs") for name in names]
    assert keys == sorted(keys)


def test_capitals_and_signs_count_last() -> None:
    names = ["Vanderman", "van der Merwe", "Vandermerwe", "Van der Merwe", "Van-der-Merwe", "van Wyk"]
    assert in_order(names, "en") == names
    assert in_order(["Nowak-Zając", "Nowakowa", "Nowak Żak"], "pl") == [
        "Nowakowa",
        "Nowak-Zając",
        "Nowak Żak",
    ]


def test_names_in_further_scripts_come_last() -> None:
    for language in LANGUAGES:
        assert in_order(["Γαβράς", "Zulu", "Яковлев", "李"], language)[2:] == ["Γαβράς", "李"]


def test_a_language_whose_order_is_not_known_has_that_of_english() -> None:
    assert sort_key("Čapek", "Jan", "xx") == sort_key("Čapek", "Jan", "en")


@pytest.mark.parametrize("slug", sorted(rulesets()))
def test_every_office_has_a_language_whose_order_is_known(slug: str) -> None:
    assert equipment_of(rulesets()[slug]).office.language in LANGUAGES


def test_each_federations_office_has_its_own_language() -> None:
    told = {slug: equipment_of(each).office.language for slug, each in rulesets().items()}
    expected = {"csa": "en", "mahjong": "ru", "pfo": "pl", "piskvorky": "cs", "ssdc": "ru"}
    assert {slug: told[slug] for slug in expected} == expected


# ---------------------------------------------------------------- any name

LETTERS = "aAáÁąbcčChHłŁńoøßæzžŻеёЁий іїґ-'’.7Ωλ李"
NAMES = st.text(st.sampled_from(LETTERS), max_size=30) | st.text(max_size=120)
LANGUAGE = st.sampled_from(LANGUAGES)


@given(NAMES, NAMES, LANGUAGE)
def test_a_key_is_digits_so_that_every_collation_agrees(surname: str, first_name: str, language: str) -> None:
    key = sort_key(surname, first_name, language)
    assert key.isascii()
    assert key.isdigit()
    assert len(key) <= LONGEST_KEY


@given(NAMES, LANGUAGE)
def test_the_form_in_which_accents_are_coded_changes_nothing(name: str, language: str) -> None:
    forms = {sort_key(unicodedata.normalize(form, name), "", language) for form in ("NFC", "NFD")}
    assert len(forms) == 1


@given(st.text(st.sampled_from("abchdz"), max_size=8), st.text(st.sampled_from("abchdz"), max_size=8))
def test_plain_small_letters_stand_as_in_the_alphabet(one: str, other: str) -> None:
    assert (sort_key(one, "", "en") < sort_key(other, "", "en")) == (one < other)


@given(st.lists(NAMES, max_size=12), st.randoms(use_true_random=False), LANGUAGE)
def test_the_order_is_one_wherever_names_stood_before(
    names: list[str], chance: random.Random, language: str
) -> None:
    numbered = list(enumerate(names))
    mixed = list(numbered)
    chance.shuffle(mixed)
    by_key = [
        sorted(each, key=lambda pair: (sort_key(pair[1], "", language), pair[0]))
        for each in (numbered, mixed)
    ]
    assert by_key[0] == by_key[1]


# ---------------------------------------------------------------- the register


def enter(federation: Federation, *surnames: str) -> None:
    Player.objects.bulk_create(
        Player(federation=federation, number=str(number), surname=surname)
        for number, surname in enumerate(surnames, start=1)
    )


def test_the_database_sorts_by_the_order_of_the_offices_language(csa: Federation) -> None:
    words = ORDERED["en"][3].split()
    enter(csa, *reversed(words))
    assert list(Player.objects.values_list("surname", flat=True)) == words
    keys = list(Player.objects.order_by("sort_key").values_list("sort_key", flat=True))
    assert keys == sorted(keys)


@pytest.mark.django_db
@pytest.mark.parametrize(("slug", "place"), [("csa", 3), ("piskvorky", 4), ("pfo", 1), ("mahjong", 3)])
def test_regions_stand_in_the_order_of_the_offices_language(slug: str, place: int) -> None:
    office = Federation.objects.create(code=slug, name=slug, ruleset_slug=slug)
    words = ORDERED[office.equipment.office.language][place].split()
    Region.objects.bulk_create(
        Region(federation=office, code=str(number), name=word) for number, word in enumerate(reversed(words))
    )
    assert [name for _code, name in office.region_names] == words


def test_names_that_are_equal_stand_by_number(csa: Federation) -> None:
    enter(csa, "Mokoena", "Dlamini", "Mokoena")
    assert list(Player.objects.values_list("number", flat=True)) == ["2", "1", "3"]


def keys_are_right() -> bool:
    return all(each.sort_key == player_sort_key(each) for each in Player.objects.select_related("federation"))


def test_whoever_writes_a_name_writes_its_place(csa: Federation) -> None:
    thabo, lwazi = some_players(csa)
    assert keys_are_right()
    correct_player(player=thabo, by=None, on=DAY, surname="Ábel")
    assert keys_are_right()
    Player.objects.filter(pk=lwazi.pk).update(first_name="Zodwa")
    assert keys_are_right()
    lwazi.refresh_from_db()
    lwazi.surname = "Čapek"
    lwazi.save(update_fields=["surname"])
    assert keys_are_right()
    written(csa, "number,surname,first_name", f"{thabo.number},Zulu,Thabo", ",Botha,Nomsa")
    assert keys_are_right()
    assert [each.surname for each in Player.objects.all()] == ["Botha", "Čapek", "Zulu"]


def test_of_a_deleted_name_no_key_is_left(csa: Federation) -> None:
    thabo, _lwazi = some_players(csa)
    forget_name(player=thabo, by=None, on=DAY)
    thabo.refresh_from_db()
    assert thabo.sort_key == sort_key("", "", "en")
