"""A session ends twelve hours after its sign-in, two after anything was done; a proof renews its key."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
import time_machine
from allauth.mfa.totp.internal.auth import TOTP
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.sessions.models import Session
from django.core.cache import caches
from django.core.management import CommandError, call_command
from django.test import Client
from structlog.testing import capture_logs

from players.models import Federation, User

ClientOf = Callable[[User], Client]
PASSWORD = "a long pass phrase"
pytestmark = [pytest.mark.django_db, pytest.mark.servers]


@pytest.fixture(autouse=True)
def clock(db: None) -> Iterator[time_machine.Traveller]:
    caches["default"].clear()
    with time_machine.travel(datetime(2026, 11, 22, 6, tzinfo=UTC), tick=False) as traveller:
        yield traveller


def signed_in(user: User) -> Client:
    browser = Client()
    browser.post("/accounts/login/", {"login": user.email, "password": PASSWORD})
    return browser


def key_of(browser: Client) -> str:
    return str(browser.cookies[settings.SESSION_COOKIE_NAME].value)


def with_key(key: str) -> Client:
    browser = Client()
    browser.cookies[settings.SESSION_COOKIE_NAME] = key
    return browser


def work(browser: Client, clock: time_machine.Traveller, *, hours: int) -> None:
    """Look at the desk, as somebody at work does, once in an hour."""
    for _ in range(hours):
        browser.get("/csa/desk/")
        clock.shift(timedelta(hours=1))


IDLE = timedelta(seconds=settings.SESSION_IDLE_AGE)
SECOND = timedelta(seconds=1)


def test_a_session_in_which_nothing_is_done_ends_after_two_hours(
    csa: Federation, nomsa: User, clock: time_machine.Traveller
) -> None:
    browser = signed_in(nomsa)
    for _ in range(3):
        clock.shift(IDLE - SECOND)
        assert browser.get("/csa/desk/").status_code == 200
    key = key_of(browser)
    clock.shift(IDLE)
    assert browser.get("/csa/desk/").status_code == 302
    assert not Session.objects.filter(session_key=key).exists()


def test_a_page_that_stands_open_and_asks_for_its_parts_keeps_no_session_alive(
    csa: Federation, nomsa: User, clock: time_machine.Traveller
) -> None:
    browser = signed_in(nomsa)
    for _ in range(8):
        clock.shift(IDLE / 8)
        answer = browser.get("/csa/desk/", headers={"HX-Request": "true"})
    assert answer.headers["HX-Refresh"] == "true"
    assert browser.get("/csa/desk/").status_code == 302


def test_when_something_was_done_is_told_of_this_session_alone_and_by_the_office_alone(
    csa: Federation, nomsa: User, clock: time_machine.Traveller
) -> None:
    first, other = signed_in(nomsa), signed_in(nomsa)
    clock.shift(IDLE - SECOND)
    first.get("/csa/desk/")
    clock.shift(SECOND)
    for told in (first.cookies[settings.SEEN_COOKIE_NAME].value, "forged", ""):
        thief = with_key(key_of(other))
        thief.cookies[settings.SEEN_COOKIE_NAME] = told
        assert thief.get("/csa/desk/").status_code == 302
    assert first.get("/csa/desk/").status_code == 200


def test_no_proxy_keeps_the_cookie_of_a_deed_and_none_is_written_twice_in_a_minute(
    csa: Federation, nomsa: User, clock: time_machine.Traveller
) -> None:
    browser = signed_in(nomsa)
    clock.shift(timedelta(seconds=59))
    assert settings.SEEN_COOKIE_NAME not in browser.get("/csa/desk/").cookies
    clock.shift(SECOND)
    assert settings.SEEN_COOKIE_NAME not in browser.get("/robots.txt").cookies
    noted = browser.get("/csa/desk/").cookies[settings.SEEN_COOKIE_NAME]
    assert (noted["httponly"], noted["samesite"], noted["path"], noted["domain"]) == (True, "Lax", "/", "")
    assert settings.SEEN_COOKIE_NAME not in browser.get("/csa/desk/").cookies


def test_a_session_in_daily_use_ends_twelve_hours_after_its_sign_in(
    csa: Federation, nomsa: User, clock: time_machine.Traveller
) -> None:
    browser = signed_in(nomsa)
    work(browser, clock, hours=6)
    browser.post("/accounts/reauthenticate/", {"password": PASSWORD})  # this writes to the session
    work(browser, clock, hours=5)
    clock.shift(timedelta(minutes=59, seconds=59))
    assert browser.get("/csa/desk/").status_code == 200
    clock.shift(timedelta(seconds=1))
    assert browser.get("/csa/desk/").headers["Location"] == "/accounts/login/?next=/csa/desk/"


def test_a_session_that_ended_is_deleted_and_its_key_opens_nothing_when_the_clock_goes_back(
    csa: Federation, nomsa: User, clock: time_machine.Traveller
) -> None:
    browser = signed_in(nomsa)
    work(browser, clock, hours=6)
    browser.post("/accounts/reauthenticate/", {"password": PASSWORD})
    key = key_of(browser)
    work(browser, clock, hours=6)
    browser.get("/csa/")
    clock.shift(timedelta(hours=-6))
    assert with_key(key).get("/csa/desk/").status_code == 302


def test_signing_in_gives_a_visitor_s_session_a_new_random_key_and_signing_out_ends_it(
    csa: Federation, nomsa: User
) -> None:
    first, second = key_of(signed_in(nomsa)), key_of(signed_in(nomsa))
    assert first != second
    assert len(first) >= 32  # of 36 letters: 165 bits
    browser = with_key(first)
    assert browser.get("/csa/desk/").status_code == 200
    fixed = Client()
    fixed.cookies[settings.SESSION_COOKIE_NAME] = "chosen-by-somebody-else-for-the-victim"
    fixed.post("/accounts/login/", {"login": nomsa.email, "password": PASSWORD})
    assert key_of(fixed) != "chosen-by-somebody-else-for-the-victim"
    browser.post("/accounts/logout/")
    assert with_key(first).get("/csa/desk/").status_code == 302
    assert not Session.objects.filter(session_key=first).exists()


def test_proving_again_who_one_is_gives_the_session_another_key_and_the_old_one_opens_nothing(
    csa: Federation, nomsa: User, clock: time_machine.Traveller
) -> None:
    browser = signed_in(nomsa)
    stolen = key_of(browser)
    clock.shift(timedelta(minutes=30))
    browser.post("/accounts/reauthenticate/", {"password": "not this one"})
    assert key_of(browser) == stolen
    browser.post("/accounts/reauthenticate/", {"password": PASSWORD})
    assert key_of(browser) != stolen
    assert browser.get("/csa/lists/publish/").status_code == 200
    assert with_key(stolen).get("/csa/desk/").status_code == 302
    assert list(UserSession.objects.values_list("session_key", flat=True)) == [key_of(browser)]
    assert browser.get("/accounts/sessions/").content.decode().count("this one") == 1


def test_whoever_runs_the_site_signs_one_person_or_everybody_out(
    csa: Federation, nomsa: User, thandi: User
) -> None:
    nomsas, thandis = signed_in(nomsa), signed_in(thandi)
    call_command("end_sessions", nomsa.email, stdout=StringIO())
    assert nomsas.get("/csa/desk/").status_code == 302
    assert thandis.get("/csa/desk/").status_code == 200
    said = StringIO()
    call_command("end_sessions", "--all", stdout=said)
    assert thandis.get("/csa/desk/").status_code == 302
    assert "2 people sign in anew" in said.getvalue()
    with pytest.raises(CommandError, match="no account"):
        call_command("end_sessions", "nobody@example.org")


@pytest.mark.parametrize(
    "page",
    ["2fa/totp/deactivate/", "2fa/webauthn/add/", "2fa/recovery-codes/generate/"],
)
def test_a_second_factor_is_added_only_by_whoever_has_just_proved_who_they_are(
    csa: Federation, nomsa: User, clock: time_machine.Traveller, page: str
) -> None:
    TOTP.activate(nomsa, "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP")
    browser = Client()
    browser.force_login(nomsa)
    clock.shift(timedelta(minutes=21))
    answer = browser.get(f"/accounts/{page}")
    assert answer.status_code == 302
    assert "reauthenticate" in answer.headers["Location"]


def test_a_page_that_is_refused_is_logged_with_who_asked(
    csa: Federation, nomsa: User, client_of: ClientOf
) -> None:
    with capture_logs() as lines:
        assert client_of(nomsa).get("/csa/settings/").status_code == 403
    [line] = [line for line in lines if line["event"] == "request"]
    assert (line["path"], line["status"], line["person"]) == ("/csa/settings/", 403, nomsa.pk)


def test_every_page_of_whoever_is_signed_in_offers_to_sign_out(
    csa: Federation, nomsa: User, client_of: ClientOf
) -> None:
    for page in ("/csa/", "/csa/desk/", "/csa/record/", "/accounts/sessions/", "/accounts/2fa/"):
        assert 'action="/accounts/logout/"' in client_of(nomsa).get(page).content.decode(), page


def test_other_sessions_are_ended_only_by_whoever_has_proved_not_long_ago_who_they_are(
    csa: Federation, nomsa: User, clock: time_machine.Traveller
) -> None:
    other = signed_in(nomsa)
    clock.shift(timedelta(minutes=1))
    stolen = signed_in(nomsa)
    clock.shift(timedelta(minutes=30, seconds=1))
    answer = stolen.post("/accounts/sessions/")
    assert answer.headers["Location"].startswith("/accounts/reauthenticate/")
    assert other.get("/csa/desk/").status_code == 200
    stolen.post("/accounts/reauthenticate/", {"password": PASSWORD})
    stolen.post("/accounts/sessions/")
    assert other.get("/csa/desk/").status_code == 302
