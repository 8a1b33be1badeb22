"""New devices, changes of an account and failed tries are told; one signs out everywhere."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
import time_machine
from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.core import mail
from django.test import Client
from structlog.testing import capture_logs

from federation_site.tasks import forget_sessions
from players.models import Federation, User

ClientOf = Callable[[User], Client]
PASSWORD = "a long pass phrase"
pytestmark = pytest.mark.django_db


def sign_in(browser: Client, user: User, password: str = PASSWORD) -> None:
    browser.post("/accounts/login/", {"login": user.email, "password": password}, HTTP_USER_AGENT="Kestrel/9")


def test_a_sign_in_on_a_new_device_is_told_by_letter_and_the_next_one_there_is_not(
    csa: Federation, nomsa: User
) -> None:
    browser = Client()
    sign_in(browser, nomsa)
    [letter] = mail.outbox
    assert (letter.to, letter.subject) == ([nomsa.email], "A sign-in from a new device")
    assert "127.0.0.1" in letter.body
    assert "Kestrel/9" in letter.body
    browser.post("/accounts/logout/")
    sign_in(browser, nomsa)
    assert len(mail.outbox) == 1


def test_a_device_known_to_one_is_new_to_another(csa: Federation, nomsa: User, thandi: User) -> None:
    browser = Client()
    for person in (nomsa, thandi, nomsa, thandi):
        sign_in(browser, person)
        browser.post("/accounts/logout/")
    assert [letter.to for letter in mail.outbox] == [[nomsa.email], [thandi.email]]


def test_a_letter_that_cannot_be_sent_keeps_nobody_out(
    csa: Federation, nomsa: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    def down(*_: object) -> None:
        raise ConnectionRefusedError

    monkeypatch.setattr("django.core.mail.EmailMessage.send", down)
    browser = Client()
    with capture_logs() as lines:
        sign_in(browser, nomsa)
    assert browser.get("/csa/desk/").status_code == 200
    assert "a letter could not be sent, and is tried again" in [line["event"] for line in lines]


def test_a_changed_password_is_told_by_letter(csa: Federation, nomsa: User, client_of: ClientOf) -> None:
    words = {"oldpassword": PASSWORD, "password1": "sorghum lantern 41", "password2": "sorghum lantern 41"}
    client_of(nomsa).post("/accounts/password/change/", words)
    assert [letter.subject for letter in mail.outbox] == ["Your password was changed"]


def test_tries_are_logged_under_the_persons_number_and_never_what_was_typed(
    csa: Federation, nomsa: User
) -> None:
    with capture_logs() as lines:
        sign_in(Client(), nomsa, "open-sesame")
        Client().post("/accounts/login/", {"login": "my-sesame@oops.example", "password": "open-sesame"})
        sign_in(Client(), nomsa)
    told = [(line["event"], line["person"], line["address"]) for line in lines if "person" in line]
    assert told == [
        ("sign-in failed", nomsa.pk, "127.0.0.1"),
        ("sign-in failed", None, "127.0.0.1"),
        ("signed in", nomsa.pk, "127.0.0.1"),
    ]
    assert "sesame" not in str(lines)


def test_ones_sign_ins_are_listed_and_ended_everywhere_else(csa: Federation, nomsa: User) -> None:
    here, there = Client(), Client()
    sign_in(here, nomsa)
    sign_in(there, nomsa)
    page = here.get("/accounts/sessions/").content.decode()
    assert page.count("Kestrel/9") == 2
    assert page.count("this one") == 1
    here.post("/accounts/sessions/", HTTP_USER_AGENT="Kestrel/9")
    assert here.get("/csa/desk/").status_code == 200
    assert there.get("/csa/desk/").status_code == 302
    assert here.get("/accounts/sessions/").content.decode().count("Kestrel/9") == 1


def test_signing_out_everywhere_ends_sessions_that_no_list_has_and_forgets_devices(
    csa: Federation, nomsa: User, client_of: ClientOf
) -> None:
    unlisted, device, here = client_of(nomsa), Client(), Client()
    sign_in(device, nomsa)
    device.post("/accounts/logout/")
    sign_in(here, nomsa)
    here.post("/accounts/sessions/")
    assert unlisted.get("/csa/desk/").status_code == 302
    before = len(mail.outbox)
    sign_in(device, nomsa)
    assert len(mail.outbox) == before + 1


def test_a_session_that_ran_out_is_forgotten_with_its_address_and_one_that_did_not_stays(
    csa: Federation, nomsa: User, thandi: User
) -> None:
    sign_in(Client(), nomsa)
    with time_machine.travel(datetime.now(UTC) + timedelta(hours=11, minutes=30)):
        staying = Client()
        sign_in(staying, thandi)
    with time_machine.travel(datetime.now(UTC) + timedelta(hours=13)):
        forget_sessions()
        assert staying.get("/csa/desk/").status_code == 200
    assert [kept.user for kept in UserSession.objects.all()] == [thandi]
    assert Session.objects.count() == 1
