"""Points of ASVS 5.0.0 (docs/asvs.md) that Django and its libraries hold for us, until a test here fails."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import time_machine
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from django.conf import settings
from django.core import mail, signing
from django.core.mail import BadHeaderError, EmailMultiAlternatives
from django.test import Client

from federation_site.sign_in import ACTIVITY_SALT, DEVICE_COOKIE_AGE, DEVICE_SALT
from players.mail import build_message, compose_plain
from players.models import Federation, Letter, User
from ratings.disclosure import _compile_forms

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
PASSWORD = "a long pass phrase"


def test_a_name_is_searched_as_it_is_written_whatever_a_pattern_would_mean_by_it() -> None:
    """1.2.9"""
    pattern = _compile_forms([("Dlamini.*", "(Thabo"), ("[", "|")])
    assert pattern
    assert pattern.sub("…", "Dlamini.*, (Thabo plays") == "… plays"
    assert pattern.sub("…", "Dlamini and everybody else") == "Dlamini and everybody else"


@pytest.mark.parametrize(
    ("subject", "to"),
    [
        ("A list\r\nBcc: everybody@example.org", "nomsa@example.org"),
        ("A list", "nomsa@example.org\nBcc: everybody@example.org"),
    ],
)
def test_no_letter_with_a_line_break_in_a_header_goes_out(subject: str, to: str) -> None:
    """1.3.11"""
    letter = Letter(pk=1, email=to, at=NOON)
    message: EmailMultiAlternatives = build_message(letter, compose_plain(subject, "Words."))
    with pytest.raises((BadHeaderError, ValueError)):
        message.message()


@pytest.mark.django_db
def test_signing_in_and_a_forgotten_password_ask_for_no_more_than_address_and_password() -> None:
    """6.4.2: neither hints nor questions."""
    asked = {
        address: set(re.findall(r'<input[^>]* name="(\w+)"', Client().get(address).content.decode()))
        for address in ("/accounts/login/", "/accounts/password/reset/")
    }
    of_pages = {"csrfmiddlewaretoken", "language", "next", "theme"}
    assert asked["/accounts/login/"] - of_pages == {
        "login",
        "password",
        "credential",
    }  # the last: a passkey's
    assert asked["/accounts/password/reset/"] - of_pages == {"email"}


@pytest.mark.django_db
def test_recovery_codes_have_eight_digits_and_nobody_has_those_of_another(
    csa: Federation, nomsa: User, thandi: User
) -> None:
    """6.5.3, 6.5.4"""
    made = [code for user in (nomsa, thandi) for code in RecoveryCodes.activate(user).get_unused_codes()]
    assert len(set(made)) == 20
    assert all(re.fullmatch(r"\d{8}", code) for code in made)


def test_what_is_signed_for_one_purpose_is_refused_for_another_and_after_its_time() -> None:
    """9.1.2, 9.2.2"""
    with time_machine.travel(NOON, tick=False):
        signed = signing.dumps(["a device"], salt=DEVICE_SALT)
        assert signing.loads(signed, salt=DEVICE_SALT) == ["a device"]
        for salt in (ACTIVITY_SALT, "django.core.signing", "players.appointments"):
            with pytest.raises(signing.BadSignature):
                signing.loads(signed, salt=salt)
    too_late = NOON + timedelta(seconds=DEVICE_COOKIE_AGE + 1)
    with time_machine.travel(too_late, tick=False), pytest.raises(signing.SignatureExpired):
        signing.loads(signed, salt=DEVICE_SALT, max_age=DEVICE_COOKIE_AGE)


@pytest.mark.django_db
@pytest.mark.parametrize(("after", "opens"), [(timedelta(days=3), True), (timedelta(days=3, hours=1), False)])
def test_a_link_that_sets_a_password_opens_for_three_days_and_no_longer(
    csa: Federation, nomsa: User, after: timedelta, opens: bool
) -> None:
    """9.2.1"""
    with time_machine.travel(NOON, tick=False):
        nomsa.set_password(PASSWORD)
        nomsa.save()
        Client().post("/accounts/password/reset/", {"email": nomsa.email})
        [link] = re.findall(r"/accounts/password/reset/key/\S+", str(mail.outbox[-1].body))
    with time_machine.travel(NOON + after, tick=False):
        page = Client().get(link, follow=True).content.decode()
    assert ('name="password1"' in page) is opens


@pytest.mark.django_db
def test_of_a_parameter_given_twice_the_last_counts_and_an_address_fills_in_no_form(
    csa: Federation, nomsa: User
) -> None:
    """15.3.7"""
    nomsa.set_password(PASSWORD)
    nomsa.save()
    page = Client().get("/csa/players/?q=Botha&q=Dlamini").content.decode()
    assert 'value="Dlamini"' in page
    assert 'value="Botha"' not in page
    browser = Client()
    browser.post(f"/accounts/login/?login={nomsa.email}&password={PASSWORD.replace(' ', '+')}", {})
    assert "_auth_user_id" not in browser.session


ONE_REQUEST = """
import django
from types import SimpleNamespace
django.setup()
from django.http import HttpResponse
from django.test import RequestFactory
from federation_site.logs import configure_logging
from federation_site.middleware import log_requests
configure_logging(level="INFO", json=True)
request = RequestFactory().get("/csa/lists/")
request._cached_user = SimpleNamespace(pk=7)
log_requests(lambda request: HttpResponse())(request)
"""


@pytest.mark.long
def test_a_line_of_the_log_in_production_has_what_the_page_tells_and_its_time_in_utc() -> None:
    """16.1.1, 16.2.2, 16.2.3"""
    page = (Path(settings.ROOT) / "docs/security.md").read_text()
    words = re.search(r"Logs go to standard error, as JSON in production: requests \(([^)]*)\)", page)
    assert words
    done = subprocess.run(
        [sys.executable, "-c", ONE_REQUEST], cwd=settings.ROOT, capture_output=True, text=True, check=True
    )
    [line] = [json.loads(line) for line in done.stderr.splitlines()]
    names = {"time": "timestamp", "id": "request", "account": "person"}
    assert {names.get(word, word) for word in re.split(r",\s+", words[1])} <= line.keys()
    assert (line["path"], line["person"]) == ("/csa/lists/", 7)
    assert datetime.fromisoformat(line["timestamp"]).utcoffset() == timedelta(0)
