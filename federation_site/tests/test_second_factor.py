"""The second factor: added, asked for, asked again before what cannot be taken back, and required."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
import time_machine
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, hotp_value
from django.core import mail
from django.core.cache import caches
from django.core.management import CommandError, call_command
from django.test import Client
from pytest_django import Settings

from players.models import Federation, User

ClientOf = Callable[[User], Client]
PASSWORD = "a long pass phrase"
SECRET = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP"
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def clock(db: None) -> Iterator[time_machine.Traveller]:
    caches["default"].clear()
    with time_machine.travel(datetime(2026, 11, 22, 12, tzinfo=UTC), tick=False) as traveller:
        yield traveller


def code(secret: str = SECRET) -> str:
    """What the app shows now."""
    return str(format_hotp_value(hotp_value(secret, int(time.time()) // 30)))


def with_app(user: User) -> User:
    TOTP.activate(user, SECRET)
    return user


def sign_in(user: User, browser: Client | None = None) -> Client:
    browser = browser or Client()
    browser.post("/accounts/login/", {"login": user.email, "password": PASSWORD})
    return browser


def asks_for_it(office: Federation) -> None:
    office.settings = {"second_factor": True}
    office.save()


# ---------------------------------------------------------------- signing in


def test_the_password_alone_does_not_open_where_there_is_a_factor(csa: Federation, nomsa: User) -> None:
    browser = sign_in(with_app(nomsa))
    assert browser.get("/csa/desk/").status_code == 302
    answer = browser.post("/accounts/2fa/authenticate/", {"code": code()})
    assert answer.headers["Location"] == "/csa/desk/"
    assert browser.get("/csa/desk/").status_code == 200


def test_a_wrong_code_does_not_open_and_after_five_the_right_one_waits(csa: Federation, nomsa: User) -> None:
    browser = sign_in(with_app(nomsa))
    for _attempt in range(5):
        browser.post("/accounts/2fa/authenticate/", {"code": "000000"})
    assert browser.post("/accounts/2fa/authenticate/", {"code": code()}).status_code == 200
    assert browser.get("/csa/desk/").status_code == 302


def test_a_code_works_once_and_not_half_a_minute_later(
    csa: Federation, nomsa: User, clock: time_machine.Traveller
) -> None:
    with_app(nomsa)
    used = code()
    assert sign_in(nomsa).post("/accounts/2fa/authenticate/", {"code": used}).status_code == 302
    assert sign_in(nomsa).post("/accounts/2fa/authenticate/", {"code": used}).status_code == 200
    clock.shift(timedelta(seconds=30))
    assert sign_in(nomsa).post("/accounts/2fa/authenticate/", {"code": used}).status_code == 200
    assert sign_in(nomsa).post("/accounts/2fa/authenticate/", {"code": code()}).status_code == 302


def test_a_recovery_code_opens_once(csa: Federation, nomsa: User, client_of: ClientOf) -> None:
    first = added(client_of(nomsa))[0]
    assert sign_in(nomsa).post("/accounts/2fa/authenticate/", {"code": first}).status_code == 302
    assert sign_in(nomsa).post("/accounts/2fa/authenticate/", {"code": first}).status_code == 200


def added(browser: Client) -> list[str]:
    """An app, added on the pages as a person would; the recovery codes that are shown then."""
    page = browser.get("/accounts/2fa/totp/activate/").content.decode()
    [secret] = re.findall(r"<code>([A-Z2-7]+)</code>", page)
    shown = browser.post("/accounts/2fa/totp/activate/", {"code": code(secret)}, follow=True)
    return re.findall(r"<li>(\d{8})</li>", shown.content.decode())


@pytest.mark.django_db(transaction=True)
def test_an_app_is_added_on_the_pages_with_recovery_codes_shown_once_and_a_letter(
    csa: Federation,
    nomsa: User,
    client_of: ClientOf,
) -> None:
    browser = client_of(nomsa)
    codes = added(browser)
    assert len(set(codes)) == 10
    assert "An authenticator app was added" in [letter.subject for letter in mail.outbox]
    again = browser.get("/accounts/2fa/recovery-codes/").content.decode()
    assert codes[0] not in again
    assert "not shown again" in again


def test_secrets_of_factors_lie_encrypted(csa: Federation, nomsa: User, settings: Settings) -> None:
    with_app(nomsa)
    kept = Authenticator.objects.get(user=nomsa)
    assert SECRET not in str(kept.data)
    former, settings.SECRET_KEY = settings.SECRET_KEY, "another"
    settings.SECRET_KEY_FALLBACKS = [former]
    assert kept.wrap().validate_code(code())


def test_under_another_secret_key_no_code_opens_and_no_page_breaks(
    csa: Federation, nomsa: User, client_of: ClientOf, settings: Settings
) -> None:
    codes = added(client_of(nomsa))
    settings.SECRET_KEY = "another"
    browser = sign_in(nomsa)
    for each in (code(), codes[0]):
        assert browser.post("/accounts/2fa/authenticate/", {"code": each}).status_code == 200
    assert browser.get("/csa/desk/").status_code == 302
    assert client_of(nomsa).get("/accounts/2fa/").status_code == 200


# ---------------------------------------------------------------- asked again


def test_a_session_asks_again_after_twenty_minutes_before_a_list_is_published(
    csa: Federation, nomsa: User, client_of: ClientOf, clock: time_machine.Traveller
) -> None:
    browser = client_of(nomsa)
    clock.shift(timedelta(minutes=19, seconds=59))
    assert browser.get("/csa/lists/publish/").status_code == 200
    clock.shift(timedelta(seconds=2))
    answer = browser.get("/csa/lists/publish/")
    assert answer.headers["Location"] == "/accounts/reauthenticate/?next=%2Fcsa%2Flists%2Fpublish%2F"
    assert browser.get("/csa/desk/").status_code == 200


def test_the_right_password_leads_on_and_a_wrong_one_does_not(
    csa: Federation, nomsa: User, client_of: ClientOf, clock: time_machine.Traveller
) -> None:
    browser = client_of(nomsa)
    clock.shift(timedelta(hours=1))
    asked = browser.get("/csa/lists/publish/").headers["Location"]
    assert browser.post(asked, {"password": "wrong"}).status_code == 200
    assert browser.get("/csa/lists/publish/").status_code == 302
    assert browser.post(asked, {"password": PASSWORD}).headers["Location"] == "/csa/lists/publish/"
    assert browser.get("/csa/lists/publish/").status_code == 200


def test_who_has_a_factor_is_asked_for_it_and_the_password_is_not_enough(
    csa: Federation, nomsa: User, client_of: ClientOf, clock: time_machine.Traveller
) -> None:
    browser = client_of(with_app(nomsa))
    clock.shift(timedelta(hours=1))
    asked = browser.get("/csa/lists/publish/").headers["Location"]
    assert asked == "/accounts/2fa/reauthenticate/?next=%2Fcsa%2Flists%2Fpublish%2F"
    browser.post("/accounts/reauthenticate/?next=/csa/lists/publish/", {"password": PASSWORD})
    assert browser.get("/csa/lists/publish/").status_code == 302
    browser.post(asked, {"code": code()})
    assert browser.get("/csa/lists/publish/").status_code == 200


SIPHO = {"email": "sipho@example.org", "name": "Sipho", "role": "official", "starts": "2026-01-01"}


def test_a_form_may_be_sent_ten_minutes_longer_than_its_page_opens(
    csa: Federation, thandi: User, client_of: ClientOf, clock: time_machine.Traveller
) -> None:
    browser = client_of(thandi)
    clock.shift(timedelta(minutes=29, seconds=59))
    assert browser.get("/csa/people/appoint/").status_code == 302
    assert browser.post("/csa/people/appoint/", SIPHO).headers["Location"] == "/csa/people/"
    clock.shift(timedelta(seconds=2))
    form = {**SIPHO, "email": "other@example.org"}
    asked = browser.post("/csa/people/appoint/", form, HTTP_REFERER="http://testserver/csa/people/appoint/")
    assert asked.headers["Location"] == "/accounts/reauthenticate/?next=%2Fcsa%2Fpeople%2Fappoint%2F"
    assert [user.email for user in User.objects.filter(name="Sipho")] == ["sipho@example.org"]


@pytest.mark.parametrize("page", ["/csa/people/appoint/", "/accounts/2fa/totp/activate/"])
def test_whoever_stole_a_session_leaves_no_form_for_its_owner_to_prove(
    csa: Federation, thandi: User, client_of: ClientOf, clock: time_machine.Traveller, page: str
) -> None:
    session = client_of(thandi)
    clock.shift(timedelta(hours=1))
    session.post(page, SIPHO)
    asked = session.get(page).headers["Location"]
    session.post(page, SIPHO)
    answer = session.post(asked, {"password": PASSWORD})
    assert answer.headers["Location"] == page
    assert not User.objects.filter(email="sipho@example.org").exists()
    assert "account_reauthentication_state" not in session.session


def test_a_password_chosen_by_letter_does_not_pass_the_second_factor(csa: Federation, nomsa: User) -> None:
    with_app(nomsa)
    browser = Client()
    browser.post("/accounts/password/reset/", {"email": nomsa.email})
    [link] = re.findall(r"http://testserver(\S+/key/\S+)", str(mail.outbox[0].body))
    form = browser.get(link, follow=True)
    words = {"password1": "sorghum lantern 41", "password2": "sorghum lantern 41"}
    browser.post(form.redirect_chain[-1][0], words)
    assert browser.get("/csa/desk/").status_code == 302
    assert browser.post("/accounts/2fa/authenticate/", {"code": code()}).headers["Location"] == "/csa/desk/"


def test_a_part_of_a_page_asks_for_the_whole_page(
    csa: Federation, nomsa: User, client_of: ClientOf, clock: time_machine.Traveller
) -> None:
    browser = client_of(nomsa)
    clock.shift(timedelta(hours=1))
    answer = browser.get("/csa/lists/publish/", HTTP_HX_REQUEST="true")
    assert (answer.status_code, answer.headers["HX-Refresh"]) == (200, "true")


# ---------------------------------------------------------------- required


def test_an_office_that_asks_for_a_factor_leads_to_adding_one_and_then_opens(
    csa: Federation, nomsa: User, client_of: ClientOf
) -> None:
    asks_for_it(csa)
    browser = client_of(nomsa)
    for page in ("/csa/desk/", "/csa/lists/publish/"):
        assert browser.get(page).headers["Location"] == "/accounts/2fa/"
    assert "asks for a second factor" in browser.get("/accounts/2fa/").content.decode()
    added(browser)
    assert browser.get("/csa/desk/").status_code == 200


def test_an_office_that_does_not_ask_opens_without(csa: Federation, nomsa: User, client_of: ClientOf) -> None:
    assert client_of(nomsa).get("/csa/desk/").status_code == 200


def test_nothing_is_done_without_the_factor_that_an_office_asks_for(
    csa: Federation, thandi: User, client_of: ClientOf
) -> None:
    asks_for_it(csa)
    client_of(thandi).post("/csa/settings/regions/add/", {"code": "LIM", "name": "Limpopo"})
    assert not csa.regions.filter(code="LIM").exists()


def test_the_public_reads_such_an_office_as_ever(csa: Federation, nomsa: User, client_of: ClientOf) -> None:
    asks_for_it(csa)
    assert Client().get("/csa/").status_code == 200
    assert client_of(nomsa).get("/csa/").status_code == 200


def test_a_factor_that_was_removed_is_asked_for(csa: Federation, nomsa: User, client_of: ClientOf) -> None:
    asks_for_it(csa)
    browser = client_of(with_app(nomsa))
    assert browser.get("/csa/desk/").status_code == 200
    browser.post("/accounts/2fa/totp/deactivate/")
    assert browser.get("/csa/desk/").headers["Location"] == "/accounts/2fa/"


# ---------------------------------------------------------------- lost


def test_an_operator_takes_lost_factors_away_and_the_person_is_told_and_signed_out(
    csa: Federation, nomsa: User, thandi: User, client_of: ClientOf
) -> None:
    browser = client_of(with_app(nomsa))
    with_app(thandi)
    call_command("forget_factors", nomsa.email.upper(), stdout=StringIO())
    assert not Authenticator.objects.filter(user=nomsa).exists()
    assert Authenticator.objects.filter(user=thandi).exists()
    assert browser.get("/csa/desk/").status_code == 302
    assert mail.outbox[0].to == [nomsa.email]
    assert sign_in(nomsa).get("/csa/desk/").status_code == 200


def test_of_an_address_without_an_account_the_operator_is_told(csa: Federation) -> None:
    with pytest.raises(CommandError, match="no account"):
        call_command("forget_factors", "nobody@example.org")


# ---------------------------------------------------------------- the pages


@pytest.mark.parametrize(
    "page",
    [
        "/accounts/2fa/",
        "/accounts/2fa/totp/deactivate/",
        "/accounts/2fa/webauthn/",
        "/accounts/2fa/webauthn/add/",
        "/accounts/2fa/recovery-codes/generate/",
        "/accounts/2fa/reauthenticate/",
        "/accounts/sessions/",
    ],
)
def test_each_page_stands_and_is_kept_by_nobody_and_holds_no_inline_script(
    csa: Federation, nomsa: User, client_of: ClientOf, page: str
) -> None:
    browser = client_of(with_app(nomsa))
    answer = browser.get(page, HTTP_HOST="localhost")
    assert answer.status_code == 200
    assert "no-store" in answer.headers["Cache-Control"]
    body = answer.content.decode()
    scripts = re.findall(r"<script(?![^>]*src=)([^>]*)>", body)
    assert [script for script in scripts if 'type="application/json"' not in script] == []
    assert Client().get(page).headers["Location"].startswith("/accounts/login/")
