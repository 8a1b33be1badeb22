"""Addresses that no link of ours leads to: whatever stands in them, the answer is no fault of ours."""

from __future__ import annotations

from datetime import date

import pytest
from django.test import Client

from players.office.models import Federation
from ratings.tests.office import approved, published, register, submitted

pytestmark = pytest.mark.django_db


@pytest.fixture
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
