"""The details page asks what is open; what is known stays as it is, and can be looked at and changed."""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from django.test import Client

from players import kept_pages
from players.models import User
from tournaments.models import Section
from tournaments.tests.conftest import Send, address, fresh
from tournaments.tests.event_files import open_file
from tournaments.tests.test_filing import details_of
from tournaments.tests.test_one_answer_for_all import with_absences

KNOWN = ("name", "format", "rounds", "particulars", "round_dates", "team", "starts", "ends", "id_kind")


@pytest.fixture
def client(amahle: User, client_of: Callable[[User], Client]) -> Client:
    return client_of(amahle)


@pytest.fixture
def asked(client: Client, section: Section, upload: Send, send: Send) -> Section:
    """A section whose details are known but for who gave notice."""
    upload(client, section, open_file())
    send(client, address(section, "details"), details_of(client, section))
    upload(client, section, with_absences())
    return fresh(section)


def shown_fields(client: Client, section: Section, query: str = "") -> set[str]:
    page = client.get(address(section, "details") + query).content.decode()
    tags = [
        tag for tag in re.findall(r"<(?:input|select|textarea)[^>]*>", page) if 'type="hidden"' not in tag
    ]
    return {name for tag in tags for name in re.findall(r'name="([^"]+)"', tag)}


def hidden_answers(client: Client, section: Section) -> dict[str, list[str]]:
    page = client.get(address(section, "details")).content.decode()
    answers: dict[str, list[str]] = {}
    for name, value in re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', page):
        answers.setdefault(name, []).append(unescape(value))
    return answers


def test_only_what_is_open_is_asked(client: Client, asked: Section) -> None:
    shown = shown_fields(client, asked)
    assert "left-0-notified" in shown
    assert not shown & {"name", "starts", "format", "rounds", "own-played", "reason", "organizer"}
    assert not any(name.startswith(("round-", "arbiters-")) for name in shown)


def test_arbiters_that_only_a_file_named_are_shown_before_saving_confirms_them(
    client: Client, asked: Section
) -> None:
    assert "arbiters-0-name" not in shown_fields(client, asked)
    event = asked.event
    event.arbiters = [{"name": "Nkosi, Zola", "title": "FA", "id": "", "file": asked.code}]
    event.save()
    assert "arbiters-0-name" in shown_fields(client, asked)
    assert not [name for name in hidden_answers(client, asked) if re.match(r"arbiters-\d", name)]


def test_all_answers_are_one_click_away(client: Client, asked: Section) -> None:
    assert {"name", "format", "rounds", "round-1", "organizer", "arbiters-0-name"} <= shown_fields(
        client, asked, "?all"
    )


def test_what_is_not_asked_again_stays_as_it_was(client: Client, asked: Section, send: Send) -> None:
    before = [getattr(asked, name) for name in KNOWN]
    event = (asked.event.organizer, asked.event.arbiters, asked.event.place)
    answers = details_of(client, asked)
    shown = {name: answers[name] for name in shown_fields(client, asked) if name in answers}
    gone = {
        name: "no"
        for name in shown
        if name.endswith("notified") and shown[name.replace("notified", "player")]
    }
    send(client, address(asked, "details"), hidden_answers(client, asked) | shown | gone)
    saved = fresh(asked)
    assert saved.version == asked.version + 1
    assert not saved.findings.filter(key="absences").exists()
    assert [getattr(saved, name) for name in KNOWN] == before
    assert (saved.event.organizer, saved.event.arbiters, saved.event.place) == event


def test_a_known_answer_that_turns_out_wrong_is_shown_with_its_error(client: Client, asked: Section) -> None:
    typed = details_of(client, asked) | {"rounds": "1"}
    page = client.post(address(asked, "details"), typed)
    assert page.status_code == 400
    assert 'id="id_rounds"' in page.content.decode()
    assert "rounds" not in page.context["forms"].details.answered


def test_where_nothing_is_open_the_page_says_so_and_leads_on(
    client: Client, section: Section, upload: Send, send: Send
) -> None:
    upload(client, section, open_file())
    send(client, address(section, "details"), details_of(client, section))
    page = client.get(address(section, "details")).content.decode()
    assert "All details are known." in page
    assert "name" not in shown_fields(client, section)
    assert "Save and check again" not in page


def test_another_organizer_takes_the_copies_of_pages_with_the_one_before_away(
    client: Client,
    section: Section,
    upload: Send,
    send: Send,
    settings: Any,
    tmp_path: Path,
    django_capture_on_commit_callbacks: Callable[..., Any],
) -> None:
    settings.KEPT_DIR = tmp_path
    upload(client, section, open_file())
    send(client, address(section, "details"), details_of(client, section))
    name = kept_pages.copy_name("testserver", section.event.get_absolute_url())
    with kept_pages.open_folder() as opened:
        assert opened is not None
        opened.keep(name, b"<main>Somebody else</main>")
    with django_capture_on_commit_callbacks(execute=True):
        send(client, address(section, "details"), details_of(client, section))
    assert kept_pages.find([name])
    with django_capture_on_commit_callbacks(execute=True):
        send(client, address(section, "details"), details_of(client, section) | {"organizer": "Soweto Club"})
    assert fresh(section).event.organizer == "Soweto Club"
    assert not kept_pages.find([name])
