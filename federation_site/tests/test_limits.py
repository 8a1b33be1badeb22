"""Limits at sign-in: guessing is slow, no other traffic wipes the counts, nobody keeps somebody else out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from threading import Barrier, Thread
from typing import Any

import pytest
import time_machine
from django.conf import settings
from django.core import mail
from django.core.cache import caches
from django.db import connection
from django.test import Client

from players.models import Federation, User
from players.writing import page_cache as pages
from tests.built_once import built_once

ClientOf = Callable[[User], Client]
PASSWORD = "a long pass phrase"
OWNER, STRANGER = "198.51.100.7", "203.0.113.9"
pytestmark = [pytest.mark.django_db, pytest.mark.servers]


@pytest.fixture(autouse=True)
@built_once
def nobody_has_tried_yet(db: None) -> None:
    caches["default"].clear()


@pytest.fixture
def clock() -> Iterator[time_machine.Traveller]:
    with time_machine.travel(datetime(2026, 11, 22, 12, tzinfo=UTC), tick=False) as traveller:
        yield traveller


def signed_in(
    email: str, password: str = PASSWORD, *, at: str = OWNER, browser: Client | None = None
) -> bool:
    """Whether a try from an address lets in; without a browser of its own it comes from a new one."""
    form = {"login": email, "password": password}
    return (browser or Client()).post("/accounts/login/", form, REMOTE_ADDR=at).status_code == 302


def tries(count: int, email: str, *, at: str = OWNER, browser: Client | None = None) -> None:
    for _attempt in range(count):
        assert not signed_in(email, "wrong", at=at, browser=browser)


def device_of(user: User, at: str = OWNER) -> Client:
    """A browser in which the person signed in once, and out again."""
    browser = Client()
    assert signed_in(user.email, browser=browser, at=at)
    browser.post("/accounts/logout/")
    return browser


def test_after_four_wrong_passwords_the_right_one_opens_and_after_five_it_waits(
    csa: Federation, nomsa: User, thandi: User
) -> None:
    tries(4, nomsa.email)
    assert signed_in(nomsa.email)
    tries(5, thandi.email)
    assert not signed_in(thandi.email)


def test_the_wait_ends_after_five_minutes(
    csa: Federation, nomsa: User, clock: time_machine.Traveller
) -> None:
    tries(5, nomsa.email)
    clock.shift(timedelta(minutes=4, seconds=59))
    assert not signed_in(nomsa.email)
    clock.shift(timedelta(seconds=2))
    assert signed_in(nomsa.email)


def test_a_strangers_bad_tries_stand_beside_the_owners_good_one(csa: Federation, nomsa: User) -> None:
    tries(12, nomsa.email, at=STRANGER)
    assert signed_in(nomsa.email, at=OWNER)


def test_a_stranger_at_the_owners_own_address_keeps_no_known_device_out(csa: Federation, nomsa: User) -> None:
    device = device_of(nomsa)
    tries(12, nomsa.email, at=OWNER)
    assert not signed_in(nomsa.email, at=OWNER)
    assert signed_in(nomsa.email, at=OWNER, browser=device)


def test_tries_from_many_addresses_are_slowed_by_account_and_a_known_device_still_comes_in(
    csa: Federation, nomsa: User, thandi: User
) -> None:
    device = device_of(nomsa)
    for number in range(20):
        tries(5, nomsa.email, at=f"203.0.113.{number}")
    assert not signed_in(nomsa.email, at="192.0.2.200")
    assert signed_in(nomsa.email, at="192.0.2.200", browser=device)
    assert signed_in(thandi.email, at="192.0.2.201")


def test_a_known_device_guesses_no_faster_than_a_strange_one(csa: Federation, nomsa: User) -> None:
    device = device_of(nomsa)
    tries(5, nomsa.email, browser=device)
    assert not signed_in(nomsa.email, browser=device)


def test_one_address_does_not_try_many_accounts(csa: Federation, nomsa: User) -> None:
    for number in range(10):
        tries(1, f"somebody{number}@example.org", at=STRANGER)
    assert not signed_in(nomsa.email, at=STRANGER)
    assert signed_in(nomsa.email, at=OWNER)


def test_a_device_knows_only_who_signed_in_on_it(csa: Federation, nomsa: User, thandi: User) -> None:
    device = device_of(nomsa)
    tries(5, thandi.email, browser=device)
    assert not signed_in(thandi.email, browser=device)
    assert not signed_in(thandi.email)


def test_a_cookie_of_ones_own_making_makes_no_device_known(csa: Federation, nomsa: User) -> None:
    forged = Client()
    forged.cookies["device"] = f'["x", {{"{nomsa.pk}": "0123"}}]'
    tries(5, nomsa.email)
    assert not signed_in(nomsa.email, browser=forged)


def test_a_password_chosen_by_letter_opens_the_account_again(csa: Federation, nomsa: User) -> None:
    for number in range(20):
        tries(5, nomsa.email, at=f"203.0.113.{number}")
    owner = Client(REMOTE_ADDR="192.0.2.77")
    owner.post("/accounts/password/reset/", {"email": nomsa.email})
    [link] = re.findall(r"http://testserver(\S+/key/\S+)", str(mail.outbox[-1].body))
    form = owner.get(link, follow=True)
    words = {"password1": "sorghum lantern 41", "password2": "sorghum lantern 41"}
    owner.post(form.redirect_chain[-1][0], words)
    assert signed_in(nomsa.email, "sorghum lantern 41", at="192.0.2.78")


def test_no_page_that_readers_ask_for_wipes_the_counts(csa: Federation, nomsa: User) -> None:
    """What pages keep is culled when there is too much of it; the counters lie in a table of their own."""
    tries(5, nomsa.email)
    many = settings.CACHES["pages"].get("OPTIONS", {}).get("MAX_ENTRIES", 300) + 30
    for number in range(many):
        pages.set(f"tables-{number}", "kept")
    assert len([number for number in range(many) if pages.get(f"tables-{number}")]) < many
    assert not signed_in(nomsa.email)


def test_a_flood_of_other_accounts_wipes_no_counts(csa: Federation, nomsa: User) -> None:
    counters = caches["default"]
    tries(5, nomsa.email)
    for number in range(400):
        counters.set(f"0-{number}", [1.0])
        counters.set(f"zz-{number}", [1.0])
    assert not signed_in(nomsa.email)


@pytest.mark.django_db(transaction=True)
def test_of_twelve_parallel_tries_five_are_tried(csa: Federation, nomsa: User) -> None:
    start, tried = Barrier(12), []

    def guess() -> None:
        browser = Client()
        start.wait()
        answer: Any = browser.post("/accounts/login/", {"login": nomsa.email, "password": "wrong"})
        tried.append("Too many" not in answer.content.decode())
        connection.close()

    threads = [Thread(target=guess) for _each in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(tried) == 12
    assert sum(tried) <= 5
