"""Coming in and going out: by address and password, nobody signs up, guessing is slow."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from django.core import mail
from django.core.cache import caches
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from conftest import appointed
from players.models import Federation, Role, User
from tests.built_once import built_once

ClientOf = Callable[[User], Client]
PASSWORD = "a long pass phrase"
pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
@built_once
def nobody_has_tried_yet(db: None) -> None:
    caches["default"].clear()


def sign_in(browser: Client, email: str, password: str = PASSWORD, following: str = "") -> str:
    answer = browser.post("/accounts/login/", {"login": email, "password": password, "next": following})
    return answer.headers.get("Location", "")


def test_signing_in_leads_to_the_desk_of_ones_office(csa: Federation, nomsa: User) -> None:
    assert sign_in(Client(), nomsa.email) == "/csa/desk/"


def test_an_address_may_be_written_in_any_case(csa: Federation, nomsa: User) -> None:
    assert sign_in(Client(), nomsa.email.upper()) == "/csa/desk/"


def test_signing_in_leads_back_to_the_page_that_asked_for_it(csa: Federation, thandi: User) -> None:
    browser = Client()
    asked = browser.get("/csa/people/").headers["Location"]
    assert asked == "/accounts/login/?next=/csa/people/"
    assert sign_in(browser, thandi.email, following="/csa/people/") == "/csa/people/"


def test_signing_in_never_leads_to_another_site(csa: Federation, nomsa: User) -> None:
    assert sign_in(Client(), nomsa.email, following="https://evil.example/") == "/csa/desk/"


def test_who_holds_no_appointment_lands_on_the_front_page(csa: Federation) -> None:
    User.objects.create_user("lerato@example.org", PASSWORD)
    assert sign_in(Client(), "lerato@example.org") == "/"


def test_nobody_signs_up(csa: Federation) -> None:
    answer = Client().post(
        "/accounts/signup/", {"email": "new@example.org", "password1": PASSWORD, "password2": PASSWORD}
    )
    assert "No sign-up here" in answer.content.decode()
    assert not User.objects.exists()


def test_signing_out_wants_a_form_and_not_a_link(csa: Federation, nomsa: User, client_of: ClientOf) -> None:
    browser = client_of(nomsa)
    browser.get("/accounts/logout/")
    assert browser.get("/csa/desk/").status_code == 200
    browser.post("/accounts/logout/")
    assert browser.get("/csa/desk/").status_code == 302


def test_a_wrong_password_and_an_unknown_address_get_the_same_words(csa: Federation, nomsa: User) -> None:
    pages = [
        Client().post("/accounts/login/", {"login": email, "password": "wrong"}).content.decode()
        for email in (nomsa.email, "nobody@example.org")
    ]
    said = [re.findall(r'<div class="form-errors".*?</div>', page, re.DOTALL) for page in pages]
    assert said[0] == said[1] != []


def test_a_forgotten_password_is_chosen_anew_by_letter(
    csa: Federation, nomsa: User, client_of: ClientOf
) -> None:
    old_session = client_of(nomsa)
    Client().post("/accounts/password/reset/", {"email": nomsa.email})
    link = re.search(r"http://testserver(\S+/key/\S+)", str(mail.outbox[0].body))
    assert link
    browser = Client()
    form = browser.get(link[1], follow=True)
    words = {"password1": "sorghum lantern 41", "password2": "sorghum lantern 41"}
    assert browser.post(form.redirect_chain[-1][0], words).headers["Location"] == "/csa/desk/"
    assert old_session.get("/csa/desk/").status_code == 302


def test_a_forgotten_password_answers_alike_for_an_address_that_has_no_account(
    csa: Federation, nomsa: User
) -> None:
    answers = [
        Client().post("/accounts/password/reset/", {"email": e}) for e in (nomsa.email, "no@example.org")
    ]
    assert {(answer.status_code, answer.headers["Location"]) for answer in answers} == {
        (302, "/accounts/password/reset/done/")
    }
    assert [letter.to for letter in mail.outbox] == [[nomsa.email]]  # none to an address that nobody here has


def test_a_forgotten_password_asks_the_database_the_same_for_an_address_that_has_no_account(
    csa: Federation, nomsa: User
) -> None:
    """So that the time of the answer does not tell it either; the worker looks the account up."""
    Client().post("/accounts/password/reset/", {"email": "first@example.org"})  # what is read once
    asked = []
    for email in (nomsa.email, "nobod@example.org"):
        with CaptureQueriesContext(connection) as queries:
            Client().post("/accounts/password/reset/", {"email": email})
        shapes = [re.sub(r"'[^']*'|\d+", "?", query["sql"]) for query in queries]
        [sent] = [n for n, shape in enumerate(shapes) if shape.startswith('INSERT INTO "players_letter"')]
        asked.append(shapes[: sent + 1])  # then the worker sends it, here at once
    assert asked[0] == asked[1]


def test_nobody_changes_their_own_address(csa: Federation, nomsa: User, client_of: ClientOf) -> None:
    assert client_of(nomsa).get("/accounts/email/").status_code == 404
    assert (
        client_of(nomsa).post("/accounts/email/", {"email": "x@example.org", "action_add": ""}).status_code
        == 404
    )


def test_of_two_offices_the_one_that_appointed_last_is_first(csa: Federation, nomsa: User) -> None:
    other = Federation.objects.create(code="other", name="Other", ruleset_slug="csa")
    appointed("Zanele", other, Role.OFFICIAL)
    zanele = User.objects.get(name="Zanele")
    zanele.appointments.create(role=Role.OFFICIAL, federation=csa, starts="2021-01-01")
    assert sign_in(Client(), zanele.email) == "/csa/desk/"
