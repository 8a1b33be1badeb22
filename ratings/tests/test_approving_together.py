"""Several clean sections are approved at once, in the order of rating; one that changed stops them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from django.test import Client

from players.models import Federation, Player, User
from ratings.hints import search_due_hints
from ratings.models import Change, Fact
from ratings.tests.office import approved, recompute_all, register, submitted
from tests.built_once import built_once
from tournaments.models import Finding, Section, Stage

ClientOf = Callable[[User], Client]
PAGE = "/csa/desk/approve/"
pytestmark = pytest.mark.django_db


@pytest.fixture
@built_once
def players(csa: Federation) -> list[Player]:
    found = register(csa, 8)
    approved(submitted(csa, found, number="2023-001", rounds=10, ends=date(2023, 3, 1), seed=5))
    return found


@pytest.fixture
@built_once
def sections(csa: Federation, players: list[Player]) -> list[Section]:
    """Three sections by their last days, the last of which was submitted first."""
    days = (date(2024, 3, 1), date(2024, 3, 9), date(2024, 3, 17))
    made = [
        submitted(csa, players, number=f"2024-00{at}", rounds=10, ends=day, seed=at)
        for at, day in reversed(list(enumerate(days, 1)))
    ]
    search_due_hints(csa)
    for section in made:
        section.review_hints.all().delete()
    return made[::-1]


def form(page: Any) -> dict[str, Any]:
    """What the form of the page sends."""
    rows = page.context["rows"]
    versions = {f"version-{section.pk}": section.version for section, *_numbers in rows}
    return {"seen": page.context["seen"], "section": [section.pk for section, *_n in rows], **versions}


def stages(sections: list[Section]) -> list[str]:
    found = dict(Section.objects.values_list("pk", "stage"))
    return [found[section.pk] for section in sections]


def test_sections_are_approved_in_the_order_shown_with_the_numbers_shown(
    csa: Federation, sections: list[Section], nomsa: User, client_of: ClientOf
) -> None:
    client = client_of(nomsa)
    page = client.get(PAGE, {"section": [section.pk for section in sections[::-1]]})
    shown = [section.key for section, *_numbers in page.context["rows"]]
    assert shown == [section.key for section in sections]
    answer = client.post(PAGE, form(page))
    assert answer.status_code == 302
    assert stages(sections) == [Stage.RATED] * 3
    facts = Fact.objects.filter(kind="rated", section__in=sections).order_by("number")
    assert [fact.section.key for fact in facts if fact.section] == shown
    recompute_all(csa)
    moved = [
        Change.objects.filter(fact=fact).exclude(points=0).values("player").distinct().count()
        for fact in facts
    ]
    assert moved == [number for _section, number, *_more in page.context["rows"]]


def test_one_that_changed_meanwhile_stops_there_and_what_was_before_it_stays_approved(
    sections: list[Section], nomsa: User, client_of: ClientOf
) -> None:
    client = client_of(nomsa)
    sent = form(client.get(PAGE))
    Section.objects.filter(pk=sections[1].pk).update(version=sections[1].version + 1)
    answer = client.post(PAGE, sent)
    assert answer.status_code == 409
    assert stages(sections) == [Stage.RATED, Stage.SUBMITTED, Stage.SUBMITTED]
    assert answer.context["stopped"].approved == [sections[0]]
    assert answer.context["stopped"].stopped == sections[1]
    assert sections[0].key in answer.content.decode()


def test_where_the_journal_moved_since_nothing_is_approved_and_the_effects_are_shown_again(
    sections: list[Section], nomsa: User, client_of: ClientOf
) -> None:
    client = client_of(nomsa)
    sent = form(client.get(PAGE, {"section": [section.pk for section in sections[1:]]}))
    approved(sections[0])
    answer = client.post(PAGE, sent)
    assert answer.status_code == 409
    assert stages(sections) == [Stage.RATED, Stage.SUBMITTED, Stage.SUBMITTED]
    assert client.post(PAGE, form(answer)).status_code == 302
    assert stages(sections) == [Stage.RATED] * 3


def test_a_section_that_needs_an_answer_is_not_approved_with_others(
    csa: Federation, sections: list[Section], nomsa: User, client_of: ClientOf
) -> None:
    client = client_of(nomsa)
    sent = form(client.get(PAGE))
    Finding.objects.create(section=sections[0], source="rules", level="waivable", key="x", waived_because="y")
    page = client.get(PAGE)
    assert [section for section, _why in page.context["alone"]] == [sections[0]]
    assert client.post(PAGE, sent).status_code == 409
    csa.settings = {"four_eyes": True}
    csa.save()
    Section.objects.filter(pk=sections[1].pk).update(submitted_by=nomsa)
    page = client.get(PAGE)
    assert {section for section, _why in page.context["alone"]} == set(sections[:2])
    assert stages(sections) == [Stage.SUBMITTED] * 3
