"""Every answer of the site says what a browser may do with it, be it a page, a file or a refusal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

import pytest
import time_machine
from django.test import Client
from pytest_django import Settings

from federation_site import gateway
from federation_site.middleware import SECURITY_HEADERS
from federation_site.tests.server import Server, serving
from tests.access_world import World
from tests.test_access_matrix import MATRIX, whole_world

OF_WHOM = "Cross-Origin-Resource-Policy"


@pytest.fixture
def world(db: None) -> World:
    return whole_world()


def lacking(headers: Mapping[str, str], *, page: bool) -> list[str]:
    """What an answer does not say of all that it should; `page`: it is shown in a window."""
    wrong = [name for name, value in SECURITY_HEADERS.items() if headers.get(name) != value]
    policy = headers.get("Content-Security-Policy", "")
    if page and not ("default-src 'none'" in policy and "script-src 'self';" in f"{policy};"):
        wrong.append("Content-Security-Policy")
    return wrong + (["nonce"] if "nonce" in str(headers) else [])


@pytest.mark.long
@pytest.mark.django_db
def test_every_address_answers_with_the_same_headers_to_whoever_asks(world: World) -> None:
    wrong = {}
    for person in ("nomsa", "anonymous"):
        browser = world.browser(person)
        for name in MATRIX:
            answer = browser.get(world.address(name, "gauteng"))
            if answer.streaming:
                assert answer.getvalue() is not None  # a file is open until it is read
            missing = lacking(answer.headers, page=True)
            for_any_site = name.startswith("ratings:api_") or name == "ratings:badge"
            if for_any_site and answer.headers.get(OF_WHOM) == "cross-origin":
                missing = [each for each in missing if each != OF_WHOM]
            if missing:
                wrong[name, person] = missing
    assert wrong == {}


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["/", "/nowhere", "/accounts/login/", "/readyz", "/robots.txt", "/\0"])
def test_pages_of_no_office_answer_with_them_too(client: Client, address: str) -> None:
    assert lacking(client.get(address).headers, page=address != "/readyz") == []


@pytest.mark.django_db
def test_a_page_that_is_kept_and_confirmed_has_no_nonce_and_one_policy(client: Client, world: World) -> None:
    page = client.get("/csa/")
    again = client.get("/csa/", headers={"If-None-Match": page["ETag"]})
    assert (page.status_code, again.status_code) == (200, 304)
    assert "nonce" not in page.content.decode()
    assert page["Content-Security-Policy"] == again["Content-Security-Policy"]


# ---------------------------------------------------------------- a real server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(tmp_path_factory.mktemp("office")) as made:
        yield made


def headers(answer: str) -> dict[str, str]:
    lines = answer.partition("\r\n\r\n")[0].split("\r\n")[1:]
    told = [line.partition(":") for line in lines]
    spelt = {name.lower(): name for name in (*SECURITY_HEADERS, "Content-Security-Policy")}
    assert len([name for name, _colon, _value in told if name.lower() == "server"]) == 1
    return {spelt[name.lower()]: value.strip() for name, _colon, value in told if name.lower() in spelt}


@pytest.mark.nightly
@pytest.mark.any_database
@pytest.mark.parametrize(
    ("head", "page"),
    [
        ("GET / HTTP/1.1", True),
        ("GET /nowhere HTTP/1.1", True),
        ("GET /static/large.txt HTTP/1.1", False),
        ("GET /healthz HTTP/1.1", False),
        ("GET /readyz HTTP/1.1", False),
        (f"POST /accounts/login/ HTTP/1.1\r\nContent-Length: {gateway.PUBLIC_BODY + 1}", True),
    ],
)
def test_the_web_server_sends_them_and_names_neither_itself_nor_its_version(
    server: Server, head: str, page: bool
) -> None:
    answer = server.ask(head)
    assert lacking(headers(answer), page=page) == []
    assert "granian" not in answer.partition("\r\n\r\n")[0].lower()


# ---------------------------------------------------------------- what they say


def test_the_site_s_own_pages_and_nobody_else_may_ask_for_a_passkey() -> None:
    allowed = dict(each.split("=", 1) for each in SECURITY_HEADERS["Permissions-Policy"].split(", "))
    assert {name for name, who in allowed.items() if who != "()"} == {
        "publickey-credentials-get",
        "publickey-credentials-create",
    }
    assert allowed["publickey-credentials-get"] == allowed["publickey-credentials-create"] == "(self)"
    assert allowed["camera"] == "()"


# ---------------------------------------------------------------- security.txt

ADDRESS = "/.well-known/security.txt"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("contact", "uri"),
    [
        ("security@example.org", "mailto:security@example.org"),
        ("https://example.org/report", "https://example.org/report"),
    ],
)
def test_who_finds_a_hole_reads_whom_to_tell(
    client: Client, settings: Settings, contact: str, uri: str
) -> None:
    settings.SECURITY_CONTACT = contact
    with time_machine.travel(datetime(2026, 11, 22, 23, 59, tzinfo=UTC)):
        answer = client.get(ADDRESS)
    assert answer["Content-Type"] == "text/plain; charset=utf-8"
    assert answer.content.decode().splitlines() == [
        f"Contact: {uri}",
        "Expires: 2027-05-21T00:00:00Z",
        "Preferred-Languages: en",
        "Canonical: http://testserver/.well-known/security.txt",
    ]


@pytest.mark.django_db
def test_an_office_that_names_nobody_has_no_such_page(client: Client, settings: Settings) -> None:
    settings.SECURITY_CONTACT = ""
    assert client.get(ADDRESS).status_code == 404
