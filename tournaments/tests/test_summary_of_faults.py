"""A page that was refused opens at the summary of its faults, without JavaScript; it names all of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from players.models import Player, User
from tournaments.models import Section
from tournaments.tests.conftest import Send, address
from tournaments.tests.event_files import open_file

ClientOf = Callable[[User], Client]
pytestmark = pytest.mark.django_db
SUMMARY = re.compile(r'<div class="form-errors" role="alert" tabindex="-1" autofocus>.*?</div>', re.DOTALL)


def test_the_summary_of_details_takes_the_focus_and_names_faults_of_all_its_forms(
    section: Section, register_of_six: list[Player], amahle: User, client_of: ClientOf, upload: Send
) -> None:
    browser = client_of(amahle)
    upload(browser, section, open_file())
    page = browser.get(address(section, "details"))
    assert not SUMMARY.search(page.content.decode())
    forms = page.context["forms"]
    fields = [each for part in (forms.details, forms.absences, forms.places) for each in part]
    for rows in (forms.arbiters, forms.left):
        fields += [*rows.management_form, *(field for row in rows for field in row)]
    held: dict[str, Any] = {each.html_name: each.value() for each in fields if each.value() is not None}
    held |= {"version": str(section.version + 1), "arbiters-1-title": "IA", "name": "", "left-0-round": "x"}
    answer = browser.post(address(section, "details"), held)
    assert answer.status_code == 400
    found = SUMMARY.findall(answer.content.decode())
    assert len(found) == 1
    for field in ("id_name", "id_arbiters-1-name", "id_left-0-round"):
        assert f'href="#{field}"' in found[0]
