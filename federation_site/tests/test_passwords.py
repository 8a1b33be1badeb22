"""Passwords: long, and none that is tried first; nothing is asked of their characters."""

from __future__ import annotations

import re
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from django.conf import global_settings
from django.contrib.auth.hashers import make_password
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.test import Client

from federation_site.sign_in import remove_runs
from players.models import Federation, User

pytestmark = pytest.mark.django_db
PASSWORD = "a long pass phrase"
PHRASE = "kudu under seven lamps, walking home slowly past every baobab that grandmother named in the rain"


def taken(password: str, user: User | None = None) -> bool:
    try:
        validate_password(password, user)
    except ValidationError:
        return False
    return True


def with_factor(user: User) -> User:
    Authenticator.objects.create(user=user, type=Authenticator.Type.TOTP, data={"secret": ""})
    return user


@pytest.mark.parametrize(
    ("length", "is_taken"), [(14, False), (15, True), (64, True), (128, True), (129, False)]
)
def test_without_a_second_factor_fifteen_characters_are_the_least(
    nomsa: User, length: int, is_taken: bool
) -> None:
    assert taken((PHRASE + PHRASE)[:length], nomsa) == is_taken


@pytest.mark.parametrize(("length", "is_taken"), [(7, False), (8, True)])
def test_with_a_second_factor_eight_are(nomsa: User, length: int, is_taken: bool) -> None:
    assert taken("kudlampx"[:length], with_factor(nomsa)) == is_taken


@pytest.mark.parametrize(
    "password", ["zebra lamp kudu moss", "ZEBRALAMPKUDUMOSS", "731906482517394", "зебра лампа мох ночь"]
)
def test_nothing_is_asked_of_its_characters(nomsa: User, password: str) -> None:
    assert taken(password, nomsa)


@pytest.mark.parametrize(
    "password",
    [
        "password123",  # of Django's list
        "qwertzui1",
        "asdfghjkl1234567890",
        "poiuytrewq098765",
        "йцукенгшщзфывапролд",
        "aaaaaaaaaaaaaaaaaaaa",
        "abcdefghijklmnopqrst",
        "passwordpassword",
        "dragon1234567890",
        "monkeymonkeymonkey",
        "ratings-office-12345678",
        "chess south africa 1",
        "121212121212121212",
    ],
)
def test_what_is_tried_first_is_not_taken(nomsa: User, password: str) -> None:
    assert not taken(password, with_factor(nomsa))


def test_ones_own_name_and_address_are_not_taken(csa: Federation) -> None:
    user = User.objects.create_user("gabrielleadler@example.org", name="Gabrielle Adler")
    assert not taken("gabrielleadler1", user)
    assert not taken("gabrielle adler!", user)


def test_runs_are_taken_out_and_three_neighbours_are_none() -> None:
    assert remove_runs("xqwerz") == "xz"
    assert remove_runs("xqwez") == "xqwez"


def test_an_old_password_opens_and_another_is_asked_for(csa: Federation, nomsa: User) -> None:
    nomsa.set_password("rooibos7")
    nomsa.save()
    answer = Client().post("/accounts/login/", {"login": nomsa.email, "password": "rooibos7"})
    assert answer.headers["Location"] == "/accounts/password/change/?next=%2Fcsa%2Fdesk%2F"


def test_a_password_may_be_pasted_and_read_from_a_keeper_of_passwords(csa: Federation) -> None:
    page = Client().get("/accounts/login/").content.decode()
    assert 'autocomplete="current-password"' in page
    assert "onpaste" not in page


def test_a_password_counts_to_its_last_character_as_it_was_typed(csa: Federation, nomsa: User) -> None:
    chosen = "  Marula\u00e9 " + "kudu impala nyala " * 6 + "End "
    assert 64 < len(chosen) <= 128
    words = {"oldpassword": PASSWORD, "password1": chosen, "password2": chosen}
    browser = Client()
    browser.force_login(nomsa)
    assert browser.post("/accounts/password/change/", words).status_code == 302
    for typed, opens in (
        (chosen.lower(), False),
        (chosen.strip(), False),
        (chosen[:-1], False),
        (chosen, True),
    ):
        answer = Client().post("/accounts/login/", {"login": nomsa.email, "password": typed})
        assert (answer.status_code == 302) is opens, typed


def test_a_password_is_changed_only_by_whoever_knows_the_present_one(csa: Federation, nomsa: User) -> None:
    browser = Client()
    browser.force_login(nomsa)
    words = {"password1": "sorghum lantern 41", "password2": "sorghum lantern 41"}
    for present, changes in (("", False), ("not this one at all", False), (PASSWORD, True)):
        browser.post("/accounts/password/change/", {"oldpassword": present, **words})
        nomsa.refresh_from_db()
        assert nomsa.check_password("sorghum lantern 41") is changes


def test_a_password_is_kept_by_a_slow_salted_function_and_typed_unseen(settings: Any) -> None:
    settings.PASSWORD_HASHERS = global_settings.PASSWORD_HASHERS  # the site's settings name none; tests hurry
    function, rounds, _salt, _digest = make_password(PASSWORD).split("$")
    assert (function, int(rounds) >= 600_000) == ("pbkdf2_sha256", True)
    page = Client().get("/accounts/login/").content.decode()
    assert re.search(r'<input[^>]*type="password"', page)
