"""One's own page lists sign-ins and tries that failed: in short, for 90 days, and nobody else's."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.utils import timezone

from federation_site.account import FAILED_SHOWN
from federation_site.models import PastSignIn
from federation_site.sign_in import (
    FAILED_KEPT,
    SIGN_IN_DAYS_KEPT,
    delete_old_sign_ins,
    describe_device,
    shorten_address,
)
from federation_site.tasks import forget_sessions
from federation_site.tests.test_second_factor import with_app
from players.models import Federation, User

ClientOf = Callable[[User], Client]
PASSWORD = "a long pass phrase"
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:131.0) Gecko/20100101 Firefox/131.0"
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def no_tries_before() -> None:
    cache.clear()


def try_to_sign_in(email: str, password: str, browser: Client | None = None) -> Client:
    browser = browser or Client()
    form = {"login": email, "password": password}
    browser.post("/accounts/login/", form, headers={"user-agent": FIREFOX})
    return browser


def outcomes(user: User) -> list[str]:
    return list(PastSignIn.objects.filter(user=user).values_list("outcome", flat=True))


def test_the_own_page_lists_sign_ins_and_tries_that_failed_the_newest_first(
    csa: Federation, nomsa: User, thandi: User
) -> None:
    try_to_sign_in(nomsa.email, "a wrong pass phrase")
    browser = try_to_sign_in(nomsa.email, PASSWORD)
    try_to_sign_in(thandi.email, "a wrong pass phrase")
    assert outcomes(nomsa) == ["signed-in", "wrong-password"]
    page = browser.get("/accounts/me/").content.decode()
    listed = page.split('id="sign-ins"')[1].split("</section>")[0]
    assert listed.index("signed in") < listed.index("failed: wrong password")
    assert listed.count("<tr>") == 3  # with the head's
    assert listed.count("Firefox, Linux") == listed.count("127.0.0.0/24") == 2
    assert "131" not in listed
    assert "127.0.0.1" not in listed


def test_a_try_at_an_address_that_nobody_has_leaves_nothing(csa: Federation) -> None:
    try_to_sign_in("nobody@example.org", PASSWORD)
    assert not PastSignIn.objects.exists()


def test_a_wrong_code_after_the_right_password_is_listed_and_no_sign_in_with_it(
    csa: Federation, nomsa: User
) -> None:
    browser = try_to_sign_in(with_app(nomsa).email, PASSWORD)
    assert outcomes(nomsa) == []
    browser.post("/accounts/2fa/authenticate/", {"code": "000000"})
    assert outcomes(nomsa) == ["wrong-code"]


def test_what_was_typed_is_kept_nowhere(csa: Federation, nomsa: User) -> None:
    try_to_sign_in(nomsa.email, "open-sesame")
    assert "sesame" not in str(list(PastSignIn.objects.values()))


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("203.0.113.77", "203.0.113.0/24"),
        ("::ffff:203.0.113.77", "203.0.113.0/24"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1::/48"),
        ("", ""),
        ("no address", ""),
    ],
)
def test_of_an_address_its_first_part_is_kept(address: str, network: str) -> None:
    assert shorten_address(address) == network


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        (FIREFOX, "Firefox, Linux"),
        (
            "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/130.0 Safari/537.36 Edg/130.0",
            "Edge, Windows",
        ),
        (
            "Mozilla/5.0 (Linux; Android 14) AppleWebKit/537.36 Chrome/130.0 Mobile Safari/537.36",
            "Chrome, Android",
        ),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1",
            "Safari, iPhone",
        ),
        ("Kestrel/9", ""),
        ("", ""),
    ],
)
def test_of_a_browser_its_kind_and_system_are_kept(said: str, kind: str) -> None:
    assert describe_device(said) == kind


def test_after_90_days_a_sign_in_is_deleted_in_the_night(csa: Federation, nomsa: User) -> None:
    now = timezone.now()
    for age in (timedelta(days=SIGN_IN_DAYS_KEPT), timedelta(days=SIGN_IN_DAYS_KEPT, seconds=1)):
        PastSignIn.objects.create(user=nomsa, outcome="signed-in", at=now - age)
    delete_old_sign_ins(now)
    assert PastSignIn.objects.get().at == now - timedelta(days=SIGN_IN_DAYS_KEPT)
    PastSignIn.objects.update(at=now - timedelta(days=SIGN_IN_DAYS_KEPT + 1))
    forget_sessions()
    assert not PastSignIn.objects.exists()


def fail(user: User, number: int, newest: datetime) -> None:
    """Keep failed tries, one a second until the newest."""
    PastSignIn.objects.bulk_create(
        PastSignIn(user=user, outcome="wrong-password", at=newest - timedelta(seconds=each))
        for each in range(number)
    )


def test_of_one_account_the_newest_200_failed_tries_are_kept_and_of_others_all(
    csa: Federation, nomsa: User, thandi: User
) -> None:
    now = timezone.now()
    fail(nomsa, FAILED_KEPT + 3, now)
    fail(thandi, FAILED_KEPT, now)
    delete_old_sign_ins(now)
    assert PastSignIn.objects.filter(user=thandi).count() == FAILED_KEPT
    kept = PastSignIn.objects.filter(user=nomsa)
    assert (kept.count(), min(each.at for each in kept)) == (
        FAILED_KEPT,
        now - timedelta(seconds=FAILED_KEPT - 1),
    )


def test_of_failed_tries_in_one_moment_200_are_kept_the_last_written(csa: Federation, nomsa: User) -> None:
    now = timezone.now()
    PastSignIn.objects.bulk_create(
        PastSignIn(user=nomsa, outcome="wrong-password", at=now) for _each in range(FAILED_KEPT + 1)
    )
    _first, *others = PastSignIn.objects.order_by("pk").values_list("pk", flat=True)
    delete_old_sign_ins(now)
    assert list(PastSignIn.objects.order_by("pk").values_list("pk", flat=True)) == others


def test_failed_tries_push_no_sign_in_out_however_many_they_are(csa: Federation, nomsa: User) -> None:
    now = timezone.now()
    for days in range(1, FAILED_KEPT + 2):
        at = now - timedelta(days=SIGN_IN_DAYS_KEPT * days / (FAILED_KEPT + 1))
        PastSignIn.objects.create(user=nomsa, outcome="signed-in", at=at)
    fail(nomsa, FAILED_KEPT + 1, now)
    delete_old_sign_ins(now)
    assert outcomes(nomsa).count("signed-in") == FAILED_KEPT + 1
    assert outcomes(nomsa).count("wrong-password") == FAILED_KEPT


def test_a_try_that_fails_while_the_night_deletes_is_kept(csa: Federation, nomsa: User) -> None:
    now = timezone.now()
    fail(nomsa, FAILED_KEPT + 1, now)
    came: list[int] = []

    def comes_first(execute: Any, sql: str, *given: Any) -> Any:
        if sql.startswith("DELETE"):
            at = now + timedelta(seconds=len(came) + 1)
            came.append(PastSignIn.objects.create(user=nomsa, outcome="wrong-code", at=at).pk)
        return execute(sql, *given)

    with connection.execute_wrapper(comes_first):
        delete_old_sign_ins(now)
    assert len(came) == 2, "once for what is old, once for what is too much"
    assert PastSignIn.objects.filter(pk__in=came).count() == 2


@pytest.mark.parametrize("more", [0, 1, 2])
def test_failed_tries_hide_no_sign_in_from_the_own_page_which_says_when_there_are_more(
    csa: Federation, nomsa: User, client_of: ClientOf, more: int
) -> None:
    now = timezone.now()
    browser = client_of(nomsa)
    PastSignIn.objects.all().delete()
    stranger = PastSignIn(user=nomsa, outcome="signed-in", at=now - timedelta(days=1), network="192.0.2.0/24")
    stranger.save()
    fail(nomsa, FAILED_SHOWN + more, now)
    page = browser.get("/accounts/me/").content.decode()
    listed = page.split('id="sign-ins"')[1].split("</section>")[0]
    assert listed.count("failed: wrong password") == FAILED_SHOWN
    assert listed.rindex("failed: wrong password") < listed.index("192.0.2.0/24")
    told = {0: "", 1: "1 older one is not.", 2: "2 older ones are not."}[more]
    assert (told in listed) if more else ("older one" not in listed)


@pytest.mark.parametrize("more", [0, 60])
def test_sign_ins_take_no_place_of_failed_tries_on_the_own_page(
    csa: Federation, nomsa: User, client_of: ClientOf, more: int
) -> None:
    now = timezone.now()
    browser = client_of(nomsa)
    fail(nomsa, FAILED_SHOWN, now - timedelta(days=1))
    PastSignIn.objects.bulk_create(
        PastSignIn(user=nomsa, outcome="signed-in", at=now, network="192.0.2.0/24") for _each in range(more)
    )
    page = browser.get("/accounts/me/").content.decode()
    assert page.count("failed: wrong password") == FAILED_SHOWN
    assert page.count("192.0.2.0/24") == more


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("203.0.113.77", "203.0.113.0/24"),
        ("::ffff:203.0.113.77", "203.0.113.0/24"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1::/48"),
    ],
)
def test_a_try_at_the_sign_in_is_listed_with_its_network_however_the_address_is_written(
    csa: Federation, nomsa: User, address: str, network: str
) -> None:
    try_to_sign_in(nomsa.email, "a wrong pass phrase", Client(REMOTE_ADDR=address))
    assert PastSignIn.objects.get(user=nomsa).network == network


def test_limits_count_each_ipv4_address_apart_also_where_it_is_written_as_ipv6(
    csa: Federation, nomsa: User
) -> None:
    for _each in range(6):
        try_to_sign_in(nomsa.email, "a wrong pass phrase", Client(REMOTE_ADDR="::ffff:203.0.113.77"))
    assert len(outcomes(nomsa)) == 5
    try_to_sign_in(nomsa.email, "a wrong pass phrase", Client(REMOTE_ADDR="203.0.113.77"))
    assert len(outcomes(nomsa)) == 5, "the same address"
    try_to_sign_in(nomsa.email, PASSWORD, Client(REMOTE_ADDR="::ffff:198.51.100.7"))
    assert outcomes(nomsa)[0] == "signed-in", "another address"


def test_refused_tries_beyond_the_limits_write_nothing(csa: Federation, nomsa: User) -> None:
    for _each in range(8):
        try_to_sign_in(nomsa.email, "a wrong pass phrase")
    assert len(outcomes(nomsa)) == 5
