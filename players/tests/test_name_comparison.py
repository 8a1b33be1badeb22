import pytest

from players.names import fold, fold_words


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Müller", "MULLER"),
        ("van der Merwe", "Vandermerwe"),
        ("Nkosi-Zulu", "Nkosi Zulu"),
        ("O'Brien", "O’Brien"),
        ("Łukasz", "Lukasz"),
        ("Чайковский", "Chaikovskii"),
        ("Ёлкин", "Elkin"),
        ("Straße", "STRASSE"),
        ("Dvor\u030c\u00e1k", "Dvořák"),
    ],
)
def test_two_ways_of_writing_a_name_fold_to_one_key(one: str, other: str) -> None:
    assert fold(one) == fold(other)


def test_different_names_keep_different_keys() -> None:
    assert fold("Dlamini") != fold("Dlamina")


def test_words_stay_apart_where_first_names_are_compared() -> None:
    assert fold_words("Thabo  J.-P.") == ("thabo", "j", "p")


def test_a_name_without_letters_folds_to_nothing() -> None:
    assert fold(" -., ") == ""
