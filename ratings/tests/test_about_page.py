"""The page about an office says how to write to it and what it keeps, as settings and program have it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from players.models import Federation, User
from tests.pages import unbroken

pytestmark = pytest.mark.django_db
NOBODY = "Its administrators have not given an address yet"


def set_to(office: Federation, **settings: Any) -> None:
    office.settings = {**office.settings, **settings}
    office.save(update_fields=["settings"])


def told(client: Client) -> str:
    return unbroken(client.get("/csa/about/").content.decode())


def test_it_gives_the_address_and_the_words_that_administrators_set(
    client: Client, csa: Federation, thandi: User, client_of: Callable[[User], Client]
) -> None:
    assert NOBODY in told(client)
    assert "mailto:" not in told(client)
    sent = {"births": "year", "contact": "office@example.org", "responsible": "Invented Chess\n1 Main Street"}
    assert client_of(thandi).post("/csa/settings/", sent).status_code == 302
    page = told(client)
    assert 'href="mailto:office@example.org"' in page
    assert "Invented Chess<br>1 Main Street" in page
    assert NOBODY not in page


@pytest.mark.parametrize(
    ("field", "given", "words"),
    [
        ("contact", "office", "Enter a valid email address."),
        ("responsible", "a" * 1001, "at most 1000 characters"),
    ],
)
def test_what_is_no_address_or_too_long_is_refused_and_nothing_is_saved(
    csa: Federation, thandi: User, client_of: Callable[[User], Client], field: str, given: str, words: str
) -> None:
    answer = client_of(thandi).post("/csa/settings/", {"births": "year", field: given})
    assert answer.status_code == 400
    assert words in unbroken(answer.content.decode())
    csa.refresh_from_db()
    assert not csa.settings.get(field)


def test_words_of_the_settings_are_shown_as_words_and_never_run(client: Client, csa: Federation) -> None:
    set_to(csa, responsible="<script>alert(1)</script>")
    assert "<script>alert(1)" not in told(client)
    assert "&lt;script&gt;alert(1)" in told(client)


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        ({"births": "none"}, "Nothing is told of births."),
        ({"births": "group"}, "the age group of adults is told in lists; no day and no year"),
        ({"births": "year"}, "beside a name that several people have, of adults alone; the day never"),
        ({"minors": False}, "Lists by age and sex leave out children"),
        ({"minors": True}, "Lists by age and sex show children too"),
        ({"appeal_days": 0}, "21 days for appeals"),
        ({"appeal_days": 1}, "1 day for appeals"),
        ({"draft_days": 45}, "45 days"),
        ({}, "365 days after they are closed; unconfirmed ones 3 days"),
    ],
)
def test_it_says_what_is_told_and_kept_under_the_settings_and_the_regulations(
    client: Client, csa: Federation, chosen: dict[str, Any], words: str
) -> None:
    set_to(csa, **chosen)
    assert words in told(client)


@pytest.mark.parametrize(
    "page", ["", "lists/", "players/", "events/", "regulations/", "check/", "about/", "report/"]
)
def test_each_page_leads_to_it(client: Client, csa: Federation, page: str) -> None:
    assert 'href="/csa/about/"' in client.get(f"/csa/{page}").content.decode()


@pytest.mark.parametrize(
    "page", ["", "lists/", "players/?q=nobody", "events/", "check/", "about/", "journal/"]
)
def test_whoever_reads_gets_no_cookie(client: Client, csa: Federation, page: str) -> None:
    assert not client.get(f"/csa/{page}").cookies
    assert not client.get("/").cookies


def test_the_regulations_lead_to_the_enacted_text_where_its_address_is_known_else_to_whom_to_ask(
    csa: Federation, client: Client, thandi: User, client_of: Callable[[User], Client]
) -> None:
    page = client.get("/csa/regulations/").content.decode()
    assert 'href="/csa/about/#contact"' in page
    assert "Read the enacted text" not in page
    sent = {"births": "year", "enacted_text": "https://federation.example/regulations.pdf"}
    for wrong in ("not an address", "javascript:alert(1)"):
        assert client_of(thandi).post("/csa/settings/", sent | {"enacted_text": wrong}).status_code == 400
    assert client_of(thandi).post("/csa/settings/", sent).status_code == 302
    page = client.get("/csa/regulations/").content.decode()
    assert 'href="https://federation.example/regulations.pdf"' in page
    assert "#contact" not in page
