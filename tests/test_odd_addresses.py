"""Addresses that no link of ours leads to: whatever stands in them, the answer is no fault of ours."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import Any

import pytest
from django.test import Client
from django.urls import clear_script_prefix, set_script_prefix

from players.models import Federation
from ratings.tests.office import approved, published, register, submitted
from tests.built_once import built_once

pytestmark = pytest.mark.django_db


@pytest.fixture
@built_once
def office(csa: Federation) -> Federation:
    approved(submitted(csa, register(csa, 10)))
    published(csa, date(2024, 4, 1))
    return csa


@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("players/101000001/?before=%C2%B2", 200),
        ("players/101000001/?on=9999-12-31", 404),
        ("players/101000001/?on=0001-01-01", 404),
        ("events/?page=%C2%B2", 200),
        ("lists/9999-12/", 404),
        ("lists/9999-12-31/", 404),
        ("lists/9999-12/otb-main/", 404),
        ("lists/0000-00/", 404),
        ("players/101000001/otb-main/99999999999999999999/", 404),
        # PostgreSQL takes a NUL in no text.
        ("players/%00/", 400),
        ("players/?q=%001", 400),
        ("events/2024-001/%00/", 400),
    ],
)
def test_an_odd_address_is_answered_and_never_a_fault(
    client: Client, office: Federation, address: str, status: int
) -> None:
    assert client.get(f"/csa/{address}").status_code == status


def links_of(page: str) -> set[str]:
    """Every page of this site that a page names. Styles and scripts are named once, when the site starts."""
    found = set(re.findall(r"""(?:href|src|action|(?:data-)?hx-get|hx-post)=["'](/[^"'?#]*)""", page))
    return {link for link in found if not link.startswith("/static/")}


@pytest.fixture
def below_a_path(settings: Any) -> Iterator[None]:
    """Let the site lie below `/ratings/`, as Django does before each request where the setting says so."""
    settings.FORCE_SCRIPT_NAME = "/ratings"
    set_script_prefix("/ratings/")
    yield
    clear_script_prefix()


@pytest.mark.usefixtures("below_a_path")
def test_every_link_of_a_site_that_lies_below_a_path_stays_below_it(
    client: Client, office: Federation
) -> None:
    waiting, seen = {"/ratings/", "/ratings/no-such-page/"}, set[str]()
    while waiting and len(seen) < 60:
        waiting.remove(address := min(waiting))
        seen.add(address)
        answer = client.get(address.removeprefix("/ratings"))
        if answer.get("Content-Type", "").startswith("text/html"):
            found = links_of(answer.content.decode())
            assert [link for link in found if not link.startswith("/ratings/")] == [], address
            waiting |= found - seen
        answer.getvalue()  # to its end, which closes a file that is sent
    assert {"/ratings/csa/", "/ratings/csa/players/101000001/"} <= seen | waiting
