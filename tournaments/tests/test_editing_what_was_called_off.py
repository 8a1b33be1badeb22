"""Whoever saves an event that was called off meanwhile reads that nothing was saved, and keeps the words."""

from __future__ import annotations

from collections.abc import Callable
from html import unescape
from typing import Any

import pytest
from django.test import Client

from players.models import User
from tests.built_once import built_once
from tournaments.announcements import cancel_event
from tournaments.models import Event, Section, Stage
from tournaments.tests.conftest import TODAY, Send

ClientOf = Callable[[User], Client]
pytestmark = pytest.mark.django_db
NOTHING = "Nothing was saved. What you typed stands below, to copy."


@pytest.fixture
@built_once
def page(section: Section) -> str:
    return f"/csa/events/{section.event.number}/sections/edit/"


@pytest.fixture
@built_once
def typed(section: Section, amahle: User, client_of: ClientOf, page: str) -> dict[str, Any]:
    """What the page sends with other words than it showed."""
    form = client_of(amahle).get(page).context["form"]
    fields = [*form, *form.arbiters.management_form]
    held = {each.html_name: "" if each.value() is None else each.value() for each in fields}
    arbiter = {"arbiters-0-name": "Venter, Pieter", "arbiters-0-title": "IA", "arbiters-0-id": ""}
    said = {"name": "Soweto Autumn Open", "place": "Orlando Hall", "reason": "The hall has another name."}
    return held | arbiter | said


def words(answer: Any) -> str:
    return " ".join(unescape(answer.content.decode()).split())


def test_of_an_event_called_off_meanwhile_what_was_typed_comes_back(
    section: Section, amahle: User, client_of: ClientOf, page: str, typed: dict[str, Any]
) -> None:
    event = section.event
    cancel_event(event=event, by=amahle, on=TODAY, version=event.version, reason="No arbiter.")
    answer = client_of(amahle).post(page, typed)
    assert answer.status_code == 409
    told = words(answer)
    assert NOTHING in told
    assert "This event is cancelled" in told
    for said in ("Soweto Autumn Open", "Orlando Hall", "The hall has another name.", "Venter, Pieter IA"):
        assert said in told
    assert Event.objects.get().name == "Soweto Open"


def test_so_does_what_was_typed_with_a_fault(
    section: Section, amahle: User, client_of: ClientOf, page: str, typed: dict[str, Any]
) -> None:
    event = section.event
    cancel_event(event=event, by=amahle, on=TODAY, version=event.version, reason="No arbiter.")
    answer = client_of(amahle).post(page, typed | {"starts": "soon"})
    assert (NOTHING in words(answer), "Orlando Hall" in words(answer)) == (True, True)


def test_so_does_what_was_typed_of_an_event_that_was_rated_meanwhile(
    section: Section, amahle: User, client_of: ClientOf, page: str, typed: dict[str, Any]
) -> None:
    Section.objects.update(stage=Stage.RATED)
    answer = client_of(amahle).post(page, typed)
    assert (NOTHING in words(answer), "Orlando Hall" in words(answer)) == (True, True)


def test_a_closed_page_that_was_only_opened_says_nothing_of_saving(
    section: Section, amahle: User, client_of: ClientOf, page: str
) -> None:
    Section.objects.update(stage=Stage.RATED)
    assert NOTHING not in words(client_of(amahle).get(page))


def test_an_open_event_is_saved_as_before(
    section: Section, amahle: User, client_of: ClientOf, page: str, typed: dict[str, Any], send: Send
) -> None:
    assert send(client_of(amahle), page, typed).status_code == 302
    assert Event.objects.get().name == "Soweto Autumn Open"
