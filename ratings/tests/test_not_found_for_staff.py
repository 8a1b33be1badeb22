"""Whoever is appointed and finds nothing at an address is led to the desk; strangers to the front page."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pytest
from django.test import Client

from conftest import appointed
from players.models import Federation, Region, Role, User
from ratings.tests.office import register, submitted

ClientOf = Callable[[User], Client]
pytestmark = pytest.mark.django_db


def test_a_region_that_opens_a_section_of_another_is_led_to_its_desk(
    csa: Federation, gauteng: Region, pieter: User, client_of: ClientOf
) -> None:
    section = submitted(csa, register(csa, 8), region=gauteng, ends=date(2024, 3, 1))
    answer = client_of(pieter).get(f"{section.get_absolute_url()}file/")
    assert answer.status_code == 404
    page = answer.content.decode()
    assert 'href="/csa/desk/"' in page
    assert "Go to your desk" in page
    assert section.event.name not in page


def test_strangers_and_staff_of_another_office_are_led_to_the_front_page(
    csa: Federation, client: Client, client_of: ClientOf
) -> None:
    other = Federation.objects.create(code="dots", name="Dots", ruleset_slug="ssdc")
    for browser in (client, client_of(appointed("Gleb", other, Role.OFFICIAL))):
        answer = browser.get("/csa/lists/1999-01/")
        assert answer.status_code == 404
        page = answer.content.decode()
        assert "Go to your desk" not in page
        assert "Go to the office" in page
