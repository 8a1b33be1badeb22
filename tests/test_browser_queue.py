"""The official's queue is worked through by the keyboard alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client
from playwright.sync_api import sync_playwright

from players.models import Federation, User
from ratings.figures import compute_review_figures
from ratings.tests.office import register, submitted
from tests.barriers_of_files import HOST, answer
from tests.browser import PATIENCE, launch
from tournaments.models import Section

pytestmark = [pytest.mark.browser, pytest.mark.django_db]


@pytest.fixture
def desk(csa: Federation, nomsa: User, client_of: Callable[[User], Client], tmp_path: Path) -> Path:
    players = register(csa, 4)
    for number in range(300):
        submitted(csa, players, number=f"2024-{number:03}", rounds=3)
    compute_review_figures(csa)
    (tmp_path / "desk.html").write_bytes(client_of(nomsa).get("/csa/desk/").content)
    return tmp_path


def test_three_of_300_waiting_sections_are_chosen_and_one_is_opened_by_keys(desk: Path) -> None:
    first, second, third = Section.objects.select_related("event").order_by("pk")[:3]
    with sync_playwright() as playwright:
        browser = launch(playwright)
        context = browser.new_context()
        context.set_default_timeout(PATIENCE)
        context.route("**/*", lambda route: answer(route, desk))
        page = context.new_page()

        def asked_by(key: str) -> str:
            with page.expect_request(lambda request: request.is_navigation_request()) as request:
                page.keyboard.press(key)
            return request.value.url

        page.goto(f"{HOST}/desk.html")
        page.locator("[data-queue] table a").first.focus()
        for key in ("j", "x", "j", "j", "x", "j", "k", "k", "x"):
            page.keyboard.press(key)
        chosen = parse_qs(urlsplit(asked_by("a")).query)["section"]
        opened = urlsplit(asked_by("Enter")).path
        browser.close()
    assert chosen == [str(section.pk) for section in (first, second, third)]
    assert opened.endswith(f"{second.event.number}/A/review/")
