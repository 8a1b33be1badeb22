"""An office made from a journal of somebody else: ids unlike ours, and every page opens all the same."""

from __future__ import annotations

from datetime import date

import pytest
from django.test import Client

from conftest import appointed
from players.models import Federation, Player, Role
from ratings.intake import import_journal
from ratings.journal import journal_lines
from ratings.recompute import recompute
from ratings.rulesets import journal
from ratings.tests.office import approved, published, register, submitted
from tests.built_once import built_once
from tournaments.models import Event

pytestmark = [pytest.mark.django_db, pytest.mark.servers]


@pytest.fixture
@built_once
def foreign(csa: Federation) -> Federation:
    players = register(csa, 10)
    approved(submitted(csa, players))
    approved(submitted(csa, players, number="2024-002", ends=date(2024, 3, 8), seed=2))
    published(csa, date(2024, 4, 1))
    told = "\n".join([*journal_lines(csa), ""])
    for ours, theirs in (
        ('"code":"csa"', '"code":"foreign"'),
        ("2024-001/A", "Cape Open 1?/Über 60"),
        ("101000004", "ZA.4-x"),
        ('"region":"GAU"', '"region":"G.A U"'),
    ):
        told = told.replace(ours, theirs)
    office = import_journal(
        journal.read_journal(told.encode().splitlines(keepends=True)), on=date(2024, 5, 1)
    )
    recompute(office)
    return office


def test_every_page_opens_and_leads_to_the_others(foreign: Federation) -> None:
    event, player = Event.objects.get(number="Cape Open 1?"), Player.objects.get(number="ZA.4-x")
    section = event.sections.get()
    browser = Client()
    for address in ("/foreign/", event.get_absolute_url(), section.get_absolute_url()):
        assert browser.get(address).status_code == 200, address
    assert player.get_absolute_url() in browser.get(section.get_absolute_url()).content.decode()
    assert browser.get(player.get_absolute_url()).status_code == 200


def test_its_officials_work_there(foreign: Federation) -> None:
    section = Event.objects.get(number="Cape Open 1?").sections.get()
    pages = (
        (Role.OFFICIAL, f"{section.get_absolute_url()}review/"),
        (Role.OFFICIAL, f"{section.get_absolute_url()}submit/"),
        (Role.OFFICIAL, "/foreign/desk/"),
        (Role.ADMINISTRATOR, "/foreign/settings/"),
    )
    for number, (role, address) in enumerate(pages):
        browser = Client()
        browser.force_login(appointed(f"Person {number}", foreign, role))
        assert browser.get(address).status_code == 200, address
