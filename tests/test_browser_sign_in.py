"""Signing in at a real office: an app without script, a passkey, every page at both sizes; and a flood."""

from __future__ import annotations

import re
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from http.cookiejar import CookieJar
from urllib.parse import urlencode

import pytest
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value
from playwright.sync_api import Browser, Page, expect

from tests.browser import Office, Visitors
from tests.browser_office import PASSWORD

pytestmark = pytest.mark.browser
EMAIL = "lindiwe@csa.example"


@pytest.fixture
def at_localhost(chromium: Browser, office: Office) -> Iterator[Visitors]:
    """Visitors who come by the machine's name: a passkey belongs to a name."""
    there = Visitors(chromium, replace(office, address=office.address.replace("127.0.0.1", "localhost")))
    yield there
    there.leave()
    assert there.faults() == []


def code(secret: str) -> str:
    return str(format_hotp_value(hotp_value(secret, int(time.time()) // 30)))


def sign_out(page: Page) -> None:
    page.goto("/accounts/logout/")
    page.get_by_role("main").get_by_role("button", name="Sign out").click()


def give_password(page: Page) -> None:
    page.goto("/accounts/login/?next=/csa/desk/")
    page.get_by_role("textbox", name="Email").fill(EMAIL)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()


def test_an_app_is_added_and_opens_without_script(visitors: Visitors) -> None:
    page = visitors.enter(java_script_enabled=False)
    give_password(page)
    page.goto("/accounts/2fa/")
    page.get_by_role("link", name="Add an app").click()
    secret = page.locator("code").inner_text()
    page.get_by_label("code").fill(code(secret))
    page.get_by_role("button", name="Add the app").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Recovery codes")
    codes = page.locator("main li").all_inner_texts()
    assert len([each for each in codes if re.fullmatch(r"\d{8}", each)]) == 10
    sign_out(page)
    give_password(page)
    expect(page.get_by_role("heading", level=1)).to_have_text("Your second factor")
    page.get_by_label("Code").fill(codes[0])
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.wait_for_url("**/csa/desk/")
    page.goto("/accounts/2fa/totp/deactivate/")
    page.get_by_role("button", name="Remove the app").click()
    page.wait_for_url("**/accounts/2fa/")


def test_a_passkey_is_added_and_opens_alone_and_is_asked_for_again(at_localhost: Visitors) -> None:
    page = at_localhost.enter()
    give_password(page)
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    options = {
        "protocol": "ctap2",
        "transport": "internal",
        "hasResidentKey": True,
        "hasUserVerification": True,
        "isUserVerified": True,
        "automaticPresenceSimulation": True,
    }
    session.send("WebAuthn.addVirtualAuthenticator", {"options": options})
    page.goto("/accounts/2fa/")
    page.get_by_role("link", name="Add a passkey").click()
    page.get_by_label("Name").fill("Lindiwe's laptop")
    page.get_by_label("Passwordless").check()
    at_localhost.look(page)
    page.get_by_role("button", name="Add it").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Recovery codes")
    at_localhost.look(page)
    for path in (
        "/accounts/2fa/",
        "/accounts/2fa/webauthn/",
        "/accounts/sessions/",
        "/accounts/2fa/totp/activate/",
    ):
        page.goto(path)
        at_localhost.look(page)
    page.goto("/accounts/2fa/reauthenticate/?next=/csa/desk/")
    at_localhost.look(page)
    page.get_by_role("link", name="Use a security key").click()
    page.get_by_role("button", name="Use your passkey").click()
    page.wait_for_url("**/csa/desk/")
    sign_out(page)
    page.goto("/accounts/login/")
    at_localhost.look(page)
    page.get_by_role("button", name="Sign in with a passkey").click()
    page.wait_for_url("**/csa/desk/")
    sign_out(page)
    give_password(page)
    at_localhost.look(page)
    page.get_by_role("button", name="Use your passkey").click()
    page.wait_for_url("**/csa/desk/")


# ---------------------------------------------------------------- a stranger's flood


Opener = urllib.request.OpenerDirector


def device() -> Opener:
    return urllib.request.build_opener(urllib.request.HTTPCookieProcessor(CookieJar()))


def lets_in(office: Office, password: str, opener: Opener | None = None) -> bool:
    """Whether Sipho's account opens with that password, from a new device unless one is given."""
    opener, address = opener or device(), f"{office.address}/accounts/login/"
    page = opener.open(address).read().decode()
    [token] = re.findall(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)[:1]
    form = {
        "csrfmiddlewaretoken": token,
        "login": "sipho@csa.example",
        "password": password,
        "next": "/csa/desk/",
    }
    answer = opener.open(address, urlencode(form).encode())
    return bool(answer.geturl().endswith("/csa/desk/"))


def sign_out_of(office: Office, opener: Opener) -> None:
    page = opener.open(f"{office.address}/accounts/logout/").read().decode()
    [token] = re.findall(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)[:1]
    opener.open(f"{office.address}/accounts/logout/", urlencode({"csrfmiddlewaretoken": token}).encode())


def test_no_flood_of_pages_wipes_the_tries_and_a_known_device_still_opens(office: Office) -> None:
    """Six wrong passwords, then more days of a table than the pages' cache holds: it still waits."""
    known = device()
    assert lets_in(office, PASSWORD, known)
    sign_out_of(office, known)
    assert [lets_in(office, "wrong") for _attempt in range(6)] == [False] * 6
    assert not lets_in(office, PASSWORD)
    for number in range(330):
        day = date(2019, 1, 1) + timedelta(days=number)
        urllib.request.urlopen(f"{office.address}/csa/tables/performances/?on={day}").read()
    assert not lets_in(office, PASSWORD)
    assert lets_in(office, PASSWORD, known)
